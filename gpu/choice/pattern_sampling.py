"""Compiled loops that count what a product would do: over all row pointers, or over some of the columns.

What is sampled is spread evenly over the matrix and the same in every run.
"""

from typing import Any

import numpy as np
from numba import njit, prange

PARTS = 64
"""Of the rows, each counted by one thread."""
SHORT = 4096
"""Rows below so many entries are sorted by counting."""
SPREAD_SLICES = 2048
SECTOR_ROWS = 256
SECTOR_ENTRIES = 1 << 16
"""Entries that sectors are counted in, about."""
FEWEST_RUNS, MOST_RUNS = 16, 256
TAKEN = 512
"""Of a longer row the sectors of so many entries are counted, and weighed."""
NEAR_WINDOWS = 64
NEAR_ENTRIES = 512
SCATTER = 7919
HUB_ENTRIES = 1 << 19
HUB_RUN = 64
MOST_COUNT = 1 << 12


@njit(cache=True)
def rows_of_runs(indptr: Any, indices: Any, first: Any, rows: int) -> Any:
    """Give pointers and columns of the runs of so many rows that begin at `first`."""
    pointers = np.zeros(len(first) * rows + 1, indptr.dtype)
    entries = 0
    for run in range(len(first)):
        for row in range(rows):
            entries += indptr[first[run] + row + 1] - indptr[first[run] + row]
            pointers[run * rows + row + 1] = entries
    columns = np.empty(entries, indices.dtype)
    at = 0
    for run in range(len(first)):
        for place in range(indptr[first[run]], indptr[first[run] + rows]):
            columns[at] = indices[place]
            at += 1
    return pointers, columns


@njit(parallel=True, cache=True)
def pieces(indptr: Any, cap: int) -> Any:
    """Give the rows of more than `cap` entries, and their pieces of at most so many."""
    rows = len(indptr) - 1
    found = np.zeros((PARTS, 2), np.int64)
    for part in prange(PARTS):
        cut, made = 0, 0
        for row in range(part * rows // PARTS, (part + 1) * rows // PARTS):
            length = indptr[row + 1] - indptr[row]
            if length > cap:
                cut += 1
                made += (length + cap - 1) // cap
        found[part, 0], found[part, 1] = cut, made
    return found[:, 0].sum(), found[:, 1].sum()


@njit(parallel=True, cache=True)
def lanes(indptr: Any, steps: int, most: int) -> Any:
    """Count the lanes of all rows: of each the fewest, a power of two, that leave a thread `steps` steps.

    Rows that need more than `most` are cut in pieces with so many lanes each.
    """
    rows = len(indptr) - 1
    found = np.zeros(PARTS, np.int64)
    for part in prange(PARTS):
        count = 0
        for row in range(part * rows // PARTS, (part + 1) * rows // PARTS):
            length = indptr[row + 1] - indptr[row]
            if length <= steps:
                count += 1
            elif length > steps * most:
                count += (length + steps * most - 1) // (steps * most) * most
            else:
                own = 2
                while length > steps * own:
                    own *= 2
                count += own
        found[part] = count
    return found.sum()


@njit(parallel=True, cache=True)
def steps(indptr: Any, height: int, group: int, window: int) -> Any:
    """Count the steps of all slices, rows sorted within each window of several slices.

    `group` is a power of two.
    """
    rows = len(indptr) - 1
    if window < height or window % height:
        window = height  # sorting within a slice changes no width
    runs = (rows + window - 1) // window
    shift = 0
    while (1 << shift) < group:
        shift += 1
    found = np.zeros(PARTS, np.int64)
    for part in prange(PARTS):
        count = 0
        for run in range(part * runs // PARTS, (part + 1) * runs // PARTS):
            first, last = run * window, min(rows, (run + 1) * window)
            most: Any = np.int64(0)
            for row in range(first, last):
                most = max(most, np.int64(indptr[row + 1]) - np.int64(indptr[row]))
            if window == height:
                count += (most + group - 1) >> shift
            else:
                count += _steps_sorted(indptr, first, last, height, group, most)
        found[part] = count
    return found.sum()


@njit(cache=True)
def _steps_sorted(indptr: Any, first: int, last: int, height: int, group: int, most: int) -> Any:
    """Count the steps of rows first .. last - 1, sorted: each slice is as wide as its longest row."""
    count = 0
    least: Any = np.int64(most)
    for row in range(first, last):
        least = min(least, np.int64(indptr[row + 1]) - np.int64(indptr[row]))
    if most == least:
        return (last - first + height - 1) // height * ((most + group - 1) // group)
    if most < SHORT:
        of_length = np.zeros(most + 1, np.int64)
        for row in range(first, last):
            of_length[indptr[row + 1] - indptr[row]] += 1
        return _steps_of(of_length, height, group)
    lengths = np.empty(last - first, np.int64)
    for row in range(first, last):
        lengths[row - first] = indptr[row + 1] - indptr[row]
    lengths.sort()
    for k in range(last - first - 1, -1, -height):
        count += (lengths[k] + group - 1) // group
    return count


@njit(cache=True)
def _steps_of(of_length: Any, height: int, group: int) -> Any:
    """Count the steps of rows sorted by falling length; `of_length` says how many have each."""
    # Slices begin at the rows 0, height, 2 height ..; `before` rows are longer than this length.
    count, before = 0, 0
    for length in range(len(of_length) - 1, -1, -1):
        behind = before + of_length[length]
        begun = (behind + height - 1) // height - (before + height - 1) // height
        count += begun * ((length + group - 1) // group)
        before = behind
    return count


@njit(parallel=True, cache=True)
def steps_all_sorted(indptr: Any, height: int, group: int, most: int) -> Any:
    """Count the steps of all slices, all rows sorted by length."""
    rows = len(indptr) - 1
    bins = min(most + 1, SHORT)
    of_length = np.zeros((PARTS, bins), np.int64)
    for part in prange(PARTS):
        for row in range(part * rows // PARTS, (part + 1) * rows // PARTS):
            length = indptr[row + 1] - indptr[row]
            if length < bins:
                of_length[part, length] += 1
    joined = np.zeros(bins, np.int64)
    for part in range(PARTS):
        for length in range(bins):
            joined[length] += of_length[part, length]
    long = rows - joined.sum()
    if long == 0:
        return _steps_of(joined, height, group)
    lengths = np.empty(long, np.int64)
    at = 0
    for row in range(rows):
        length = indptr[row + 1] - indptr[row]
        if length >= bins:
            lengths[at] = length
            at += 1
    lengths.sort()
    count = 0
    for k in range(0, long, height):
        count += (lengths[long - 1 - k] + group - 1) // group
    # The slice that the last long row is in takes some of the short ones, too.
    taken = (-long) % height
    for length in range(bins - 1, -1, -1):
        moved = min(taken, joined[length])
        joined[length] -= moved
        taken -= moved
    return count + _steps_of(joined, height, group)


@njit(cache=True)
def _spread(indptr: Any, indices: Any, first: int, last: int) -> Any:
    """Give the largest distance of two columns of some rows; they are sorted, so their ends tell."""
    lowest: Any = np.int64(2**62)
    highest: Any = np.int64(-1)
    for row in range(first, last):
        if indptr[row] < indptr[row + 1]:
            lowest = min(lowest, np.int64(indices[indptr[row]]))
            highest = max(highest, np.int64(indices[indptr[row + 1] - 1]))
    return max(0, highest - lowest)


@njit(parallel=True, cache=True)
def widest_spread(indptr: Any, indices: Any, height: int) -> Any:
    """Give the largest distance of two columns of a slice."""
    rows = len(indptr) - 1
    slices = (rows + height - 1) // height
    found = np.zeros(PARTS, np.int64)
    for part in prange(PARTS):
        widest: Any = 0
        for s in range(part * slices // PARTS, (part + 1) * slices // PARTS):
            widest = max(widest, _spread(indptr, indices, s * height, min(rows, (s + 1) * height)))
        found[part] = widest
    return found.max()


@njit(cache=True)
def sampled_spreads(indptr: Any, indices: Any, height: int) -> Any:
    """Give the largest distance of two columns of a slice: of some the most, and the mean by entries."""
    rows = len(indptr) - 1
    widest: Any = np.int64(0)
    mean = 0.0
    if rows == 0 or indptr[rows] == 0:
        return widest, mean
    firsts, weights = _sampled_runs(indptr, height, SPREAD_SLICES)
    for k in range(len(firsts)):
        last = min(rows, firsts[k] + height)
        spread = _spread(indptr, indices, firsts[k], last)
        widest = max(widest, spread)
        mean += weights[k] * (indptr[last] - indptr[firsts[k]]) * spread
    return widest, mean


@njit(cache=True)
def _seen(keys: Any, marks: Any, key: int, mark: int) -> int:
    """Give the mark that a key had, -1 without one, and mark it anew. The table is never full."""
    mask = len(keys) - 1
    at = (key * 0x9E3779B1) & mask
    while keys[at] != key:
        if keys[at] < 0:
            keys[at] = key
            marks[at] = mark
            return -1
        at = (at + 1) & mask
    before: int = marks[at]
    marks[at] = mark
    return before


@njit(cache=True)
def _table_for(entries: int) -> Any:
    size = 1024
    while size < 2 * entries:
        size *= 2
    return np.full(size, -1, np.int64), np.empty(size, np.int64)


@njit(cache=True)
def _sampled_runs(indptr: Any, height: int, wanted: int) -> Any:
    """Give the first row of some runs of `height` rows, and the weight of each of its entries.

    All of them if they are at most `wanted`. Else each is as likely as it has entries, since these may stand
    in few of the rows; so an entry weighs the less, the more there are in its run.
    """
    rows = len(indptr) - 1
    runs = (rows + height - 1) // height
    nnz = np.int64(indptr[rows])
    taken = min(runs, wanted)
    firsts, weights = np.zeros(taken, np.int64), np.zeros(taken, np.float64)
    count = 0
    for k in range(taken):
        if runs <= wanted:
            first: Any = k * height
            weight = 1.0 / nnz
        else:
            entry = k * (nnz // taken) + nnz // taken // 2
            first = (np.searchsorted(indptr, entry, side="right") - 1) // height * height
            weight = 1.0 / taken / (indptr[min(rows, first + height)] - indptr[first])
        if count and firsts[count - 1] == first:
            weights[count - 1] += weight
        else:
            firsts[count], weights[count] = first, weight
            count += 1
    return firsts[:count], weights[:count]


@njit(cache=True)
def sectors(indptr: Any, indices: Any, in_sector: int) -> Any:
    """Give the sectors an entry that blocks of neighbouring rows read, each once a block.

    For blocks of 1, 2, 4 .. 256 rows, and then for blocks of 256 rows of about one length, as sorting all
    rows puts them together. Of rows beyond 512 entries the first are counted, and weighed.
    """
    rows, powers = len(indptr) - 1, 9
    counts = np.zeros(powers + 1, np.float64)
    if rows == 0 or indptr[rows] == 0:
        return counts
    firsts, weights = _sampled_runs(indptr, SECTOR_ROWS, MOST_RUNS)
    entries = 0
    for first in firsts:
        entries += indptr[min(rows, first + SECTOR_ROWS)] - indptr[first]
    if entries > SECTOR_ENTRIES:
        kept = max(FEWEST_RUNS, len(firsts) * SECTOR_ENTRIES // entries)
        entries = entries // len(firsts) * kept
        firsts, weights = _sampled_runs(indptr, SECTOR_ROWS, kept)
    most = TAKEN if entries <= 8 * SECTOR_ENTRIES else TAKEN // 8
    lengths = np.zeros(len(firsts) * SECTOR_ROWS, np.int64)
    for run in range(len(firsts)):
        first, last = firsts[run], min(rows, firsts[run] + SECTOR_ROWS)
        total = 0
        for row in range(first, last):
            total += min(most, indptr[row + 1] - indptr[row])
        keys, marks = _table_for(total)
        for row in range(first, last):
            length = np.int64(indptr[row + 1] - indptr[row])
            lengths[run * SECTOR_ROWS + row - first] = length
            taken: Any = min(most, length)
            if taken == 0:
                continue
            weight = weights[run] * length / taken
            for j in range(taken):
                sector = np.int64(indices[indptr[row] + j]) // in_sector
                before = _seen(keys, marks, sector, row - first)
                for power in range(powers):
                    if before >= 0 and (before >> power) == ((row - first) >> power):
                        break
                    counts[power] += weight
    counts[powers] = _scattered(indptr, indices, in_sector, firsts, weights, lengths, most)
    return counts


@njit(cache=True)
def _scattered(
    indptr: Any, indices: Any, in_sector: int, firsts: Any, weights: Any, lengths: Any, most: int
) -> float:
    """Count the sectors of blocks of 256 rows where the sampled rows are sorted by length."""
    order = np.argsort(-lengths, kind="mergesort")
    count = 0.0
    for begin in range(0, len(order), SECTOR_ROWS):
        end = min(len(order), begin + SECTOR_ROWS)
        total = 0
        for k in range(begin, end):
            total += min(most, lengths[order[k]])
        keys, marks = _table_for(total)
        for k in range(begin, end):
            length = lengths[order[k]]
            if length == 0:
                continue
            run = order[k] // SECTOR_ROWS
            row = firsts[run] + order[k] % SECTOR_ROWS
            taken: Any = min(most, length)
            for j in range(taken):
                if _seen(keys, marks, np.int64(indices[indptr[row] + j]) // in_sector, 0) < 0:
                    count += weights[run] * length / taken
    return count


@njit(cache=True)
def near_share(indptr: Any, indices: Any, window: int, columns: int) -> Any:
    """Give the share of entries within the best `columns` columns of each window of rows."""
    rows = len(indptr) - 1
    if rows == 0 or indptr[rows] == 0:
        return 1.0
    firsts, weights = _sampled_runs(indptr, window, NEAR_WINDOWS)
    near = 0.0
    for k in range(len(firsts)):
        first = np.int64(indptr[firsts[k]])
        entries = np.int64(indptr[min(rows, firsts[k] + window)]) - first
        if entries == 0:
            continue
        stride: Any = max(1, entries // NEAR_ENTRIES)
        sample = np.empty(entries // stride, np.int64)
        for j in range(len(sample)):
            # Not at one place of every row, should these be as long as a stride.
            sample[j] = indices[first + j * stride + j * SCATTER % stride]
        sample.sort()
        best, low = 0, 0
        for high in range(len(sample)):
            while sample[high] - sample[low] >= columns:
                low += 1
            best = max(best, high - low + 1)
        near += weights[k] * entries * best / len(sample)
    return near


@njit(cache=True)
def hubs(indices: Any, columns: int, most: int) -> Any:
    """Give the share of entries in the `most` columns with most, and how many hubs have each count.

    Three quarters of the sample say which columns these are, the rest what share they hold: a column that
    was drawn by chance does not speak for itself.
    """
    nnz = len(indices)
    runs = max(1, (nnz + HUB_RUN - 1) // HUB_RUN)
    taken = min(runs, HUB_ENTRIES // HUB_RUN)
    counts = np.zeros(columns, np.uint16)
    for k in range(taken):
        if k % 4 == 3 and columns > most:
            continue
        first = k * runs // taken * HUB_RUN
        for place in range(first, min(nnz, first + HUB_RUN)):
            if counts[indices[place]] < MOST_COUNT - 1:
                counts[indices[place]] += 1
    histogram = np.zeros(MOST_COUNT, np.int64)
    for column in range(columns):
        histogram[counts[column]] += 1
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
        for place in range(first, min(nnz, first + HUB_RUN)):
            count = counts[indices[place]]
            total += 1
            near += 1.0 if count > least else (of_least if count == least else 0.0)
    histogram[:least] = 0
    histogram[least] = min(histogram[least], room)
    return near / max(1, total), histogram
