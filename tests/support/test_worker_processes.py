"""Workers end when the process that they work for does."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from vecsim.support.worker_processes import WorkerContext, end_workers, interrupts_held

PARENT = """
import multiprocessing, os, signal, sys, time
from concurrent.futures import ProcessPoolExecutor
from vecsim.support.worker_processes import begin_worker

def work(number):
    print(os.getpid(), flush=True)
    time.sleep(600)

if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, context, initializer=begin_worker) as pool:
        list(pool.map(work, range(2)))
"""


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks at processes by /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_no_worker_outlives_its_parent(tmp_path, how):
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    workers = [int(parent.stdout.readline()) for _ in range(2)]
    assert all(map(alive, workers))
    parent.send_signal(how)
    parent.wait()
    end = time.monotonic() + 5
    while any(map(alive, workers)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(alive, workers))
    parent.stdout.close()


def test_a_process_that_compiles_ends_with_its_parent_from_its_start():
    """Not only when it has imported Numba, which takes seconds."""
    script = "import sys, vecsim.engines.jit.object_files.part_process; print('numba' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


OF_A_PIPE = """
import subprocess, sys, time
from vecsim.engines import first_use

first_use.MODULE = sys.argv[1]
process = first_use._compiling("single_port", [])
print(process.pid, flush=True)
if sys.argv[2] == "ends":
    first_use._let_go(process)
else:
    time.sleep(600)
"""
SLEEPER = """
import time
from vecsim.support.worker_processes import end_with_stdin

end_with_stdin()
time.sleep(600)
"""


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks at processes by /proc")
@pytest.mark.parametrize("what", ["is killed", "ends"])
def test_what_compiles_in_the_background_ends_with_a_command_that_is_killed_alone(tmp_path, what):
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    command = [sys.executable, "-c", OF_A_PIPE, "sleeper", what]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        pid = int(parent.stdout.readline())
        time.sleep(0.5)  # it has begun to wait
        if what == "is killed":
            parent.kill()
    end = time.monotonic() + 5
    while alive(pid) and time.monotonic() < end and what == "is killed":
        time.sleep(0.05)
    try:
        assert alive(pid) == (what == "ends")
    finally:
        if alive(pid):
            os.kill(pid, signal.SIGKILL)


def test_a_pool_whose_workers_were_ended_has_no_thread_left():
    with ProcessPoolExecutor(1, WorkerContext()) as pool:
        pool.submit(time.sleep, 600)
        thread = pool._executor_manager_thread
        end_workers(pool)
        assert not thread.is_alive()


def test_what_is_started_while_interrupts_are_held_never_gets_them():
    code = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with interrupts_held():
        inside = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert inside.stdout == "True\n"
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


TOP_LEVEL = """
print("the script runs", flush=True)
from pathlib import Path

import vecsim

table = vecsim.sweep(
    vecsim.Sweep(("laplace2d-4", "laplace2d-5"), programs=("crs",), set={"banks": (8, 16)}, engine="simpy"),
    jobs=2, store=Path(%r),
)
print(len(table), __name__, "__file__" in globals())
"""


@pytest.mark.ci
@pytest.mark.parametrize("how", ["file", pytest.param("standard input", marks=pytest.mark.ci)])
def test_a_script_starts_work_at_its_top_level(tmp_path, how):
    """Without ``if __name__ == "__main__"``: workers do not run it again."""
    script = tmp_path / "top.py"
    script.write_text(TOP_LEVEL % str(tmp_path / "cells.sqlite"))
    named, given = (str(script), None) if how == "file" else ("-", script.read_text())
    ran = subprocess.run(
        [sys.executable, named], input=given, capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert (ran.stderr, ran.returncode) == ("", 0)
    assert ran.stdout == "the script runs\n4 __main__ True\n"
