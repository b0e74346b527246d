"""Words to rows and back: encoding, decoding, and the expansion of instructions of 16 bits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import numpy.typing as npt

from isa.riscv.extensions import CUSTOM, mask_of
from isa.riscv.fields import FIELDS, Field, operand_names
from isa.riscv.instructions import NUMBERS, ROWS, forgets
from isa.riscv.rows import compressed
from isa.riscv.rows.compressed import CompressedRow
from isa.riscv.state import BYTES, COLUMNS, INSTRUCTION, OPERATION, VM

ILLEGAL, OUTSIDE = -1, -2
"""In the column INSTRUCTION: no row has these bits; the text ends before."""
_NO_WORD = 0
"""A word that no row is."""
Ints = npt.NDArray[np.int64]


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
    word = int(_expansions()[halfword])
    return None if word == _NO_WORD else word


@cache
def _expansions() -> Ints:
    """Return the words that all halfwords stand for."""
    words, taken = np.full(1 << 16, _NO_WORD, np.int64), np.zeros(1 << 16, bool)
    for row in compressed.ROWS:
        halves = np.flatnonzero((np.arange(1 << 16) & row.mask == row.match) & ~taken)
        taken[halves] = True
        if row.full not in NUMBERS:
            continue
        values = {name: _value(each, halves) for name, each in row.values.items()}
        word = np.full(len(halves), ROWS[NUMBERS[row.full]].match, np.int64)
        for name, value in values.items():
            word |= FIELDS[name].placed(value)
        for name in row.not_zero:
            word[values[name] == 0] = _NO_WORD
        words[halves] = word
    return words


def _value(given: Field | int, halves: Ints) -> Ints:
    return np.full(len(halves), given, np.int64) if isinstance(given, int) else given.value_in(halves)


def compressed_row(halfword: int) -> CompressedRow | None:
    """Return the row of an instruction of 16 bits; None if it is reserved, or none of ours."""
    if expand(halfword) is None:
        return None
    return next((row for row in compressed.ROWS if halfword & row.mask == row.match), None)


def row_number(word: int) -> int:
    """Return the number of the row that a word of 32 bits is; ILLEGAL if it is none."""
    for mask, numbers in _by_mask().items():
        number = numbers.get(word & mask)
        if number is not None:
            return number
    return ILLEGAL


@cache
def _by_mask() -> dict[int, dict[int, int]]:
    """Return the numbers of rows by mask and match; of several that match, the narrowest is first."""
    numbers: dict[int, dict[int, int]] = {}
    for number, row in sorted(enumerate(ROWS), key=lambda each: -each[1].mask.bit_count()):
        numbers.setdefault(row.mask, {})[row.match] = number
    return numbers


def decoded(bits: int) -> list[int]:
    """Return the columns of ``Hart.code`` for 32 bits of the text; an instruction of 16 takes the first half.

    Where they are no instruction of RV64GCV, INSTRUCTION is ILLEGAL.
    """
    columns: list[int] = _columns(np.array([bits], np.int64), 0)[0].tolist()
    return columns


def decoded_text(text: bytes, extensions: int = 0) -> Ints:
    """Decode a program.

    Parameters
    ----------
    text
        The bytes from which instructions may be fetched, an even number of them.
    extensions
        The custom extensions that are switched on, as bits; instructions of others are ILLEGAL.

    Returns
    -------
    array
        (n + 1, COLUMNS) a row for each even address of the text, and one for its end, which is OUTSIDE.
    """
    halves = np.frombuffer(text, "<u2").astype(np.int64)
    bits, long = halves.copy(), halves & 3 == 3
    bits[:-1] |= np.where(long[:-1], halves[1:] << 16, 0)
    different, place = np.unique(bits, return_inverse=True)
    code = np.zeros((len(halves) + 1, COLUMNS), np.int64)
    code[:-1] = _columns(different, extensions)[place]
    code[-1, BYTES], code[-1, INSTRUCTION] = 2, OUTSIDE
    if len(halves) and long[-1]:
        code[-2, INSTRUCTION] = OUTSIDE
    return code


def _columns(bits: Ints, extensions: int) -> Ints:
    """Decode (n,) instructions into (n, COLUMNS)."""
    short = bits & 3 != 3
    words = bits.copy()
    words[short] = [
        _NO_WORD if (word := expand(int(each) & 0xFFFF)) is None else word for each in bits[short]
    ]
    columns = np.zeros((len(bits), COLUMNS), np.int64)
    columns[:, BYTES], columns[:, VM] = np.where(short, 2, 4), 1
    numbers = _row_numbers(words)
    numbers[~_switched_on(extensions)[numbers]] = ILLEGAL
    columns[:, INSTRUCTION] = numbers
    order = np.argsort(numbers, kind="stable")
    different, starts = np.unique(numbers[order], return_index=True)
    for number, places in zip(different.tolist(), np.split(order, starts[1:]), strict=False):
        if number == ILLEGAL:
            continue
        row = ROWS[number]
        columns[places, OPERATION] = row.operation
        for field in _fields(row.operands):
            columns[places, field.column] = field.value_in(words[places])
    return columns


@cache
def _switched_on(extensions: int) -> npt.NDArray[np.bool_]:
    """Return whether each row is of an extension that is switched on."""
    return np.array(
        [row.extension not in CUSTOM or bool(mask_of([row.extension]) & extensions) for row in ROWS]
    )


forgets(_by_mask.cache_clear)
forgets(_switched_on.cache_clear)


def _row_numbers(words: Ints) -> Ints:
    """Return the numbers of the rows that words are, as `row_number` does."""
    numbers = np.full(len(words), ILLEGAL, np.int64)
    for mask, of_match in _by_mask().items():
        matches = np.array(sorted(of_match), np.int64)
        masked = words & mask
        place = np.minimum(np.searchsorted(matches, masked), len(matches) - 1)
        hit = (numbers == ILLEGAL) & (matches[place] == masked)
        numbers[hit] = [of_match[each] for each in masked[hit].tolist()]
    return numbers


@cache
def _fields(operands: str) -> list[Field]:
    """Return the fields of operands that are decoded."""
    fields = [FIELDS[name] for name in operand_names(operands)]
    return [each for each in fields if each.column is not None]
