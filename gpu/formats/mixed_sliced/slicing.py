"""How the sliced format with two index widths arranges a matrix, and the arrangements that have a name."""

from dataclasses import dataclass

from gpu.formats.sliced.slicing import WARP, WIDTHS
from vecsim.support.errors import UserError

ENTRIES_OF_A_STEP = WARP * 2**14
FEWEST_STEPS, MOST_STEPS = 4, 64
"""Steps of a thread: enough entries for a matrix to fill a large GPU (8,192 warps, twice), and not this many
that the last warps run alone."""
FEWEST_STEPS_SMALL = 8
"""In a small matrix, so that few warps do all: a kernel loads this many entries a thread before it waits for
x."""
MOST_STEPS_OF_A_THREAD = 255
"""The steps of a thread are kept in 8 bits."""
MOST_THREADS_PER_ROW = 256
"""A block of eight warps."""
SMALL = 2**20
"""Up to this many entries a second kernel costs more than a warp that works longer than the others."""


@dataclass(frozen=True)
class MixedSlicing:
    """The parameters of `MixedSliced`.

    Attributes
    ----------
    hubs
        Whether near columns are the 65,535 with most entries, wherever they are; otherwise those at the base
        of a window of rows.
    sorting_window
        Rows are sorted by falling number of entries within each run of this many rows; None sorts all.
    steps
        Steps that one thread takes for a row, about: longer rows get more threads, up to
        `most_threads_per_row`, and beyond that are cut in pieces. None takes what fills a large GPU; in a
        small matrix it cuts no row of up to 64 steps, so that one kernel does all.
    wide
        Entries of a row that a thread loads at once: 1, 2 or 4.
    thread_lengths
        Whether the steps of each thread are kept, so that padding is not read. Rows sorted in short windows
        keep their neighbourhood in x and are padded much.
    most_threads_per_row
        Threads that one row may take, a power of two from 32 to 1024: beyond 32, the warps of a block share
        it.

    Raises
    ------
    UserError
        If a value is not possible.
    """

    hubs: bool = False
    sorting_window: int | None = 512
    steps: int | None = None
    wide: int = 1
    thread_lengths: bool = True
    most_threads_per_row: int = MOST_THREADS_PER_ROW

    def __post_init__(self) -> None:
        for name in ("sorting_window", "steps"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UserError(f"{name} {value} is not possible: use 1 or more, or None")
        if self.steps is not None and self.steps > MOST_STEPS_OF_A_THREAD:
            raise UserError(
                f"steps {self.steps} is not possible: use at most {MOST_STEPS_OF_A_THREAD}, or None"
            )
        if self.wide not in WIDTHS:
            raise UserError(f"wide {self.wide} is not possible: use one of 1, 2, 4")
        if self.most_threads_per_row not in (32, 64, 128, 256, 512, 1024):
            raise UserError(
                f"most_threads_per_row {self.most_threads_per_row} is not possible: "
                "use a power of two, 32 to 1024"
            )

    def steps_for(self, entries: int, longest: int) -> tuple[int, int]:
        """Return the steps of a thread, and of one of a row with the most threads before the row is cut.

        Parameters
        ----------
        entries
            All entries of the matrix.
        longest
            Those of its longest row.
        """
        fewest = FEWEST_STEPS_SMALL if entries <= SMALL else FEWEST_STEPS
        steps = self.steps or min(MOST_STEPS, max(fewest, entries // ENTRIES_OF_A_STEP))
        whole = -(-longest // self.most_threads_per_row)
        if self.steps is None and entries <= SMALL and whole <= MOST_STEPS:
            return steps, max(steps, whole)
        return steps, steps


SELL_NEAR = MixedSlicing()
"""What a matrix is arranged as if nothing is said."""
