"""RISC-V programs on the machine: both engines agree, and cycles worked out by hand."""

import numpy as np
import pytest
from timed_runs import EXIT, cycles_of, timed

END = 4
"""Cycles of the end: three instructions of the program, and that which ends it."""

AXPY = """
    la a1, x
    la a2, y
    la a4, a
    flw fa0, 0(a4)
    li a0, {n}
loop:
    vsetvli t0, a0, e32, m{lmul}, ta, ma
    vle32.v v8, (a1)
    vle32.v v16, (a2)
    vfmacc.vf v16, fa0, v8
    vse32.v v16, (a2)
    sub a0, a0, t0
    slli t1, t0, 2
    add a1, a1, t1
    add a2, a2, t1
    bnez a0, loop
"""
ARRAYS = "\n.data\nx: .zero 400\ny: .zero 400\na: .float 2.0\n.text\n"


@pytest.mark.parametrize("lmul", [1, 8])
@pytest.mark.parametrize(("vlen", "dlen"), [(256, 64), (512, 256)])
def test_axpy_is_right_and_both_engines_agree(lmul, vlen, dlen):
    x = np.arange(100, dtype=np.float32)
    y = np.arange(100, dtype=np.float32)[::-1].copy()
    result, execution, runs = timed(AXPY.format(n=100, lmul=lmul) + EXIT + ARRAYS, vlen, dlen, x=x, y=y)
    assert np.array_equal(execution.read("y", np.float32, 100), 2 * x + y)
    assert runs[0].cycles == runs[1].cycles
    assert runs[0].counters == runs[1].counters
    assert np.array_equal(runs[0].attribution.attributed, runs[1].attribution.attributed)
    words = runs[0].counters
    assert (words["words_loaded"], words["words_stored"]) == (200, 100)
    assert result.result.exit_code == 0


def test_a_group_takes_its_groups_in_turn():
    # Configuration at 0, dispatch at 1: 4 groups of each of 2 registers at 1 to 8, the last result at 8 + 4.
    text = "vsetivli zero, {}, e32, m2, ta, ma\nvadd.vv v8, v16, v24\n"
    assert cycles_of(text.format(16)) == 8 + 4
    # Of 3 elements, there are two groups.
    assert cycles_of(text.format(3)) == 2 + 4


def test_a_chain_follows_group_by_group():
    # Multiplication from 1 on, its first group ready at 6: 4 additions at 6 to 9, the last ready at 13.
    text = "vsetivli zero, 8, e32, m1, ta, ma\nvmul.vv v8, v16, v24\nvadd.vv v9, v8, v8\n"
    assert cycles_of(text) == 9 + 4
    # A comparison is read as a whole: additions under mask begin when its last group is ready, at 8.
    masked = "vsetivli zero, 8, e32, m1, ta, ma\nvmseq.vv v0, v16, v24\nvmul.vv v9, v8, v8, v0.t\n"
    assert cycles_of(masked) == 8 + 3 + 5


def test_an_access_moves_its_bytes():
    # Words at 1 + 20 on: 3 of a contiguous access of 12 bytes; 2 addresses of a strided one.
    text = "la a1, x\nvsetivli zero, {n}, e32, m1, ta, ma\n{access}\n.data\nx: .zero 400\n.text\n"
    few = cycles_of(text.format(n=3, access="vle32.v v8, (a1)"))
    more = cycles_of(text.format(n=7, access="vle32.v v8, (a1)"))
    assert more - few == 4
    strided = text.format(n=2, access="li a2, 16\nvlse32.v v8, (a1), a2")
    assert cycles_of(strided) == few - 1 + 1  # one instruction more, one word less
    _, _, runs = timed(
        text.format(n=5, access="vmv.v.i v0, 5\nvle32.v v8, (a1)\nvluxei32.v v16, (a1), v8, v0.t")
    )
    assert runs[0].counters["words_loaded"] == 5 + 2  # elements 0 and 2 are active
    assert runs[0].cycles == runs[1].cycles


def test_the_scalar_side_waits_for_a_first_element():
    # The sum of 8: groups at 1 to 4, the result at 8; it is read at 8, ready at 12, then the end.
    text = "vsetivli zero, 8, e32, m1, ta, ma\nvredsum.vs v8, v16, v24\nvmv.x.s a1, v8\nadd a1, a1, a1\n"
    assert cycles_of(text) == 12 + 1 + END


def test_a_loop_and_calls_keep_their_order():
    text = """
    li s0, 0
    li s1, 5
again:
    call twice
    addi s1, s1, -1
    bnez s1, again
    j over
twice:
    addi s0, s0, 2
    ret
over:
    """
    result, execution, runs = timed(text)
    assert execution.hart.x[8] == 10
    assert runs[0].instructions == result.result.instructions + 1  # halt
    assert runs[0].cycles == runs[1].cycles
