"""Compiled code is filed under what it was made from; a folder that is of no use is no error."""

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import ModuleType

import numpy as np
import pytest

import isa.rows
import isa.semantics
import vecsim.engines
from isa.assembler import assemble
from isa.declaration import Instruction, InstructionSet, Length, Timing, Unit
from isa.instructions import BASE
from isa.semantics.numbers import put_vs, put_x
from vecsim.engines import targets as other_targets
from vecsim.engines.jit.compiler.compilation import compile_object
from vecsim.engines.jit.interface import (
    BASE_ROWS,
    PARTS_OF_LOOP,
    SLOW_PATHS,
    USER,
    VECTOR,
    VECTOR_ROWS,
    operations_of,
    row_name,
)
from vecsim.engines.jit.interface import SINGLE_PORT as LOOP
from vecsim.engines.jit.object_files import cache as code_cache
from vecsim.engines.jit.object_files import fingerprints, machine_code, parts
from vecsim.engines.jit.object_files.fingerprints import fingerprint
from vecsim.engines.running import ENGINES, run
from vecsim.machine import load_machine
from vecsim.support.errors import UserError


def double(m, n, d, a):
    put_x(m, d, 2 * m.x[a])


def triple(m, n, d, a):
    put_x(m, d, 3 * m.x[a])


def scaled(factor):
    def execute(m, n, d, a):
        put_x(m, d, factor * m.x[a])

    return execute


def is_odd(m, n, a, target):
    return bool(m.x[a] & 1)


def negate(m, n, d, a):
    s = m.section
    for k in range(n):
        put_vs(m, d * s + k, -m.vs[2 * (a * s + k)])


def times(semantics):
    return Instruction(
        "times", 0xE0, "xd=, xa", Unit.SCALAR, Timing.SCALAR, "integer", semantics, "xd = k xa", Length.NONE
    )


BODD = Instruction(
    "bodd", 0xE1, "xa, t19", Unit.SCALAR, Timing.BRANCH, "integer", is_odd, "taken if xa is odd"
)
NEGV = Instruction(
    "negv.s",
    0xE2,
    "vd=, va",
    Unit.ADD,
    Timing.ELEMENTWISE,
    "move",
    negate,
    "vd[k] = -va[k]",
    Length.VL,
    reads=("vl",),
)


def extended(semantics):
    return BASE.extended(times(semantics))


def test_the_fingerprint_is_that_of_what_instructions_do():
    def of(instruction_set):
        return fingerprint(instruction_set.instructions)

    assert of(extended(double)) == of(extended(double))
    assert len({of(s) for s in (BASE, extended(double), extended(triple))}) == 3
    assert of(extended(scaled(2))) != of(extended(scaled(3)))


REFERRED = {
    "a constant": "def f(m, n): return {v}",
    "a constant of the module": "K = {v}\ndef f(m, n): return K",
    "a default": "def f(m, n, k={v}): return k",
    "a default by name": "def f(m, n, *, k={v}): return k",
    "a default of what it calls": "def g(k={v}): return k\ndef f(m, n): return g()",
    "a constant of another module": "import helper\ndef f(m, n): return helper.K",
    "a constant of a part of a package": "import helper\ndef f(m, n): return helper.inner.K",
    "a function of another module": "import helper\ndef f(m, n): return helper.g()",
    "a class": "class C:\n    K = {v}\ndef f(m, n): return C.K",
    "an enumeration": "import enum\nclass C(enum.IntEnum):\n    K = {v}\ndef f(m, n): return C.K",
    "a long array": (
        "import numpy as np\nA = np.zeros(5000, np.int64)\nA[2500] = {v}\ndef f(m, n): return A[n]"
    ),
    "arrays in a tuple": (
        "import numpy as np\nA = (np.zeros(5000, np.int64), 1)\nA[0][2500] = {v}\ndef f(m, n): return A"
    ),
    "a closure": "def made(k):\n    def f(m, n): return k\n    return f\nf = made({v})",
    "what Numba made": "import numba\n@numba.njit\ndef g(): return {v}\ndef f(m, n): return g()",
    "a handler": "def f(m, n):\n    try:\n        n / 1\n    except ValueError:\n        return {v}",
}


@pytest.mark.parametrize("text", REFERRED.values(), ids=REFERRED)
def test_the_fingerprint_sees_what_semantics_refer_to(monkeypatch, text):
    def of(value):
        helper, inner = ModuleType("helper"), ModuleType("helper.inner")
        exec(f"K = {value}\ndef g(): return {value}", vars(helper))
        helper.inner = inner
        inner.K = value
        monkeypatch.setitem(sys.modules, "helper", helper)
        built = {"__name__": "mine"}
        exec(compile(text.replace("{v}", str(value)), "mine.py", "exec"), built)
        return fingerprint([replace(NEGV, semantics=built["f"])])

    assert of(5) == of(5)
    assert of(5) != of(6)


def test_what_is_compiled_and_what_it_is_made_with_are_sources():
    sources = {path for _, path in fingerprints._source_files()}
    targets = set(Path(other_targets.__file__).parent.rglob("*.py"))
    assert not targets & sources
    for package in (isa.rows, isa.semantics, vecsim.engines):
        assert set(Path(package.__file__).parent.rglob("*.py")) - targets <= sources


def test_the_fingerprint_sees_an_edit_in_any_source(tmp_path, monkeypatch):
    before = fingerprint(BASE.instructions)
    sources = fingerprints._source_files()
    names = {name for name, _ in sources}
    assert {"semantics.py"} <= {Path(name).name for name in names}
    assert {"state.py", "engines/record.py", "engines/rules/ports.py"} <= names
    edited = tmp_path / "edited.py"
    edited.write_bytes(sources[-1][1].read_bytes() + b"\n")
    monkeypatch.setattr(fingerprints, "_source_files", lambda *_: [*sources[:-1], (sources[-1][0], edited)])
    assert fingerprint(BASE.instructions) != before


def test_an_operation_of_the_base_set_has_one_number_in_every_set():
    numbers, own = operations_of(InstructionSet((NEGV, *reversed(BASE.instructions), BODD)))
    assert list(own.values()) == [NEGV, BODD]
    assert list(numbers[1:-1]) == list(reversed(range(len(BASE_ROWS))))
    assert [numbers[0], numbers[-1]] == list(own)


PROGRAM = """
    li      x1, 4
    setvl   x1
    lv.w    v1, 64(x0)
    negv.s  v2, v1
    sv.w    v2, 128(x0)
    li      x3, 7
again:
    times   x3, x3
    addi    x4, x4, 1
    bodd    x4, again
    sw      x3, 0(x0)
    halt
"""


@pytest.mark.parametrize("ports", [1, 2])
def test_own_instructions_of_every_kind_next_to_those_of_the_base_set(ports):
    program = assemble(PROGRAM, instruction_set=BASE.extended(times(triple), BODD, NEGV))
    memory = np.zeros(1024, np.uint8)
    memory[64:80] = np.array([1, -2, 3, 0], np.float32).view(np.uint8)
    machine = load_machine("vs2003", [f"memory_ports={ports}"])
    runs = {engine: run(program, memory, machine, engine=engine) for engine in ENGINES}
    for result in runs.values():
        assert result.state.memory[:4].view(np.int32) == 7 * 3 * 3
        np.testing.assert_array_equal(result.state.memory[128:144].view(np.float32), [-1, 2, -3, 0])
    assert len({result.cycles for result in runs.values()}) == 1


@pytest.fixture(scope="module")
def contents():
    """The object files of the base set, compiled once."""
    machine_code.machine_code(BASE, LOOP)
    known = fingerprint(BASE.instructions)
    return {name: code_cache.read(f"{name}-{known}") for name in PARTS_OF_LOOP[LOOP]}


@pytest.fixture
def compilations(contents, monkeypatch):
    """Compilations asked for; each gives the code that there is."""
    asked = []
    monkeypatch.setattr(parts, "compile_part", lambda name, *_: asked.append(name) or contents[name])
    monkeypatch.setattr(machine_code.subprocess, "Popen", refused)
    return asked


def refused(*_, **__):
    raise OSError("no processes here")


def compiled(instruction_set=BASE):
    """Ask for compiled code as a new process would."""
    return machine_code.machine_code.__wrapped__(instruction_set, LOOP)


def test_the_first_use_compiles_and_says_so_and_the_next_loads(tmp_path, monkeypatch, capfd, compilations):
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path / "new"))
    compiled()
    assert capfd.readouterr().err.count("compiling the engine") == 1
    compiled()
    assert capfd.readouterr().err == ""
    assert sorted(compilations) == [LOOP, SLOW_PATHS, VECTOR]


def test_an_own_instruction_compiles_itself_alone(tmp_path, monkeypatch, capfd, compilations):
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path / "new"))
    compiled()
    del compilations[:]
    capfd.readouterr()
    asked = []

    def compile_user(name, own=None, extensions=()):
        asked.append((name, [row.mnemonic for row in own.values()]))
        return compile_object(parts.functions_of_part(name, own))

    monkeypatch.setattr(parts, "compile_part", compile_user)
    code = compiled(extended(double))
    assert asked == [(USER, ["times"])]
    assert "user-defined instructions" in capfd.readouterr().err
    assert code.semantics[len(BASE_ROWS)] != 0


@pytest.mark.nightly
def test_a_separate_process_compiles_a_part(contents):
    with machine_code._process(VECTOR) as process:
        content = machine_code._output(process)
    assert process.returncode == 0
    engine = machine_code.loaded(content)
    for operation in VECTOR_ROWS:
        assert engine.get_function_address(row_name(operation)) != 0


def test_a_process_with_other_sources_compiles_nothing(monkeypatch):
    monkeypatch.setattr(machine_code, "_made_from", lambda: "another")
    with machine_code._process(VECTOR) as process:
        assert machine_code._output(process) == b""
        assert process.returncode == 1


def test_who_comes_while_it_compiles_waits_and_loads(tmp_path, monkeypatch, contents):
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path / "new"))
    compiling, waiting, asked = Event(), Event(), []

    def compile_slowly(name, own=None, extensions=()):
        asked.append(name)
        compiling.set()
        assert waiting.wait(60)
        return contents[name]

    def say(message):
        if message.startswith("another process"):
            waiting.set()

    monkeypatch.setattr(parts, "compile_part", compile_slowly)
    monkeypatch.setattr(machine_code.subprocess, "Popen", refused)
    monkeypatch.setattr(code_cache, "say", say)
    with ThreadPoolExecutor(2) as threads:  # the lock is one of files: it holds between threads, too
        first = threads.submit(compiled)
        assert compiling.wait(60)
        second = threads.submit(compiled)
        assert callable(first.result(60).loop)
        assert callable(second.result(60).loop)
    assert sorted(asked) == [LOOP, SLOW_PATHS, VECTOR]


def test_a_folder_that_cannot_be_made_costs_a_compilation_each_time(
    tmp_path, monkeypatch, capfd, compilations
):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path / "file" / "folder"))
    for _ in range(2):
        assert callable(compiled().loop)
    assert sorted(compilations) == sorted(2 * PARTS_OF_LOOP[LOOP])
    assert capfd.readouterr().err.count("the compiled engine is not kept") == 1


def test_where_numba_must_not_compile_one_line_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path))
    monkeypatch.setattr("numba.core.config.DISABLE_JIT", True)
    with pytest.raises(UserError, match=r"^NUMBA_DISABLE_JIT is set, .*; unset it, or take --engine simpy$"):
        compiled()


@pytest.mark.parametrize("damage", [lambda code: code[:100], lambda code: bytes(len(code)), lambda _: b""])
def test_a_damaged_file_is_compiled_again(tmp_path, monkeypatch, capfd, compilations, damage):
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path))
    compiled()
    (recorded,) = code_cache.folder().glob(f"{LOOP}-*")
    recorded.write_bytes(damage(recorded.read_bytes()))
    del compilations[:]
    assert callable(compiled().loop)
    assert compilations == [LOOP]
    assert "is damaged" in capfd.readouterr().err


def test_code_that_others_can_write_is_not_loaded(tmp_path, monkeypatch, capfd, compilations):
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path))
    compiled()
    (recorded,) = code_cache.folder().glob(f"{VECTOR}-*")
    recorded.chmod(0o666)
    del compilations[:]
    compiled()
    assert compilations == [VECTOR]
    assert "can be written by others" in capfd.readouterr().err


def test_old_code_is_forgotten(tmp_path, monkeypatch):
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path))
    for i in range(code_cache.KEPT + 3):
        code_cache.write(f"{LOOP}-{i}", bytes(np.uint8([i])))
    assert len(list(code_cache.folder().iterdir())) == code_cache.KEPT
