"""Orders of the rows of blocks: by the published hash, by a better one, and what both are compared with.

Each takes the entries of each row of each block and says which row stands at each place; groups are 32 places
one after the other, unless the order has other groups. All are compiled, blocks on all cores.

==============  ==============================================================================
``own``         as they stand
``hash``        the published hash, rows that collide in its order, so that it is counted (`hashing`)
``in_turn``     the same, but rows come as they stand, each to the next free place (on the host only)
``classes``     by the class of their entries, `CLASS_BITS` bits after the first: a hash without collisions
``sort``        by their entries: sort2D
``dynamic``     sorted, then cut into groups with the least padding: DP2D
``sell``        by the entries of the whole row: one order for all blocks of a row of blocks
==============  ==============================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from gpu.hbp.container import WARP
from gpu.hbp.hashing import RowHash, place_rows, place_rows_in_turn

CLASS_BITS = 2
"""Leading bits that tell classes apart, next to the first: four classes from each power of two to the
next."""
GROUP_COST = WARP
"""Of a group of the dynamic programme, in padded entries: so much it costs a warp to begin one."""
METHODS = ("own", "hash", "classes", "sort", "dynamic", "sell")
ON_THE_HOST = (*METHODS, "in_turn")


@dataclass(frozen=True, eq=False)
class Ordered:
    """An order of the rows of blocks.

    Attributes
    ----------
    order
        (blocks, block_rows) int32: which row stands at each place.
    group_begins
        (blocks, block_rows) bool: whether a group begins there.
    """

    order: NDArray[np.int32]
    group_begins: NDArray[np.bool_]


def ordered(
    counts: NDArray[np.int32],
    method: str,
    row_hash: RowHash | None = None,
    whole_rows: NDArray[np.int32] | None = None,
    class_bits: int = CLASS_BITS,
) -> Ordered:
    """Put the rows of blocks in order.

    Parameters
    ----------
    counts
        (blocks, block_rows) int32: entries of each row of each block; block_rows is a multiple of 32.
    method
        One of `ON_THE_HOST`.
    row_hash
        Of ``hash`` and ``in_turn``; None: sampled.
    whole_rows
        (blocks, block_rows) int32: entries of the whole rows, for ``sell``.
    class_bits
        Of ``classes``.

    Raises
    ------
    ValueError
        If the method is unknown, or ``sell`` is not given the whole rows.
    """
    blocks, block_rows = counts.shape
    order = np.empty((blocks, block_rows), np.int32)
    begins = np.zeros((blocks, block_rows), np.bool_)
    begins[:, ::WARP] = True
    if method == "own":
        order[:] = np.arange(block_rows, dtype=np.int32)
    elif method in ("hash", "in_turn"):
        chosen = row_hash or RowHash.sampled(counts.ravel(), block_rows)
        hashes = np.empty(counts.size, np.int64)
        _hash(counts.ravel(), chosen.a, chosen.b, chosen.c, chosen.d, block_rows, hashes)
        place = place_rows if method == "hash" else place_rows_in_turn
        place(hashes, block_rows, order.ravel())
    elif method == "classes":
        _by_class(counts, class_bits, order)
    elif method == "sort":
        _by_count(counts, order)
    elif method == "sell" and whole_rows is not None:
        _by_count(whole_rows, order)
    elif method == "dynamic":
        _by_count(counts, order)
        begins[:] = False
        _cut(counts, order, GROUP_COST, begins)
    else:
        raise ValueError(
            f"method {method} must be one of {', '.join(ON_THE_HOST)}, sell only with whole_rows"
        )
    return Ordered(order, begins)


@njit(parallel=True, cache=True)
def _hash(counts: Any, a: int, b: int, c: int, d: int, block_rows: int, hashes: Any) -> None:
    for at in prange(len(counts)):
        count = np.int64(counts[at])
        aggregated: Any = min(count >> a, 8)
        hashes[at] = (aggregated * b + count * c % d) % block_rows


@njit(cache=True)
def class_of(count: Any, bits: Any) -> Any:
    """Return the class of a number of entries: itself while it is small, then by its leading bits.

    A number of w + bits + 1 binary digits keeps its bits + 1 leading ones, so a class holds numbers that
    differ by less than one part in 2**bits; classes rise with the numbers.
    """
    shift = 0
    while count >> shift >= 2 << bits:
        shift += 1
    return (shift << bits) + (count >> shift)


@njit(parallel=True, cache=True)
def _by_class(counts: Any, bits: int, order: Any) -> None:
    """Count the rows of each class, and put each after those before it: two passes, no comparison."""
    blocks, rows = counts.shape
    for block in prange(blocks):
        most = 0
        for row in range(rows):
            most = max(most, counts[block, row])
        before = np.zeros(class_of(most, bits) + 2, np.int32)
        for row in range(rows):
            before[class_of(counts[block, row], bits) + 1] += 1
        for number in range(1, len(before)):
            before[number] += before[number - 1]
        for row in range(rows):
            own = class_of(counts[block, row], bits)
            order[block, before[own]] = row
            before[own] += 1


@njit(parallel=True, cache=True)
def _by_count(counts: Any, order: Any) -> None:
    for block in prange(len(counts)):
        order[block] = np.argsort(counts[block], kind="mergesort")


@njit(parallel=True, cache=True)
def _cut(counts: Any, order: Any, group_cost: int, begins: Any) -> None:
    """Cut sorted rows into groups of at most 32 with the least padding, each with its own cost.

    The dynamic programme: the least cost of the first k rows is that of some fewer, and one group more.
    """
    blocks, rows = order.shape
    for block in prange(blocks):
        before = np.zeros(rows + 1, np.int64)
        for at in range(rows):
            before[at + 1] = before[at] + counts[block, order[block, at]]
        cost, start = np.zeros(rows + 1, np.int64), np.zeros(rows + 1, np.int32)
        for end in range(1, rows + 1):
            longest = before[end] - before[end - 1]
            cost[end] = np.int64(2) ** 62
            for begin in range(max(0, end - 32), end):
                padding = longest * (end - begin) - (before[end] - before[begin])
                result = cost[begin] + padding + group_cost
                if result < cost[end]:
                    cost[end], start[end] = result, begin
        end = rows
        while end > 0:
            end = start[end]
            begins[block, end] = True
