"""Sweeps that are killed, that share a store, whose disk is full: nothing that was finished is lost."""

import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from experiments.whatif.sweep import Sweep, sweep

SPEC = Sweep(
    ("laplace2d-20", "laplace2d-30"),
    programs=("crs", "hism"),
    set={"startup": tuple(range(60)), "section_size": (16, 64), "banks": (4, 16)},
)
CELLS = 2 * 2 * 240
KILLS = 6

pytestmark = pytest.mark.ci


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return sweep(SPEC, store=tmp_path_factory.mktemp("alone") / "store", jobs=2)


@pytest.fixture
def begin(tmp_path):
    """Begin a sweep in its own process group; it prints how many cells it computed."""
    script = tmp_path / "begin.py"
    script.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "from test_sweep_robustness import SPEC\n"
        "from experiments.whatif.sweep import sweep\n"
        'if __name__ == "__main__":\n'
        "    print(sweep(SPEC, store=Path(sys.argv[1]), jobs=int(sys.argv[2])).computed)\n"
    )
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])

    def begin(store, jobs=2):
        command = [sys.executable, str(script), str(store), str(jobs)]
        environment = {**os.environ, "PYTHONPATH": path}
        return subprocess.Popen(
            command, env=environment, start_new_session=True, stdout=subprocess.PIPE, text=True
        )

    return begin


def finished_cells(store):
    if not store.exists():
        return 0
    with closing(sqlite3.connect(store, timeout=60)) as database:
        try:
            return database.execute("SELECT count(*) FROM cells").fetchone()[0]
        except sqlite3.OperationalError:  # no table yet
            return 0


def workers(process):
    """Return the processes that work for one."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def kill(victim, who):
    if who == "parent":
        victim.kill()
    elif who == "all":
        os.killpg(victim.pid, signal.SIGKILL)
    else:
        while not (actual := workers(victim)):  # it is still to begin
            assert victim.poll() is None
            time.sleep(0.005)
        os.kill(actual[0], signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.nightly
def test_killed_at_random_moments_it_goes_on_to_the_same_table(alone, begin, tmp_path):
    store, draw, struck, before = tmp_path / "store", random.Random(17), [], 0
    victim = begin(store)
    while len(struck) < KILLS:
        # Some cells later, so that every kill strikes while cells are computed.
        target = before + draw.randint(1, CELLS // (2 * KILLS))
        while finished_cells(store) < target and victim.poll() is None:
            time.sleep(0.005)
        who = draw.choice(("parent", "all", "worker"))
        assert victim.poll() is None, "it came to its end before it was killed often enough"
        kill(victim, who)
        struck.append(who)
        if who != "worker":
            victim.wait(30)
            victim.stdout.close()
            victim = begin(store)
        assert finished_cells(store) >= target, "a finished cell is lost"
        before = finished_cells(store)
    os.killpg(victim.pid, signal.SIGKILL)
    victim.wait(30)
    victim.stdout.close()
    assert set(struck) == {"parent", "all", "worker"}
    time.sleep(1)  # workers whose parent was killed end by themselves
    there = finished_cells(store)
    table = sweep(SPEC, store=store, jobs=1)
    assert table.columns == alone.columns
    assert table.computed == CELLS - there > 0


@pytest.mark.nightly  # test_two_writers_lose_nothing is its short form
def test_two_sweeps_on_one_store_at_once_lose_nothing(alone, begin, tmp_path):
    store = tmp_path / "store"
    both = [begin(store, jobs=1) for _ in range(2)]
    computed = [int(each.communicate(timeout=300)[0]) for each in both]
    assert [each.returncode for each in both] == [0, 0]
    assert sum(computed) >= CELLS
    table = sweep(SPEC, store=store, jobs=1)
    assert (table.columns, table.computed) == (alone.columns, 0)


def test_a_full_disk_ends_in_one_line_and_the_same_command_goes_on(tmp_path):
    sweep(Sweep(("laplace2d-2",), programs=("crs",)))  # compiles the engine, whose files are larger
    store, out = tmp_path / "store", tmp_path / "out"
    command = [sys.executable, "-m", "vecsim", "sweep", "laplace2d-9", "laplace2d-10", "--jobs", "2"]
    command += ["--program", "crs,hism", "--set", "startup=0:79", "--store", str(store), "--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    first = subprocess.run(
        command, env=environment, preexec_fn=little_room, capture_output=True, text=True, timeout=300
    )
    assert first.returncode == 2
    assert first.stderr.startswith(f"vecsim: error: {store}: ")
    assert first.stderr.count("\n") == 1
    assert not out.exists()
    there = finished_cells(store)
    assert 0 < there < 320
    command += ["--jobs", "1"]
    again = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0
    assert f"{320 - there} were simulated" in again.stdout
    assert (out / "table.csv").read_text().count("\n") == 321
