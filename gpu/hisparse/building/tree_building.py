"""A tree on the device from the list of its leaves: where all nodes begin, its pool, its inner nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.hisparse.building.node_kernels import parent_shapes_kernel, place_kernel, weigh_kernel
from gpu.hisparse.building.node_writing import NODE_THREADS, inner_kernel
from gpu.hisparse.device_tree import DeviceTree, Leaves
from gpu.hisparse.node_layout import REFERENCE_BYTES, UNIT_WORDS, dense_from
from gpu.hisparse.pool import MAX_WORDS
from gpu.runtime.cuda import cuda
from gpu.runtime.launches import enqueue, launch
from gpu.runtime.memory import all_or_nothing, empty, upload
from gpu.sorting.prefix_sums import SCAN_THREADS, offsets_kernel
from gpu.sorting.runs import RUN, runs_of_equal
from vecsim.support.errors import UserError


@dataclass(frozen=True, eq=False)
class _Level:
    """The nodes of a level: `firsts` are the first children of inner ones."""

    number: int
    keys: Any
    shapes: Any
    firsts: Any
    references: Any
    nodes: Any


class TreeBuilding:
    """A tree whose leaves are known by their keys and shapes: its nodes placed, and in the end its pool.

    Parameters
    ----------
    shape, node_size, dtype, levels
        Of the content.
    keys, shapes
        int64 and int32 device arrays: the leaves by rising keys, and what they are; none is empty.
    number
        Of leaves, one at least.
    stream
        0, or an object of Numba or cuda.core.

    Raises
    ------
    UserError
        The nodes would take more than 16 GiB.
    OutOfDeviceMemoryError
        The device has too little memory.

    Attributes
    ----------
    result
        The tree, of which the leaves are still to be written.
    references
        uint32: where each leaf begins, plus its type.
    """

    def __init__(
        self, shape: tuple[int, int], node_size: int, dtype: Any, levels: int, keys: Any, shapes: Any,
        number: int, stream: Any = 0,
    ) -> None:  # fmt: skip
        self._stream, self._bits = stream, node_size.bit_length() - 1
        self._bases = upload(np.array([1] + [0] * levels, np.int32))
        self._numbers, self._entries = (upload(np.zeros(levels, np.int32)) for _ in range(2))
        self._levels = [self._placed(0, np.dtype(dtype).itemsize, keys, shapes, keys, number)]
        for level in range(1, levels):
            below = self._levels[-1]
            own, firsts, found = runs_of_equal(below.keys, below.number, 2 * self._bits, stream)
            sizes = empty(found, np.int32)
            counted = upload(np.array([found], np.int32))
            dense = dense_from(node_size, REFERENCE_BYTES)
            launch(parent_shapes_kernel, found, (firsts, counted, dense, sizes), stream)
            self._levels.append(self._placed(level, REFERENCE_BYTES, own, sizes, firsts, found))
        self.references = self._levels[0].references
        self.result = self._allocated(shape, node_size, np.dtype(dtype))
        if stream:
            stream.synchronize()

    def _placed(self, level: int, width: int, keys: Any, shapes: Any, firsts: Any, number: int) -> _Level:
        runs = -(-number // RUN)
        counted = upload(np.array([number], np.int32))
        totals, offsets, references, kept, nodes, slots = all_or_nothing(
            lambda: (empty(3 * runs, np.int32), empty(3 * runs + 3, np.int32), empty(number, np.uint32),
                     empty(number, np.int64), empty(2 * number, np.uint32), empty(number, np.int32))
        )  # fmt: skip
        sizes, stream = (width, 1 << self._bits), self._stream
        launch(weigh_kernel(*sizes), runs, (shapes, counted, runs, totals), stream)
        enqueue(offsets_kernel, (3, SCAN_THREADS), (totals, runs, offsets), stream)
        launch(
            place_kernel(*sizes),
            runs,
            (shapes, keys, counted, offsets, runs, self._bases, level, self._numbers,
             references, kept, nodes, slots, self._entries),
            stream,
        )  # fmt: skip
        return _Level(number, kept, shapes, firsts, references, nodes)

    def _allocated(self, shape: tuple[int, int], node_size: int, dtype: np.dtype[Any]) -> DeviceTree:
        if self._stream:
            self._stream.synchronize()
        size = int(self._bases.copy_to_host()[-1]) * UNIT_WORDS
        if not 0 <= size <= MAX_WORDS:
            raise UserError("the nodes of the matrix would take more than 16 GiB: use CSR")
        words = all_or_nothing(lambda: cuda.device_array(size, np.uint32))
        words[:UNIT_WORDS].copy_to_device(np.zeros(UNIT_WORDS, np.uint32))
        root = int(self._levels[-1].nodes[:1].copy_to_host()[0])
        leaves = Leaves(self._levels[0].keys, self._levels[0].nodes, self._levels[0].number)
        nodes = tuple(each.number for each in self._levels)
        entries = int(self._entries.copy_to_host()[0])
        return DeviceTree(words, root, shape, len(nodes), nodes, entries, node_size, dtype, leaves)

    def write_inner_nodes(self) -> None:
        """Write all nodes above the leaves."""
        words, halves = self.result.words, self.result.halves
        for below, own in zip(self._levels[:-1], self._levels[1:], strict=True):
            counted = upload(np.array([own.number], np.int32))
            children = below.keys, below.nodes, own.firsts
            arguments = (*children, counted, own.shapes, own.references, words, halves)
            enqueue(inner_kernel(self._bits), (own.number, NODE_THREADS), arguments, self._stream)
        if self._stream:
            self._stream.synchronize()
