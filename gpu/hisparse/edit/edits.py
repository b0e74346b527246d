"""A batch of edits of a HiSparse matrix on the device: insert, set or delete entries.

The leaves that a batch touches are made again, of their entries merged with it, and so are the nodes above
the leaves, which are few. Both are appended to the pool of the matrix. All other leaves stay where they are,
and both matrices refer to them (section 3.2). What bounds an edit is the list of all leaves, 16 bytes each,
read and written, and what is appended.

A pool that is full grows, which is a copy of it. If no tree refers to more than half of it, and only this
matrix lies in it, the matrix is copied into a new one instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.hisparse.building.from_coo import Positions, leaf_shapes, positions_of
from gpu.hisparse.building.node_plan import NodePlan, most_nodes
from gpu.hisparse.building.node_writing import NODE_THREADS, fill_kernel
from gpu.hisparse.device_pool import DevicePool
from gpu.hisparse.device_tree import DeviceTree
from gpu.hisparse.edit.compaction import compacted, live_words
from gpu.hisparse.edit.edit_kernels import (
    EXPANDING_THREADS,
    NOTHING_WRONG,
    expand_kernel,
    last_of_each_kernel,
    made_kernel,
    merge_entries_kernel,
    missing_kernel,
    pick_kernel,
    references_kernel,
    reused_kernel,
    stay_kernel,
    touched_kernel,
    untouched_kernel,
)
from gpu.hisparse.node_layout import node_bits
from gpu.hisparse.pool import SPARE_SHARE
from gpu.runtime.launches import enqueue, launch
from gpu.runtime.memory import all_or_nothing, empty, upload
from gpu.sorting.prefix_sums import prefix_sums
from gpu.sorting.runs import runs_of_equal
from vecsim.support.errors import UserError

INSERT, SET, DELETE = "insert", "set", "delete"


def edited(
    matrix: DeviceTree, how: str, rows: Any, columns: Any, values: Any = None, stream: Any = 0
) -> DeviceTree:
    """Return a tree with a batch of edits; the one that is given stays as it is, and shares its leaves.

    Parameters
    ----------
    matrix
        What is edited.
    how
        ``insert``: entries are stored, in the order of the batch, with the new value where there is one;
        ``set``: values of entries that are stored are changed; ``delete``: entries that are stored go.
    rows, columns
        Positions: int32 or int64, arrays of the device, of any library, or of the host.
    values
        Of the type of the matrix, one a position, likewise; none to delete.
    stream
        0, or an object of Numba or cuda.core; the matrix is ready when this returns.

    Raises
    ------
    UserError
        A position lies outside the matrix or, to set or delete, is not stored, or arrays have
        other types or lengths.
    OutOfDeviceMemoryError
        The device has too little memory.
    """
    if how not in (INSERT, SET, DELETE):
        raise UserError(f"a batch is to insert, set or delete, not to {how}")
    if how == DELETE:
        values = np.zeros(np.shape(rows), matrix.dtype)
    batch = positions_of(rows, columns, values, matrix.shape, matrix.node_size, stream)
    if batch.number == 0:
        return matrix
    if batch.values.dtype != matrix.dtype:
        raise UserError(
            f"values of {batch.values.dtype} cannot be stored in a matrix of {matrix.dtype}: "
            "convert them first"
        )
    return _Edit(matrix, batch, how, stream).result


class _Edit:
    """One batch; `result` is the matrix with it."""

    def __init__(self, matrix: DeviceTree, batch: Positions, how: str, stream: Any) -> None:
        self._matrix, self._how, self._stream = matrix, how, stream
        self._bits = node_bits(matrix.node_size)
        self._real: Any = matrix.dtype.type
        keys, firsts, edits = runs_of_equal(batch.keys, batch.number, 0, stream)
        values, order = all_or_nothing(lambda: (empty(edits, matrix.dtype), empty(edits, np.int32)))
        launch(last_of_each_kernel, edits, (batch.values, batch.order, firsts, edits, values, order), stream)
        touched_keys, _, touched = runs_of_equal(keys, edits, 2 * self._bits, stream)
        entries, number = self._merged(keys, values, order, edits, touched_keys, touched)
        self.result = self._built(entries, number, touched_keys, touched)

    def _merged(
        self, keys: Any, values: Any, order: Any, edits: int, touched_keys: Any, touched: int
    ) -> tuple[tuple[Any, Any], int]:
        """Return keys and values of all entries of the touched leaves, and how many there are."""
        matrix, stream, leaves = self._matrix, self._stream, self._matrix.leaves
        match, slots = all_or_nothing(lambda: (empty(touched, np.int32), empty(touched, np.int32)))
        most = 1 << 2 * self._bits
        arguments: tuple[Any, ...] = (touched_keys, touched, leaves.keys, leaves.nodes, leaves.number, most)
        launch(touched_kernel, touched, (*arguments, match, slots), stream)
        places, stored = prefix_sums(slots, touched, stream)
        old = self._room(stored)
        arguments = (match, places, leaves.keys, leaves.nodes, matrix.halves, matrix.values, *old)
        enqueue(expand_kernel(self._real, self._bits), (touched, EXPANDING_THREADS), arguments, stream)
        if self._how != INSERT:
            self._require_stored(keys, order, edits, old, stored)
        both = self._room(stored + edits)
        arguments = (*old, stored, keys, values, edits, *both)
        launch(merge_entries_kernel, stored + edits, arguments, stream)
        stay = empty(stored + edits, np.int32)
        deleting = int(self._how == DELETE)
        launch(stay_kernel, stored + edits, (both[0], both[2], stored + edits, deleting, stay), stream)
        places, number = prefix_sums(stay, stored + edits, stream)
        recorded = all_or_nothing(lambda: (empty(number, np.int64), empty(number, matrix.dtype)))
        launch(pick_kernel, stored + edits, (stay, places, stored + edits, *both[:2], *recorded), stream)
        return recorded, number

    def _room(self, number: int) -> tuple[Any, Any, Any]:
        real = self._matrix.dtype
        return all_or_nothing(lambda: (empty(number, np.int64), empty(number, real), empty(number, np.int32)))

    def _require_stored(self, keys: Any, order: Any, edits: int, old: tuple[Any, ...], stored: int) -> None:
        wrong = upload(np.array([NOTHING_WRONG], np.int32))
        arguments = (keys, order, edits, old[0], old[2], stored, wrong)
        launch(missing_kernel, edits, arguments, self._stream)
        if self._stream:
            self._stream.synchronize()
        if (first := int(wrong.copy_to_host()[0])) != NOTHING_WRONG:
            raise UserError(f"position {first} of the batch is not stored: use `insert` to add it")

    def _built(self, entries: tuple[Any, Any], number: int, touched_keys: Any, touched: int) -> DeviceTree:
        matrix, stream, leaves = self._matrix, self._stream, self._matrix.leaves
        made_keys, firsts, built = empty(0, np.int64), empty(0, np.int32), 0
        shapes = empty(0, np.int32)
        if number:
            made_keys, firsts, built = runs_of_equal(entries[0], number, 2 * self._bits, stream)
            shapes = leaf_shapes(firsts, built, entries[1], number, matrix.node_size, stream)
        stay = empty(leaves.number, np.int32)
        launch(
            untouched_kernel, leaves.number, (leaves.keys, leaves.number, touched_keys, touched, stay), stream
        )
        places, reused = prefix_sums(stay, leaves.number, stream)
        total = built + reused
        if not total:
            return DeviceTree.without_entries(matrix.shape, matrix.node_size, matrix.dtype, matrix.levels)
        keys, sizes, sources, own, references = all_or_nothing(
            lambda: (empty(total, np.int64), empty(total, np.int32), empty(total, np.uint32),
                     empty(built, np.int32), empty(built, np.uint32))
        )  # fmt: skip
        arguments: tuple[Any, ...] = (
            stay,
            places,
            leaves.number,
            leaves.keys,
            leaves.nodes,
            made_keys,
            built,
        )
        launch(reused_kernel, leaves.number, (*arguments, keys, sizes, sources), stream)
        arguments = (made_keys, shapes, built, leaves.keys, leaves.number, places, reused)
        launch(made_kernel, built, (*arguments, keys, sizes, sources, own), stream)
        bounds = most_nodes(total, matrix.shape, matrix.node_size, matrix.levels)
        plan = NodePlan(
            bounds, matrix.node_size, matrix.dtype, sizes, keys, sources=sources, used=matrix.pool.used
        )
        plan.place(stream)
        pool, begin, size = matrix.pool, matrix.pool.used, plan.new_words(stream)
        if not pool.has_room(size) and self._is_mostly_unused(pool):
            self._matrix = compacted(matrix, size + begin // SPARE_SHARE, stream)
            return self._built(entries, number, touched_keys, touched)
        pool.append(size)
        result = plan.tree_in(pool, begin, matrix.shape)
        launch(references_kernel, built, (own, built, plan.leaves.references, references), stream)
        if built:
            written = result.words, result.halves, result.values
            arguments = (*entries, firsts, shapes, references, *written)
            enqueue(fill_kernel(self._real, self._bits), (built, NODE_THREADS), arguments, stream)
        plan.write_inner_nodes(result, stream)
        return result

    def _is_mostly_unused(self, pool: DevicePool) -> bool:
        """Return whether no tree refers to more than half of a pool."""
        return pool.is_only(self._matrix) and 2 * live_words(self._matrix, self._stream) < pool.used
