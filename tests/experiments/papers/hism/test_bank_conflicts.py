"""Whether conflicts of banks make JD slow on qc324."""

import pytest
from suite_cases import member, ten, worked

from experiments.papers.hism import bank_conflicts as module
from experiments.papers.hism.timing import METHODS, Measured, Timing
from experiments.papers.kit.request import Request
from vecsim.machine import load_machine


def measured(cycles):
    return Measured({"q": {p: Timing(p, c, 1, 1, 0.0) for p, c in cycles.items()}}, {})


@pytest.mark.parametrize(
    ("free", "holds"),
    [
        ((400, 600, 150, 120, 100), True),  # 200 of 600 are left
        ((400, 701, 150, 120, 100), False),  # more than half is left
        ((400, 300, 150, 100, 100), False),  # HiSM has conflicts, too
    ],
)
def test_the_excess_of_jd_without_conflicts(free, holds, monkeypatch):
    usual = dict(zip(METHODS, (400, 1000, 150, 120, 100), strict=True))
    machines = []

    def measure_members(members, load, request):
        machines.append(request.machine)
        return measured(dict(zip(METHODS, free, strict=True)))

    monkeypatch.setattr(module, "measure_members", measure_members)
    runs = worked({"q": usual}, [member("q", stands_in_for="qc324")], ten(["q"] * 10))
    verdict = module.bank_conflicts(Request(load_machine("vs2003")), runs)
    assert verdict.holds is holds
    assert "JD 1,000 (" in verdict.detail
    assert "; excess 600 (" in verdict.detail
    assert [machine.bank_busy for machine in machines] == [0]


def test_without_the_matrix_nothing_is_known():
    runs = worked({"m": dict.fromkeys(METHODS, 1)}, [member("m")], ten(["m"] * 10))
    assert module.bank_conflicts(Request(load_machine("vs2003")), runs).holds is None
