"""The section size s: how many elements a vector register holds, and so how wide a block is."""

from isa.errors import UserError

MIN_SECTION_SIZE = 4
MAX_SECTION_SIZE = 4096


def section_bits(section_size: int) -> int:
    """Return log2 of the section size, refusing sizes no machine here has.

    Parameters
    ----------
    section_size
        s, a power of two from 4 to 4096.

    Raises
    ------
    UserError
        If it is anything else.
    """
    size = int(section_size)
    if size != section_size or not MIN_SECTION_SIZE <= size <= MAX_SECTION_SIZE or size & (size - 1):
        raise UserError(
            f"section size {section_size} is not possible: "
            f"use a power of two from {MIN_SECTION_SIZE} to {MAX_SECTION_SIZE}"
        )
    return size.bit_length() - 1


def blocks_along(extent: int, section_size: int) -> int:
    """Return how many blocks of width `section_size` cover `extent` rows or columns."""
    return -(-extent // section_size)
