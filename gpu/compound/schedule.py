"""How rows are dealt to blocks of threads, and which numbers of blocks and threads a search tries."""

from dataclasses import dataclass
from typing import Literal

from vecsim.support.errors import UserError

WARP = 32
MOST_THREADS = 1024
Assignment = Literal["whole", "static", "dynamic"]
ASSIGNMENTS: tuple[Assignment, ...] = ("whole", "static", "dynamic")
AT_ONCE = (1, 2, 4, 8)
REGISTERS_PER_SM = 65536
"""Of 32 bits, on every device since compute capability 5.0."""
REGISTER_LIMITS = (32, 40, 56, 64, 80, 112, 128, 168)
"""Of a thread: what a multiprocessor has for 2048, 1536, 1152, 1024, 768, 576, 512 and 384 threads. Kernels
for fewer threads take what they need."""
FEWEST_LIMITED = 384


@dataclass(frozen=True)
class Schedule:
    """Who multiplies which rows.

    Rows are dealt in chunks of threads_per_block / threads_per_row x rows_per_thread.

    Attributes
    ----------
    assignment
        ``whole``: a block for each chunk. ``static``: as many blocks as run at once, each takes every n-th
        chunk. ``dynamic``: as many, each draws its next chunk from a counter.
    threads_per_block
        A multiple of 32, up to 1024.
    blocks_per_sm
        Blocks that run on a multiprocessor at once: those of ``static`` and ``dynamic``, and what a kernel
        leaves registers for (`register_limit`); 0, with ``whole`` alone, leaves it what it takes.
    threads_per_row
        Threads that share a row, a power of two up to 32.
    rows_per_thread
        Rows that a thread takes in turn within a chunk.
    at_once
        Entries whose loads are running together: 1, 2, 4 or 8; None takes as many as registers allow.

    Raises
    ------
    UserError
        If a number is not possible.
    """

    assignment: Assignment = "whole"
    threads_per_block: int = 256
    blocks_per_sm: int = 0
    threads_per_row: int = 1
    rows_per_thread: int = 1
    at_once: int | None = None

    def __post_init__(self) -> None:
        if self.assignment not in ASSIGNMENTS:
            raise UserError(f"assignment {self.assignment!r} is unknown; use one of {', '.join(ASSIGNMENTS)}")
        if self.threads_per_block % WARP or not WARP <= self.threads_per_block <= MOST_THREADS:
            raise UserError(
                f"threads_per_block {self.threads_per_block} is not possible: use a multiple of 32 up to 1024"
            )
        if self.threads_per_row not in (1, 2, 4, 8, 16, 32):
            raise UserError(
                f"threads_per_row {self.threads_per_row} is not possible: use a power of two to 32"
            )
        if self.rows_per_thread < 1 or self.blocks_per_sm < 0:
            raise UserError("rows_per_thread must be 1 or more, blocks_per_sm 0 or more")
        if self.assignment != "whole" and not self.blocks_per_sm:
            raise UserError(f"a {self.assignment} schedule needs blocks_per_sm of 1 or more")
        if self.at_once not in (*AT_ONCE, None):
            raise UserError(f"at_once {self.at_once} is not possible: use 1, 2, 4, 8 or None")

    @property
    def rows_of_chunk(self) -> int:
        """Rows that a block takes at once."""
        return self.threads_per_block // self.threads_per_row * self.rows_per_thread

    @property
    def name(self) -> str:
        """A short name, such as ``static 256 x 8, 2 threads a row``."""
        grid = f" x {self.blocks_per_sm}" if self.blocks_per_sm else ""
        shared = f", {self.threads_per_row} threads a row" if self.threads_per_row > 1 else ""
        rows = f", {self.rows_per_thread} rows a thread" if self.rows_per_thread > 1 else ""
        ahead = f", {self.at_once} at once" if self.at_once else ""
        return f"{self.assignment} {self.threads_per_block}{grid}{shared}{rows}{ahead}"


@dataclass(frozen=True)
class KernelForm:
    """What of a schedule a kernel is compiled for; schedules that differ in the rest share one.

    Attributes
    ----------
    assignment, threads_per_row, rows_per_thread
        As of `Schedule`.
    at_once
        Entries whose loads are running together.
    """

    assignment: Assignment
    threads_per_row: int
    rows_per_thread: int
    at_once: int


def register_limit(schedule: Schedule) -> int:
    """Return the registers a thread may have if all blocks of a schedule are to run at once; 0 for any."""
    threads = schedule.threads_per_block * schedule.blocks_per_sm
    if not threads:
        return 0
    left = REGISTERS_PER_SM // threads
    if left > REGISTERS_PER_SM // FEWEST_LIMITED:
        return 0
    return max((limit for limit in REGISTER_LIMITS if limit <= left), default=REGISTER_LIMITS[0])


def powers_and_thirds(least: int, most: int) -> list[int]:
    """Return least 2^i and least 3 2^i up to `most`, ascending: the numbers that the paper tries (4.3)."""
    results = {least * factor << power for factor in (1, 3) for power in range(most.bit_length())}
    return sorted(number for number in results if number <= most)


def grids(threads_per_sm: int, blocks_per_sm: int) -> list[tuple[int, int]]:
    """Return the pairs of threads a block and blocks a multiprocessor that a device can run at once.

    Parameters
    ----------
    threads_per_sm, blocks_per_sm
        The most that one multiprocessor of the device takes.
    """
    return [
        (threads, blocks)
        for threads in powers_and_thirds(WARP, MOST_THREADS)
        for blocks in powers_and_thirds(1, blocks_per_sm)
        if threads * blocks <= threads_per_sm
    ]
