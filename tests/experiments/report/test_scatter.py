from xml.etree import ElementTree

import pytest

from experiments.report import charts, scatter
from experiments.report.item import ScatterChart, ScatterPanel

POINTS = {"real": ((0.5, 2.0), (4.0, 8.0)), "made": ((1.0, 1.0),)}


def chart(*panels, reference=1.0):
    return ScatterChart("Points", "across", "up", panels, "described", reference)


def test_points_lie_where_they_are_on_logarithmic_axes():
    axes = scatter.figure(chart(ScatterPanel("p", POINTS))).axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    sampled = {points.get_label(): points.get_offsets().tolist() for points in axes.collections}
    assert sampled == {name: [list(point) for point in points] for name, points in POINTS.items()}
    assert axes.get_xlim()[0] < 0.5
    assert axes.get_xlim()[1] > 4
    assert axes.get_ylim()[0] < 1
    assert axes.get_ylim()[1] > 8


def test_the_lines_of_reference_are_seen_even_far_from_all_points():
    axes = scatter.figure(chart(ScatterPanel("p", {"a": ((8.0, 9.0), (20.0, 30.0))}))).axes[0]
    assert axes.get_xlim()[0] < 1
    assert axes.get_ylim()[0] < 1
    assert len(axes.lines) == 3
    assert not scatter.figure(chart(ScatterPanel("p", POINTS), reference=None)).axes[0].lines


def test_labels_stand_next_to_their_points():
    axes = scatter.figure(chart(ScatterPanel("p", POINTS, {(4.0, 8.0): "far"}))).axes[0]
    assert [(text.get_text(), text.xy) for text in axes.texts] == [("far", (4.0, 8.0))]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_panels_without_points_are_left_out_of_sight(count):
    sampled = scatter.figure(chart(*[ScatterPanel(str(n), POINTS) for n in range(count)]))
    assert [axes.get_title() for axes in sampled.axes if axes.get_visible()] == list(map(str, range(count)))


def test_a_picture_without_any_point():
    assert charts.draw(chart(ScatterPanel("p", {"a": ()}))).png.startswith(b"\x89PNG")


def test_both_files_and_the_same_bytes_again():
    pictures = [charts.draw(chart(ScatterPanel("p", POINTS))) for _ in range(2)]
    assert pictures[0] == pictures[1]
    assert ElementTree.fromstring(pictures[0].svg).tag.endswith("svg")
