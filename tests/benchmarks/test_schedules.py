"""The table of the schedules: what was measured, and its geometric means."""

import pytest

from benchmarks.schedules import cycles_of_matrix, table
from programs.measurement import measure
from programs.registry import PROGRAMS
from vecsim.data import load_builtin


def test_cycles_are_those_of_the_programs():
    values = load_builtin("laplace2d-3").csr.astype("f4")
    found = cycles_of_matrix("laplace2d-3", values, "t0")
    assert list(found) == [(program, schedule) for program in PROGRAMS for schedule in ("plain", "pipelined")]
    plain = measure("jd", values, "t0", options={"schedule": "plain"})
    assert found["jd", "plain"] == plain.cycles


def test_means_are_geometric_and_the_ends_are_named():
    def cycles(pipelined):
        found = {(program, "plain"): 100 for program in PROGRAMS}
        return found | {(program, "pipelined"): pipelined for program in PROGRAMS}

    lines = table([("a", cycles(50)), ("b", cycles(200)), ("c", cycles(100))])
    assert lines[2] == "| CRS | 1.000 | 0.50 (a) | 2.00 (b) |"
    assert len(lines) == 2 + len(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_wrong_result_is_told(name, monkeypatch):
    from benchmarks import schedules
    from vecsim.errors import UserError

    monkeypatch.setattr(schedules, "PROGRAMS", {name: PROGRAMS[name]})
    monkeypatch.setattr(schedules, "ALLOWED_ERROR", -1.0)
    with pytest.raises(UserError, match=f"{name}, plain, on laplace2d-3: the error is"):
        cycles_of_matrix("laplace2d-3", load_builtin("laplace2d-3").csr.astype("f4"), "t0")
