"""The columns with most entries, as a sample tells them, and what segments of columns in that order hold."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gpu.formats.mixed_sliced.filling import column_counts
from vecsim.formats.thread_count import as_many_threads_as_pay


def shares_by_degree(indices: Any, width: int, columns: int) -> NDArray[np.float64]:
    """Return the share of the entries in each segment of this many columns, those with most entries first.

    Parameters
    ----------
    indices
        The column of each entry.
    width
        Columns of the matrix.
    columns
        Of a segment.
    """
    with as_many_threads_as_pay(len(indices)):
        counts = column_counts(indices, width)
    of_degree = np.bincount(counts)[::-1]
    degrees = np.arange(len(of_degree))[::-1]
    behind, held = (np.append(0, np.cumsum(each)) for each in (of_degree, of_degree * degrees))
    ends = np.minimum(np.arange(-(-width // columns) + 1) * columns, width)
    shares: NDArray[np.float64] = np.diff(np.interp(ends, behind, held)) / max(1, len(indices))
    return shares


MOST_HUBS = 2**16 - 1
"""Columns that 16 bits tell apart, one number apart."""
HUB_ENTRIES = 1 << 19
"""Entries of the sample, at most."""
HUB_RUN = 64
"""Neighbouring entries that are sampled together."""
MOST_COUNT = 1 << 12
"""Columns with this many entries in the sample, or more, are counted as one class."""
COUNTS_OF_A_WORD = 4
"""Counts of 16 bits in a word of 64."""


@dataclass(frozen=True)
class Hubs:
    """The 65,535 columns with most entries, as a sample of the entries tells them.

    Attributes
    ----------
    share
        Which share of the entries they hold.
    counts, columns
        Of classes of hubs: entries of a column over those of all hubs, and how many columns.
    """

    share: float
    counts: NDArray[np.float64]
    columns: NDArray[np.float64]

    @classmethod
    def of(cls, indices: Any, columns: int) -> Self:
        """Count a sample of the entries with these columns, of this many.

        Three quarters of the sample determine which columns are hubs, the rest what share they hold. One
        sample for both would overestimate columns that are in it by chance.
        """
        # Zeros of NumPy, which touches nothing. Whole words, most stay zero.
        counts = np.zeros(-(-columns // COUNTS_OF_A_WORD) * COUNTS_OF_A_WORD, np.uint16)
        share, histogram = _count(indices, counts, counts.view(np.uint64), columns, MOST_HUBS)
        retained = np.flatnonzero(histogram)
        of_count = histogram[retained]
        total = float((of_count * retained).sum())
        return cls(float(share), retained / max(1.0, total), of_count.astype(np.float64))

    def sectors(self, entries: float, in_sector: int) -> float:
        """Return the sectors of adjacent hubs that a block of threads requests if it reads this many."""
        if not len(self.counts) or entries <= 0:
            return 0.0
        of_sector = np.minimum(1.0, in_sector * self.counts)
        return float(
            (
                self.columns / in_sector * -np.expm1(entries * np.log1p(-np.minimum(of_sector, 1 - 1e-12)))
            ).sum()
        )


@njit(cache=True)
def _count(indices: Any, counts: Any, words: Any, columns: int, most: int) -> Any:
    """Return the share of entries in the `most` columns with most, and how many hubs have each count.

    Parameters
    ----------
    indices
        Of all entries.
    counts, words
        Zeros for each column and a few more, and the same as words of four counts.
    columns
        Of the matrix.
    most
        Hubs.
    """
    nnz = len(indices)
    runs = max(1, (nnz + HUB_RUN - 1) // HUB_RUN)
    taken = min(runs, HUB_ENTRIES // HUB_RUN)
    for k in range(taken):
        if k % 4 == 3 and columns > most:
            continue
        first = k * runs // taken * HUB_RUN
        for column in indices[first : min(nnz, first + HUB_RUN)]:
            if counts[column] < MOST_COUNT - 1:
                counts[column] += 1
    histogram = np.zeros(MOST_COUNT, np.int64)
    for word in range(len(words)):
        if words[word] != 0:
            for column in range(COUNTS_OF_A_WORD * word, COUNTS_OF_A_WORD * (word + 1)):
                histogram[counts[column]] += 1
    histogram[0] = columns - histogram[1:].sum()
    # Counts above `least` make hubs, and some of those with just as many.
    room, least = most, MOST_COUNT - 1
    while least > 0 and histogram[least] <= room:
        room -= histogram[least]
        least -= 1
    of_least = min(1.0, room / max(1, histogram[least]))
    if columns <= most:
        return 1.0, histogram
    near, total = 0.0, 0
    for k in range(3, taken, 4):
        first = k * runs // taken * HUB_RUN
        for column in indices[first : min(nnz, first + HUB_RUN)]:
            count = counts[column]
            total += 1
            near += 1.0 if count > least else (of_least if count == least else 0.0)
    histogram[:least] = 0
    histogram[least] = min(histogram[least], room)
    return near / max(1, total), histogram
