"""The table of the schedules: what was measured, and its geometric means."""

import pytest

from benchmarks import schedules
from benchmarks.schedules import cycles_of_matrix, main, table
from experiments.hism.suite import members
from programs.measurement import measure
from programs.registry import PROGRAMS
from vecsim.data import load_builtin
from vecsim.errors import UserError


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
    monkeypatch.setattr(schedules, "PROGRAMS", {name: PROGRAMS[name]})
    monkeypatch.setattr(schedules, "ALLOWED_ERROR", -1.0)
    with pytest.raises(UserError, match=f"{name}, plain, on laplace2d-3: the error is"):
        cycles_of_matrix("laplace2d-3", load_builtin("laplace2d-3").csr.astype("f4"), "t0")


@pytest.mark.parametrize(
    ("arguments", "members_here", "message"),
    [
        (["--machine", "nope"], 1, "unknown machine 'nope'; presets are "),
        (["--most", "1"], 1, "--most 1: each of the 1 matrices found has more entries"),
        ([], 0, "no matrix of the suite is found; name their folders in VECSIM_MATRICES"),
    ],
)
def test_where_there_is_nothing_to_run_one_line_says_why(
    arguments, members_here, message, monkeypatch, capsys
):
    monkeypatch.setattr(schedules, "missing", lambda: members()[members_here:])
    assert main(["--jobs", "1", *arguments]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith(f"schedules: error: {message}")
    assert error.count("\n") == 1
