"""What each pseudo-instruction stands for, and the value that li leaves."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from isa.assembler import assemble
from isa.instructions import BASE
from isa.pseudo import PSEUDO_INSTRUCTIONS
from isa.state import new_state

EXPANSIONS = {
    "nop": "addi x0, x0, 0",
    "li x5, -8192": "addi x5, x0, -8192",
    "li x5, 8191": "addi x5, x0, 8191",
    "li x5, 8192": "lui x5, 1",
    "li x5, 8193": "lui x5, 1\naddi x5, x5, 1",
    "li x5, -8193": "lui x5, 524286\naddi x5, x5, 8191",
    "li x5, later\nlater:": "lui x5, 0\naddi x5, x5, 2",
    "earlier: li x5, earlier": "addi x5, x0, 0",
    "la x5, 64": "lui x5, 0\naddi x5, x5, 64",
    "mv x5, x6": "addi x5, x6, 0",
    "neg x5, x6": "sub x5, x0, x6",
    "not x5, x6": "xori x5, x6, -1",
    "seqz x5, x6": "div x5, x6, x6\nsrli x5, x5, 31",
    "snez x5, x6": "div x5, x6, x6\nslt x5, x0, x5",
    "sltz x5, x6": "slt x5, x6, x0",
    "sgtz x5, x6": "slt x5, x0, x6",
    "fmv.s f5, f6": "fmin.s f5, f6, f6",
    "fmv.d f5, f6": "fmin.d f5, f6, f6",
    "fmv.f f5, f6": "fmin.s f5, f6, f6",
    "fmv.w.x f5, x6": "mxf f5, x6",
    "fmv.x.w x5, f6": "mfx x5, f6",
    "j 7": "jal x0, 7",
    "jal 7": "jal x1, 7",
    "call 7": "jal x1, 7",
    "tail 7": "jal x0, 7",
    "ret": "jr x1",
    "beqz x5, 7": "beq x5, x0, 7",
    "bnez x5, 7": "bne x5, x0, 7",
    "bltz x5, 7": "blt x5, x0, 7",
    "bgez x5, 7": "bge x5, x0, 7",
    "blez x5, 7": "bge x0, x5, 7",
    "bgtz x5, 7": "blt x0, x5, 7",
    "ble x5, x6, 7": "bge x6, x5, 7",
    "bgt x5, x6, 7": "blt x6, x5, 7",
    **{f"fble.{t} f5, f6, 7": f"fbge.{t} f6, f5, 7" for t in "fsd"},
    **{f"fbgt.{t} f5, f6, 7": f"fblt.{t} f6, f5, 7" for t in "fsd"},
    "push x5": "addi x2, x2, -4\nsw x5, 0(x2)",
    "pop x5": "lw x5, 0(x2)\naddi x2, x2, 4",
    "setvl x5": "setvl x0, x5",
}


@pytest.mark.parametrize("text", EXPANSIONS)
def test_expansion(text):
    assert assemble(text).words.tolist() == assemble(EXPANSIONS[text]).words.tolist()


def test_every_pseudo_instruction_is_tested():
    tested = {text.split("\n")[0].rpartition(": ")[2].split(" ")[0] for text in EXPANSIONS}
    assert tested == {pseudo.mnemonic for pseudo in PSEUDO_INSTRUCTIONS}


def test_a_name_that_is_also_an_instruction_has_another_number_of_operands():
    for pseudo in PSEUDO_INSTRUCTIONS:
        row = BASE.by_mnemonic.get(pseudo.mnemonic)
        assert row is None or len(row.operands) != len(pseudo.operands)


def test_the_generic_suffix_takes_the_width_of_a_value():
    expected = assemble("fmin.d f5, f6, f6").words.tolist()
    assert assemble("fmv.f f5, f6", value_bytes=8).words.tolist() == expected


@pytest.mark.parametrize("value", [0, 1, -1, 2, 31, 32, -(1 << 31), (1 << 31) - 1])
@pytest.mark.parametrize("target", ["x5", "x6"])
def test_comparisons_with_zero(target, value):
    for name, expected in {
        "seqz": value == 0,
        "snez": value != 0,
        "sltz": value < 0,
        "sgtz": value > 0,
    }.items():
        assert run_straight(f"li x6, {value}\n{name} {target}, x6")[int(target[1])] == expected


def run_straight(text: str) -> np.ndarray:
    """Execute instructions that neither branch nor touch memory; return the scalar registers."""
    state = new_state(4, 8, np.zeros(64, np.uint8))
    program = assemble(text)
    for pc in range(len(program)):
        row = program.instruction(pc)
        row.semantics(state, 0, *program.fields[pc, : len(row.operands)].tolist())
    return state.x


@given(st.integers(-(1 << 31), (1 << 32) - 1))
@example(-(1 << 31))
@example((1 << 31) - 1)
@example((1 << 32) - 1)
@example(8191)
@example(8192)
@example(-8192)
@example(-8193)
def test_li_and_la_leave_their_value(value):
    wrapped = int(np.array(value).astype(np.int32))
    assert run_straight(f"li x5, {value}")[5] == wrapped
    assert run_straight(f"la x6, {value}")[6] == wrapped
    assert len(assemble(f"la x6, {value}")) == 2


@given(st.integers(-8192, 8191))
def test_li_of_a_small_value_is_one_instruction(value):
    assert len(assemble(f"li x5, {value}")) == 1
