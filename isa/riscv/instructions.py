"""All rows of RISC-V instructions; those of users are added when their extension is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isa.riscv.declaration import Row
from isa.riscv.extensions import CUSTOM
from isa.riscv.fields import FIELDS, operand_names
from isa.riscv.rows import (
    atomic,
    bits,
    float,
    indexed,
    integer,
    sparse,
    system,
    vector_accesses,
    vector_float,
    vector_integer,
    vector_masks,
)

ROWS: list[Row] = [
    *integer.ROWS,
    *bits.ROWS,
    *system.ROWS,
    *atomic.ROWS,
    *float.ROWS,
    *vector_accesses.ROWS,
    *vector_integer.ROWS,
    *vector_masks.ROWS,
    *vector_float.ROWS,
    *sparse.ROWS,
    *indexed.ROWS,
]
"""The instructions; the number of a row is its place here."""

NUMBERS = {row.mnemonic: number for number, row in enumerate(ROWS)}
"""The number of each row by its mnemonic."""

REVISIONS: dict[str, int] = {}
"""By extension of a user how often its rows were added: code that was compiled for others is of no use."""
_forget: list[Callable[[], None]] = []


def forgets(clear: Callable[[], None]) -> None:
    """Have a function called whenever rows are added, which drops what was made of all rows."""
    _forget.append(clear)


def add(rows: Sequence[Row]) -> None:
    """Add the rows of a user's extension; those of one that was changed take the place of its rows before.

    Raises
    ------
    ValueError
        A row has a name or an encoding that others have, or fields that its encoding does not leave.
    """
    if all(row.mnemonic in NUMBERS and ROWS[NUMBERS[row.mnemonic]] is row for row in rows):
        return
    extension = rows[0].extension
    for row in rows:
        _check(row, [each for each in ROWS if each.extension != extension])
    if extension not in CUSTOM:
        CUSTOM.append(extension)
    REVISIONS[extension] = REVISIONS.get(extension, 0) + 1
    for row in rows:
        number = NUMBERS.setdefault(row.mnemonic, len(ROWS))
        ROWS[number : number + 1] = [row]
    for clear in _forget:
        clear()


def _check(row: Row, others: Sequence[Row]) -> None:
    """Refuse a row that does not fit to the others."""
    taken = row.mask
    for name in operand_names(row.operands):
        if name not in FIELDS:
            raise ValueError(f"{row.mnemonic}: no operand {name!r}; use those of {', '.join(FIELDS)}")
        if FIELDS[name].mask & taken:
            raise ValueError(
                f"{row.mnemonic}: {name} needs bits that are taken: {FIELDS[name].mask & taken:#x}"
            )
        taken |= FIELDS[name].mask
    if row.match & ~row.mask or row.match & 3 != 3 or taken != 0xFFFFFFFF:
        raise ValueError(
            f"{row.mnemonic}: match {row.match:#x} must lie within mask {row.mask:#x} and end in 11; mask "
            f"and operands must be all 32 bits, and {0xFFFFFFFF & ~taken:#x} are missing"
        )
    for other in others:
        if other.mnemonic == row.mnemonic:
            raise ValueError(f"{row.mnemonic}: there is such an instruction; choose another name")
        if (other.match ^ row.match) & other.mask & row.mask == 0:
            raise ValueError(f"{row.mnemonic}: {other.mnemonic} has this encoding; choose another")
