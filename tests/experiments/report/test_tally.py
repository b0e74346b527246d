"""How much of a paper is reproduced, counted."""

import pytest
from report_cases import BARE, ITEM

from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict
from experiments.report.tally import Tally, distance, tallies, tally, words_by_kind


def test_claims_and_numbers_are_counted():
    assert tally([ITEM]) == tally([ITEM, BARE]) == Tally(1, 1, 1, close=2, near=0, far=1)
    assert tally([BARE]) == Tally(0, 0, 0, 0, 0, 0)


def test_kinds_are_counted_apart_and_implied_numbers_not_at_all():
    rows = (
        Comparison("a", "q", "2.0", 2.0, kind="decoded"),
        Comparison("b", "q", "2.0", 2.2, kind="calibrated"),
        Comparison("c", "q", "2.0", 4.0),
        Comparison("d", "q", "2.0", 2.0, implied=True),
    )
    item = Item("i", "I", "", rows, verdicts=(Verdict("x", False, ""), Verdict("y", True, "", "decoded")))
    assert tally([item]) == Tally(1, 1, 0, close=1, near=1, far=1)
    assert tallies([item]) == {
        "decoded": Tally(1, 0, 0, 1, 0, 0),
        "calibrated": Tally(0, 0, 0, 0, 1, 0),
        "predicted": Tally(0, 1, 0, 0, 0, 1),
    }
    assert [line.split(":")[0] for line in words_by_kind([item])] == ["decoded", "calibrated", "predicted"]
    assert words_by_kind([ITEM]) == (tally([ITEM]).in_words(),)


@pytest.mark.parametrize(
    ("percent", "shown"),
    [(None, ""), (0.0, "close"), (-5.04, "close"), (5.06, "near"), (-15.0, "near"), (15.06, "far")],
)
def test_a_difference_is_classed_as_it_is_shown(percent, shown):
    assert distance(percent) == shown


def test_words():
    assert Tally(2, 1, 0, 0, 0, 0).in_words() == "2 of 3 claims hold"
    assert Tally(0, 0, 2, 1, 1, 1).in_words() == (
        "0 of 2 claims hold, 2 cannot be judged; 1 of 3 printed numbers are met within 5 %, 2 within 15 %"
    )
    assert Tally(0, 0, 0, 0, 0, 0).in_words() == ""
