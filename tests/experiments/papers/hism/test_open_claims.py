"""Claims that the machines within the spread of the calibration do not agree on."""

import pytest

from experiments.papers.hism.claims import CLAIMS
from experiments.papers.hism.open_claims import NOTE, Agreement, agreements, judged, key
from experiments.papers.hism.table2 import GROUPS
from experiments.report.item import Item, Verdict
from vecsim.machine import load_machine

VS2003 = load_machine("vs2003")
ON_SOME, ON_ALL = "On bcsstm20 JD is faster than CHiSM", "With many non-zeros a row CRS is faster than JD"


def item(*claims, title="Figure 3: times by row"):
    return Item("x", title, "", (), verdicts=tuple(Verdict(claim, True, "numbers") for claim in claims))


def test_what_some_machines_contradict_is_not_testable():
    some, every, unknown = judged(item(ON_SOME, ON_ALL, "else"), VS2003).verdicts
    assert (some.holds, every.holds, unknown.holds) == (None, True, True)
    assert some.detail == (
        "holds on 3 of 19 machines that the calibration cannot distinguish; on this one: numbers"
    )
    assert every.detail == "numbers"
    assert judged(item(ON_ALL), VS2003).notes == (NOTE,)


def test_another_machine_is_not_the_calibrated_one():
    other = item(ON_SOME)
    assert judged(other, VS2003.changed({"banks": 64})) is other


@pytest.mark.parametrize(("holds", "decides"), [(0, True), (3, False), (19, True)])
def test_only_all_machines_decide(holds, decides):
    assert Agreement(holds, 19).decides is decides
    assert str(Agreement(holds, 19)) == f"{holds} of 19"


def test_every_conclusion_is_a_claim_of_a_table_or_a_figure():
    of_figures = {key(item(title=f"Figure {claim.figure}: times"), claim.text) for claim in CLAIMS}
    of_table = {key(item(title="Table 2: speed-ups"), f"{group}: CRS 1.00 > JD 0.50") for group in GROUPS}
    assert set(agreements()) == of_figures | of_table
