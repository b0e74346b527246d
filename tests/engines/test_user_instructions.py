"""Mistakes in a user's own instruction end in one clear line, in both engines, before anything runs."""

from dataclasses import replace

import numba
import numpy as np
import pytest

from isa.assembler import assemble
from isa.declaration import Instruction, Length, Timing, Unit
from isa.instructions import BASE
from isa.semantics.numbers import put_vs
from vecsim.engines.jit.compiler.compilation import in_one_line
from vecsim.engines.jit.interface import USER as USER_PART
from vecsim.engines.jit.object_files.parts import compile_part
from vecsim.engines.running import run
from vecsim.machine import load_machine
from vecsim.support.errors import UserError


def twice(m, n, d, a):
    s = m.section
    for k in range(n):
        put_vs(m, d * s + k, 2 * m.vs[2 * (a * s + k)])


OWN = Instruction(
    "twice.s",
    0xE0,
    "vd=, va",
    Unit.ADD,
    Timing.ELEMENTWISE,
    "move",
    twice,
    "vd[k] = 2 va[k], float32",
    Length.VL,
    reads=("vl",),
)


def run_with(engine, **changes):
    mine = BASE.extended(replace(OWN, **changes))
    program = assemble("twice.s v1, v2\nhalt", instruction_set=mine)
    return run(program, np.zeros(64, np.uint8), load_machine("vs2003"), engine=engine)


def misspelt(m, n, d, a):
    for k in range(n):
        put_vz(m, d * m.section + k, m.vs[a])  # noqa: F821


def indirect(m, n, d, a):
    misspelt(m, n, d, a)


def built(factor):
    def scaled(m, n, d, a):
        misspelt(m, n, d, factor)

    return scaled


def too_few(m, n, d):
    pass


class Callable:
    def __call__(self, m, n, d, a):
        pass


LINE = misspelt.__code__.co_firstlineno + 2
UNDEFINED = (
    rf"^instruction twice\.s: \S*test_user_instructions\.py:{LINE}: misspelt uses 'put_vz', which is not "
)

MISTAKES = [
    ({"latency": "foo"}, r"^instruction twice\.s: unknown latency 'foo'; use one of integer, .*, sum$"),
    ({"latency": "mve"}, r"unknown latency 'mve'; .*; did you mean 'move'\?$"),
    ({"semantics": misspelt}, UNDEFINED + r"defined; did you mean 'put_vs'\?$"),
    ({"semantics": indirect}, UNDEFINED),
    ({"semantics": built(3)}, UNDEFINED),
    ({"semantics": too_few}, r"too_few takes 3 parameters; its syntax needs 4: m, n, vd, va$"),
    (
        {"semantics": Callable()},
        r"^instruction twice\.s: its semantics must be a plain Python function, not ",
    ),
]


@pytest.mark.parametrize("engine", ["jit", "simpy"])
@pytest.mark.parametrize(("changes", "message"), MISTAKES, ids=lambda value: str(value)[:20])
def test_a_mistake_is_named(engine, changes, message):
    with pytest.raises(UserError, match=message) as caught:
        run_with(engine, **changes)
    assert "\n" not in str(caught.value)


def test_a_right_one_runs():
    assert run_with("simpy").instructions == 2


def attribute_that_is_not_there(m, n, d, a):
    return m.vq[d]


def test_what_cannot_be_compiled_is_reported_in_a_line():
    with pytest.raises(UserError, match=r"this cannot be compiled: ") as caught:
        run_with("jit", semantics=attribute_that_is_not_there)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


NUMBA = """\
Failed in nopython mode pipeline (step: nopython frontend)
Failed in nopython mode pipeline (step: nopython frontend)
{reason}

File "../../tmp/mine.py", line 9:
def bad(m, n, d, a):
    <source elided>
        m.vq[0] = 1
        ^

During: typing of get attribute at /tmp/my own.py (9)
During: Pass nopython_type_inference
During: typing of call at <string> (141)
"""


def test_the_line_has_place_and_reason():
    message = in_one_line(NUMBA.format(reason="Unknown attribute 'vq' of type State(Cells(int64))"))
    begin = "/tmp/my own.py:9: this cannot be compiled: Unknown attribute 'vq' of type"
    assert message.startswith(begin)
    assert message.endswith(
        "docs/extending.md says what semantics and rules may do, and engine='simpy' takes any Python"
    )
    assert len(in_one_line(NUMBA.format(reason="x" * 5000))) < 400
    assert "cannot be compiled: ; " in in_one_line("")


def larger_of_both(m, n, d, a):
    m.x[d] = max(m.x[a], m.x[d])


def test_what_others_compile_in_between_changes_nothing():
    # Numba knows one implementation of max for these types: that of the target that asked last.
    for _ in range(2):
        assert compile_part(USER_PART, {0: replace(OWN, semantics=larger_of_both)})
        assert numba.njit(lambda a, b: max(a, b))(1, 2) == 2
