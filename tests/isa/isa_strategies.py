"""What Hypothesis draws for the tests of the assembler."""

import numpy as np
from hypothesis import strategies as st

from isa.declaration import Instruction
from isa.instructions import BASE
from isa.program import Program

INSTRUCTIONS = st.sampled_from(BASE.instructions)


def fields_of(instruction: Instruction) -> st.SearchStrategy[tuple[int, ...]]:
    """Any fields that the operands of ``instruction`` hold."""
    return st.tuples(*(st.integers(*operand.limits) for operand in instruction.operands))


@st.composite
def rows(draw: st.DrawFn) -> tuple[Instruction, tuple[int, ...]]:
    """An instruction of the table and fields for it."""
    instruction = draw(INSTRUCTIONS)
    return instruction, draw(fields_of(instruction))


def same_code(a: Program, b: Program) -> bool:
    """Whether two programs are the same to a machine."""
    return np.array_equal(a.words, b.words) and a.data == b.data and a.entry == b.entry
