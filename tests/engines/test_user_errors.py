"""User-defined semantics that go wrong: all engines end in the same line, or the compiled ones refuse."""

import math
import os
import re
import socket
import subprocess
import time
from dataclasses import dataclass
from datetime import datetime
from random import Random, randint

import numpy as np
import pytest

from isa.assembler import assemble
from isa.declaration import Unit
from isa.semantics.numbers import load32, load64, put_vs, put_x, store32
from vecsim.engines.rules.banks import word_start
from vecsim.engines.running import start
from vecsim.engines.user_code import is_ours
from vecsim.machine import Extension, instruction_set_of, load_machine
from vecsim.support.errors import UserError
from vecsim.support.project_packages import ROOT

few, wrong = Extension("few", "three that go wrong"), Extension("wrong", "others that do")
TABLE = (3, 1, 4)
HALF = 0.5
EXPECTED = {}


@dataclass(frozen=True)
class Case:
    """What an instruction is expected to end in, the line that does it, and the extension that has it."""

    reason: str
    line: int
    extension: Extension


def ends_in(reason, syntax="xd=, xa", line=2, extension=wrong, **how):
    """Declare an instruction that ends in an error at a line of its function, counted from its decorator."""
    how = {"unit": Unit.SCALAR} | how

    def declared(function):
        EXPECTED[function.__name__] = Case(reason, function.__code__.co_firstlineno + line, extension)
        opcode = 0xE0 + len(extension.instructions)
        return extension.instruction(function.__name__, opcode, syntax, "", **how)(function)

    return declared


VECTOR = {"syntax": "vd=, va", "unit": Unit.ADD}


@ends_in("IndexError: index 100000 is not in 0 to 1023", line=3, extension=few, **VECTOR)
def register_outside(m, n, d, a):
    for _ in range(n):
        put_vs(m, 100000, m.vs[2 * a * m.section])


@ends_in("IndexError: index -1 is not in 0 to 2047", line=3, **VECTOR)
def negative_index(m, n, d, a):
    put_vs(m, d * m.section, m.vs[2 * a * m.section])
    put_vs(m, d * m.section, m.vs[-1])


@ends_in("IndexError: index 4096 is not in 0 to 4092", line=2)
def word_outside(m, n, d, a):
    put_x(m, d, load32(m, 4095 + m.x[a] * m.x[a]))


@ends_in("IndexError: index -5 is not in 0 to 4092", line=3)
def store_outside(m, n, d, a):
    put_x(m, d, 1)
    store32(m, -4 - m.x[a] * m.x[a], 5)


@ends_in("IndexError: index 4089 is not in 0 to 4088", line=2)
def long_outside(m, n, d, a):
    put_x(m, d, load64(m, 4089))


@ends_in("IndexError: index 64 is not in 0 to 63", line=2)
def mask_outside(m, n, d, a):
    put_x(m, d, m.mask[m.section])


@ends_in("IndexError: index out of range", line=2)
def table_outside(m, n, d, a):
    put_x(m, d, TABLE[m.x[a] + 5])


@ends_in("ZeroDivisionError: division by zero", line=2, extension=few)
def divided_by_zero(m, n, d, a):
    put_x(m, d, 1 // m.x[0])


@ends_in("ZeroDivisionError: division by zero", line=2)
def modulo_zero(m, n, d, a):
    put_x(m, d, m.x[a] % m.x[0])


@ends_in("ZeroDivisionError: division by zero", line=2)
def ratio_of_zero(m, n, d, a):
    put_x(m, d, int(m.x[a] / m.x[0]))


@ends_in("OverflowError: the result does not fit into 64 bits", line=4)
def too_large(m, n, d, a):
    value = m.x[a] + 2**31
    value = value * value
    put_x(m, d, value * value)


@ends_in("OverflowError: the result does not fit into 64 bits", line=2)
def shifted_too_far(m, n, d, a):
    put_x(m, d, m.x[a] << 64)


@ends_in("ValueError: negative shift count", line=2)
def shifted_back(m, n, d, a):
    put_x(m, d, m.x[a] >> -m.x[a])


@ends_in("OverflowError: the value does not fit into 8 bits", line=3, mask="w", **VECTOR)
def byte_too_wide(m, n, d, a):
    put_vs(m, d * m.section, m.vs[2 * a * m.section])
    m.mask[0] = 256


@ends_in("ValueError: an element of the mask is 0 or 1", line=3, mask="w", **VECTOR)
def mask_of_two(m, n, d, a):
    put_vs(m, d * m.section, m.vs[2 * a * m.section])
    m.mask[0] = 2


@ends_in("ValueError: vl is 0 to the section size", line=3, writes=("vl",))
def vector_too_long(m, n, d, a):
    put_x(m, d, 1)
    m.special[0] = m.section + 1


@ends_in("ValueError: x0 is always 0", line=2)
def zero_overwritten(m, n, d, a):
    m.x[d] = m.x[a]


@ends_in("OverflowError: the value does not fit into 32 bits", line=2)
def register_too_wide(m, n, d, a):
    m.x[d] = 2**31 * m.x[a]


@ends_in("ValueError: a row is -1, or 0 to the section size - 1", line=3, unit=Unit.SPARSE, syntax="vd=, va")
def row_outside(m, n, d, a):
    m.v[d * m.section] = m.v[a * m.section]
    m.row[0] = m.section


@ends_in("OverflowError: the value does not fit into 32 bits", line=3, **VECTOR)
def word_too_wide(m, n, d, a):
    put_vs(m, d * m.section, m.vs[2 * a * m.section])
    m.vw[2 * d * m.section] = 2**31


@ends_in("ValueError: cannot convert float NaN to integer", "xd=, fa", line=2)
def integer_of_nan(m, n, d, a):
    put_x(m, d, int(m.fd[a] / m.fd[a]))


@ends_in("OverflowError: cannot convert float infinity to integer", "xd=, fa", line=2)
def integer_of_infinity(m, n, d, a):
    put_x(m, d, int(1 / m.fd[a]))


@ends_in("OverflowError: the result does not fit into 64 bits", line=2)
def integer_of_large(m, n, d, a):
    put_x(m, d, int(m.x[a] * 1e19))


@ends_in("ValueError: math domain error", line=2)
def root_of_negative(m, n, d, a):
    put_x(m, d, int(math.sqrt(-m.x[a])))


@ends_in("ValueError: math domain error", line=2)
def logarithm_of_zero(m, n, d, a):
    put_x(m, d, int(math.log(m.x[0])) + m.x[a])


@ends_in("OverflowError: math range error", line=2)
def exponential(m, n, d, a):
    put_x(m, d, int(math.exp(1000 * m.x[a])))


@ends_in("ValueError: odd", line=4, extension=few)
def raised(m, n, d, a):
    put_x(m, d, 1)
    if m.x[a] == 1:
        raise ValueError("odd")


@ends_in("AssertionError", line=3)
def asserted(m, n, d, a):
    put_x(m, d, 1)
    raise AssertionError


def within(m, a):
    return m.x[a] // m.x[0]


@ends_in("ZeroDivisionError: division by zero", line=-3)
def in_another_function(m, n, d, a):
    put_x(m, d, within(m, a))


@ends_in("IndexError: index 41 is not in 0 to 31")
def no_such_register(m, n, d, a):
    put_x(m, d, m.x[a + 40])


PROGRAM = """
    li x1, 1
    setvl x1
    li x5, 4095
{}
    halt
"""


def ended(engine, name):
    """Return how a run ends, and the state in which it stops."""
    extension = EXPECTED[name].extension
    machine = load_machine("vs2003", {"section_size": 64, "vector_registers": 16}, [extension])
    instruction_set = instruction_set_of(machine.extensions)
    syntax = instruction_set.by_mnemonic[name].syntax
    operands = {"vd=, va": "v1, v2", "xd=, xa": "x6, x1", "xd=, fa": "x6, f1"}[syntax]
    operands = "x0, x1" if name == "zero_overwritten" else operands
    text = PROGRAM.format(f"    {name} {operands}")
    program = assemble(text, file="w.s", instruction_set=instruction_set)
    running = start(program, np.zeros(4096, np.uint8), machine, engine=engine)
    for _ in range(2):  # a fault comes again until a snapshot is restored
        with pytest.raises(UserError) as caught:
            running.advance(cycle=1000)
    state = {array: values.tobytes() for array, values in running.snapshot().architectural.items()}
    return str(caught.value), running.cycle, running.pc, state


CI = {name for name, case in EXPECTED.items() if case.extension is not few}
NAMES = [pytest.param(name, marks=pytest.mark.ci if name in CI else ()) for name in EXPECTED]


@pytest.mark.parametrize("name", NAMES)
def test_all_engines_end_in_the_same_line(name):
    case = EXPECTED[name]
    message, *rest = ended("jit", name)
    place = rf"\S*test_user_errors\.py:{case.line}"
    pattern = rf"w\.s:5: {name} \S+, \S+: instruction 3, cycle \d+: {name}: {place}: {case.reason}"
    assert re.fullmatch(pattern, message)
    for engine in ("simpy", "jit-multiport"):
        assert [message, *rest] == list(ended(engine, name))


def test_code_of_vecsim_is_distinguished_from_that_of_a_user():
    sources = [*(ROOT / "vecsim").rglob("*.py"), *(ROOT / "isa").rglob("*.py")]
    assert len(sources) > 200
    assert all(is_ours(str(path)) for path in sources)
    assert not is_ours(__file__)


def seconds():
    return time.time()


def draws():
    return np.random.rand()  # noqa: NPY002


def of_one_seed():
    return int(Random(5).random() * 9)


def of_its_caller(ask):
    def inner():
        return ask()

    return inner


QUESTIONS = [
    (lambda: time.time(), "asks the clock by time"),
    (seconds, "asks the clock by time"),
    (of_its_caller(seconds), "asks the clock by time"),
    (lambda: datetime.now().day, "asks the clock by now"),
    (draws, "draws random numbers by random"),
    (lambda: randint(1, 9), "draws random numbers by randint"),
    (lambda: os.getcwd(), "asks for the working folder by getcwd"),  # noqa: PTH109
    (lambda: os.cpu_count(), "asks for the number of processors by cpu_count"),
    (lambda: socket.gethostname(), "asks for the host by gethostname"),
    (of_one_seed, ""),
]


@pytest.mark.parametrize(("ask", "what"), QUESTIONS)
def test_what_a_simulation_would_ask_is_refused(ask, what):
    late = Extension("late", "asks while it runs")

    @late.instruction("asks", 0xE0, "xd=", "", unit=Unit.SCALAR)
    def asks(m, n, d):
        put_x(m, d, int(ask()))

    ruled = Extension("ruled", "asks in a rule")

    @ruled.replaces(word_start)
    def start_later(r, instruction, port, address, earliest):
        return word_start(r, instruction, port, address, earliest) + int(ask())

    for extension, text in ((late, "asks x1\nhalt"), (ruled, "lw x1, 0(x0)\nhalt")):
        machine = load_machine("vs2003", {}, [extension])
        program = assemble(text, file="w.s", instruction_set=instruction_set_of(machine.extensions))
        if what:
            with pytest.raises(UserError, match=rf"test_user_errors\.py:\d+: \S+ {what}: do that while"):
                start(program, np.zeros(4096, np.uint8), machine, engine="simpy")
        else:
            start(program, np.zeros(4096, np.uint8), machine, engine="simpy").advance(cycle=100)


def test_what_a_simulation_would_read_is_refused(tmp_path):
    """The key of a kept result covers what loading an extension reads, and nothing that comes later."""
    data = tmp_path / "data.txt"
    data.write_text("1")
    late = Extension("late", "reads while it runs")

    @late.instruction("reads", 0xE0, "xd=", "", unit=Unit.SCALAR)
    def reads(m, n, d):
        put_x(m, d, len(data.read_text()))

    @late.instruction("begins", 0xE1, "xd=", "", unit=Unit.SCALAR)
    def begins(m, n, d):
        put_x(m, d, subprocess.call(["true"]))

    @late.instruction("looks", 0xE2, "xd=", "", unit=Unit.SCALAR)
    def looks(m, n, d):
        put_x(m, d, len(os.environ.get("HOME", "")))

    machine = load_machine("vs2003", {}, [late])
    ways = {"reads": "opens a file", "begins": "begins a process", "looks": "reads a variable"}
    for name, what in ways.items():
        text = f"{name} x1\nhalt"
        program = assemble(text, file="w.s", instruction_set=instruction_set_of(machine.extensions))
        with pytest.raises(UserError, match=rf"test_user_errors\.py:\d+: .*{what} in a simulation"):
            start(program, np.zeros(4096, np.uint8), machine, engine="simpy").advance(cycle=100)
    assert data.read_text() == "1"  # a test may read again
