"""How many bytes a format takes, by named accountings.

``paper``
    What Table 1 of the HiSM paper behaves as, recomputed from five of its six real matrices: 32-bit
    values and indices, CRS 8 nnz + 8 M, JD 8 nnz + 4 M (diagonal pointers not counted), BBCS 5 bytes
    a non-zero (no zero-row entries), HiSM 5 bytes an entry at every level (no lengths).
``image``
    The arrays of the memory image that the programs read for the matrix: the sum of their sizes with
    values as wide as the format holds them, without alignment gaps, x and y.
"""

from collections.abc import Iterable, Sequence

from vecsim.support.errors import UserError

PAPER, IMAGE = "paper", "image"
ACCOUNTINGS: tuple[str, ...] = (PAPER, IMAGE)

PAPER_ENTRY_BYTES = 5
"""A 32-bit value or pointer with 8 bits of position, as Table 1 counts BBCS and HiSM."""
WORD_BYTES = 4


def require_accounting(accounting: str, known: Iterable[str] = ACCOUNTINGS) -> None:
    """Raise UserError unless `accounting` is one of the `known`."""
    if accounting not in known:
        raise UserError(f"unknown storage accounting {accounting!r}: use one of {', '.join(known)}")


def _is_paper(accounting: str) -> bool:
    require_accounting(accounting)
    return accounting == PAPER


def crs_bytes(accounting: str, *, rows: int, nnz: int, value_bytes: int) -> int:
    """Return the bytes of CRS: values, column indices, row pointers.

    Parameters
    ----------
    accounting
        One of `ACCOUNTINGS`; UserError if it is not.
    rows, nnz
        M and the stored entries.
    value_bytes
        4 or 8.
    """
    if _is_paper(accounting):
        return 8 * nnz + 8 * rows
    return (value_bytes + WORD_BYTES) * nnz + WORD_BYTES * (rows + 1)


def jd_bytes(accounting: str, *, rows: int, nnz: int, diagonals: int, value_bytes: int) -> int:
    """Return the bytes of JD: values, column indices, permutation, diagonal pointers.

    Parameters
    ----------
    accounting
        One of `ACCOUNTINGS`; UserError if it is not.
    rows, nnz
        M and the stored entries.
    diagonals
        K, the length of the longest row.
    value_bytes
        4 or 8.
    """
    if _is_paper(accounting):
        return 8 * nnz + 4 * rows
    return (value_bytes + WORD_BYTES) * nnz + WORD_BYTES * rows + WORD_BYTES * (diagonals + 1)


def bbcs_bytes(
    accounting: str, *, nnz: int, entries: int, blocks: int, descriptor_bytes: int, value_bytes: int
) -> int:
    """Return the bytes of BBCS: entries (zero-row entries among them), address and length of each block.

    Parameters
    ----------
    accounting
        One of `ACCOUNTINGS`; UserError if it is not.
    nnz, entries
        The stored non-zeros; these and the zero-row entries.
    blocks
        NB, the block columns.
    descriptor_bytes
        Of an entry's descriptor in memory.
    value_bytes
        4 or 8.
    """
    if _is_paper(accounting):
        return PAPER_ENTRY_BYTES * nnz
    return (value_bytes + descriptor_bytes) * entries + 2 * WORD_BYTES * blocks


def hism_bytes(
    accounting: str, *, level_entries: Sequence[int], position_bytes: int, value_bytes: int
) -> int:
    """Return the bytes of HiSM: the entries of every level, from level 1 up with lengths.

    Parameters
    ----------
    accounting
        One of `ACCOUNTINGS`; UserError if it is not.
    level_entries
        Entries of each level, level 0 first.
    position_bytes
        Of a row or column position within a block: 1 or 2.
    value_bytes
        4 or 8.
    """
    if _is_paper(accounting):
        return PAPER_ENTRY_BYTES * sum(level_entries)
    pointers = sum(level_entries[1:])
    pointer_bytes = WORD_BYTES + 2 * position_bytes + WORD_BYTES
    return (value_bytes + 2 * position_bytes) * level_entries[0] + pointer_bytes * pointers
