"""How much of a paper is reproduced, counted."""

import pytest
from report_cases import BARE, ITEM

from experiments.report.tally import Tally, distance, tally


def test_claims_and_numbers_are_counted():
    assert tally([ITEM]) == tally([ITEM, BARE]) == Tally(1, 1, 1, close=2, near=0, far=1)
    assert tally([BARE]) == Tally(0, 0, 0, 0, 0, 0)


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
