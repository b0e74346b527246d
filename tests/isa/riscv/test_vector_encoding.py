"""Encoding and decoding of vector instructions, against what LLVM's disassembler says of them.

``vector_words.txt`` has for each row two random words and the lines that ``llvm-mc-19 --disassemble
-triple=riscv64 -mattr=+v -M no-aliases -M numeric`` writes for them.
"""

import re
from itertools import combinations
from pathlib import Path

import pytest

from isa.riscv.encoding import encode, row_number
from isa.riscv.fields import FIELDS, Kind, operand_names
from isa.riscv.instructions import ROWS

LINES = (Path(__file__).parent / "vector_words.txt").read_text().splitlines()
WORDS = {int(word, 16): text for word, text in (line.split(" ", 1) for line in LINES)}
VECTOR = [row for row in ROWS if row.extension == "V"]


def vtype(written):
    """Return the number that ``e32 m4 ta ma`` stands for, or that LLVM writes for a reserved one."""
    if len(written) == 1:
        return int(written[0])
    width, group, tail, masked = written
    lmul = -"f248".index(group[2]) if group.startswith("mf") else "1248".index(group[1])
    return (int(width[1:]).bit_length() - 4) << 3 | lmul & 7 | (tail == "ta") << 6 | (masked == "ma") << 7


def values_in(operands, written):
    """Return what LLVM says of each operand of a row, by the names of the fields."""
    names, values = operand_names(operands), {}
    if names[-1] == "vm":
        names.pop()
        values["vm"] = int(written[-1] != "v0.t")
        written = written[:-1] if written[-1] == "v0.t" else written
    for name in names:
        kind = FIELDS[name].kind
        if kind == Kind.VTYPE:
            values[name], written = vtype(written), []
        elif kind == Kind.CARRY:
            assert written.pop(0) == "v0"
            values[name] = 0
        else:
            operand = written.pop(0)
            values[name] = int(operand.lstrip("xfv"))
    assert written == []
    return values


@pytest.mark.parametrize("family", sorted({row.semantics.__name__ for row in VECTOR}))
def test_vector_words_are_what_llvm_says(family):
    for word, text in WORDS.items():
        row = ROWS[row_number(word)]
        if row.semantics.__name__ == family:
            mnemonic, _, rest = text.partition(" ")
            assert row.mnemonic == mnemonic
            values = {name: FIELDS[name].value_in(word) for name in operand_names(row.operands)}
            assert values == values_in(row.operands, re.findall(r"[\w.-]+", rest)), text
            assert encode(mnemonic, values) == word


def test_every_vector_row_is_recorded():
    assert {text.split(" ")[0] for text in WORDS.values()} == {row.mnemonic for row in VECTOR}
    assert all(ROWS[row_number(word)].extension == "V" for word in WORDS)
    assert len(VECTOR) == 627


def test_no_word_is_two_vector_instructions():
    for a, b in combinations(VECTOR, 2):
        assert (a.match ^ b.match) & a.mask & b.mask, (a.mnemonic, b.mnemonic)
