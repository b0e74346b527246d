"""How much of a paper is reproduced, counted."""

from report_cases import BARE, ITEM, PART

from experiments.report.comparison import Comparison
from experiments.report.item import Item, Part, Verdict
from experiments.report.tally import Counts, Tally, summary, tallies, tally, words_by_kind

MIXED = Item(
    "i",
    "I",
    "",
    (
        Comparison("a", "q", "2.0", 2.0, kind="decoded"),
        Comparison("b", "q", "2.0", 2.2, kind="calibrated"),
        Comparison("c", "q", "2.0", 4.0),
        Comparison("d", "q", "2.0", 2.0, implied=True),
    ),
    verdicts=(Verdict("x", False, ""), Verdict("y", True, "", "decoded"), Verdict("z", None, "")),
)


def test_claims_and_numbers_are_counted():
    assert tally([ITEM]) == tally([ITEM, BARE]) == Tally(Counts(1, 1, 1), Counts(2, 1, 1))
    assert tally([BARE]) == Tally(Counts(), Counts())


def test_kinds_are_counted_apart_and_implied_numbers_not_at_all():
    assert tally([MIXED]) == Tally(Counts(1, 1, 1), Counts(2, 1, 0))
    assert tallies([MIXED]) == {
        "decoded": Tally(Counts(1, 0, 0), Counts(1, 0, 0)),
        "calibrated": Tally(Counts(), Counts(1, 0, 0)),
        "predicted": Tally(Counts(0, 1, 1), Counts(0, 1, 0)),
    }
    assert [line.split(":")[0] for line in words_by_kind([MIXED])] == ["decoded", "calibrated", "predicted"]
    assert words_by_kind([ITEM]) == (tally([ITEM]).in_words(),)


def test_the_summary_has_a_line_for_each_paper_with_statements():
    table = summary([Part("mixed", "s", (MIXED,)), Part("none", "s", (BARE,)), PART])
    assert table.rows == (
        ("mixed", "2 of 2", "1 of 1", "0", "2", "1", ""),
        ("tiny", "-", "-", "3", "2", "2", "1 of 2 matrices"),
    )


def test_words():
    assert Tally(Counts(2, 1, 0), Counts()).in_words() == "2 of 3 claims are confirmed"
    assert Tally(Counts(0, 0, 2), Counts(1, 1, 1)).in_words() == (
        "0 of 2 claims are confirmed, 2 not testable; 1 of 3 printed numbers is confirmed, 1 not testable"
    )
    assert Tally(Counts(), Counts()).in_words() == ""
