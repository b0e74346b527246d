"""Numbers in user-defined semantics are the same on all engines: of the text, of globals, of comparisons."""

import numpy as np
import pytest
from numba.core.errors import NumbaError

from isa.assembler import assemble
from isa.declaration import Unit
from isa.semantics.numbers import put_x
from vecsim.engines.jit.compiler.compilation import in_one_line
from vecsim.engines.jit.object_files.machine_code import USER as USER_PART
from vecsim.engines.jit.object_files.parts import compile_part
from vecsim.engines.running import start
from vecsim.engines.user_numbers import Range
from vecsim.engines.user_values import Int64
from vecsim.machine import Extension, instruction_set_of, load_machine
from vecsim.support.errors import UserError

MODE, BIG, HALF, ZERO, TABLE = 1, 1 << 62, 0.5, 0.0, (1 << 62, 5)
LARGEST = (1 << 63) - 1
LOST = "OverflowError: the result does not fit into 64 bits"
BY_ZERO = "ZeroDivisionError: division by zero"


def on_constants(m, n, d, a, b):
    value = 1 if MODE == 1 else 2
    value += 10 if MODE & 1 else 20
    value += 100 if m.x[a] > 99 or BIG > 6 else 200
    value += 1000 if 9007199254740993 == 9007199254740992.0 else 2000
    if MODE**2 == 3:
        value += 10000
    put_x(m, d, value)


def of_truth(m, n, d, a, b):
    above = m.fd[b] > -1.0
    put_x(m, d, int(above) + int(m.x[a] < 9) + above * 10 + 100 * above + (m.x[a] < 9) * 1000)


def of_lengths(m, n, d, a, b):
    value = 0
    for k in range(len(TABLE), 0, -1):
        value = 10 * value + k
    put_x(m, d, value)


def of_an_integer_and_floats(m, n, d, a, b):
    total = 0
    for k in range(4):
        total = total + 0.5 * k
    put_x(m, d, int(total))


def of_quotients(m, n, d, a, b):
    large, small = LARGEST - m.x[a], m.x[a] - LARGEST - 1
    value = int(large // -(1 << 31) == -(1 << 32)) + 10 * int(small // 3 == -3074457345618258603)
    value += 100 * int(large % -(1 << 31) == -1) + 1000 * int(small % 3 == 1)
    put_x(m, d, value + 10000 * int(-large // large == -1))


VALUES = {
    of_quotients: 11111,
    on_constants: 1111,
    of_truth: 1112,
    of_lengths: 21,
    of_an_integer_and_floats: 3,
}


def global_too_large(m, n, d, a, b):
    put_x(m, d, BIG * 4)


def turn_too_large(m, n, d, a, b):
    for k in range(3):
        put_x(m, d, k << 70)


def item_too_large(m, n, d, a, b):
    put_x(m, d, TABLE[m.x[a]] * TABLE[m.x[a]])


def choice_too_large(m, n, d, a, b):
    put_x(m, d, (1 << 62 if m.x[a] < 9 else 3) * (1 << 62 if m.x[a] < 8 else 3))


def truth_too_large(m, n, d, a, b):
    put_x(m, d, ((m.fd[b] < 9.0) << 62) * 4)


def truth_by_zero(m, n, d, a, b):
    put_x(m, d, ((m.fd[b] < 9.0) + 5) // m.x[0])


def constants_by_zero(m, n, d, a, b):
    put_x(m, d, int(HALF / ZERO))


WRONG = dict.fromkeys(
    (global_too_large, turn_too_large, item_too_large, choice_too_large, truth_too_large), LOST
) | dict.fromkeys((truth_by_zero, constants_by_zero), BY_ZERO)


@pytest.fixture(scope="module")
def outcomes():
    """Run all of them once on each engine; returns what came by engine and function."""
    own = Extension("own", "numbers")
    for number, function in enumerate((*VALUES, *WRONG)):
        own.instruction(function.__name__, 0xE0 + number, "xd=, xa, fb", "", unit=Unit.SCALAR)(function)
    machine = load_machine("vs2003", {}, [own])
    return {
        (engine, function): outcome(machine, engine, function.__name__)
        for engine in ("simpy", "jit")
        for function in (*VALUES, *WRONG)
    }


def outcome(machine, engine, name):
    program = assemble(f"{name} x6, x3, f1\nhalt", instruction_set=instruction_set_of(machine.extensions))
    running = start(program, np.zeros(64, np.uint8), machine, engine=engine)
    try:
        running.advance(cycle=100)
    except UserError as error:
        return str(error)
    return int(running.state.x[6])


def test_values(outcomes):
    for engine in ("simpy", "jit"):
        assert {function: outcomes[engine, function] for function in VALUES} == VALUES


def test_errors(outcomes):
    for function, reason in WRONG.items():
        assert outcomes["simpy", function] == outcomes["jit", function]
        assert outcomes["jit", function].endswith(f": {reason}"), function


def two_truths(m, n, d, a, b):
    put_x(m, d, (m.x[a] < 5) + (m.fd[b] < 5.0))


def minus_truth(m, n, d, a, b):
    put_x(m, d, -(m.fd[b] < 5.0))


def inverted_truth(m, n, d, a, b):
    put_x(m, d, ~(m.fd[b] < 5.0))


def of_two_sizes(m, n, d, a, b):
    value = m.fs[2 * b] if m.x[a] < 5 else m.fd[b]
    put_x(m, d, int(value * value))


def of_two_types(m, n, d, a, b):
    value = 9007199254740993
    if m.x[a] < 5:
        value = 0.5
    put_x(m, d, int(value) & 1)


TRUTH = "truth values are no numbers in all engines: convert them by int()"


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (two_truths, TRUTH),
        (minus_truth, TRUTH),
        (inverted_truth, TRUTH),
        (of_two_sizes, "a choice is of two types, float32 and float64: convert one"),
        (of_two_types, "value is of two types, float64 and int64: convert one"),
    ],
)
def test_what_engines_would_tell_apart_is_not_compiled(function, reason):
    own = Extension("own", "numbers")
    own.instruction("own", 0xE0, "xd=, xa, fb", "", unit=Unit.SCALAR)(function)
    with pytest.raises(NumbaError) as caught:
        compile_part(USER_PART, {0xE0: own.instructions[0]})
    assert f"this cannot be compiled: {reason}; " in in_one_line(str(caught.value))


def test_a_range_of_own_integers():
    own = Range(Int64(2), 9, 3)
    assert list(own) == [2, 5, 8]
    assert list(reversed(own)) == [8, 5, 2]
    assert {type(each) for each in (*own, own[1], *reversed(own))} == {Int64}
    assert (len(own), 5 in own, 6 in own, own[1:]) == (3, True, False, range(5, 11, 3))
