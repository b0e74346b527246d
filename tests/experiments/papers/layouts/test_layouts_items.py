"""The paper on layouts: its printed tables, what is made of results, and what was not measured."""

from dataclasses import replace

import pytest

from experiments.papers.kit.results import Record
from experiments.papers.kit.source import recorded_results
from experiments.papers.layouts import appendices, figures, tables
from experiments.papers.layouts.printed import BY_LAYOUTS, OUTER, TABLES
from experiments.papers.layouts.recording import described
from experiments.papers.layouts.results import MatrixRecord, Results, SearchRecord
from experiments.papers.layouts.subjects import SUBJECTS


@pytest.fixture(scope="module")
def recorded():
    return recorded_results(Results)


def search(kind, us, layout="csr-AoS-AoS", **more):
    return SearchRecord("torus", "float32", kind, layout, "whole", us, 1000, 7, **{"bound_us": 4.0, **more})


@pytest.fixture
def measured():
    matrix = MatrixRecord("torus", "quaternion", "dragon", rows=5, nnz=9)
    searches = (search("joint", 5.0, "sorted-32-AoS-AoS"), search("paper", 8.0, "ellpack-r-AoS-AoS"))
    library = (
        Record("torus", "BSR 4 x 4, row", "float32", median_us=30.0),
        Record("torus", "complex BSR 2 x 2, row", "float32", median_us=20.0),
        Record("torus", "complex BSR 2 x 2, column", "float32", status="failed", reason="refused"),
    )
    return Results(
        "vecsim reproduce layouts",
        "2026-11-23",
        "",
        "a GPU",
        {},
        {},
        (matrix,),
        library,
        searches=(*searches, search("schedule", 16.0, complete=False)),
    )


def ours(item, row, quantity):
    return next(each.ours for each in item.rows if (each.row, each.quantity) == (row, quantity))


def test_the_printed_tables_say_what_the_text_says():
    assert [each.number for each in TABLES] == [1, 2, 3, 4, 5, 6]
    assert [len(each.matrices) for each in TABLES] == [4, 4, 4, 4, 5, 5]
    tuned = {each.number: [cell for row in each.matrices.values() for cell in row] for each in TABLES}
    outer = {number: {cell.layout.rsplit("-", 2)[0] for cell in cells} for number, cells in tuned.items()}
    assert set().union(*outer.values()) == set(OUTER)
    assert outer[3] == outer[4] == {"ELL"}  # section 5.2: preferred in all cases
    assert {cell.layout for cell in tuned[3]} == {"ELL-AoS-AoS"}
    vectors = [cell.layout.rsplit("-", 1)[1] for cell in tuned[4]]
    assert vectors.count("SoA") == 2  # "in all but two cases AoS"
    most = max(float(cell.speedup) for cells in tuned.values() for cell in cells)
    assert round(most, 1) == BY_LAYOUTS and any(float(cell.speedup) == most for cell in tuned[5])
    assert min(float(cell.speedup) for cells in tuned.values() for cell in cells) == 1
    for number in (1, 3, 5):  # the same matrices in both types
        assert list(TABLES[number - 1].matrices) == list(TABLES[number].matrices)


def test_subjects_have_every_kind_first():
    assert {each.entry.name for each in SUBJECTS[:3]} == {each.entry for each in TABLES}
    assert len({each.name for each in SUBJECTS}) == len(SUBJECTS)
    printed = {name for each in TABLES for name in each.matrices}
    assert {each.stands_for for each in SUBJECTS if each.stands_for} <= printed


def test_gains_and_verdicts(measured):
    table = tables.make(measured, 3)
    assert ours(table, "torus (for dragon)", tables.ALL) == pytest.approx(16 / 5)
    assert ours(table, "torus (for dragon)", tables.PAPERS) == pytest.approx(2)
    assert ours(table, "torus (for dragon)", tables.SHARE) == pytest.approx(80)
    assert [each.holds for each in table.verdicts] == [True, True]
    slow = replace(measured, searches=(*measured.searches[:2], search("schedule", 4.0)))
    assert [each.holds for each in tables.make(slow, 3).verdicts] == [False, True]
    assert {each.ours for each in tables.make(measured, 4).rows} == {None}  # no float64
    assert [row.row for row in tables.make(measured, 1).rows] == [
        name for name in TABLES[0].matrices for _ in range(3)
    ]


def test_each_kind_of_entry_has_a_panel_with_its_baselines(recorded):
    chart = figures.over_cusparse(recorded, 1, "float32").chart
    assert [panel.title for panel in chart.panels] == [f"{entry} entries" for entry in figures.BASELINES]
    for panel, baselines in zip(chart.panels, figures.BASELINES.values(), strict=True):
        assert list(panel.series) == [f"over {words}" for words in baselines]
        assert all(height > 1 for heights in panel.series.values() for height in heights)
    assert sum(len(panel.categories) for panel in chart.panels) == len(SUBJECTS)


def test_speedups_over_cusparse(measured):
    figure = figures.over_cusparse(measured, 1, "float32")
    assert ours(figure, "torus (for dragon)", "over BSR 4 x 4, the paper's baseline") == pytest.approx(6)
    assert ours(figure, "torus (for dragon)", "over complex BSR 2 x 2") == pytest.approx(4)
    assert figure.chart is not None
    up_to, complex_ones = figure.verdicts
    assert up_to.holds and "up to 6.00 times" in up_to.detail
    assert complex_ones.holds is None
    other = figures.over_cusparse(measured, 5, "float64")
    assert other.chart is None and other.verdicts[0].holds is None
    assert any("16.00" in cell for row in searches(measured) for cell in row)


def searches(results):
    return next(each for each in appendices.make(results) if each.name == "layouts-searches").table.rows


def test_means_over_large_matrices(measured):
    large = replace(measured, matrices=(replace(measured.matrices[0], nnz=2_000_000),))
    table = next(each for each in appendices.make(large) if each.name == "layouts-large").table
    rows = {row[:3]: row[3:] for row in table.rows}
    assert rows["quaternion", "float32", "times complex BSR 2 x 2"] == ("4.00", "4.00", "4.00", "1")
    assert rows["quaternion", "float32", "share of the bound, %"][0] == "80.00"
    assert ("quaternion", "float32", "times four real products") not in rows


def test_what_failed_is_said(measured):
    failed = replace(search("joint", None), reason="no memory")
    missing = described(SUBJECTS[3], None, "no such mesh")
    actual = replace(measured, searches=(failed,), matrices=(*measured.matrices, missing))
    gaps = tables.make(actual, 3).gaps
    assert "Not measured: torus, float32, joint: no memory" in gaps
    assert "Not measured: surface/armadillo: no such mesh" in gaps


def test_what_comes_with_the_package(recorded):
    assert [each.name for each in recorded.matrices] == [each.name for each in SUBJECTS]
    assert not any(each.missing for each in recorded.matrices)
    large = [each for each in recorded.matrices if each.nnz > 1_000_000]
    assert {each.group for each in large} == {each.entry for each in TABLES}
    lengths, bandwidths = figures.patterns(recorded, 3), figures.patterns(recorded, 4)
    assert ours(lengths, "surface/torus (for dragon)", "median") == 7
    assert all(row.ours is not None and 0 <= row.ours <= 100 for row in bandwidths.rows)
