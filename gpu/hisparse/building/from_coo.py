"""Unsorted COO on the device into HiSparse: sorted by the paths from the root, then built level by level.

The paper sorts entries into bins level by level (section 3.2); here they are sorted once, by what the bins of
all levels would say together, and the nodes of a level are the runs of entries whose paths begin alike.

Entries get their keys in the tree, equal ones are summed, and a stored -0.0 keeps its leaf sparse. The key of
an entry is that of its leaf (`gpu.hisparse.building.node_kernels`), and after it the place in the leaf.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.hisparse.building.node_kernels import parent_shapes_kernel
from gpu.hisparse.building.node_plan import NodePlan, most_nodes
from gpu.hisparse.building.node_writing import NODE_THREADS, fill_kernel
from gpu.hisparse.device_tree import DeviceTree
from gpu.hisparse.node_layout import DEFAULT_NODE_SIZE, DENSE, dense_from, level_count, node_bits
from gpu.hisparse.node_shapes import KIND_BITS, shape_of
from gpu.runtime.cuda import cuda, require_gpu
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import enqueue, launch
from gpu.runtime.memory import all_or_nothing, empty, upload
from gpu.runtime.vectors import as_device_array, is_on_device
from gpu.sorting.radix_sort import sort_pairs
from gpu.sorting.runs import runs_of_equal
from vecsim.formats.canonical_csr import MAX_COUNT, checked_shape
from vecsim.support.errors import UserError


@functools.cache
def keys_kernel(bits: int, levels: int) -> Any:
    """Make the kernel that gives entries their keys.

    Parameters
    ----------
    bits
        log2 of d.
    levels
        D.
    """
    mask = (1 << bits) - 1

    @cuda.jit
    def kernel(rows, columns, number, height, width, keys, order, outside):
        """Take an entry a thread.

        Parameters
        ----------
        rows, columns
            Integers, of each entry.
        number
            How many there are.
        height, width
            Of the matrix.
        keys, order
            int64 and int32: what is written; the order is that of the entries.
        outside
            int32 of 1: becomes 1 if an entry lies outside the matrix.
        """
        at = np.int64(cuda.grid(1))
        begin_in_sequence()
        if at < number:
            row, column = np.int64(rows[at]), np.int64(columns[at])
            if row < 0 or row >= height or column < 0 or column >= width:
                outside[0] = np.int32(1)
                row = column = np.int64(0)
            key = np.int64(0)
            for level in range(levels):
                row_place, column_place = row >> bits * level & mask, column >> bits * level & mask
                key |= (row_place << bits | column_place) << 2 * bits * level
            keys[at] = key
            order[at] = np.int32(at)

    return kernel


@cuda.jit
def sums_kernel(values, order, firsts, number, sums):
    """Add up entries of one position, in the order in which they were given, a position a thread.

    Parameters
    ----------
    values
        Of all entries as they were given.
    order
        int32: which of them stand where, in the order of their keys.
    firsts
        int32 of one more: where the entries of each position begin in that order.
    number
        Of positions.
    sums
        What is written.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < number:
        end = np.int64(firsts[at + 1])
        entry = np.int64(firsts[at])
        total = values[order[entry]]
        entry += 1
        while entry < end:
            total = total + values[order[entry]]
            entry += 1
        sums[at] = total


@cuda.jit
def negative_zeros_kernel(values, number, firsts, leaves, most, shapes):
    """Let leaves with a stored -0.0 stay sparse, where it would mean no entry: in dense ones not full.

    Parameters
    ----------
    values
        Of the entries in the order of their keys.
    number
        How many there are.
    firsts
        int32: the first entry of each leaf.
    leaves
        How many there are.
    most
        d^2.
    shapes
        int32, of each leaf: what is changed.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < number:
        value = values[at]
        if value == 0 and math.copysign(1.0, value) < 0:
            low, high = np.int64(0), np.int64(leaves)
            while high - low > 1:
                middle = (low + high) >> 1
                if firsts[middle] <= at:
                    low = middle
                else:
                    high = middle
            shape = shapes[low]
            if shape & 3 == DENSE and shape >> KIND_BITS < most:
                shapes[low] = shape_of(np.int32(shape >> KIND_BITS), False)


REALS = (np.dtype(np.float32), np.dtype(np.float64))
INTEGERS = (np.dtype(np.int32), np.dtype(np.int64))


def tree_from_coo(
    rows: Any, columns: Any, values: Any, shape: tuple[int, int], node_size: int = DEFAULT_NODE_SIZE,
    stream: Any = 0,
) -> DeviceTree:  # fmt: skip
    """Convert unsorted COO on the device; entries of one position are summed, explicit zeros kept.

    The tree has the nodes that `gpu.hisparse.container.HiSparse.from_scipy` makes, in another order in
    the pool.

    Parameters
    ----------
    rows, columns
        int32 or int64, one an entry: arrays of the device, of any library, or of the host.
    values
        float32 or float64, likewise.
    shape
        Rows and columns of the matrix.
    node_size
        d, a power of two from 4 to 256.
    stream
        0, or an object of Numba or cuda.core; the tree is ready when this returns.

    Raises
    ------
    UserError
        There is no GPU, an array has another type or length, an entry lies outside the matrix, there are
        more than 2^31 - 1 rows, columns or entries, or the nodes would take more than 16 GiB.
    OutOfDeviceMemoryError
        The device has too little memory.
    """
    result = positions_of(rows, columns, values, shape, node_size, stream)
    bits, levels = node_bits(node_size), level_count(max(result.shape), node_size)
    dtype = np.dtype(result.values.dtype)
    if result.number == 0:
        return DeviceTree.without_entries(result.shape, node_size, dtype, levels)
    keys, firsts, number = runs_of_equal(result.keys, result.number, 0, stream)
    entries = all_or_nothing(lambda: empty(number, dtype))
    launch(sums_kernel, number, (result.values, result.order, firsts, number, entries), stream)
    leaf_keys, leaf_firsts, leaves = runs_of_equal(keys, number, 2 * bits, stream)
    shapes = leaf_shapes(leaf_firsts, leaves, entries, number, node_size, stream)
    bounds = most_nodes(leaves, result.shape, node_size, levels)
    plan = NodePlan(bounds, node_size, dtype, shapes, leaf_keys)
    plan.place(stream)
    built = plan.empty_tree(result.shape, stream)
    pool = built.words, built.halves, built.values
    arguments = (keys, entries, leaf_firsts, shapes, plan.leaves.references, *pool)
    enqueue(fill_kernel(dtype.type, bits), (leaves, NODE_THREADS), arguments, stream)
    plan.write_inner_nodes(built, stream)
    return built


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions and values on the device, in the order of the keys.

    Attributes
    ----------
    keys
        int64 device array, rising.
    order
        int32 device array: which of those that were given each is; equal ones in the order given.
    values
        Device array, as they were given.
    number
        How many there are.
    shape
        Of the matrix.
    """

    keys: Any
    order: Any
    values: Any
    number: int
    shape: tuple[int, int]


def positions_of(
    rows: Any, columns: Any, values: Any, shape: tuple[int, int], node_size: int, stream: Any
) -> Positions:
    """Sort positions by their paths from the root of a tree; parameters and errors of `tree_from_coo`.

    Parameters
    ----------
    rows, columns, values, shape, node_size, stream
        As there.
    """
    require_gpu()
    bits = node_bits(node_size)
    height, width = checked_shape(shape)
    named = (("rows", rows), ("columns", columns), ("values", values))
    arrays = [_on_device(name, each) for name, each in named]
    number = _checked(arrays)
    if number == 0:
        return Positions(None, None, arrays[2], 0, (height, width))
    levels = level_count(max(height, width), node_size)
    keys, order = all_or_nothing(lambda: (empty(number, np.int64), empty(number, np.int32)))
    outside = upload(np.zeros(1, np.int32))
    arguments = (arrays[0], arrays[1], number, height, width, keys, order, outside)
    launch(keys_kernel(bits, levels), number, arguments, stream)
    used = used_bits((height, width), bits, levels)
    keys, order = sort_pairs(keys, order, number, used, stream)
    if stream:
        stream.synchronize()
    if outside.copy_to_host()[0]:
        raise UserError(
            f"an entry is outside the matrix of {height} x {width}: rows and columns must be "
            "from 0 to the shape - 1"
        )
    return Positions(keys, order, arrays[2], number, (height, width))


def leaf_shapes(firsts: Any, leaves: int, entries: Any, number: int, node_size: int, stream: Any) -> Any:
    """Store how large leaves are, by the type rule and its exception for a stored -0.0.

    Parameters
    ----------
    firsts
        int32: the first entry of each leaf, and the number of entries.
    leaves
        How many there are.
    entries
        Values, leaf by leaf.
    number
        How many there are.
    node_size
        d.
    stream
        0, or an object of Numba or cuda.core.
    """
    shapes, counted = empty(leaves, np.int32), upload(np.array([leaves], np.int32))
    dense = dense_from(node_size, entries.dtype.itemsize)
    launch(parent_shapes_kernel, leaves, (firsts, counted, dense, shapes), stream)
    arguments = (entries, number, firsts, leaves, node_size * node_size, shapes)
    launch(negative_zeros_kernel, number, arguments, stream)
    return shapes


def used_bits(shape: tuple[int, int], bits: int, levels: int) -> int:
    """Return the bits that a key may have set, of an entry in a matrix of this shape.

    Parameters
    ----------
    shape
        Rows and columns.
    bits
        log2 of d.
    levels
        D.
    """
    used, mask = 0, (1 << bits) - 1
    for level in range(levels):
        sides = [(1 << ((max(side, 1) - 1) >> bits * level).bit_length()) - 1 for side in shape]
        used |= ((sides[0] & mask) << bits | sides[1] & mask) << 2 * bits * level
    return used


def _on_device(name: str, array: Any) -> Any:
    allowed = REALS if name == "values" else INTEGERS
    if np.ma.is_masked(array):
        raise UserError(f"{name} have masked elements: fill them first")
    view = as_device_array(array) if is_on_device(array) else np.ascontiguousarray(array)
    if not view.size and isinstance(array, list) and name != "values":
        view = view.astype(np.int64)
    if view.ndim != 1 or view.dtype not in allowed:
        types = " or ".join(map(str, allowed))
        raise UserError(f"{name} must be a vector of {types}, not {view.dtype} of shape {view.shape}")
    return view if is_on_device(array) else upload(view) if view.size else view


def _checked(arrays: list[Any]) -> int:
    sizes = [int(each.size) for each in arrays]
    if len(set(sizes)) > 1:
        raise UserError(
            f"rows, columns and values have {sizes[0]}, {sizes[1]} and {sizes[2]} elements: "
            "the numbers must be equal"
        )
    if sizes[0] > MAX_COUNT:
        raise UserError(f"{sizes[0]} entries are too many; at most 2^31 - 1 are possible")
    return sizes[0]
