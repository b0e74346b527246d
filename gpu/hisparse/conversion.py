"""From sorted CSR into a tree by the paper's two steps (section 3.2): skeleton, then nodes, leaves first.

The paper sorts entries into the d x d bins of one level after the other. Here they are counted in the bins of
the lowest level at once, a stripe of d rows after the other, and these bins, the leaves, sorted by the path
that leads to them from the root; on each level the nodes are then the runs of leaves whose paths begin alike.

Compiled loops over the entries say into which leaves they fall, and put them there.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gpu.hisparse.filling import NewNodes
from gpu.hisparse.node_layout import (
    DENSE,
    NULL,
    REFERENCE_BYTES,
    UNIT_WORDS,
    dense_from,
    dense_words,
    level_count,
    node_bits,
    sparse_type,
    sparse_words,
)
from gpu.hisparse.pool import Pool
from vecsim.formats.array_types import IntArray, UIntArray
from vecsim.formats.pointers import pointers_of
from vecsim.formats.thread_count import threads_that_pay

GOLDEN = 2654435769
"""2^32 over the golden ratio: multiplied with it, neighbours fall far apart."""


@njit(cache=True)
def place_in(keys: Any, block: Any, direct: bool) -> Any:
    """Return where a table has a block column, or where it may be put.

    Parameters
    ----------
    keys
        The table: block columns, -1 where there is none; as many as a power of two.
    block
        The block column.
    direct
        Whether there is a place for every block column.
    """
    if direct:
        return block
    mask = len(keys) - 1
    place = ((block * GOLDEN & 0xFFFFFFFF) >> 8) & mask
    while keys[place] != -1 and keys[place] != block:
        place = (place + 1) & mask
    return place


@njit(nogil=True, cache=True)
def find_leaves(
    stripes: Any,
    indptr: Any,
    indices: Any,
    bits: int,
    starts: Any,
    size: int,
    direct: bool,
    columns: Any,
    counts: Any,
    results: Any,
) -> None:
    """Count the entries of each leaf, stripe by stripe of d rows; leaves of a stripe as they are first met.

    Parameters
    ----------
    stripes
        int64 of 2: the first stripe, and the one after the last.
    indptr, indices
        The matrix, sorted CSR without duplicates.
    bits
        log2 of d.
    starts
        int64 of stripes + 1: places before each stripe, one a leaf that it may have at most.
    size, direct
        Of the table, as `place_in` has it.
    columns, counts
        What is written at these places: int32 block columns and entries.
    results
        What is written: int64 leaves of each stripe.
    """
    rows = len(indptr) - 1
    keys = np.full(size, -1, np.int32)
    leaf_at = np.empty(size, np.int64)
    touched = np.empty(size, np.int64)
    for stripe in range(stripes[0], stripes[1]):
        first = np.int64(indptr[stripe << bits])
        last = np.int64(indptr[min((stripe + 1) << bits, rows)])
        leaves: Any = np.int64(0)
        leaf: Any = np.int64(0)
        before: Any = np.int64(-1)
        for entry in range(first, last):
            block = np.int64(indices[entry]) >> bits
            if block != before:
                before = block
                place = place_in(keys, block, direct)
                if keys[place] == -1:
                    keys[place] = block
                    touched[leaves] = place
                    leaf_at[place] = starts[stripe] + leaves
                    columns[starts[stripe] + leaves] = block
                    counts[starts[stripe] + leaves] = 0
                    leaves += 1
                leaf = leaf_at[place]
            counts[leaf] += 1
        for index in range(leaves):
            keys[touched[index]] = -1
        results[stripe] = leaves


@njit(nogil=True, cache=True)
def fill_leaves(
    stripes: Any,
    indptr: Any,
    indices: Any,
    data: Any,
    bits: int,
    size: int,
    direct: bool,
    leaf_ptr: Any,
    columns: Any,
    first_halves: Any,
    first_slots: Any,
    halves: Any,
    values: Any,
) -> None:
    """Write the entries of all leaves of some stripes.

    Parameters
    ----------
    stripes
        int64 of 2: the first stripe, and the one after the last.
    indptr, indices, data
        The matrix, sorted CSR without duplicates.
    bits
        log2 of d.
    size, direct
        Of the table, as `place_in` has it.
    leaf_ptr
        int64 of stripes + 1: the first leaf of each stripe, then their number.
    columns
        Block column of each leaf.
    first_halves, first_slots
        int64: where the coordinates of each leaf begin, -1 of a dense one, and where its slots do.
    halves, values
        The arrays of the pool.
    """
    rows, mask = len(indptr) - 1, (1 << bits) - 1
    keys = np.full(size, -1, np.int32)
    touched = np.empty(size, np.int64)
    # At the place of each leaf in the table: where the next entry goes.
    half_at = np.empty(size, np.int64)
    slot_at = np.empty(size, np.int64)
    for stripe in range(stripes[0], stripes[1]):
        leaves = leaf_ptr[stripe + 1] - leaf_ptr[stripe]
        for index in range(leaves):
            leaf = leaf_ptr[stripe] + index
            place = place_in(keys, np.int64(columns[leaf]), direct)
            keys[place] = columns[leaf]
            touched[index] = place
            half_at[place] = first_halves[leaf]
            slot_at[place] = first_slots[leaf]
        before: Any = np.int64(-1)
        at: Any = np.int64(0)
        for row in range(stripe << bits, min((stripe + 1) << bits, rows)):
            for entry in range(np.int64(indptr[row]), np.int64(indptr[row + 1])):
                column = np.int64(indices[entry])
                if column >> bits != before:
                    before = column >> bits
                    at = place_in(keys, before, direct)
                if half_at[at] == -1:
                    values[slot_at[at] + ((row & mask) << bits) + (column & mask)] = data[entry]
                else:
                    halves[half_at[at]] = (row & mask) << 8 | (column & mask)
                    values[slot_at[at]] = data[entry]
                    half_at[at] += 1
                    slot_at[at] += 1
        for index in range(leaves):
            keys[touched[index]] = -1


@dataclass(frozen=True, eq=False)
class _Leaves:
    """The leaves that the entries of a matrix fall into, stripe by stripe."""

    pointers: IntArray
    columns: NDArray[np.int32]
    counts: NDArray[np.int32]
    table: tuple[int, bool]
    """Size of the tables and whether they are direct, for the compiled loops."""

    @property
    def rows(self) -> IntArray:
        return np.repeat(np.arange(len(self.pointers) - 1, dtype=np.int64), np.diff(self.pointers))


@dataclass(frozen=True, eq=False)
class _Inner:
    """The nodes of a level above the leaves: the first child of each, and the positions of the children."""

    first_child: IntArray
    coordinates: NDArray[np.uint16]


def pool_of(csr: Any, node_size: int) -> tuple[Pool, int, int]:
    """Convert sorted CSR without duplicates, in compiled loops over all cores.

    Returns
    -------
    tuple
        The pool, the reference to its root (0 without entries) and the levels.

    Raises
    ------
    UserError
        If the node size is not possible, or the nodes would take more than 16 GiB.
    """
    bits = node_bits(node_size)
    levels = level_count(max(csr.shape), node_size)
    if csr.nnz == 0:
        return Pool(node_size, csr.data.dtype, 0), NULL, levels
    leaves = _leaves_of(csr, bits)
    order, inner = _skeleton(leaves, bits, levels)
    kinds, sizes = _types_and_sizes(leaves.counts, node_size, csr.data.dtype.itemsize)
    _keep_explicit_negative_zeros(csr, leaves, kinds, sizes, bits)
    placed = [(kinds, sizes)] + [
        _types_and_sizes(np.diff(level.first_child), node_size, REFERENCE_BYTES) for level in inner
    ]
    pool = Pool(node_size, csr.data.dtype, sum(int(sizes.sum()) for _, sizes in placed))
    references = _references(placed)
    memory, places = pool.memory, node_size * node_size
    nodes = NewNodes.of(references[0], leaves.counts, csr.data.dtype.itemsize)
    nodes.begin(memory, memory.values, places)
    _in_threads(
        fill_leaves,
        csr,
        bits,
        csr.indptr,
        csr.indices,
        csr.data,
        bits,
        *leaves.table,
        leaves.pointers,
        leaves.columns,
        nodes.first_halves,
        nodes.first_slots,
        memory.halves,
        memory.values,
    )
    nodes.pad(memory)
    children = references[0][order]
    for level, built in zip(inner, references[1:], strict=True):
        nodes = NewNodes.of(built, np.diff(level.first_child), REFERENCE_BYTES)
        nodes.begin(memory, memory.words, places)
        nodes.put(memory, bits, level.coordinates, children)
        nodes.pad(memory)
        children = built
    return pool, int(children[0]), levels


def _leaves_of(csr: Any, bits: int) -> _Leaves:
    rows, columns = csr.shape
    stripes, blocks = -(-rows >> bits), -(-columns >> bits)
    first_rows = np.minimum(np.arange(stripes + 1, dtype=np.int64) << bits, rows)
    lengths = np.diff(csr.indptr[first_rows].astype(np.int64))
    most = np.minimum(lengths, blocks)
    starts = pointers_of(most)
    # A table with a place for each block column, or for twice as many as a stripe can have entries.
    wanted = min(int(blocks), 2 * int(lengths.max()))
    size = 1 << max(4, (wanted - 1).bit_length())
    table = (size, size >= blocks)
    results, counted = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int32)
    number = np.empty(stripes, np.int64)
    _in_threads(
        find_leaves,
        csr,
        bits,
        csr.indptr,
        csr.indices,
        bits,
        starts,
        *table,
        results,
        counted,
        number,
    )
    pointers = pointers_of(number)
    # Each stripe's leaves are at its start; now one stripe after the other, by block columns.
    places = np.arange(pointers[-1]) + np.repeat(starts[:-1] - pointers[:-1], number)
    stripe = np.repeat(np.arange(stripes), number)
    places = places[np.argsort(stripe * blocks + results[places], kind="stable")]
    return _Leaves(pointers, results[places], counted[places], table)


def _in_threads(work: Callable[..., None], csr: Any, bits: int, *arguments: Any) -> None:
    """Do compiled work on all stripes of d rows, in `threads_that_pay` threads of equal work."""
    stripes = -(-csr.shape[0] >> bits)
    threads = threads_that_pay(csr.nnz)
    shares = np.arange(1, threads) * csr.nnz // threads
    cuts = np.concatenate(([0], np.searchsorted(csr.indptr, shares) >> bits, [stripes]))
    with ThreadPoolExecutor(threads) as pool:
        parts = [pool.submit(work, cuts[part : part + 2], *arguments) for part in range(threads)]
        for part in parts:
            part.result()


def _skeleton(leaves: _Leaves, bits: int, levels: int) -> tuple[IntArray, list[_Inner]]:
    """Return the leaves by their paths from the root, and the nodes of each level above, lowest first."""
    rows, columns = leaves.rows, leaves.columns.astype(np.int64)
    paths = np.zeros(len(rows), dtype=np.int64)
    mask = (1 << bits) - 1
    for level in reversed(range(levels - 1)):
        step = (rows >> level * bits & mask) << bits | (columns >> level * bits & mask)
        paths = paths << 2 * bits | step
    order = np.argsort(paths, kind="stable")
    paths = paths[order]
    results = []
    for _ in range(1, levels):
        step = paths & ((1 << 2 * bits) - 1)
        paths >>= 2 * bits
        first = np.flatnonzero(np.concatenate(([True], paths[1:] != paths[:-1])))
        coordinates = ((step >> bits) << 8 | (step & mask)).astype(np.uint16)
        results.append(_Inner(np.append(first, len(paths)), coordinates))
        paths = paths[first]
    return order, results


def _types_and_sizes(
    counts: NDArray[np.integer[Any]], node_size: int, width: int
) -> tuple[UIntArray, IntArray]:
    """Return the type and the words of each node by the type rule: dense where that is smaller."""
    counts = counts.astype(np.int64)
    dense = counts >= dense_from(node_size, width)
    kinds = np.where(dense, DENSE, sparse_type(counts)).astype(np.uint32)
    sizes = np.where(dense, dense_words(node_size, width), sparse_words(counts, width)).astype(np.int64)
    return kinds, sizes


def _keep_explicit_negative_zeros(
    csr: Any, leaves: _Leaves, kinds: UIntArray, sizes: IntArray, bits: int
) -> None:
    """Let leaves that have some stay sparse, where they would mean no entry: in dense ones not full."""
    partly = (kinds == DENSE) & (leaves.counts < 1 << 2 * bits)
    if not partly.any():
        return
    zeros = np.flatnonzero((csr.data == 0) & np.signbit(csr.data))
    if not len(zeros):
        return
    rows = np.searchsorted(csr.indptr, zeros, side="right") - 1 >> bits
    blocks = -(-csr.shape[1] >> bits)
    keys = leaves.rows * blocks + leaves.columns
    hit = np.searchsorted(keys, rows * blocks + (csr.indices[zeros] >> bits))
    stay = np.unique(hit[partly[hit]])
    counts = leaves.counts[stay].astype(np.int64)
    kinds[stay], sizes[stay] = sparse_type(counts), sparse_words(counts, csr.data.dtype.itemsize)


def _references(placed: list[tuple[UIntArray, IntArray]]) -> list[UIntArray]:
    """Return the references to the nodes of each level, leaves first, one after the other in the pool."""
    results, end = [], UNIT_WORDS
    for kinds, sizes in placed:
        results.append((end + np.cumsum(sizes) - sizes).astype(np.uint32) | kinds)
        end += int(sizes.sum())
    return results
