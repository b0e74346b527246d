"""What Hypothesis draws for the tests of the assembler."""

import numpy as np
from hypothesis import strategies as st

from isa.declaration import Instruction
from isa.instructions import BASE
from isa.program import Program

INSTRUCTIONS = st.sampled_from(BASE.instructions)


def fields_of(instruction: Instruction, pc: int = 0) -> st.SearchStrategy[tuple[int, ...]]:
    """Any fields that the operands of ``instruction`` hold; a branch at ``pc`` goes to none below 0."""
    limits = [
        (max(operand.limits[0], -pc), operand.limits[1]) if operand.kind == "t" else operand.limits
        for operand in instruction.operands
    ]
    return st.tuples(*(st.integers(*each) for each in limits))


@st.composite
def code(draw: st.DrawFn, max_size: int) -> list[tuple[Instruction, tuple[int, ...]]]:
    """Instructions of the table, one after the other, and fields for them."""
    sampled = draw(st.lists(INSTRUCTIONS, max_size=max_size))
    return [(instruction, draw(fields_of(instruction, pc))) for pc, instruction in enumerate(sampled)]


def same_code(a: Program, b: Program) -> bool:
    """Whether two programs are the same to a machine."""
    return np.array_equal(a.words, b.words) and a.data == b.data and a.entry == b.entry
