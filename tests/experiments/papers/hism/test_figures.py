"""Figures 2 to 4: every bar, and what the paper says of them."""

import pytest
from suite_cases import GROUPS, member, ten, worked

from experiments.papers.hism import figures
from experiments.papers.hism.claims import CLAIMS, Subject, causes, verdicts
from experiments.papers.hism.figures import FIGURES
from experiments.papers.hism.suite import CRITERIA
from experiments.papers.hism.suite_runs import SuiteRuns
from experiments.papers.hism.timing import METHODS

NAMES = ["m0", "m1", "bcsstm20", "m3", "m4", "bcspwr10", "m6", "m7", "m8", "qc324"]
SUBJECTS = [Subject(name, name, group) for name, group in zip(NAMES, GROUPS, strict=True)]
# As the paper has them: CHiSM the fastest, HiSM next.
LIKE_THE_PAPER = dict(zip(METHODS, (500, 400, 150, 120, 100), strict=True))


def times(**changes):
    """Times, CHiSM's being 1, of ten matrices; those of some matrices otherwise."""
    usual = {program: count / 100 for program, count in LIKE_THE_PAPER.items()}
    return {name: usual | changes.get(name, {}) for name in NAMES}


def runs(missing=(), named=(), of_originals=()):
    """Ten matrices like the paper's; m7 stands in for another, m8 has another's pattern."""
    kinds = {"m7": ("stand-in", "big1"), "m8": ("pattern", "big2")}
    members = [
        member(name, size=10**at, provenance=kind, stands_in_for=original)
        for at, name in enumerate(NAMES, 1)
        for kind, original in [kinds.get(name, ("file", ""))]
    ]
    cycles = {name: LIKE_THE_PAPER for name in NAMES if name not in missing}
    return worked(cycles, members, ten(NAMES, named), of_originals)


def verdict(figure, text, actual):
    """Whether the claim that begins so holds."""
    (only,) = [v for v in verdicts(figure, SUBJECTS, actual) if v.claim.startswith(text)]
    return only


@pytest.mark.parametrize("number", FIGURES)
def test_every_bar_is_a_row(number):
    item = figures.item(FIGURES[number], runs())
    assert item.name == f"hism-fig{number}"
    assert [(row.row, row.quantity) for row in item.rows[:50]] == [
        (n, m) for n in NAMES for m in METHODS.values()
    ]
    assert [row.ours for row in item.rows[:5]] == [5.0, 4.0, 1.5, 1.2, 1.0]
    assert all(row.paper == "" for row in item.rows)
    assert item.chart is not None
    panel = item.chart.panels[0]
    assert list(panel.series) == ["CRS", "JD", "BBCS", "HiSM"]
    assert (item.chart.reference, item.chart.reference_label) == (1.0, "CHiSM")
    assert item.chart.logarithmic
    assert panel.series["JD"] == (4.0,) * 10
    assert item.chart.separators == (3, 7)


def test_the_ten_without_stand_ins_stand_below():
    others = ten(["m8", *NAMES[:7], "m8", "qc324"])
    item = figures.item(FIGURES[2], runs(of_originals=others))
    assert [row.row for row in item.rows[50::5]] == [f"{place.name}, without stand-ins" for place in others]
    assert item.chart is not None
    assert [panel.title for panel in item.chart.panels] == ["with stand-ins", "without stand-ins"]
    assert item.chart.panels[1].categories[0] == "m8\n1,000,000,000"


def test_without_a_stand_in_among_them_the_ten_stand_once():
    usual = runs()
    nobody = tuple(place for place in ten(NAMES) if place.name != "m7")
    actual = SuiteRuns(usual.members, dict.fromkeys(CRITERIA, nobody), usual.figures, {}, usual.measured)
    item = figures.item(FIGURES[2], actual)
    assert len(item.rows) == 45
    assert item.chart is not None
    assert len(item.chart.panels) == 1


def test_bars_say_what_they_are():
    item = figures.item(FIGURES[2], runs(named=("m8",)))
    notes = {row.row: row.note for row in item.rows}
    assert notes["m0"] == "small; 10 non-zeros"
    assert notes["m7"] == "large; 100,000,000 non-zeros; stand-in for big1"
    assert notes["m8"] == "large; 1,000,000,000 non-zeros; pattern of big2; named by the paper"
    assert item.chart is not None
    assert item.chart.panels[0].categories[7] == "m7\n100,000,000\n(stand-in)"
    assert "Stand-ins: m7." in item.gaps
    assert "The paper's text does not name 9 of its ten matrices; those here are our picks." in item.gaps


def test_a_missing_matrix_has_no_bars():
    item = figures.item(FIGURES[3], runs(missing=("m3",)))
    assert {row.ours for row in item.rows if row.row == "m3"} == {None}
    assert item.chart is not None
    assert item.chart.panels[0].series["CRS"][3] is None
    assert "Not found, and therefore without bars: m3." in item.gaps


def test_claims_are_about_the_collection_s_matrices():
    subjects = [Subject("shl_0-pattern", "shl_0", "small"), *SUBJECTS[1:]]
    actual = times() | {"shl_0-pattern": {"crs": 4.0, "jd": 3.9, "bbcs": 1.0, "hism": 1.0, "chism": 1.0}}
    holds = {v.claim[:10]: v for v in verdicts(3, subjects, actual)}
    assert holds["On shl_0, "].detail == "shl_0-pattern: CRS 4.00, JD 3.90"
    assert holds["On shl_0, "].holds is True


def test_the_figures_sort_by_the_paper_s_criteria():
    assert {n: f.criterion for n, f in FIGURES.items()} == {2: "size", 3: "average_per_row", 4: "locality"}


def test_small_matrices_are_slower_with_the_cache():
    text = "On small matrices CHiSM is slower than HiSM"
    small = {name: {"hism": 0.5} for name in NAMES[:3]}
    assert verdict(2, text, times(**small)).holds is True
    against = verdict(2, text, times(m0={"hism": 0.9}, m1={"hism": 0.9}))
    assert against.holds is False
    assert against.detail == "against it: mean: HiSM 1.00, CHiSM 1.00"


def test_on_average_single_matrices_do_not_matter():
    text = "On medium and large matrices CHiSM is faster"
    assert verdict(2, text, times(m3={"hism": 0.9})).holds is True
    assert verdict(2, text, times(m3={"hism": 0.1}, m4={"hism": 0.1}, m6={"hism": 0.1})).holds is False


@pytest.mark.parametrize(
    ("figure", "text", "name", "otherwise", "usually"),
    [
        (3, "With many non-zeros a row CRS is faster", "m8", {"crs": 9.0}, False),
        (3, "With few non-zeros a row JD is faster", "m0", {"jd": 9.0}, True),
        (3, "BBCS, HiSM and CHiSM are faster", "m4", {"bbcs": 4.5}, True),
        (3, "On bcsstm20 JD is faster than CHiSM", "bcsstm20", {"jd": 0.5}, False),
        (4, "HiSM and CHiSM are faster", "m4", {"hism": 4.5}, True),
        (4, "On bcspwr10, of the lowest locality, HiSM", "bcspwr10", {"hism": 5.5}, False),
        (4, "On bcspwr10 CHiSM is faster than HiSM, but", "bcspwr10", {"jd": 0.8, "bbcs": 0.9}, False),
        (4, "On qc324 JD is the slowest", "qc324", {"jd": 5.5}, False),
    ],
)
def test_claims_hold_or_not(figure, text, name, otherwise, usually):
    actual = times(m7={"crs": 3.0}, m8={"crs": 3.0}, qc324={"crs": 3.0}) if "many" in text else times()
    if "many" in text:
        usually, otherwise = True, {"crs": 9.0}
    assert verdict(figure, text, actual).holds is usually
    actual[name] = actual[name] | otherwise
    assert verdict(figure, text, actual).holds is not usually


def test_matrices_that_a_claim_excepts_do_not_count_against_it():
    actual = times(bcspwr10={"hism": 9.0}, bcsstm20={"bbcs": 9.0})
    assert verdict(4, "HiSM and CHiSM are faster", actual).holds is True
    assert verdict(3, "BBCS, HiSM and CHiSM are faster", {**actual, "bcspwr10": actual["m0"]}).holds is True


def test_a_claim_about_what_is_not_there_is_left_open():
    shl = verdict(3, "On shl_0", times())
    assert (shl.holds, shl.detail) == (None, "it: not among these matrices")
    actual = times()
    del actual["qc324"], actual["m7"]
    qc324 = verdict(4, "On qc324", actual)
    assert (qc324.holds, qc324.detail) == (None, "qc324: not found")
    many = verdict(3, "With many non-zeros a row", {**actual, "m8": actual["m8"] | {"crs": 3.0}})
    assert (many.holds, many.detail) == (True, "m8: CRS 3.00, JD 4.00; not found: m7, qc324")


def test_every_claim_is_about_a_figure_and_its_programs():
    assert {claim.figure for claim in CLAIMS} == {2, 3, 4}
    assert all(set(claim.programs) <= set(METHODS) for claim in CLAIMS)


def test_causes_that_no_run_isolates_are_not_testable():
    for number, figure in FIGURES.items():
        stated = causes(number)
        assert all(cause.holds is None for cause in stated)
        assert set(stated) <= set(figures.item(figure, runs()).verdicts)
    assert [len(causes(number)) for number in FIGURES] == [0, 3, 1]


def test_what_the_orders_of_table_2_include_is_not_counted_again():
    assert [each.implied for each in verdicts(2, SUBJECTS, times())] == [True, True]
