"""The worked examples of every row of the instruction table, on both engines, and the form of their text."""

from dataclasses import replace
from functools import cache

import pytest
from tiers import one_combination_in

from isa.declaration import SPECIAL_REGISTERS
from isa.instructions import BASE
from isa.worked import (
    OWN_NUMBER,
    SECTION,
    base_examples,
    cells_after,
    cells_before,
    examples_of,
    parse,
)
from vecsim.support.errors import UserError
from vecsim.worked_examples import ENGINES, differences, program_of

base_program = cache(program_of)

ROWS = pytest.mark.parametrize("row", BASE.instructions, ids=lambda row: row.mnemonic)


@pytest.mark.parametrize(("engine", "row"), one_combination_in(2, ENGINES, BASE.instructions))
def test_an_engine_does_what_the_examples_say(engine, row):
    actual = [
        line for example in examples_of(row) for line in differences(example, base_program(example), engine)
    ]
    assert actual == []


def test_an_example_names_what_its_instruction_reads():
    for row in BASE.instructions:
        check_names(row)


def check_names(row):
    for example in examples_of(row):
        named = {(cells.part, k) for cells in cells_before(example) for k in cells.numbers}
        named |= {("v", k // SECTION) for part, k in named if part == "v"}
        read = {("special", SPECIAL_REGISTERS.index(name)) for name in row.reads}
        for operand, number in zip(
            row.operands, base_program(example).fields[OWN_NUMBER].tolist(), strict=False
        ):
            stays = operand.written and row.reads_mask  # read for the elements that stay
            if operand.is_register and operand.read and not stays and (operand.kind, number) != ("x", 0):
                read.add(("special" if operand.kind == "s" else operand.kind, number))
        assert read <= named, example.place


def operands(row):
    return [(operand.kind, operand.bits) for operand in row.operands], row.memory_operand


@pytest.mark.nightly
@ROWS
def test_no_other_instruction_does_what_the_examples_of_a_row_say(row):
    """Such as a maximum where the minimum is meant, or float64 where float32 is."""
    for other in BASE.instructions:
        if other is not row and operands(other) == operands(row):
            assert any(does_otherwise(other, example) for example in examples_of(row)), other.mnemonic


def does_otherwise(row, example):
    _, _, arguments = example.instruction.partition(" ")
    program = program_of(replace(example, instruction=f"{row.mnemonic} {arguments}"))
    try:
        return differences(example, program, "simpy") != []
    except UserError:  # outside memory
        return True


def test_every_example_is_of_an_instruction_of_the_table():
    assert set(base_examples()) == set(BASE.by_mnemonic)


def test_a_row_of_the_base_table_has_two_examples():
    with pytest.raises(ValueError, match=r"^isa/examples: addvv\.q has 0 of at least 2 worked examples$"):
        examples_of(replace(BASE.by_mnemonic["addvv.s"], mnemonic="addvv.q"))


def cells(text):
    """The parts of the state before an example of addvv.s, with their values."""
    (example,) = parse(f"addvv.s v1, v2, v3\n  {text}\n  => unchanged", "text")
    assert cells_after(example) == ()
    return [(cells.part, cells.first, cells.values) for cells in cells_before(example)]


def test_what_an_example_can_name():
    assert cells("x3 = -1, f4 = 1, rowptr = -2") == [
        ("x", 3, (-1,)),
        ("f", 4, (0x3F800000,)),
        ("special", 2, (-2,)),
    ]
    assert cells("v2[6] = -0 nan, v3.w = -1, v4.bits = 0xfff8000000012345") == [
        ("v", 22, (0x80000000, 0x7FC00000)),
        ("v", 24, (0xFFFFFFFF,)),
        ("v", 32, (0xFFF8000000012345 - (1 << 64),)),
    ]
    assert cells("mask[3] = 1 0, cache.d[8] = -2, memory.h[7] = 0x1234 -1:b 7:w") == [
        ("mask", 3, (1, 0)),
        ("cache", 8, (-(1 << 62),)),
        ("memory", 7, (0x34, 0x12, 0xFF, 7, 0, 0, 0)),
    ]


def test_a_name_with_braces_stands_for_several_examples():
    actual = parse(
        "# all of it\n{add,sub}vv.{s,d} v1, v2, v3  # what for\n  vl = 0\n  => unchanged\n", "text"
    )
    assert [example.mnemonic for example in actual] == ["addvv.s", "addvv.d", "subvv.s", "subvv.d"]
    assert {(e.before, e.after, e.note, e.place) for e in actual} == {
        ("vl = 0", "unchanged", "what for", "text:2")
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  vl = 1", "text:1: a state needs an instruction above it"),
        ("\nhalt", "text:2: halt: write the state before, =>, the state after"),
        ("halt\n  vl = 1\n  => ", "text:1: halt: write the state before, =>, the state after"),
        ("halt\n  => vl = 1 => vl = 2", "text:1: halt: write the state before, =>, the state after"),
    ],
)
def test_text_that_is_no_example(text, message):
    with pytest.raises(UserError) as error:
        parse(text, "text")
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vl", "write PLACE = VALUE ..., such as v1 = 1.5 -2"),
        ("vl =", "write PLACE = VALUE ..., such as v1 = 1.5 -2"),
        ("w1 = 1", "unknown place; use a register, vl, mask or memory"),
        ("x0 = 1", "unknown place; use a register, vl, mask or memory"),
        ("x1[2] = 1", "unknown place; use a register, vl, mask or memory"),
        ("v8 = 1", "unknown place; use a register, vl, mask or memory"),
        ("mask1 = 1", "unknown place; use a register, vl, mask or memory"),
        ("v1[7] = 1 2", "more values than there are places; use fewer"),
        ("memory.w[253] = 1", "more values than there are places; use fewer"),
        ("x1.s = 1", "write the type of the values after the name, one of .w"),
        ("vl.w = 1", ".w: these values have no type; remove it"),
        ("v1 = 1:w", "'1:w': its own type is for memory, one of b, h, w, s, d, bits"),
        ("x1 = 0x100000000", "0x100000000 must fit 32 bits"),
        ("memory.b[0] = -129", "-129 must fit 8 bits"),
        ("mask = 2", "a bit of the mask must be 0 or 1"),
        ("vl = 9", "the vector length must be from 0 to 8"),
        ("v1 = 1e300", "float too large to pack with f format"),
        ("v1 = one", "could not convert string to float: 'one'"),
        ("v1 = 1, v1[0] = 2", "must be named once only"),
    ],
)
def test_states_that_are_wrong(text, message):
    item = text.rpartition(", ")[2]
    with pytest.raises(UserError) as error:
        cells(text)
    assert str(error.value) == f"text:1: addvv.s v1, v2, v3: {item!r}: {message}"


def test_what_comes_next_is_not_said_before():
    with pytest.raises(UserError, match=r"^text:1: addvv\.s v1, v2, v3: pc must be in the state after only$"):
        cells("pc = 4")


def test_an_example_of_another_machine_is_refused():
    (example,) = parse("addvv.q v1, v2, v3\n  vl = 1\n  => unchanged", "text")
    with pytest.raises(UserError, match=r"^text:1: addvv.q v1, v2, v3: .*addvv.q"):
        program_of(example)
