"""Kernels that do one thing as fast as the device can: read, gather, add to memory, nothing.

Sizes are powers of two, indices unsigned and random numbers made in registers, so that nothing but the
operation in question costs time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.cuda.extending import intrinsic

from gpu.kernel_parts.loads import LOADS
from gpu.runtime.cuda import cuda, device_function

UNROLLED = 8
"""Independent operations of a thread in flight."""

COALESCED, SCATTERED, WARP_SHARED, SHARED = range(4)
"""Where reductions go: neighbours to neighbours, anywhere, one address a warp, one address for all."""

_MULTIPLIER, _INCREMENT = np.uint32(1664525), np.uint32(1013904223)
_SPREAD = np.uint32(2654435761)
_READ_QUAD = LOADS[4]


@intrinsic
def _add_quad(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Add a float32 to each of four neighbours by one reduction (compute capability 9.0)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        pointer = builder.gep(data, [arguments[1]])
        assembly = ir.InlineAsm(
            ir.FunctionType(ir.VoidType(), [pointer.type, ir.FloatType()]),
            "red.global.add.v4.f32 [$0], {$1,$1,$1,$1};",
            "l,f,~{memory}",
            side_effect=True,
        )
        builder.call(assembly, [pointer, arguments[2]])
        return context.get_dummy_value()

    return types.void(array, types.int64, types.float32), generate


@cuda.jit
def read(data: Any, out: Any) -> None:
    """Read all of an array.

    Parameters
    ----------
    data
        float32, a multiple of 4 long.
    out
        float32 of 1, written only if the sum is -1: so the reads are not optimised away.
    """
    total = np.float32(0)
    step = cuda.gridsize(1)
    quads = data.size >> 2
    index = cuda.grid(1)
    while index + 3 * step < quads:
        a = _READ_QUAD(data, index * 4)
        b = _READ_QUAD(data, (index + step) * 4)
        c = _READ_QUAD(data, (index + 2 * step) * 4)
        d = _READ_QUAD(data, (index + 3 * step) * 4)
        total += (a[0] + a[1]) + (a[2] + a[3]) + (b[0] + b[1]) + (b[2] + b[3])
        total += (c[0] + c[1]) + (c[2] + c[3]) + (d[0] + d[1]) + (d[2] + d[3])
        index += 4 * step
    while index < quads:
        a = _READ_QUAD(data, index * 4)
        total += (a[0] + a[1]) + (a[2] + a[3])
        index += step
    if total == np.float32(-1):
        out[0] = total


@cuda.jit
def gather(x: Any, rounds: Any, out: Any) -> None:
    """Read ``rounds`` times 8 random elements in each thread.

    Parameters
    ----------
    x
        float32 or float64, a power of two long.
    rounds
        Of 8 elements each.
    out
        One element of the type of x, written only if the sum is -1.
    """
    mask = np.uint32(x.size - 1)
    state = np.uint32(np.uint32(cuda.grid(1) + 1) * _SPREAD)
    total = x[np.uint32(0)]
    for _ in range(rounds):
        for _ in range(UNROLLED):
            state = np.uint32(state * _MULTIPLIER + _INCREMENT)
            # The high bits are the random ones of such a generator.
            total += x[((state >> np.uint32(16)) ^ (state << np.uint32(13))) & mask]
    if total == x.dtype.type(-1):
        out[0] = total


@device_function
def _target(pattern: Any, thread: Any, number: Any, state: Any, mask: Any) -> Any:
    """Return the element that a thread's reduction of this number goes to."""
    if pattern == COALESCED:
        return np.uint32(thread + number) & mask
    if pattern == SHARED:
        return np.uint32(0)
    return ((state >> np.uint32(16)) ^ (state << np.uint32(13))) & mask


@device_function
def _seed(pattern: Any) -> Any:
    """Start a thread's random numbers; those of a warp are the same if it shares its addresses."""
    thread = cuda.grid(1)
    if pattern == WARP_SHARED:
        thread = thread >> 5
    return np.uint32(np.uint32(thread + 1) * _SPREAD)


@cuda.jit
def reduce(y: Any, pattern: Any, rounds: Any) -> None:
    """Add 1 to ``rounds`` times 8 elements in each thread, with atomic reductions.

    Parameters
    ----------
    y
        float32 or float64, a power of two long.
    pattern
        Which elements: `COALESCED`, `SCATTERED`, `WARP_SHARED` or `SHARED`.
    rounds
        Of 8 elements each.
    """
    mask = np.uint32(y.size - 1)
    state = _seed(pattern)
    one = y.dtype.type(1)
    step = cuda.gridsize(1)
    number = 0
    for _ in range(rounds):
        for _ in range(UNROLLED):
            state = np.uint32(state * _MULTIPLIER + _INCREMENT)
            cuda.atomic.add(y, _target(pattern, cuda.grid(1), number, state, mask), one)
            number += step


@cuda.jit
def reduce_quads(y: Any, pattern: Any, rounds: Any) -> None:
    """Add 1 to ``rounds`` times 8 quads in each thread, a quad an instruction.

    Parameters
    ----------
    y
        float32, a power of two long.
    pattern, rounds
        As of `reduce`.
    """
    mask = np.uint32((y.size >> 2) - 1)
    state = _seed(pattern)
    step = cuda.gridsize(1)
    number = 0
    for _ in range(rounds):
        for _ in range(UNROLLED):
            state = np.uint32(state * _MULTIPLIER + _INCREMENT)
            target = _target(pattern, cuda.grid(1), number, state, mask)
            _add_quad(y, np.int64(target) * 4, np.float32(1))
            number += step


@cuda.jit
def nothing() -> None:
    """Do nothing, without arguments."""


@cuda.jit
def nothing_with_one(a: Any) -> None:
    """Do nothing, with one array.

    Parameters
    ----------
    a
        Any array on the device; it is not read.
    """


@cuda.jit
def nothing_with_five(a: Any, b: Any, c: Any, d: Any, e: Any) -> None:
    """Do nothing, with five arrays.

    Parameters
    ----------
    a, b, c, d, e
        Any arrays on the device; none is read.
    """
