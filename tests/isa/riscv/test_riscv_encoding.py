"""Encoding and decoding of RISC-V words, against what LLVM's disassembler says of them.

``scalar_words.txt`` and ``float_words.txt`` have for each row a few random words and the lines that
``llvm-mc-19 --disassemble -triple=riscv64 -M no-aliases -M numeric`` writes for them.
"""

import re
from pathlib import Path

import numpy as np
import pytest

from isa.riscv.encoding import (
    ILLEGAL,
    OUTSIDE,
    compressed_row,
    decoded,
    decoded_text,
    encode,
    expand,
    is_short,
    row_number,
)
from isa.riscv.fields import FIELDS, Kind, operand_names
from isa.riscv.instructions import NUMBERS, ROWS
from isa.riscv.rows import compressed
from isa.riscv.semantics.control import CSRS
from isa.riscv.state import BYTES, IMMEDIATE, INSTRUCTION, RD, RS1, VM

WORDS = [
    line.split(" ", 1)
    for name in ("scalar_words.txt", "float_words.txt")
    for line in (Path(__file__).parent / name).read_text().splitlines()
]
FULL = {int(word, 16): text for word, text in WORDS if len(word) == 8}
SHORT = {int(word, 16): text for word, text in WORDS if len(word) == 4}
ROUNDING = {"rne": 0, "rtz": 1, "rdn": 2, "rup": 3, "rmm": 4, "dyn": 7}
AQRL = {"": 0, ".rl": 1, ".aq": 2, ".aqrl": 3}


def operands_of(text):
    """Split a line of LLVM into its mnemonic, its suffix of atomics, and what stands for each operand."""
    mnemonic, _, rest = text.partition(" ")
    suffix = re.search(r"(\.aqrl|\.aq|\.rl)$", mnemonic)
    suffix = suffix[0] if suffix else ""
    return mnemonic.removesuffix(suffix), suffix, re.findall(r"[\w.+-]+", rest)


def value(kind, operand):
    if kind in (Kind.INTEGER, Kind.FLOAT):
        return int(operand[1:])
    if kind == Kind.CSR:
        return CSRS[operand]
    if kind == Kind.ORDER:
        return sum(8 >> "iorw".index(letter) for letter in operand)
    if kind == Kind.ROUNDING:
        return ROUNDING[operand]
    return int(operand)


def values_in(operands, written, suffix=""):
    """Return what LLVM says of each operand of a row, by the names of the fields."""
    names = [name for name in operand_names(operands) if name != "aqrl"]
    if names[-1:] == ["rm0"] and written[-1] not in ROUNDING:
        written = [*written, "rne"]
    assert len(names) == len(written)
    actual = {name: value(FIELDS[name].kind, each) for name, each in zip(names, written, strict=True)}
    if "aqrl" in operand_names(operands):
        actual["aqrl"] = AQRL[suffix]
    return actual


def shown(values):
    """Return values as LLVM writes them: of the upper immediate those 20 bits."""
    return {name: each >> 12 & 0xFFFFF if name == "upper20" else each for name, each in values.items()}


def test_words_are_what_llvm_says():
    for word in FULL:
        check_word(word)


def check_word(word):
    mnemonic, suffix, written = operands_of(FULL[word])
    row = ROWS[row_number(word)]
    assert row.mnemonic == mnemonic
    expected = values_in(row.operands, written, suffix)
    actual = {name: FIELDS[name].value_in(word) for name in operand_names(row.operands)}
    assert shown(actual) == expected
    assert encode(mnemonic, actual) == word


def test_halfwords_are_what_llvm_says():
    for halfword in SHORT:
        check_halfword(halfword)


def check_halfword(halfword):
    mnemonic, _, written = operands_of(SHORT[halfword])
    row = compressed_row(halfword)
    assert mnemonic in (row.mnemonic, "c.nop")
    if mnemonic == "c.nop":
        return
    word = expand(halfword)
    full = ROWS[row_number(word)]
    assert full.mnemonic == row.full
    actual = {name: FIELDS[name].value_in(word) for name in operand_names(full.operands)}
    expected = values_in(row.operands, written)
    assert {name: shown(actual)[name] for name in expected} == expected
    assert all(actual[name] == given for name, given in row.values.items() if isinstance(given, int))
    if "rd" in row.values and row.values["rd"] == row.values.get("rs1"):
        assert actual["rd"] == actual["rs1"]


def test_every_row_is_recorded():
    recorded = {operands_of(text)[0] for text in FULL.values()}
    scalar = {"I", "M", "A", "Zicsr", "Zifencei", "Zba", "Zbb", "F", "D"}
    assert recorded == {row.mnemonic for row in ROWS if row.extension in scalar}
    assert {operands_of(text)[0] for text in SHORT.values()} == {row.mnemonic for row in compressed.ROWS}


def test_the_bits_of_rows_are_whole_and_apart():
    unused = {"fence", "fence.i", "fence.tso"}
    for row in ROWS:
        bits = row.mask
        for name in operand_names(row.operands):
            assert bits & FIELDS[name].mask == 0, row.mnemonic
            bits |= FIELDS[name].mask
        assert row.match & ~row.mask == 0, row.mnemonic
        assert bits == 0xFFFFFFFF or row.mnemonic in unused
    assert len(NUMBERS) == len(ROWS)


def test_how_many_halfwords_are_instructions():
    """LLVM takes all of these, and ``c.lui`` with the immediate 0, which the specification reserves."""
    rows = [compressed_row(each) for each in range(1 << 16) if is_short(each)]
    assert sum(row is not None for row in rows) == 38551 + 4 * 2**11


@pytest.mark.parametrize(
    "halfword",
    [0x0000, 0x0004, 0x2001, 0x6101, 0x6281, 0x4002, 0x6002, 0x8002, 0x9C41],
    ids=["zeros", "addi4spn-0", "addiw-x0", "addi16sp-0", "lui-0", "lwsp-x0", "ldsp-x0", "jr-x0", "reserved"],
)
def test_reserved_halfwords_are_illegal(halfword):
    assert expand(halfword) is None
    assert decoded(halfword)[INSTRUCTION] == ILLEGAL


@pytest.mark.parametrize("word", [0xFFFFFFFF, 0x0000002B, 0x02005013 | 3 << 27, 0x0200101B, 0x30200073])
def test_words_of_no_row_are_illegal(word):
    assert row_number(word) == ILLEGAL


@pytest.mark.parametrize(
    ("mnemonic", "values", "message"),
    [
        ("addi", {"imm12": 2048}, "imm12: 2048 is not between -2048 and 2047"),
        ("beq", {"branch13": 3}, "branch13: 3 is not between -4096 and 4094, a multiple of 2"),
        ("lui", {"upper20": 1}, "upper20: 1 is not between -2147483648 and 2147479552, a multiple of 4096"),
        ("add", {"rd": 32}, "rd: 32 is not between 0 and 31"),
    ],
)
def test_a_value_that_does_not_fit(mnemonic, values, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        encode(mnemonic, values)


def test_a_text_has_a_row_for_each_even_address():
    text = encode("addi", {"rd": 5, "rs1": 6, "imm12": -7}).to_bytes(4, "little") + b"\x2e\x85"  # c.mv a0, a1
    code = decoded_text(text)
    assert [ROWS[each].mnemonic if each >= 0 else each for each in code[[0, 2], INSTRUCTION]] == [
        "addi",
        "add",
    ]
    assert code[3, INSTRUCTION] == OUTSIDE
    assert list(code[0, [RD, RS1, IMMEDIATE, BYTES, VM]]) == [5, 6, -7, 4, 1]
    assert code[2, BYTES] == 2
    assert np.array_equal(decoded_text(text + text)[3:6, INSTRUCTION], code[:3, INSTRUCTION])


def test_a_word_that_the_text_ends_within():
    assert decoded_text(b"\x13\x00")[:, INSTRUCTION].tolist() == [OUTSIDE, OUTSIDE]
