"""Lines with bands, bars around a line, fields of colour: all are plotted where they should be."""

import pytest

from experiments.report import boxes, charts, heat, lines, ranges
from experiments.report.parameter_charts import BoxChart, HeatChart, LineChart, Range, RangeChart

BAND = {"crs": ((0.5, 2.0), None, (3.0, 5.0))}
LINES = LineChart("Speed", "up", "banks", ("4", "8", "16"), {"crs": (1.0, None, 4.0)}, BAND, "described")
RANGES = RangeChart(
    "What", "speed", ("banks", "ports"), {"crs": (Range(0.5, 2.0, "4", "64"), None)}, "described"
)
BOXES = BoxChart("Rows", "entries", {"a": (1, 2, 3, 5, 8), "b": (4, 4, 4, 4, 4)}, "described")
HEAT = HeatChart("Both", "up", "b", "a", ("1", "2"), ("x",), {"crs": ((1.0, None),)}, "described")


def test_lines_leave_out_what_is_missing():
    axes = lines.figure(LINES).axes[0]
    assert axes.lines[0].get_xydata().tolist() == [[0, 1], [2, 4]]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["4", "8", "16"]
    assert axes.get_ylim()[0] < 0.5
    assert axes.get_ylim()[1] > 5


def test_bars_begin_at_the_line():
    axes = ranges.figure(RANGES).axes[0]
    ends = [(bar.get_x(), bar.get_x() + bar.get_width(), bar.get_y()) for bar in axes.patches]
    assert [end[:2] for end in ends] == [(1.0, 0.5), (1.0, 2.0)]
    assert [text.get_text() for text in axes.texts] == ["4", "64"]
    assert axes.yaxis_inverted()


def test_fields_have_their_numbers():
    axes = heat.figure(HEAT).axes[0]
    assert [text.get_text() for text in axes.texts] == ["1.00", "-"]


def test_boxes_reach_from_quartile_to_quartile_and_whiskers_to_the_extremes():
    axes = boxes.figure(BOXES).axes[0]
    heights = [box.get_path().get_extents() for box in axes.patches]
    assert [(box.y0, box.y1) for box in heights] == [(2, 5), (4, 4)]
    ends = {tuple(line.get_ydata()) for line in axes.lines}
    assert {(2, 1), (5, 8), (3, 3)} <= ends
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a", "b"]


@pytest.mark.parametrize("chart", [LINES, RANGES, BOXES, HEAT])
def test_the_same_chart_gives_the_same_files(chart):
    first, again = charts.draw(chart), charts.draw(chart)
    assert first == again
    assert first.png.startswith(b"\x89PNG")
    assert first.svg.startswith(b"<?xml")
