"""Cycles kept in a file: used again only where nothing that decides them has changed."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import scipy.io
from suite_cases import load, member

from experiments.papers.hism import measurements, results_file, suite
from experiments.papers.hism.measurements import measure_members
from experiments.papers.hism.timing import Timing
from experiments.papers.kit.request import Request
from vecsim.data import load_builtin
from vecsim.machine import load_machine
from vecsim.results.digests import pattern_sha256
from vecsim.results.journal import Journal
from vecsim.support.errors import UserError

MACHINE = load_machine("vs2003")
MEMBERS = [member("laplace2d-2", size=12), member("laplace2d-3", size=33)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.journal"


@pytest.fixture
def runs(monkeypatch):
    """What is simulated, a name for each run."""
    simulated = []
    timing = measurements._timing

    def keep(program, values, machine, engine):
        simulated.append(f"{program} {values.shape[0]}")
        return timing(program, values, machine, engine)

    monkeypatch.setattr(measurements, "_timing", keep)
    return simulated


def test_what_is_in_the_file_is_not_simulated_again(path, runs):
    first = measure_members(MEMBERS[:1], load, Request(MACHINE, results=path))
    assert len(runs) == 5
    both = measure_members(MEMBERS, load, Request(MACHINE, results=path))
    assert runs[5:] == [f"{program} 9" for program in ("crs", "jd", "bbcs", "hism", "chism")]
    assert both.timings["laplace2d-2"] == first.timings["laplace2d-2"]
    assert measure_members(MEMBERS, load, Request(MACHINE, results=path)) == both
    assert len(runs) == 10


def test_of_a_matrix_only_the_programs_that_are_missing_are_simulated(path, runs):
    all_of_it = measure_members(MEMBERS[:1], load, Request(MACHINE, results=path))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], *lines[4:]]))
    assert measure_members(MEMBERS[:1], load, Request(MACHINE, results=path)) == all_of_it
    assert runs[5:] == ["bbcs 4"]


def test_another_machine_engine_matrix_or_code_is_simulated(path, runs, monkeypatch):
    measure_members(MEMBERS[:1], load, Request(MACHINE, results=path))
    measure_members(MEMBERS[:1], load, Request(load_machine("vs2003", ["banks=64"]), results=path))
    measure_members(MEMBERS[:1], load, Request(MACHINE, engine="simpy", results=path))
    assert len(runs) == 15
    other = member("laplace2d-2", size=12, pattern_sha256="another")
    measure_members([other], load, Request(MACHINE, results=path))
    assert len(runs) == 20
    monkeypatch.setattr(results_file, "code_fingerprint", lambda: "another")
    measure_members(MEMBERS[:1], load, Request(MACHINE, results=path))
    assert len(runs) == 25
    monkeypatch.undo()
    # Nothing was lost: the file holds all of them.
    assert len(path.read_text().splitlines()) == 26


def test_a_member_whose_file_has_changed_is_simulated_again(path, runs, tmp_path, monkeypatch):
    monkeypatch.setenv("VECSIM_MATRICES", str(tmp_path))
    csr = load_builtin("laplace2d-3").csr
    actual = []
    for factor in (1, 3, 1):  # the pattern stays, as the suite demands
        scipy.io.mmwrite(tmp_path / "mine.mtx", factor * csr.tocoo())
        one = member("mine", origin="file mine", size=33, pattern_sha256=pattern_sha256(csr))
        measure_members([one], suite.load, Request(MACHINE, results=path), suite.identity)
        actual.append(len(runs))
    assert actual == [5, 10, 10]


def test_what_changes_while_it_is_simulated_is_not_kept(path, runs):
    names = iter(["before", "after", "after", "after"])
    for _ in range(2):
        measure_members(MEMBERS[:1], load, Request(MACHINE, results=path), lambda member: next(names))
    assert len(runs) == 10
    measure_members(MEMBERS[:1], load, Request(MACHINE, results=path), lambda member: "before")
    measure_members(MEMBERS[:1], load, Request(MACHINE, results=path), lambda member: "after")
    assert len(runs) == 15


def test_an_interrupted_run_keeps_what_it_has(path, monkeypatch):
    timing = measurements._timing

    def stop(program, values, machine, engine):
        if values.shape[0] == 4:
            raise KeyboardInterrupt
        return timing(program, values, machine, engine)

    monkeypatch.setattr(measurements, "_timing", stop)
    with pytest.raises(KeyboardInterrupt):
        measure_members(MEMBERS, load, Request(MACHINE, results=path))
    assert len(path.read_text().splitlines()) == 6
    assert {file.name for file in path.parent.iterdir()} <= {"results.journal", "results.journal.lock"}


@pytest.mark.parametrize("content", [b"key,matrix\n1,2\n", b"\xff\xfe", b'{"a": 1}\n'])
def test_a_file_that_is_something_else_is_left_alone(path, content):
    path.write_bytes(content)
    before = path.read_bytes()
    with pytest.raises(UserError, match="is not a journal of `vecsim reproduce`"):
        measure_members(MEMBERS, load, Request(MACHINE, results=path))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [{"key": None}, {"cycles": 3.7}, {"cycles": "3"}, {"cycles": -1}, {"bytes_moved": True}, {"program": 5}],
)
def test_a_record_that_is_not_what_was_written_is_passed_over(path, change):
    file = results_file.ResultsFile(path, Request(MACHINE))
    file.keep("a", "a", [Timing("crs", 5, 6, 7, 0.5)])
    file.close()
    with Journal(path, results_file.KIND) as journal:
        record = {**journal.records[0], **change}
        journal.append({name: value for name, value in record.items() if value is not None})
    again = results_file.ResultsFile(path, Request(MACHINE))
    assert again.find("a") == {"crs": Timing("crs", 5, 6, 7, 0.5)}
    again.close()


KILLED = """
import sys, time
from pathlib import Path
from suite_cases import load, member
from experiments.papers.hism import measurements
from experiments.papers.hism.measurements import measure_members
from experiments.papers.hism.timing import Timing
from experiments.papers.kit.request import Request
from vecsim.machine import load_machine
timing = measurements._timing
def slowly(*arguments):
    time.sleep(0.05)
    return timing(*arguments)
measurements._timing = slowly
members = [member("laplace2d-2", size=12), member("laplace2d-3", size=33), member("laplace2d-5", size=105)]
measure_members(members, load, Request(load_machine("vs2003"), results=Path(sys.argv[1])))
"""


@pytest.mark.ci
def test_killed_runs_go_on_and_two_at_once_lose_nothing(path, runs):
    root = Path(__file__).parents[4]
    folders = os.pathsep.join([str(root), str(root / "tests")])
    environment = os.environ | {"PYTHONPATH": folders}
    processes = [subprocess.Popen([sys.executable, "-c", KILLED, str(path)], env=environment) for _ in "ab"]
    while not path.exists() or len(path.read_text().splitlines()) < 6:
        assert any(process.poll() is None for process in processes)
        time.sleep(0.01)
    for process in processes:
        process.kill()
        process.wait()
    retained = {line.split('"matrix":"')[1].split('"')[0] for line in path.read_text().splitlines()[1:]}
    assert "laplace2d-5" in retained  # the largest is first
    members = [*MEMBERS, member("laplace2d-5", size=105)]
    measure_members(members, load, Request(MACHINE, results=path))
    assert len(runs) == 5 * (3 - len(retained))
