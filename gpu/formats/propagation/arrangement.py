"""How blocks of threads share the work of a product in propagation blocks, and what they count."""

from dataclasses import dataclass

from gpu.runtime.cuda import SIMULATED

TICKET, ENDED, STATES = 0, 1, 2
"""Counters: bins that have been given out; blocks that have ended; then those of the super-blocks. Of each
the parts multiplied, of each the bins added up, and for each part whether it is claimed of each."""
RECORD = 8
"""Words of a bin: row or piece, rows, first group in its super-block and of all, groups, first slot and first
element of `row_slots`, super-block."""
IS_PIECE = 1 << 31
"""Stands in the rows of a bin that is a piece of a row."""
STEPS = 4
"""Diagonals that are added at once."""
PATIENCE = 1 if SIMULATED else 20_000
"""So often a counter is read before its reader helps, some milliseconds: nothing has to be waited for so long
unless blocks cannot run."""
ENDLESS = 1000 if SIMULATED else 2**31 - 1
"""So often it is read if what is waited for is running: in the simulator it must be there."""


@dataclass(frozen=True)
class Arrangement:
    """How blocks of threads share the work.

    Attributes
    ----------
    threads
        Of a block, a multiple of 32, 64 or more.
    resident
        Blocks that run on a multiprocessor at a time; one of them multiplies, the others add up.
    ring
        Super-blocks whose products there is room for, 2 or more.
    batch
        Groups of products that a thread loads at once.
    passing
        Whether what is stored of the matrix leaves the L2 cache before the products do.
    """

    threads: int = 64 if SIMULATED else 384
    resident: int = 3
    ring: int = 3
    batch: int = 2
    passing: bool = True
