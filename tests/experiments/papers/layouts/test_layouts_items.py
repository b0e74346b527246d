"""The paper on layouts: its printed tables, what is made of results, and what was not measured."""

from dataclasses import replace

import pytest

from experiments.papers.kit.results import Record
from experiments.papers.kit.source import recorded_results
from experiments.papers.layouts import appendices, figures, tables
from experiments.papers.layouts.forms import BASELINES
from experiments.papers.layouts.preferences import Chosen, Parts, of_double_entries, preferred
from experiments.papers.layouts.printed import BY_LAYOUTS, OUTER, TABLES
from experiments.papers.layouts.recording import described
from experiments.papers.layouts.results import OURS, PAPERS, REALS, MatrixRecord, Results, SearchRecord
from experiments.papers.layouts.subjects import SUBJECTS

ARMADILLO = next(each for each in SUBJECTS if each.name == "surface/armadillo")


@pytest.fixture(scope="module")
def recorded():
    return recorded_results(Results)


def search(kind, us, layout="csr-AoS-AoS", **more):
    return SearchRecord("torus", "float32", kind, layout, "whole", us, 1000, 7, **{"stream_us": 4.0, **more})


@pytest.fixture
def measured():
    matrix = MatrixRecord("torus", "quaternion", "dragon", rows=5, nnz=9)
    searches = (
        search("joint", 5.0, "sorted-32-AoS-AoS"),
        search("paper", 8.0, "ellpack-r-AoS-AoS"),
        search("paper schedule", 24.0),
    )
    library = (
        Record("torus", "BSR 4 x 4, row", "float32", median_us=30.0, nbytes=9 * 64 + 4 * (9 + 6)),
        Record("torus", "Hamilton", "float32", median_us=60.0),
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


def outcomes(item):
    return [each.holds for each in item.verdicts]


def test_gains_of_the_paper_and_of_all_stand_apart(measured):
    table = tables.make(measured, 3)
    assert ours(table, "torus (for dragon)", tables.GAINS[OURS]) == pytest.approx(16 / 5)
    assert ours(table, "torus (for dragon)", tables.GAINS[PAPERS]) == pytest.approx(3)
    assert ours(table, "torus (for dragon)", tables.SHARE) == pytest.approx(80)
    assert {each.ours for each in tables.make(measured, 4).rows} == {None}  # no float64
    assert [row.row for row in tables.make(measured, 1).rows] == [
        name for name in TABLES[0].matrices for _ in range(3)
    ]
    printed, most = tables.make(measured, 5).rows[-2:]
    assert (printed.paper, printed.outcome, printed.implied) == ("5.5", "not testable", True)
    assert "on the GP100 the tables have up to 2.09" in printed.note
    assert (most.paper, most.ours) == ("", pytest.approx(3))


def test_claims_on_quaternions(measured):
    ellpack = tables.make(measured, 3)
    assert outcomes(ellpack) == [True, True, None, None]
    times = {"ellpack-r-AoS-AoS": 8.0, "sliced-32-AoS-AoS": 8.1}
    other = replace(
        measured.searches[1],
        matrix="bunny",
        layout="sliced-32-AoS-AoS",
        by_layout={**times, "ellpack-r-AoS-AoS": 9},
    )
    two = replace(
        measured,
        matrices=(*measured.matrices, MatrixRecord("bunny", "quaternion", rows=5, nnz=9)),
        searches=(replace(measured.searches[1], by_layout=times), other),
    )
    similar = tables.make(two, 3).verdicts[2]
    assert (similar.holds, similar.detail.partition(": ")[2]) == (True, "sliced-32-AoS-AoS")
    assert outcomes(tables.make(two, 3))[0] is False
    changed = replace(measured.searches[1], layout="sliced-16-SoA-AoS")
    sliced = tables.make(replace(measured, searches=(measured.searches[0], changed)), 3)
    assert outcomes(sliced)[:2] == [False, False]
    double = replace(changed, dtype="float64", by_layout={"csr-SoA-AoS": 8.0, "x-x-SoA": 9})
    assert outcomes(tables.make(replace(measured, searches=(double,)), 4)) == [True, False]


def cases(*times):
    """Return cases with the time of SoA over that of AoS."""
    return [
        Chosen("m", "csr-AoS-AoS" if ratio >= 1 else "csr-SoA-AoS", {"csr-AoS-AoS": 1, "csr-SoA-AoS": ratio})
        for ratio in times
    ]


@pytest.mark.parametrize(
    ("times", "holds"),
    [
        ((1.1, 1.1, 0.9), True),
        ((1.1, 1.01, 0.9), None),
        ((1.01, 0.99, 0.99), None),
        ((1.1, 0.9, 0.9), False),
        ((), None),
    ],
)
def test_times_within_noise_decide_no_preference(times, holds):
    verdict = preferred("AoS is preferred", cases(*times), Parts(inner="AoS"))
    assert verdict.holds is holds


@pytest.mark.parametrize(
    ("times", "holds"),
    [((0.9, 0.9, 1.1), True), ((0.9, 0.9, 0.9), False), ((1.1, 1.1, 0.9), False), ((1, 1, 1), None)],
)
def test_many_but_not_all_entries(times, holds):
    assert of_double_entries("SoA is preferred in many cases", cases(*times)).holds is holds


def test_what_the_tables_of_the_paper_say_of_its_gpus(measured):
    details = [verdict.detail for n in (1, 3, 5) for verdict in tables.make(measured, n).verdicts]
    of_tables = [detail.partition("tables ")[2] for detail in details if "in the paper's tables" in detail]
    assert of_tables == [
        "they do on 26 of 26",
        "within 20% on 8 of 8",
        "more on 8 of 8",
        "they do on 9 of 10",
    ]


def test_bars_of_the_paper_are_light_and_dark(measured):
    chart = figures.over_cusparse(measured, 1, "float32").chart
    (panel,) = chart.panels
    assert {name: heights[0] for name, heights in panel.series.items()} == {
        "as the paper, schedules alone": pytest.approx(30 / 24),
        "as the paper, layouts too": pytest.approx(30 / 8),
        "ours, schedules alone": pytest.approx(30 / 16),
        "ours, layouts too": pytest.approx(6),
    }


def test_each_kind_of_entry_has_a_panel_and_three_large_matrices(recorded):
    chart = figures.over_cusparse(recorded, 1, "float32").chart
    assert [panel.title.partition(" entries")[0] for panel in chart.panels] == list(BASELINES)
    assert sum(len(panel.categories) for panel in chart.panels) == len(SUBJECTS)
    for entry in BASELINES:
        for dtype in REALS:
            for scope in (PAPERS, OURS):
                assert len(recorded.gains(entry, dtype, scope, large=True)) >= 3


def test_speedups_over_cusparse(measured):
    figure = figures.over_cusparse(measured, 1, "float32")
    label = "torus (for dragon)"
    assert ours(figure, label, "over BSR 4 x 4, the paper's baseline; ours, layouts too") == pytest.approx(6)
    assert ours(figure, label, "over complex BSR 2 x 2; ours, layouts too") == pytest.approx(4)
    up_to, here, values, saved = figure.rows[:4]
    assert (up_to.paper, up_to.outcome, here.ours) == ("4.7", "not testable", pytest.approx(30 / 8))
    assert (values.paper, values.ours, values.outcome) == ("4", 4, "confirmed")
    assert (saved.ours, saved.kind) == (pytest.approx(100 * 31 / 128), "decoded")
    held = {each.claim.partition(" (")[0]: each.holds for each in figure.verdicts}
    assert held["Quaternions expanded to real blocks are slow"] is True
    assert held["Tuning layouts, too, is faster than tuning schedules alone"] is True
    assert held["Complex matrices are in most cases slower than with cuSPARSE"] is None
    assert held["Interleaved components of entries are slow"] is False
    other = figures.over_cusparse(measured, 5, "float64")
    assert other.chart is None
    assert [row.implied for row in other.rows if row.outcome == "not testable"] == [False, True]
    assert any("16.00" in cell for row in searches(measured) for cell in row)


def test_what_the_searches_left_out_is_said(measured):
    assert not any("Groups of 32" in note for note in tables.make(measured, 3).notes)
    pruned = replace(measured, facts={"layouts of vectors": "AoS and SoA"})
    assert any("tried AoS and SoA. Groups of 32" in note for note in tables.make(pruned, 3).notes)


def test_rows_and_padding(measured):
    rows = {"quaternion": (7.0, 7.0, 7.0, 7.0, 7.0), "complex": (1.0, 3.0, 5.0, 6.0, 9.0)}
    matrices = tuple(MatrixRecord(e, e, rows=10, nnz=50, row_lengths=r) for e, r in rows.items())
    item = figures.patterns(replace(measured, matrices=matrices), 3)
    assert outcomes(item) == [None, True]
    assert item.chart.boxes["complex"] == rows["complex"]
    assert item.verdicts[1].detail.endswith("quaternion 1.40; complex 1.80")
    assert outcomes(figures.patterns(replace(measured, matrices=matrices[:1]), 3)) == [None, False]


def searches(results):
    return next(each for each in appendices.make(results) if each.name == "layouts-searches").table.rows


def test_means_over_large_matrices(measured):
    large = replace(measured, matrices=(replace(measured.matrices[0], nnz=2_000_000),))
    table = next(each for each in appendices.make(large) if each.name == "layouts-large").table
    rows = {row[:3]: row[3:] for row in table.rows}
    of_ours, of_paper = (f"times complex BSR 2 x 2; {scope.words}" for scope in (OURS, PAPERS))
    assert rows["quaternion", "float32", of_ours] == ("4.00", "4.00", "4.00", "1")
    assert rows["quaternion", "float32", of_paper][0] == "2.50"
    assert rows["quaternion", "float32", "plain reads of as many bytes, % of the time"][0] == "80.00"
    assert not any(row[1] == "float64" for row in table.rows)


def test_what_failed_is_said(measured):
    failed = replace(search("joint", None), reason="no memory")
    missing = described(ARMADILLO, None, "no such mesh")
    actual = replace(measured, searches=(failed,), matrices=(*measured.matrices, missing))
    gaps = tables.make(actual, 3).gaps
    assert "Not measured: torus, float32, joint: no memory" in gaps
    assert "Not measured: surface/armadillo: no such mesh" in gaps
    cut = "Cut by the time limit after 7 variants: torus, float32, schedule"
    assert cut in tables.make(measured, 3).gaps


def test_what_comes_with_the_package(recorded):
    assert [each.name for each in recorded.matrices] == [each.name for each in SUBJECTS]
    lengths, bandwidths = figures.patterns(recorded, 3), figures.patterns(recorded, 4)
    assert ours(lengths, "surface/torus (for dragon)", "median") == 7
    assert all(row.ours is not None and 0 <= row.ours <= 100 for row in bandwidths.rows)


def test_claims_on_both_types_are_made_once(recorded):
    made = [each for n, dtype in ((1, "float32"), (5, "float64")) for each in claims_of(recorded, n, dtype)]
    assert len(made) == len(set(made))


def claims_of(results, number, dtype):
    return [each.claim.partition(" (")[0] for each in figures.over_cusparse(results, number, dtype).verdicts]
