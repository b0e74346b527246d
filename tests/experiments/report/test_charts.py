import struct
from xml.etree import ElementTree

import pytest
from report_cases import CHART, ROWS

from experiments.comparison import Comparison
from experiments.report import charts
from experiments.report.beside import paper_beside_ours
from experiments.report.item import BarChart, Panel

SVG = "{http://www.w3.org/2000/svg}"


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", png[16:24])


def bars(chart: BarChart, panel: int = 0) -> dict[str, list[tuple[float, float]]]:
    """Bottom and top of every bar that is drawn, by series."""
    axes = charts.figure(chart).axes[panel]
    return {
        str(container.get_label()): [(bar.get_y(), bar.get_y() + bar.get_height()) for bar in container]
        for container in axes.containers
    }


def texts(chart: BarChart) -> list[str]:
    return [text.get_text() for axes in charts.figure(chart).axes for text in axes.texts]


def test_bars_have_the_heights_that_they_write():
    assert bars(CHART) == {"paper": [(0, 1), (0, 2)], "ours": [(0, 1.5), (0, 0)]}
    assert texts(CHART) == ["1.00", "2.00", "1.50", "not at hand"]


def test_a_group_without_any_bar_says_so_once():
    chart = BarChart("t", "v", (Panel("", ("a", "b"), {"x": (1.0, None), "y": (2.0, None)}),), "d")
    assert texts(chart) == ["1.00", "2.00", "not at hand"]


def test_a_bar_that_is_not_there_says_why():
    absent = {"y": ("", "refused")}
    panel = Panel("", ("a", "b"), {"x": (1.0, None), "y": (2.0, None)}, absent)
    assert texts(BarChart("t", "v", (panel,), "d")) == ["1.00", "2.00", "not at hand", "refused"]


def test_on_a_logarithmic_axis_bars_grow_from_one():
    chart = BarChart("t", "v", (Panel("", ("a", "b"), {"x": (0.25, 8.0)}),), "d", logarithmic=True)
    assert bars(chart) == {"x": [(1, 0.25), (1, 8)]}
    low, high = charts.figure(chart).axes[0].get_ylim()
    assert low < 0.25
    assert high > 8


@pytest.mark.parametrize("logarithmic", [False, True])
def test_nothing_at_hand_is_a_picture_too(logarithmic):
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


def test_the_paper_beside_ours_has_a_panel_for_each_quantity():
    chart = paper_beside_ours("Table", "times", ROWS)
    assert [panel.title for panel in chart.panels] == ["all", "large"]
    assert chart.panels[0].categories == ("A\nvs B", "A\nvs C")
    assert chart.panels[0].series == {"paper": (2.0, 1.003), "ours": (2.1, 1.0031)}
    assert chart.panels[1].series["ours"] == (3.0, None)
    assert bars(chart, 1)["paper"] == [(0, 4), (0, 0.5)]


def test_an_odd_number_of_panels_leaves_a_place_empty():
    rows = [Comparison("r", quantity, "1", 2.0) for quantity in "abc"]
    shown = [axes.get_visible() for axes in charts.figure(paper_beside_ours("t", "v", rows)).axes]
    assert shown == [True, True, True, False]
