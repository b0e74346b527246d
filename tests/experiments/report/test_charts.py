import struct
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from report_cases import CHART, ROWS

from experiments.report import charts
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Panel
from experiments.report.paper_chart import paper_beside_ours

SVG = "{http://www.w3.org/2000/svg}"


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", png[16:24])


def bars(chart: BarChart, panel: int = 0) -> dict[str, list[tuple[float, float]]]:
    """Return bottom and top of every plotted bar, by series."""
    axes = charts.figure(chart).axes[panel]
    return {
        str(container.get_label()): [(bar.get_y(), bar.get_y() + bar.get_height()) for bar in container]
        for container in axes.containers
    }


def texts(chart: BarChart) -> list[str]:
    return [text.get_text() for axes in charts.figure(chart).axes for text in axes.texts]


def test_bars_have_the_heights_that_they_write():
    assert bars(CHART) == {"paper": [(0, 1), (0, 2)], "ours": [(0, 1.5), (0, 0)]}
    assert texts(CHART) == ["1.00", "2.00", "1.50", "not found"]


def test_a_group_without_any_bar_says_so_once():
    chart = BarChart("t", "v", (Panel("", ("a", "b"), {"x": (1.0, None), "y": (2.0, None)}),), "d")
    assert texts(chart) == ["1", "2", "not found"]


def test_a_bar_that_is_not_there_says_why():
    absent = {"y": ("", "refused")}
    panel = Panel("", ("a", "b"), {"x": (1.0, None), "y": (2.0, None)}, absent)
    assert texts(BarChart("t", "v", (panel,), "d")) == ["1", "2", "not found", "refused"]


def test_on_a_logarithmic_axis_bars_grow_from_one():
    chart = BarChart("t", "v", (Panel("", ("a", "b"), {"x": (0.25, 8.0)}),), "d", logarithmic=True)
    assert bars(chart) == {"x": [(1, 0.25), (1, 8)]}
    low, high = charts.figure(chart).axes[0].get_ylim()
    assert low < 0.25
    assert high > 8


@pytest.mark.parametrize("logarithmic", [False, True])
def test_nothing_found_is_a_picture_too(logarithmic):
    chart = BarChart("t", "v", (Panel("", ("a",), {"x": (None,)}),), "d", logarithmic=logarithmic)
    assert size(charts.draw(chart).png)[0] > 100


def test_both_kinds_of_file():
    picture = charts.draw(CHART)
    root = ElementTree.fromstring(picture.svg)
    assert root.tag == f"{SVG}svg"
    assert len(list(root.iter(f"{SVG}path"))) > 10
    width, height = size(picture.png)
    assert width > 400
    assert height > 400
    assert charts.draw(CHART) == picture


def test_the_paper_next_to_ours_has_a_panel_for_each_quantity():
    chart = paper_beside_ours("Table", "times", ROWS)
    assert [panel.title for panel in chart.panels] == ["all", "large"]
    assert chart.panels[0].categories == ("A\nvs B", "A\nvs C")
    assert chart.panels[0].series == {"paper": (2.0, 1.003), "ours": (2.1, 1.0031)}
    assert chart.panels[1].series["ours"] == (3.0, None)
    assert bars(chart, 1)["paper"] == [(0, 4), (0, 0.5)]


@pytest.mark.parametrize(("panels", "across"), [(1, 1), (2, 2), (3, 3), (4, 2), (5, 1), (6, 3)])
def test_panels_leave_no_place_empty(panels, across):
    rows = [Comparison("r", quantity, "1", 2.0) for quantity in "abcdef"[:panels]]
    axes = charts.figure(paper_beside_ours("t", "v", rows)).axes
    assert len(axes) == panels
    assert len({each.get_position().x0 for each in axes}) == across


@pytest.mark.parametrize("logarithmic", [False, True])
def test_all_panels_have_one_scale(logarithmic):
    rows = [Comparison("r", "a", "0.2", 0.5), Comparison("r", "b", "30", 4.0)]
    first, second = charts.figure(paper_beside_ours("t", "v", rows, logarithmic=logarithmic)).axes
    assert first.get_ylim() == second.get_ylim()
    assert first.get_ylim()[1] > 30


def test_bars_that_are_no_ratios_begin_at_the_foot_of_a_logarithmic_axis():
    panel = Panel("", ("a", "b"), {"x": (0.25, 80.0)})
    chart = BarChart("t", "GFlops", (panel,), "d", logarithmic=True, bars_from=None)
    foot, _ = charts.figure(chart).axes[0].get_ylim()
    assert 0.1 < foot < 0.25
    assert bars(chart) == {"x": [(pytest.approx(foot), 0.25), (pytest.approx(foot), 80)]}


@pytest.mark.parametrize(
    ("heights", "shown"), [((0.1, 9.0), ["0.1", "1", "10"]), ((0.7, 3.0), ["0.5", "1", "2", "5"])]
)
def test_logarithmic_axes_have_plain_numbers(heights, shown):
    chart = BarChart("t", "v", (Panel("", ("a", "b"), {"x": heights}),), "d", logarithmic=True)
    sampled = charts.figure(chart)
    sampled.draw_without_rendering()
    assert set(shown) <= {text.get_text() for text in sampled.axes[0].get_yticklabels()}


def test_a_series_has_one_colour_in_all_panels_and_one_key():
    first, second = Panel("", ("a",), {"x": (1.0,), "y": (2.0,)}), Panel("", ("b",), {"y": (3.0,)})
    sampled = charts.figure(BarChart("t", "v", (first, second), "d", reference=1.0, reference_label="CHiSM"))
    one, two = ({c.get_label(): c[0].get_facecolor() for c in axes.containers} for axes in sampled.axes)
    assert two["y"] == one["y"] != one["x"]
    (legend,) = sampled.legends
    assert sorted(text.get_text() for text in legend.get_texts()) == ["CHiSM", "x", "y"]


def test_words_lie_within_the_picture_and_next_to_each_other():
    names = tuple(f"a-matrix-number-{k}\n{10**k:,}" for k in range(10))
    series = {f"a method with a long name, {m}": (1.5,) * 10 for m in range(5)}
    title = "A title that says very much of a picture that is as wide as its bars need " * 4
    sampled = charts.figure(BarChart(title, "v", (Panel("", names, series),), "d"))
    sampled.draw_without_rendering()
    whole = sampled.bbox
    for words in (sampled._suptitle, *sampled.legends):
        box = words.get_window_extent()
        assert whole.x0 <= box.x0 < box.x1 <= whole.x1
        assert whole.y0 <= box.y0 < box.y1 <= whole.y1
    labels = [label.get_window_extent() for label in sampled.axes[0].get_xticklabels()]
    assert all(left.x1 < right.x0 for left, right in pairwise(labels))
