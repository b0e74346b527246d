"""The instruction table and its vocabulary."""

import inspect
from dataclasses import replace

import pytest

from isa.assembler import assemble
from isa.declaration import EXTENSION_OPCODES, Instruction, InstructionSet, Length, Timing, Unit
from isa.disassembler import disassemble
from isa.encoding import MAX_OPERANDS, decode, encode
from isa.instructions import BASE
from isa.operands import written_syntax
from vecsim.support.errors import UserError


def own(m, n, d, a, imm):
    m.x[d] = m.x[a] * imm


OWN = Instruction(
    "muli", 0xE0, "xd=, xa, i14", Unit.SCALAR, Timing.SCALAR, "integer", own, "xd = xa * immediate"
)


def test_names_and_opcodes_are_unique_and_not_those_of_extensions():
    assert len(BASE.by_mnemonic) == len(BASE.by_opcode) == len(BASE.instructions)
    assert not set(BASE.by_opcode) & set(EXTENSION_OPCODES)


def test_rows_are_consistent():
    for row in BASE.instructions:
        check_row(row)


def check_row(row):
    assert row.summary
    assert len(row.operands) <= MAX_OPERANDS
    assert len(inspect.signature(row.semantics).parameters) == 2 + len(row.operands)
    assert (row.access is not None) == (
        row.timing in (Timing.ACCESS, Timing.SCALAR_LOAD, Timing.SCALAR_STORE)
    )
    used = 0
    for operand in row.operands:
        bits = ((1 << operand.bits) - 1) << operand.shift
        assert not used & bits
        used |= bits
    assert not used >> 24
    if row.memory_operand is not None:
        assert row.operands[row.memory_operand].kind == "x"
    if row.length == Length.VL:
        assert "vl" in row.reads


def test_a_set_can_be_extended():
    extended = BASE.extended(OWN)
    program = assemble("muli x5, x6, -3\nhalt", instruction_set=extended)
    assert program.words[0] == encode(OWN, (5, 6, -3))
    assert program.instruction(0) is OWN
    assert written_syntax(OWN) == "muli xd, xa, i14"
    assert assemble(disassemble(program), instruction_set=extended).words.tolist() == program.words.tolist()
    assert disassemble(program.words, extended) == disassemble(program)
    with pytest.raises(UserError, match="opcode 0xe0 is not in the instruction set"):
        decode(program.words)
    assert "muli" not in BASE.by_mnemonic


def test_an_extension_may_use_the_name_of_a_pseudo_instruction():
    extended = BASE.extended(replace(OWN, mnemonic="neg", syntax="xd=, xa"))
    program = assemble("neg x5, x6", instruction_set=extended)
    assert program.opcode.tolist() == [0xE0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"opcode": 0xDF}, "muli: opcode 0xdf must be in the range for extensions, 0xe0 to 0xff"),
        ({"opcode": 0x100}, "operands|range"),
        ({"mnemonic": "add"}, "declared twice: mnemonic add"),
        ({"syntax": "xd=, xa, u19"}, "muli: the operands .* need more than 24 bits"),
        ({"syntax": "xd=, q5"}, "operand 'q5' is malformed"),
    ],
)
def test_extensions_out_of_place(change, message):
    with pytest.raises(ValueError, match=message):
        BASE.extended(replace(OWN, **change))


def test_an_opcode_is_not_taken_twice():
    with pytest.raises(ValueError, match="declared twice: opcode 224"):
        BASE.extended(OWN, replace(OWN, mnemonic="other"))


def test_more_operands_than_can_be_decoded():
    many = replace(OWN, syntax="u1, u1, u1, u1, u1, u1")
    with pytest.raises(UserError, match="muli has 6 operands; at most 5 are possible"):
        encode(many, (0,) * 6)
    with pytest.raises(UserError, match="muli has 6 operands; at most 5 are possible"):
        decode([0xE0000000], InstructionSet((many,)))
