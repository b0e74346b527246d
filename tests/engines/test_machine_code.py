"""Compiled code is filed under what it was made from; a folder that is of no use is no error."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from isa.declaration import Instruction, Length, Timing, Unit
from isa.instructions import BASE
from isa.semantics.numbers import put_x
from vecsim.engines.jit import compilation, machine_code
from vecsim.engines.jit.machine_code import MachineCode, cache_folder, compiled_loop, fingerprint


def double(m, n, d, a):
    put_x(m, d, 2 * m.x[a])


def triple(m, n, d, a):
    put_x(m, d, 3 * m.x[a])


def scaled(factor):
    def execute(m, n, d, a):
        put_x(m, d, factor * m.x[a])

    return execute


def extended(semantics):
    row = Instruction(
        "times", 0xE0, "xd=, xa", Unit.SCALAR, Timing.SCALAR, "integer", semantics, "xd = k xa", Length.NONE
    )
    return BASE.extended(row)


def test_the_fingerprint_is_that_of_what_instructions_do():
    assert fingerprint(extended(double)) == fingerprint(extended(double))
    assert len({fingerprint(s) for s in (BASE, extended(double), extended(triple))}) == 3
    assert fingerprint(extended(scaled(2))) != fingerprint(extended(scaled(3)))


def test_the_fingerprint_sees_an_edit_in_any_source(tmp_path, monkeypatch):
    before = fingerprint(BASE)
    sources = machine_code._source_files()
    names = {name for name, _ in sources}
    assert {"semantics.py"} <= {Path(name).name for name in names}
    assert {"state.py", "engines/record.py", "engines/jit/stepwise/memory.py"} <= names
    edited = tmp_path / "edited.py"
    edited.write_bytes(sources[-1][1].read_bytes() + b"\n")
    monkeypatch.setattr(machine_code, "_source_files", lambda: [*sources[:-1], (sources[-1][0], edited)])
    assert fingerprint(BASE) != before


@pytest.fixture
def code():
    compiled_loop(BASE, "one_port")
    found = machine_code._kept(cache_folder() / f"one_port-{fingerprint(BASE)}.pickle")
    assert found is not None
    return found


@pytest.fixture
def compilations(code, monkeypatch):
    """Compilations asked for; each gives the code that there is."""
    asked = []
    monkeypatch.setattr(compilation, "compile_loop", lambda _, loop: asked.append(loop) or code)
    return asked


def test_the_first_use_compiles_and_says_so_and_the_next_loads(tmp_path, monkeypatch, capfd, compilations):
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path / "new"))
    compiled_loop.__wrapped__(BASE, "one_port")
    assert "compiling the engine" in capfd.readouterr().err
    compiled_loop.__wrapped__(BASE, "one_port")
    assert capfd.readouterr().err == ""
    assert compilations == ["one_port"]


def test_who_comes_while_it_compiles_waits_and_loads(tmp_path, monkeypatch, code):
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path / "new"))
    compiling, waiting, compiled = Event(), Event(), []

    def compile_slowly(_, loop):
        compiled.append(loop)
        compiling.set()
        assert waiting.wait(60)
        return code

    def say(message):
        if message.startswith("another process"):
            waiting.set()

    monkeypatch.setattr(compilation, "compile_loop", compile_slowly)
    monkeypatch.setattr(machine_code, "_say", say)
    with ThreadPoolExecutor(2) as threads:  # the lock is one of files: it holds between threads, too
        first = threads.submit(compiled_loop.__wrapped__, BASE, "one_port")
        assert compiling.wait(60)
        second = threads.submit(compiled_loop.__wrapped__, BASE, "one_port")
        assert callable(first.result(60))
        assert callable(second.result(60))
    assert compiled == ["one_port"]


def test_a_folder_that_cannot_be_written_costs_a_compilation_each_time(tmp_path, monkeypatch, compilations):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path / "file" / "folder"))
    for _ in range(2):
        loop = compiled_loop.__wrapped__(BASE, "one_port")
        assert callable(loop)
    assert compilations == ["one_port"] * 2


def test_a_damaged_file_is_compiled_anew(tmp_path, monkeypatch, compilations):
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path))
    compiled_loop.__wrapped__(BASE, "one_port")
    (kept,) = tmp_path.glob("one_port-*.pickle")
    kept.write_bytes(kept.read_bytes()[:100])
    compiled_loop.__wrapped__(BASE, "one_port")
    assert compilations == ["one_port"] * 2


def test_old_code_is_forgotten(tmp_path):
    for i in range(machine_code.KEPT + 3):
        machine_code._keep(tmp_path / f"one_port-{i}.pickle", MachineCode("f", bytes(np.uint8([i]))))
    assert len(list(tmp_path.iterdir())) == machine_code.KEPT
