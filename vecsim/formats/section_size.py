"""The section size s: how many elements a vector register holds, and so how wide a block is."""

from vecsim.support.errors import UserError

MIN_SECTION_SIZE = 4
MAX_SECTION_SIZE = 4096
DEFAULT_SECTION_SIZE = 64
"""What formats are made for where no machine says otherwise: that of the HiSM paper's machine."""


def is_section_size(section_size: int) -> bool:
    """Return whether a machine here can have this section size: a power of two from 4 to 4096."""
    size = int(section_size)
    in_range = size == section_size and MIN_SECTION_SIZE <= size <= MAX_SECTION_SIZE
    return in_range and size & (size - 1) == 0


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
    if not is_section_size(section_size):
        raise UserError(
            f"section size {section_size} is not possible: "
            f"use a power of two from {MIN_SECTION_SIZE} to {MAX_SECTION_SIZE}"
        )
    return int(section_size).bit_length() - 1


def blocks_along(extent: int, section_size: int) -> int:
    """Return how many blocks of width `section_size` cover `extent` rows or columns."""
    return -(-extent // section_size)
