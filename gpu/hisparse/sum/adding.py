"""`gpu.add` for HiSparse operands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gpu.hisparse.container import HiSparse
from gpu.hisparse.device_hisparse import DeviceHiSparse
from gpu.hisparse.device_tree import DeviceTree, Leaves
from gpu.hisparse.sum.tree_sum import TreeSum
from vecsim.support.errors import UserError


def is_tree(matrix: Any) -> bool:
    """Return whether a matrix is HiSparse, on the host or on the device."""
    return isinstance(matrix, HiSparse | DeviceHiSparse)


def add_trees(
    first: Any,
    second: Any,
    alpha: float,
    beta: float,
    is_transposed: tuple[bool, bool],
    drop_zeros: bool,
    stream: Any,
) -> DeviceHiSparse:  # fmt: skip
    """Return ``alpha op(A) + beta op(B)`` as a HiSparse matrix on the device.

    Parameters
    ----------
    first, second
        A and B: `HiSparse` or `DeviceHiSparse`, both.
    alpha, beta
        Factors; the scales of the operands are multiplied in.
    is_transposed
        Whether A, and B, are transposed, next to what their states say.
    drop_zeros
        Leave out entries of the sum that are 0.
    stream
        0, or an object of Numba or cuda.core.

    Raises
    ------
    UserError
        One is of another format, or shapes, types or node sizes differ.
    """
    one, two = _operand("A", first), _operand("B", second)
    one, two = (replace(each, transposed=each.transposed != way)
                for each, way in zip((one, two), is_transposed, strict=True))  # fmt: skip
    _check(one, two)
    # Of two transposed operands the sum is transposed, which is nothing but its state.
    both = one.transposed and two.transposed
    ways = (False, False) if both else (one.transposed, two.transposed)
    factors = one.scale * alpha, two.scale * beta
    built = _sum(one.content, two.content, factors, ways, False, stream)
    if drop_zeros:
        nothing = replace(built, root=0, nnz=0, level_nodes=(0,) * built.levels, leaves=Leaves.none())
        built = _sum(built, nothing, (1.0, 1.0), (False, False), True, stream)
    return DeviceHiSparse(built, both)


def _sum(
    first: DeviceTree, second: DeviceTree, factors: tuple[float, float], is_transposed: tuple[bool, bool],
    drop_zeros: bool, stream: Any,
) -> DeviceTree:  # fmt: skip
    work = TreeSum(first, second, is_transposed, drop_zeros=drop_zeros)
    work.count(*factors, stream)
    result = work.empty(stream)
    work.write(work.into(result), *factors, stream)
    if stream:
        stream.synchronize()  # the room for the work must outlive it
    return result


def _operand(name: str, matrix: Any) -> DeviceHiSparse:
    if isinstance(matrix, DeviceHiSparse):
        return matrix
    if isinstance(matrix, HiSparse):
        return DeviceHiSparse.from_hisparse(matrix)
    raise UserError(
        f"{name} is {type(matrix).__name__} and the other operand HiSparse: use HiSparse for both, "
        "or CSR for both"
    )


def _check(first: DeviceHiSparse, second: DeviceHiSparse) -> None:
    for what, one, two in (
        ("shape", first.shape, second.shape),
        ("type", first.dtype, second.dtype),
        ("nodes of size", first.node_size, second.node_size),
    ):
        if one != two:
            raise UserError(f"op(A) has {what} {one} and op(B) {two}: a sum needs them equal")
