"""How many threads compiled loops take: waking more of them than have work costs more than it saves."""

from collections.abc import Iterator
from contextlib import contextmanager

import numba

WORK_OF_A_THREAD = 1 << 17
"""Rows or entries, of a few nanoseconds each: a fraction of a millisecond."""


def threads_that_pay(work: float) -> int:
    """Return a thread for each 131,072 rows or entries of `work`, at least one, at most those there are."""
    return int(max(1, min(numba.get_num_threads(), work // WORK_OF_A_THREAD)))


@contextmanager
def as_many_threads_as_pay(work: float) -> Iterator[None]:
    """Let parallel loops compiled by Numba take this many threads."""
    before = numba.get_num_threads()
    numba.set_num_threads(threads_that_pay(work))
    try:
        yield
    finally:
        numba.set_num_threads(before)
