"""How a sliced format arranges a matrix, and the arrangements that have a name."""

from dataclasses import dataclass, replace
from typing import Self

from vecsim.support.errors import UserError

WARP = 32
NO_ROW = 2**32 - 1
"""Stands in `perm` where there is no row."""
INDEX_BITS = (16, 32, None)
WIDTHS = (1, 2, 4)
BLOCKS = (1, 2, 3, 4)
ENOUGH_THREADS = 2**17
"""With this many threads, 1,000 a multiprocessor, a large GPU is full."""
FEWEST_THREADS_PER_ROW = 4
"""Of a row of blocks, where they are chosen."""


@dataclass(frozen=True)
class Slicing:
    """The parameters of the sliced container; see `Sliced` for what they do to the arrays.

    Attributes
    ----------
    slice_height
        C, the rows of a slice; None puts the whole matrix into one slice.
    sorting_window
        sigma: rows are sorted by falling length within each run of this many rows. 1 leaves them in order,
        None sorts all.
    threads_per_row
        Threads that share a row, a power of two up to 32. None takes 4, and more where rows are few and long;
        a slice is then a warp.
    wide
        Entries of a row that a thread loads at once: 1, 2 or 4.
    row_lengths
        Whether row lengths are stored, so that a thread stops at the end of its row.
    index_bits
        32: columns; 16: offsets from a base column, 0 .. 65534; None: 16 where they fit, otherwise 32.
    base_per_step
        With 16 bits: whether each step of a slice has its own base, or the slice one for all.
    row_cap
        Longer rows are cut into virtual rows of at most this many entries; None cuts none.
    block
        b: an entry is a dense block of b x b elements, 1 to 4, and a row a row of blocks.

    Raises
    ------
    UserError
        If a value is not possible.
    """

    slice_height: int | None = WARP
    sorting_window: int | None = 1
    threads_per_row: int | None = 1
    wide: int = 1
    row_lengths: bool = False
    index_bits: int | None = 32
    base_per_step: bool = False
    row_cap: int | None = None
    block: int = 1

    def __post_init__(self) -> None:
        for name in ("slice_height", "sorting_window", "row_cap"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UserError(f"{name} {value} is not possible: use 1 or more, or None")
        if self.threads_per_row not in (1, 2, 4, 8, 16, 32, None):
            raise UserError(
                f"threads_per_row {self.threads_per_row} is not possible: "
                "use a power of two from 1 to 32, or None"
            )
        if self.wide not in WIDTHS:
            raise UserError(f"wide {self.wide} is not possible: use one of 1, 2, 4")
        if self.index_bits not in INDEX_BITS:
            raise UserError(f"index_bits {self.index_bits} is not possible: use 16 or 32, or None")
        if self.base_per_step and self.index_bits == 32:
            raise UserError("base_per_step needs index_bits 16: 32-bit columns have no base")
        if self.block not in BLOCKS:
            raise UserError(f"block {self.block} is not possible: use 1 to 4")
        if self.block > 1 and self.row_cap is not None:
            raise UserError("row_cap cuts rows of single entries: use block 1 or no row_cap")

    @property
    def group(self) -> int:
        """Neighbouring entries of a row that stand side by side: threads a row x wide. Rows are padded so."""
        if self.threads_per_row is None:
            raise ValueError("threads_per_row is not chosen yet: use with_threads_per_row")
        return self.threads_per_row * self.wide

    def with_threads_per_row(self, rows: int, mean: float) -> Self:
        """Choose the threads a row where they are None, by the rows, maybe of blocks, and their mean."""
        if self.threads_per_row is not None:
            return self
        threads_per_row = FEWEST_THREADS_PER_ROW
        while (
            threads_per_row < WARP
            and 2 * threads_per_row <= mean
            and rows * self.block * threads_per_row < ENOUGH_THREADS
        ):
            threads_per_row *= 2
        return replace(self, threads_per_row=threads_per_row, slice_height=WARP // threads_per_row)


SLICED_ELL = Slicing()
"""Sliced ELL: what a matrix is arranged as if nothing is said."""
