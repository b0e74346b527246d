"""Words to rows and back: encoding, decoding, and the expansion of instructions of 16 bits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from isa.riscv.declaration import Row
from isa.riscv.fields import FIELDS, Field, operand_names
from isa.riscv.instructions import NUMBERS, ROWS
from isa.riscv.rows import compressed
from isa.riscv.rows.compressed import CompressedRow
from isa.riscv.state import BYTES, COLUMNS, INSTRUCTION, OPERATION, VM

ILLEGAL, OUTSIDE = -1, -2
"""In the column INSTRUCTION: no row has these bits; the text ends before."""


def encode(mnemonic: str, values: Mapping[str, int]) -> int:
    """Return the word of an instruction.

    Parameters
    ----------
    mnemonic
        That of a row of :data:`isa.riscv.instructions.ROWS`.
    values
        Of each operand by the name of its field; 0 where it is left out. An immediate is the number that the
        instruction works with, for ``lui`` and ``auipc`` that with 12 zeros below, for a jump its distance.

    Raises
    ------
    ValueError
        A value does not fit; it begins with the name of its field.
    """
    row = ROWS[NUMBERS[mnemonic]]
    word = row.match
    for name in operand_names(row.operands):
        try:
            word |= FIELDS[name].bits_of(values.get(name, 0))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return word


def is_short(bits: int) -> bool:
    """Return whether an instruction that begins with these bits has 16 of them."""
    return bits & 3 != 3


def expand(halfword: int) -> int | None:
    """Return the word that an instruction of 16 bits stands for; None if it is reserved, or none of ours."""
    row = compressed_row(halfword)
    if row is None:
        return None
    values = {name: _value(each, halfword) for name, each in row.values.items()}
    return encode(row.full, values)


def compressed_row(halfword: int) -> CompressedRow | None:
    """Return the row of an instruction of 16 bits; None if it is reserved, or none of ours."""
    for row in compressed.ROWS:
        if halfword & row.mask == row.match:
            if row.full not in NUMBERS or not all(
                _value(row.values[name], halfword) for name in row.not_zero
            ):
                return None
            return row
    return None


def _value(given: Field | int, halfword: int) -> int:
    return given if isinstance(given, int) else given.value_in(halfword)


def row_number(word: int) -> int:
    """Return the number of the row that a word of 32 bits is; ILLEGAL if it is none."""
    for number, row in _by_opcode().get(word & 0x7F, ()):
        if word & row.mask == row.match:
            return number
    return ILLEGAL


@cache
def _by_opcode() -> dict[int, list[tuple[int, Row]]]:
    """Return the rows by their opcodes; where several may match, the one with the most fixed bits first."""
    rows: dict[int, list[tuple[int, Row]]] = {}
    for number, row in sorted(enumerate(ROWS), key=lambda each: -each[1].mask.bit_count()):
        rows.setdefault(row.match & 0x7F, []).append((number, row))
    return rows


@lru_cache(maxsize=1 << 16)
def decoded(bits: int) -> tuple[int, ...]:
    """Return the columns of ``Hart.code`` for 32 bits of the text; an instruction of 16 takes the first half.

    Where they are no instruction, INSTRUCTION is ILLEGAL.
    """
    columns = [0] * COLUMNS
    columns[BYTES], columns[VM] = (2 if is_short(bits) else 4), 1
    word = expand(bits & 0xFFFF) if is_short(bits) else bits
    columns[INSTRUCTION] = number = ILLEGAL if word is None else row_number(word)
    if word is None or number == ILLEGAL:
        return tuple(columns)
    row = ROWS[number]
    columns[OPERATION] = row.operation
    for name in operand_names(row.operands):
        field = FIELDS[name]
        if field.column is not None:
            columns[field.column] = field.value_in(word)
    return tuple(columns)


def decoded_text(text: bytes) -> npt.NDArray[np.int64]:
    """Decode a program.

    Parameters
    ----------
    text
        The bytes from which instructions may be fetched, an even number of them.

    Returns
    -------
    array
        (n + 1, COLUMNS) a row for each even address of the text, and one for its end, which is OUTSIDE.
    """
    halves = np.frombuffer(text, "<u2").astype(np.uint32)
    bits = halves.copy()
    long = halves & 3 == 3
    bits[:-1] |= np.where(long[:-1], halves[1:] << np.uint32(16), np.uint32(0))
    different, place = np.unique(bits, return_inverse=True)
    columns = np.array([decoded(int(each)) for each in different], np.int64).reshape(-1, COLUMNS)
    code = np.zeros((len(halves) + 1, COLUMNS), np.int64)
    code[:-1] = columns[place]
    code[-1, BYTES], code[-1, INSTRUCTION] = 2, OUTSIDE
    if len(halves) and long[-1]:
        code[-2, INSTRUCTION] = OUTSIDE
    return code
