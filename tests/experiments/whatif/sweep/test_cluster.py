"""A sweep on the workers of a Dask scheduler: the same table, whoever dies."""

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager

import pytest

from experiments.whatif.sweep import Sweep, cluster, inputs, running, sweep
from experiments.whatif.sweep.store import Store
from vecsim.cli import main
from vecsim.support.errors import UserError

SPEC = Sweep(
    ("laplace2d-9", "laplace2d-10"),
    programs=("crs", "hism", "chism"),
    set={"banks": (0, 4, 8, 16), "section_size": (16, 64), "startup": (0, 5, 10, 15, 20)},
)


@contextmanager
def started(*arguments):
    """Run a part of Dask as long as the block goes on."""
    # A worker finds vecsim where these tests do.
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-m", "dask", *map(str, arguments)]
    with subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def until(actual, seconds=60):
    """Wait until something is true, and return it."""
    end = time.monotonic() + seconds
    while not (value := actual()):
        assert time.monotonic() < end, "took too long"
        time.sleep(0.05)
    return value


def contact(file):
    try:
        return json.loads(file.read_text())["address"]
    except (OSError, ValueError):
        return None


@pytest.fixture
def scheduler(tmp_path):
    pytest.importorskip("distributed")
    file = tmp_path / "scheduler.json"
    local = ("--host", "127.0.0.1", "--port", "0")
    with started("scheduler", *local, "--no-dashboard", "--no-show", "--scheduler-file", file):
        yield until(lambda: contact(file))


def worker(address):
    return started("worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard")


@pytest.mark.nightly
def test_a_worker_that_dies_costs_only_its_cells(scheduler, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "MOST_CELLS", 4)
    alone = sweep(SPEC, store=tmp_path / "alone", jobs=1)
    seen = []
    with ExitStack() as stack:
        first, _ = (stack.enter_context(worker(scheduler)) for _ in range(2))

        def watch(done, total):
            seen.append(done)
            if done > total / 2:
                first.kill()

        table = sweep(SPEC, store=tmp_path / "s", scheduler=scheduler, watch=watch)
    assert first.poll() is not None
    assert table.columns == alone.columns
    assert (table.computed, seen[-1]) == (180, 240)  # banks = 0 have no cell
    assert seen == sorted(seen)
    assert table.engine_seconds > 0
    again = sweep(SPEC, store=tmp_path / "s", scheduler="tcp://127.0.0.1:1")  # all is kept: nobody is asked
    assert (again.columns, again.computed) == (table.columns, 0)


@pytest.mark.nightly
def test_without_workers_what_was_finished_is_kept(scheduler, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "MOST_CELLS", 4)
    monkeypatch.setattr(cluster, "WORKER_SECONDS", 1)
    with pytest.raises(UserError, match=f"{scheduler}: has no worker; start one: dask worker"):
        sweep(SPEC, store=tmp_path / "s", scheduler=scheduler)
    monkeypatch.setattr(cluster, "WORKER_SECONDS", 20)
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", 3)
    with worker(scheduler) as only:

        def watch(done, total):
            if done > total / 2:
                monkeypatch.setattr(cluster, "WORKER_SECONDS", 1)
                only.kill()

        with pytest.raises(UserError, match="all workers are gone; finished cells are kept"):
            sweep(SPEC, store=tmp_path / "s", scheduler=scheduler, watch=watch)
    assert 0 < sweep(SPEC, store=tmp_path / "s", jobs=1).computed < 150


@pytest.mark.nightly
def test_workers_time_machines_on_their_gpus(scheduler, tmp_path, monkeypatch):
    few = Sweep(("laplace2d-2",), ("crs", "hism"), set={"startup": tuple(range(1, 13))})
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with worker(scheduler), pytest.raises(UserError, match=r"worker tcp.*: no NVIDIA GPU can be used"):
        sweep(few, store=tmp_path / "s", scheduler=scheduler, gpu=True)
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    with worker(scheduler), worker(scheduler):
        table = sweep(few, store=tmp_path / "s", scheduler=scheduler, gpu=True)
    assert table.csv() == sweep(few, store=tmp_path / "t", jobs=1).csv()


def test_what_is_no_scheduler_ends_in_a_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(cluster, "find_spec", lambda name: "there")
    command = ["sweep", "laplace2d-3", "--program", "crs", "--store", str(tmp_path / "s")]
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # it does not listen
        for address, message in (
            (f"tcp://127.0.0.1:{bound.getsockname()[1]}", "no scheduler answers (Connection refused)"),
            ("127.0.0.1:8786", "is not the address of a scheduler; write tcp://HOST:PORT"),
        ):
            assert main([*command, "--scheduler", address]) == 2
            error = capsys.readouterr().err
            assert error.startswith(f"vecsim: error: {address}: {message}")
            assert error.count("\n") == 1
    assert main([*command, "--scheduler", "tcp://127.0.0.1:1", "--jobs", "2"]) == 2


def test_without_dask_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'vecsim\[dask\]'"):
        sweep(SPEC, store=tmp_path / "s", scheduler="tcp://127.0.0.1:1")


def test_what_a_worker_makes_is_what_is_made_here(tmp_path):
    """Batches of the matrix that is sent, without a scheduler."""
    few = Sweep(("laplace2d-5",), ("hism",), set={"banks": (4, 8), "section_size": (16, 64)})
    here = sweep(few, store=tmp_path / "here", jobs=1)
    matrix = inputs.load_input("laplace2d-5", 32)
    path = tmp_path / "there"
    (task,), _, _ = running._tasks(few, path)
    with Store(path) as store:
        for places in (range(3), range(3, 4)):
            cluster._keep(store, cluster._compute(task, places, matrix))
    there = sweep(few, store=path, jobs=1)
    assert (there.columns, there.computed) == (here.columns, 0)


def test_a_worker_with_another_machine_file_simulates_nothing(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text("")
    few = Sweep(("laplace2d-5",), ("crs",), machine=str(path))
    (task,), _, _ = running._tasks(few, tmp_path / "store")
    path.write_text("[latency]\nmultiply = 9\n")
    with pytest.raises(UserError, match=r"machine .*m.toml is not as the sweep began with it"):
        cluster._compute(task, (0,), inputs.load_input("laplace2d-5", 32))
