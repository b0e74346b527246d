"""SimPy answers while the engine is compiled, and what compiles ends as it should."""

import subprocess
import sys
import time

import pytest

from vecsim.engines import AUTO, first_use
from vecsim.engines.first_use import SMALL_WORK, EngineChoice, chosen_engine
from vecsim.engines.jit.object_files import cache as code_cache
from vecsim.engines.jit.object_files import machine_code
from vecsim.machine import load_machine

MACHINE = load_machine("vs2003")
COMPILER = """
import sys, time
from pathlib import Path
from vecsim.support.worker_processes import end_with_stdin
end_with_stdin()
time.sleep(1)
Path(sys.argv[1]).write_text("compiled")
"""


@pytest.fixture
def compiler(tmp_path, monkeypatch):
    """Have nothing kept, and something that takes a second in the place of the compiler."""
    started = []

    def compiling(loop, extensions):
        command = [sys.executable, "-c", COMPILER, str(tmp_path / "kept")]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE))
        return started[-1]

    monkeypatch.setattr(first_use, "_compiling", compiling)
    monkeypatch.setattr(machine_code, "is_kept", lambda *_: False)
    monkeypatch.setattr(code_cache, "is_used", lambda: True)
    yield started
    for process in started:
        process.kill()


def written(path, seconds=10):
    """Wait for a file."""
    end = time.monotonic() + seconds
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    return path.exists()


def test_the_compiled_engine_is_taken_where_it_is_kept(monkeypatch, capfd):
    monkeypatch.setattr(machine_code, "is_kept", lambda loop, extensions: True)
    with chosen_engine(AUTO, MACHINE) as choice:
        assert choice.name == "jit"
    assert capfd.readouterr() == ("", "")


def test_what_is_asked_for_is_taken(compiler):
    for name in ("jit", "simpy"):
        with chosen_engine(name, MACHINE) as choice:
            assert choice.name == name
    assert not compiler


def test_a_large_matrix_waits_for_the_compiled_engine(compiler):
    with chosen_engine(AUTO, MACHINE, SMALL_WORK + 1) as choice:
        assert choice.name == "jit"
    assert not compiler


def test_simpy_answers_and_the_compiler_goes_on_alone(compiler, tmp_path, capfd):
    with chosen_engine(AUTO, MACHINE) as choice:
        assert choice.run(lambda engine, watch: engine) == "simpy"
    assert capfd.readouterr().err.startswith("compiling the engine in the background")
    assert written(tmp_path / "kept")


def test_a_command_that_is_interrupted_compiles_no_longer(compiler, tmp_path):
    with pytest.raises(KeyboardInterrupt), chosen_engine(AUTO, MACHINE):
        raise KeyboardInterrupt
    assert compiler[0].wait() != 0
    assert not (tmp_path / "kept").exists()


def test_nothing_is_compiled_where_nothing_can_be_kept(compiler, monkeypatch, capfd):
    monkeypatch.setattr(code_cache, "is_used", lambda: False)
    with chosen_engine(AUTO, MACHINE) as choice:
        assert choice.name == "simpy"
    assert not compiler
    assert capfd.readouterr().err == ""


class Ended:
    """A compiler that has done its work, or failed."""

    def __init__(self, status):
        self.status = status

    def poll(self):
        return self.status


def simulated(engine, watch):
    """Simulate nothing, and say with which engine."""
    if watch is not None:
        watch(None)
    return engine


def test_what_simpy_has_not_finished_begins_again_with_the_compiled_engine():
    choice = EngineChoice("simpy", Ended(0))
    assert choice.run(simulated) == "jit"
    assert choice.name == "jit"
    assert choice.run(simulated) == "jit"


@pytest.mark.parametrize("status", [None, 1])
def test_simpy_goes_on_while_nothing_is_compiled(status):
    seen = []
    choice = EngineChoice("simpy", Ended(status))
    assert choice.run(simulated, seen.append) == "simpy"
    assert seen == [None]


def test_a_loop_is_kept_with_all_its_parts(tmp_path, monkeypatch):
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path))
    loop = machine_code.loop_of(MACHINE)
    for file in machine_code._files(loop, ()).values():
        assert not machine_code.is_kept(loop)
        code_cache.write(file, b"machine code")
    assert machine_code.is_kept(loop)
