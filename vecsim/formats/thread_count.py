"""How many threads compiled loops take: waking more of them than have work costs more than it saves."""

from collections.abc import Iterator
from contextlib import contextmanager

import numba

WORK_OF_A_THREAD = 1 << 17
"""Rows or entries, of a few nanoseconds each: a fraction of a millisecond."""


@contextmanager
def as_many_threads_as_pay(work: float) -> Iterator[None]:
    """Let parallel loops compiled by Numba take a thread for each 131,072 rows or entries of `work`."""
    before = numba.get_num_threads()
    numba.set_num_threads(int(max(1, min(before, work // WORK_OF_A_THREAD))))
    try:
        yield
    finally:
        numba.set_num_threads(before)
