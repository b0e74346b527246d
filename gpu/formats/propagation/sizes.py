"""The sizes of groups, slots, parts, bins and super-blocks."""

from dataclasses import dataclass

GROUP = 4
"""Entries of a group, whose products stay together: 32 bytes in float64, which is what a cache fetches."""
LONGEST_SLOT = 32
"""A row with more entries in a bin is added up in several slots."""
PADDING = 0xFFFF
"""The place of a product that belongs to no entry."""
ENTRY_LIMIT = 1 << 16


@dataclass(frozen=True)
class Sizes:
    """How a matrix is cut.

    Attributes
    ----------
    parts, widest_part
        Parts of the columns, and the columns of one, at most.
    bin_entries
        Entries, padding included, and rows of a bin, at most.
    super_entries
        Entries of a super-block, padding included, at most, if it has more than a bin.
    """

    parts: int
    widest_part: int
    bin_entries: int
    super_entries: int
