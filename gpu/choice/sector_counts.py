"""Compiled loops over the columns of sampled rows: which sectors and cache lines of x threads ask for.

The columns seen so far stand in a table with open addressing, never more than half full. A word holds a
column, or what is found of it by a shift, above this many bits of whoever saw it last; -1 where there is
none.
"""

from typing import Any

import numpy as np
from numba import njit

from gpu.choice.sampled_rows import by_falling_length, sampled_runs
from gpu.formats.sliced.slicing import WARP

FACTOR = 0x9E3779B1
"""Spreads neighbouring numbers (Knuth's multiplicative hashing, 2^32 over the golden ratio)."""
SECTOR_ROWS = 256
SECTOR_ENTRIES = 1 << 16
"""Entries that sectors are counted in, about."""
FEWEST_RUNS, MOST_RUNS = 16, 256
TAKEN = 512
"""Of a longer row the sectors of this many entries are counted, and weighed."""
POWERS = 9
"""Sectors are counted by blocks of 1, 2, 4 .. 256 rows."""
LINE_RUNS, WARPS_OF_RUN, LOADS = 16, 2, 8
"""Runs of rows that are looked at for cache lines, warps of each of them, and loads of each of these."""
SEEN, LINE_BITS = 128, 31
"""Places for the lines of one load, and bits of a line's number."""


@njit(cache=True)
def emptied(table: Any, most: int) -> Any:
    """Return a table without columns for at most this many; `table` itself where it is large enough."""
    places = 1024
    while places < 2 * most:
        places *= 2
    if len(table) < places:
        table = np.empty(places, np.int64)
    table[:places] = -1
    return table[:places]


@njit(cache=True)
def place_of(table: Any, column: int, mark_bits: int) -> Any:
    """Return where a column stands in a table, or where it may be put."""
    mask = len(table) - 1
    at = (column * FACTOR) & mask
    while table[at] >= 0 and (table[at] >> mark_bits) != column:
        at = (at + 1) & mask
    return at


@njit(cache=True)
def sector_runs(indptr: Any, height: int = SECTOR_ROWS, most: int = SECTOR_ENTRIES) -> Any:
    """Choose the rows whose sectors are counted: their runs, the weights of entries, how many of a row.

    Parameters
    ----------
    indptr
        Of the matrix.
    height
        Rows of a run.
    most
        Entries, about.
    """
    rows = len(indptr) - 1
    if rows == 0 or indptr[rows] == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.float64), TAKEN
    firsts, weights = sampled_runs(indptr, height, MOST_RUNS)
    entries = 0
    for first in firsts:
        entries += indptr[min(rows, first + height)] - indptr[first]
    if entries > most:
        fewest = FEWEST_RUNS * SECTOR_ROWS * most // (height * SECTOR_ENTRIES)
        recorded = max(fewest, len(firsts) * most // entries)
        entries = entries // len(firsts) * recorded
        firsts, weights = sampled_runs(indptr, height, recorded)
    return firsts, weights, TAKEN if entries <= 8 * most else TAKEN // 8


@njit(cache=True)
def sectors(
    indptr: Any, indices: Any, shift: int, firsts: Any, weights: Any, most: int, window: int, by_length: bool
) -> Any:
    """Return the sectors an entry that blocks of 1, 2, 4 .. 256 neighbouring rows read, each once a block.

    Parameters
    ----------
    indptr, indices
        Of the matrix.
    shift
        A sector has 2^shift elements of x.
    firsts, weights, most
        As `sector_runs` returns them; of a row beyond `most` entries the first are counted, and weighed.
    window
        Rows of a run, a power of two.
    by_length
        Whether the rows of a run stand in the order of their lengths, the longest first.
    """
    rows = len(indptr) - 1
    # How many bits of the number of a row differ from that of the row before with the same sector.
    differing = np.zeros(window, np.int64)
    for row in range(1, window):
        differing[row] = differing[row // 2] + 1
    bits: Any = differing[window - 1]
    by_difference = np.zeros(bits + 2, np.float64)
    table = np.empty(0, np.int64)
    for run in range(len(firsts)):
        first, last = firsts[run], min(rows, firsts[run] + window)
        total = 0
        for row in range(first, last):
            total += min(most, indptr[row + 1] - indptr[row])
        table = emptied(table, total)
        order = _rows_of_run(indptr, first, last, by_length)
        for mark in range(last - first):
            row = first + order[mark]
            begin = np.int64(indptr[row])
            length = np.int64(indptr[row + 1]) - begin
            taken: Any = min(most, length)
            if taken == 0:
                continue
            weight = weights[run] * length / taken
            for column in indices[begin : begin + taken]:
                sector = np.int64(column) >> shift
                at = place_of(table, sector, bits)
                known = table[at]
                if known < 0:
                    by_difference[bits + 1] += weight
                else:
                    by_difference[differing[(known & (window - 1)) ^ mark]] += weight
                table[at] = (sector << bits) | mark
    counts = np.zeros(POWERS, np.float64)
    above = by_difference[POWERS:].sum()
    for power in range(POWERS - 1, -1, -1):
        counts[power] = above
        above += by_difference[power]
    return counts


@njit(cache=True)
def _rows_of_run(indptr: Any, first: int, last: int, by_length: bool) -> Any:
    """Return the rows first .. last - 1 less the first, as they are or by falling length."""
    if not by_length:
        return np.arange(last - first)
    lengths = np.empty(last - first, np.int64)
    for row in range(last - first):
        lengths[row] = indptr[first + row + 1] - indptr[first + row]
    return by_falling_length(lengths)


@njit(cache=True)
def lines_of_loads(
    indptr: Any,
    indices: Any,
    shift: int,
    firsts: Any,
    weights: Any,
    threads: int,
    wide: int,
    by_length: bool,
) -> float:
    """Return the cache lines of x an entry that the loads of warps ask for, each once a load.

    A load of a warp takes one entry for each of its threads.

    Parameters
    ----------
    indptr, indices
        Of the matrix.
    shift
        A line has 2^shift elements of x.
    firsts, weights
        As `sector_runs` returns them; some warps of some of the runs are counted.
    threads
        Of a row, a power of two up to a warp; 0 takes the entries one after the other, in any row.
    wide
        Neighbouring entries that a thread takes, in as many loads.
    by_length
        Whether the rows of a run stand in the order of their lengths, the longest first.
    """
    rows = len(indptr) - 1
    lines, entries = 0.0, 0.0
    seen = np.full(SEEN, -1, np.int64)
    load = 0
    for run in range(0, len(firsts), (len(firsts) + LINE_RUNS - 1) // LINE_RUNS or 1):
        first, last = firsts[run], min(rows, firsts[run] + SECTOR_ROWS)
        if threads == 0:
            begin, end = np.int64(indptr[first]), np.int64(indptr[last])
            for at in range(begin, min(end, begin + WARPS_OF_RUN * LOADS * WARP), WARP):
                load += 1
                asked = 0
                for column in indices[at : min(at + WARP, end)]:
                    asked += _is_new(seen, np.int64(column) >> shift, load)
                lines += weights[run] * asked
                here: Any = min(at + WARP, end)
                entries += weights[run] * (here - at)
            continue
        order = _rows_of_run(indptr, first, last, by_length)
        together = WARP // threads
        warps = (last - first + together - 1) // together
        counted = min(warps, WARPS_OF_RUN)
        for k in range(counted):
            # One in the middle of each part of the run.
            warp = (2 * k + 1) * warps // (2 * counted)
            own = order[warp * together : (warp + 1) * together]
            longest: Any = np.int64(0)
            for row in own:
                length: Any = np.int64(indptr[first + row + 1] - indptr[first + row])
                longest = max(longest, length)
            steps = (longest + threads * wide - 1) // (threads * wide)
            taken: Any = min(steps, LOADS)
            for j in range(taken):
                step = (2 * j + 1) * steps // (2 * taken) * threads * wide
                for n in range(wide):
                    load += 1
                    asked, some = 0, 0
                    for row in own:
                        begin, end = np.int64(indptr[first + row]), np.int64(indptr[first + row + 1])
                        for at in range(begin + step + n, min(end, begin + step + threads * wide), wide):
                            asked += _is_new(seen, np.int64(indices[at]) >> shift, load)
                            some += 1
                    lines += weights[run] * steps / taken * asked
                    entries += weights[run] * steps / taken * some
    return lines / max(entries, 1e-300)


@njit(cache=True)
def _is_new(seen: Any, line: Any, load: Any) -> Any:
    """Return 1 for a line that this load has not asked for, and mark it."""
    at = (line * FACTOR) & (SEEN - 1)
    while seen[at] >> LINE_BITS == load:
        if seen[at] == (load << LINE_BITS) | line:
            return 0
        at = (at + 1) & (SEEN - 1)
    seen[at] = (load << LINE_BITS) | line
    return 1


@njit(cache=True)
def sectors_by_length(indptr: Any, indices: Any, shift: int, firsts: Any, weights: Any, most: int) -> float:
    """Return the sectors an entry that blocks of 256 rows read where the sampled rows are sorted by length.

    Parameters
    ----------
    indptr, indices, shift, firsts, weights, most
        As of `sectors`.
    """
    rows = len(indptr) - 1
    lengths = np.zeros(len(firsts) * SECTOR_ROWS, np.int64)
    for run in range(len(firsts)):
        for row in range(firsts[run], min(rows, firsts[run] + SECTOR_ROWS)):
            lengths[run * SECTOR_ROWS + row - firsts[run]] = indptr[row + 1] - indptr[row]
    order = by_falling_length(lengths)
    count = 0.0
    table = np.empty(0, np.int64)
    for block in range(0, len(order), SECTOR_ROWS):
        total = 0
        for k in order[block : block + SECTOR_ROWS]:
            total += min(most, lengths[k])
        table = emptied(table, total)
        for k in order[block : block + SECTOR_ROWS]:
            run, length = k // SECTOR_ROWS, lengths[k]
            taken: Any = min(most, length)
            if taken == 0:
                continue
            begin = np.int64(indptr[firsts[run] + k % SECTOR_ROWS])
            new = 0
            for column in indices[begin : begin + taken]:
                sector = np.int64(column) >> shift
                at = place_of(table, sector, 0)
                new += table[at] < 0
                table[at] = sector
            count += weights[run] * length / taken * new
    return count
