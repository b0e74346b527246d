"""What a sum must be, and how far one from the device is from it, in compiled loops.

SciPy drops an entry where A and B cancel; `gpu.add` keeps it. So rows are merged here, every place of either
operand with an entry, and values are added in their own type: then a sum is right only if it is equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numba import njit, prange

from gpu.hisparse.container import HiSparse
from gpu.hisparse.memory import address, first_slot_of
from gpu.hisparse.node_layout import DENSE, FIRST_COORDINATE, TYPE_MASK
from gpu.hisparse.nodes import is_entry


def merged(one: Any, two: Any) -> Any:
    """Return A + B with an entry at each place that one of them has, also where they cancel.

    Parameters
    ----------
    one, two
        Canonical scipy.sparse.csr_array of one shape and type.

    Returns
    -------
    scipy.sparse.csr_array
        Canonical.
    """
    operands = (one.indptr, one.indices, one.data, two.indptr, two.indices, two.data)
    pointers = np.zeros(one.shape[0] + 1, np.int64)
    _count(*operands, pointers)
    np.cumsum(pointers, out=pointers)
    columns, values = np.empty(pointers[-1], np.int32), np.empty(pointers[-1], one.dtype)
    _merge(*operands, pointers, columns, values)
    built = scipy.sparse.csr_array((values, columns, pointers.astype(np.int32)), shape=one.shape)
    built.has_canonical_format = True
    return built


def csr_difference(result: Any, wanted: Any) -> float:
    """Return how far a sum in CSR is from what it must be.

    Parameters
    ----------
    result, wanted
        scipy.sparse.csr_array.

    Returns
    -------
    float
        The largest difference of two entries in parts of the largest entry: 0 where both are equal; infinity
        for other places.
    """
    places = zip((result.indptr, result.indices), (wanted.indptr, wanted.indices), strict=True)
    if result.shape != wanted.shape or not all(np.array_equal(*each) for each in places):
        return float("inf")
    apart = float(np.abs(result.data - wanted.data).max(initial=0.0))
    return _relative(apart, wanted)


def tree_difference(result: HiSparse, wanted: Any) -> float:
    """Return how far the content of a tree, its state aside, is from what it must be.

    Parameters
    ----------
    result
        The tree.
    wanted
        scipy.sparse.csr_array, canonical.

    Returns
    -------
    float
        As of `csr_difference`.
    """
    tree = result.content
    if tree.shape != wanted.shape or tree.nnz != wanted.nnz:
        return float("inf")
    leaves, size = tree.nodes[0], result.node_size
    order = np.lexsort((leaves.columns, leaves.rows))
    stripes = -(-tree.shape[0] // size)
    ends = np.cumsum(np.bincount(leaves.rows, minlength=stripes)) if stripes else np.zeros(0, np.int64)
    apart = np.zeros(stripes)
    _compare(
        tree.pool.memory,
        leaves.references[order],
        leaves.columns[order],
        ends,
        tree.geometry.bits,
        wanted.indptr,
        wanted.indices,
        wanted.data,
        apart,
    )
    return _relative(float(apart.max(initial=0.0)), wanted)


def _relative(apart: float, wanted: Any) -> float:
    largest = float(np.abs(wanted.data).max(initial=0.0))
    return apart / largest if largest else apart


@njit(cache=True)
def _next_column(one: Any, end: Any, columns: Any) -> Any:
    return np.int64(columns[one]) if one < end else np.int64(1) << 62


@njit(parallel=True, cache=True)
def _count(
    pointers: Any, columns: Any, values: Any, others: Any, other_columns: Any, other_values: Any, counts: Any
) -> None:
    """Write how many entries each row of the sum has, to the place after its own."""
    for row in prange(len(pointers) - 1):
        one, two = np.int64(pointers[row]), np.int64(others[row])
        end, other_end = pointers[row + 1], others[row + 1]
        result = 0
        while one < end or two < other_end:
            left, right = _next_column(one, end, columns), _next_column(two, other_end, other_columns)
            one += left <= right
            two += right <= left
            result += 1
        counts[row + 1] = result


@njit(parallel=True, cache=True)
def _merge(
    pointers: Any,
    columns: Any,
    values: Any,
    others: Any,
    other_columns: Any,
    other_values: Any,
    starts: Any,
    sum_columns: Any,
    sums: Any,
) -> None:
    """Write columns and values of all rows."""
    for row in prange(len(pointers) - 1):
        one, two, at = np.int64(pointers[row]), np.int64(others[row]), starts[row]
        end, other_end = pointers[row + 1], others[row + 1]
        while one < end or two < other_end:
            left, right = _next_column(one, end, columns), _next_column(two, other_end, other_columns)
            sum_columns[at] = min(left, right)
            if left == right:
                sums[at] = values[one] + other_values[two]
            else:
                sums[at] = values[one] if left < right else other_values[two]
            one += left <= right
            two += right <= left
            at += 1


@njit(parallel=True, cache=True)
def _compare(
    memory: Any,
    references: Any,
    blocks: Any,
    ends: Any,
    bits: Any,
    pointers: Any,
    columns: Any,
    values: Any,
    apart: Any,
) -> None:
    """Write the largest difference in each stripe of rows.

    Leaves of a stripe come by their columns, and the entries of a leaf by rows: so in each row they must come
    as those of CSR do.
    """
    for stripe in prange(len(ends)):
        top = stripe << bits
        height = min(1 << bits, len(pointers) - 1 - top)
        cursors = pointers[top : top + height].astype(np.int64)
        largest = 0.0
        for leaf in range(ends[stripe - 1] if stripe else 0, ends[stripe]):
            reference = np.int64(references[leaf])
            base, left = first_slot_of(memory, memory.values, reference), blocks[leaf] << bits
            dense = reference & TYPE_MASK == DENSE
            first = 2 * address(reference) + FIRST_COORDINATE // 2
            number = 1 << 2 * bits if dense else np.int64(memory.words[address(reference)])
            for place in range(number):
                if dense:
                    if not is_entry(memory, memory.values, reference, place, 1 << bits):
                        continue
                    row, column = place >> bits, left + (place & ((1 << bits) - 1))
                else:
                    coordinate = np.int64(memory.halves[first + place])
                    row, column = coordinate >> 8, left + (coordinate & 255)
                largest = max(
                    largest,
                    _entry_difference(
                        row, column, memory.values[base + place], top, cursors, pointers, columns, values
                    ),
                )
        for row in range(height):
            if cursors[row] != pointers[top + row + 1]:
                largest = np.inf
        apart[stripe] = largest


@njit(cache=True)
def _entry_difference(
    row: Any, column: Any, value: Any, top: Any, cursors: Any, pointers: Any, columns: Any, values: Any
) -> Any:
    """Compare an entry with the next one of its row in CSR."""
    if row >= len(cursors):
        return np.inf
    at = cursors[row]
    if at >= pointers[top + row + 1] or columns[at] != column:
        return np.inf
    cursors[row] += 1
    return np.float64(abs(value - values[at]))
