"""One rule for whether a printed number is reproduced."""

import pytest

from experiments.report.agreement import MEASURES, outcome_of_claim, outcome_of_number, rule
from experiments.report.comparison import Comparison


@pytest.mark.parametrize(
    ("measure", "printed", "ours", "outcome"),
    [
        ("counted", 100.0, 105.04, "confirmed"),  # 5.04 % is shown as 5.0
        ("counted", 100.0, 105.06, "contradicted"),
        ("counted", 100.0, 94.9, "contradicted"),
        ("timed", 2.0, 2.3, "confirmed"),
        ("timed", 2.0, 1.69, "contradicted"),
        ("timed", 1.64, 7.48, "contradicted"),  # far above is as wrong as far below
        ("share", 42.0, 47.0, "confirmed"),
        ("share", 42.0, 68.0, "contradicted"),
        ("share", 5.0, 0.0, "confirmed"),  # points, not per cent of the number
        ("timed", 2.0, None, "not testable"),
    ],
)
def test_a_number_agrees_within_the_tolerance_of_its_measure(measure, printed, ours, outcome):
    assert outcome_of_number(measure, printed, ours) == outcome
    assert Comparison("r", "q", str(printed), ours, measure=measure).outcome == outcome


def test_what_was_timed_on_another_gpu_is_shown_but_not_testable():
    row = Comparison("r", "q", "2.0", 2.0, elsewhere=True)
    assert row.outcome == "not testable"
    assert row.difference_percent == 0
    assert Comparison("r", "q", "", 2.0, elsewhere=True).outcome is None


def test_a_claim_holds_or_not_or_nothing_decides_it():
    outcomes = [outcome_of_claim(holds) for holds in (True, False, None)]
    assert outcomes == ["confirmed", "contradicted", "not testable"]


def test_differences_have_the_unit_of_the_tolerance():
    assert Comparison("r", "q", "42", 68.0, measure="share").difference_in_words == "+26.0 points"
    assert Comparison("r", "q", "40", 50.0).difference_in_words == "+25.0 %"
    assert Comparison("r", "q", "", 50.0).difference_in_words == ""
    assert Comparison("r", "q", "", 50.0).outcome is None


def test_the_rule_names_every_tolerance():
    assert all(f"{size:g} {unit}" in rule() for size, unit in MEASURES.values())
