"""Encoding, decoding and disassembly are inverse to one another, for every row of the table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isa_strategies import code, fields_of, same_code
from tiers import examples

from isa.assembler import assemble
from isa.disassembler import disassemble, instruction_text, listing
from isa.encoding import decode, encode
from isa.instructions import BASE
from vecsim.support.errors import UserError


@pytest.mark.parametrize("instruction", BASE.instructions, ids=lambda row: row.mnemonic)
@examples(12)
@given(data=st.data())
def test_text_word_fields_and_text_again(instruction, data):
    fields = data.draw(fields_of(instruction))
    word = encode(instruction, fields)
    opcode, decoded = decode([word])
    assert opcode.tolist() == [instruction.opcode]
    assert decoded.tolist() == [list(fields) + [0] * (5 - len(fields))]
    text = instruction_text(instruction, fields, 0)
    program = assemble(text)
    assert program.words.tolist() == [word]
    assert assemble(disassemble(program)).words.tolist() == [word]
    assert disassemble([word]) == disassemble(program)


@given(code(max_size=40))
def test_a_whole_program_comes_back(rows):
    words = np.array([encode(*row) for row in rows], np.uint32)
    text = disassemble(words)
    program = assemble(text)
    np.testing.assert_array_equal(program.words, words)
    assert disassemble(program) == text
    for pc, (instruction, fields) in enumerate(rows):
        assert program.instruction(pc) is instruction
        assert program.fields[pc, : len(fields)].tolist() == list(fields)


@given(
    st.lists(st.tuples(st.sampled_from(["beq", "bne", "blt", "bge", "jal"]), st.integers(0, 30)), max_size=31)
)
def test_branches_inside_a_program_become_labels(branches):
    lines = [
        f"L{pc}: {name} {'x1, x2' if name != 'jal' else 'x1'}, L{target % len(branches)}"
        for pc, (name, target) in enumerate(branches)
    ]
    program = assemble("\n".join(lines))
    text = disassemble(program)
    assert same_code(assemble(text), program)
    assert all(f"L{target % len(branches)}" in text for _, target in branches)
    for pc, (name, target) in enumerate(branches):
        assert program.fields[pc, 1 if name == "jal" else 2] == target % len(branches) - pc


def test_every_branch_reaches_as_far_as_its_field_says():
    assert assemble("beq x1, x2, 8191").fields[0, 2] == 8191
    assert assemble("jal x1, 262143").fields[0, 1] == 262143
    assert assemble("nop\n" * 8192 + "beq x1, x2, 0").fields[8192, 2] == -8192
    assert decode([encode(BASE.by_mnemonic["beq"], (1, 2, -8192))])[1][0, 2] == -8192


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (
            0xFF000000,
            "instruction 1: 0xff000000: opcode 0xff is not in the instruction set; "
            "name the extension that has it by --extend",
        ),
        (0xDF000000, "instruction 1: 0xdf000000: opcode 0xdf is not in the instruction set"),
        (0x00000001, "instruction 1: 0x00000001: halt: bits are set that no operand uses"),
        (0x29080000 | 7 << 14, "instruction 1: 0x2909c000: mfs: sa does not exist"),
    ],
)
def test_a_word_that_is_no_instruction(word, message):
    with pytest.raises(UserError) as error:
        decode([0, word, 0xFE000000])
    assert str(error.value) == message


def test_encode_refuses_what_does_not_fit():
    add = BASE.by_mnemonic["add"]
    with pytest.raises(UserError, match="xa = 32 must be from 0 to 31"):
        encode(add, (1, 32, 0))
    with pytest.raises(UserError, match="2 fields; 3 operands need one each"):
        encode(add, (1, 2))
    with pytest.raises(UserError, match="4 fields; 3 operands need one each"):
        encode(add, (1, 2, 3, 4))
    assert encode(add, (1, 2, 3, 0, 0)) == 0x01_088600


def test_nothing_is_a_program():
    opcode, fields = decode([])
    assert opcode.shape == (0,)
    assert fields.shape == (0, 5)
    assert disassemble([]) == ""
    assert len(assemble("")) == 0


def test_a_disassembled_program_keeps_data_and_entry():
    program = assemble("nop\nmain: halt\n.data 100\n.byte 1, 2\n.data 64\n.word 3\n.space 20")
    again = assemble(disassemble(program))
    assert same_code(again, program)
    assert again.entry == 1
    empty = assemble("nop\nmain:")
    assert assemble(disassemble(empty)).entry == empty.entry == 1


def test_listing_has_number_word_instruction_and_source():
    lines = listing(assemble("loop: li x5, 1 << 20\n bnez x5, loop", file="a.s")).splitlines()
    assert lines[0].split(maxsplit=2)[:2] == ["0", "13280080"]
    assert "lui x5, 128" in lines[0]
    assert lines[0].endswith("; a.s:1: loop: li x5, 1 << 20")
    assert "bne x5, x0, 0" in lines[1]
