"""The programs on many matrices: each once, the same however the work is dealt out."""

import multiprocessing
import os
import signal
import time
from dataclasses import dataclass

import pytest
from suite_cases import ABSENT, NAMES, install, load, member

from experiments.papers.hism import measurements
from experiments.papers.hism.assignment import ASSIGNMENT
from experiments.papers.hism.measurements import measure_members
from experiments.papers.hism.suite_runs import suite_runs
from experiments.papers.kit.request import Request
from programs.measurement import measure
from programs.registry import PROGRAMS
from vecsim.data import load_builtin
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

MACHINE = load_machine("vs2003")
MEMBERS = [
    member(name, size=load_builtin(name).csr.nnz) for name in ("laplace2d-3", "randomwalk-7", "olm100")
]


@dataclass
class Watcher:
    """Keeps the progress that a request reports."""

    reports: list[tuple[str, float]]

    def __call__(self, doing: str, share: float) -> None:
        self.reports.append((doing, share))


def test_cycles_are_those_of_single_runs_and_the_largest_comes_first():
    watcher = Watcher([])
    actual = measure_members(MEMBERS, load, Request(MACHINE, watch=watcher))
    assert actual.failed == {}
    assert actual.wrong() == ()
    assert list(actual.timings) == [m.name for m in MEMBERS]
    for name, timings in actual.timings.items():
        assert list(timings) == list(PROGRAMS)
        matrix = load_builtin(name).csr.astype("f4")
        assert actual.cycles()[name] == {
            p: measure(p, matrix, MACHINE, options=ASSIGNMENT[p]).cycles for p in PROGRAMS
        }
    by_size = sorted(MEMBERS, key=lambda m: -m.size)
    assert [doing for doing, _ in watcher.reports[2:]] == [f"simulated {m.name}" for m in by_size]
    shares = [share for _, share in watcher.reports]
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_the_machine_decides():
    slower = load_machine("vs2003", ["startup=40"])
    usual, slow = (measure_members(MEMBERS[:1], load, Request(m)).cycles() for m in (MACHINE, slower))
    assert all(slow["laplace2d-3"][p] > usual["laplace2d-3"][p] for p in PROGRAMS)


@pytest.mark.ci
def test_processes_give_the_same_as_one():
    # randomwalk-7 and olm100 have more than a quarter of all entries: their programs run one by one.
    alone = measure_members(MEMBERS, load, Request(MACHINE))
    together = measure_members(MEMBERS, load, Request(MACHINE, jobs=2))
    assert together == alone
    assert list(together.timings) == list(alone.timings)


@pytest.mark.nightly
def test_a_matrix_that_cannot_be_loaded_is_reported():
    for jobs in (1, 2):
        actual = measure_members([*MEMBERS, member("laplace2d-1", size=5)], load, Request(MACHINE, jobs=jobs))
        assert list(actual.timings) == [m.name for m in MEMBERS]
        assert list(actual.failed) == ["laplace2d-1"]
        assert "N must be from 2" in actual.failed["laplace2d-1"]


def test_an_unknown_engine_is_found_out_before_any_work():
    with pytest.raises(UserError, match=r"unknown engine 'turbo'"):
        measure_members(MEMBERS, load, Request(MACHINE, engine="turbo"))


def test_nothing_to_measure():
    assert measure_members([], load, Request(MACHINE)).timings == {}


def test_the_suite_is_measured_once_for_a_request(monkeypatch):
    install(monkeypatch)
    request = Request(MACHINE)
    runs = suite_runs(request)
    monkeypatch.setattr(measurements, "measure", None)
    assert suite_runs(request) is runs
    assert set(runs.missing) == {ABSENT}
    assert set(runs.measured.timings) == set(NAMES) - {ABSENT}
    assert {criterion: len(ten) for criterion, ten in runs.figures.items()} == {
        "size": 10,
        "locality": 10,
        "average_per_row": 10,
    }


@pytest.mark.ci
def test_an_interrupt_ends_the_processes():
    def interrupt(doing: str, share: float) -> None:
        if doing.startswith("simulated"):
            raise KeyboardInterrupt

    members = [*MEMBERS, *(member(f"laplace2d-{n}", size=5 * n * n) for n in range(20, 30))]
    others = set(multiprocessing.active_children())  # of tests that went before
    with pytest.raises(KeyboardInterrupt):
        measure_members(members, load, Request(MACHINE, jobs=2, watch=interrupt))
    started = set(multiprocessing.active_children()) - others
    # Not by join: multiprocessing takes a process for alive if another thread has waited for its end.
    end = time.monotonic() + 30
    while time.monotonic() < end and not all(is_gone(process.pid) for process in started):
        time.sleep(0.05)
    assert all(is_gone(process.pid) for process in started)


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.ci
def test_a_process_that_dies_is_reported():
    with pytest.raises(UserError, match=r"a process that simulated was ended from outside"):
        measure_members(MEMBERS, die, Request(MACHINE, jobs=2))


def die(_: object) -> None:
    """What memory that has run out does to a process."""
    os.kill(os.getpid(), signal.SIGKILL)
