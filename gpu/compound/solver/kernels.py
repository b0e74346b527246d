"""The vector operations of an iteration, for any layout of vectors.

Sums have two levels: each block adds up its share in float64, in a fixed order; the block that ends last adds
those of all blocks, in their order. So bits are the same in every run, and the next kernel reads one number.
What must be divided by stays on the device.

An iteration reads p and q (their product), then r and q and writes r, then reads p, x and r and writes p and
x: ten vectors, and the inverses twice. Where these are no single numbers, M r is kept instead: eleven
vectors, and the inverses once.

The device functions that know how many components an element has are generated from text.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.compound import expressions
from gpu.compound.component_layout import ComponentLayout
from gpu.compound.generated_parts import vector_parts
from gpu.kernel_parts.warps import sum_of_reals
from gpu.runtime.cuda import SIMULATED, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence


@dataclass(frozen=True)
class ElementParts:
    """Device functions of elements of C components, which are tuples.

    Attributes
    ----------
    combined
        ``combined(a, s, t)``: s + a t, for a number a, rounded to the real type.
    dotted
        ``dotted(s, t)``: the scalar product, in float64.
    preconditioned
        ``preconditioned(inverses, number, count, r)``: element r, by its number, multiplied by its inverse.
    """

    combined: Any
    dotted: Any
    preconditioned: Any


@functools.cache
def element_parts(real: Any, size: int, plain: bool) -> ElementParts:
    """Generate the functions.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    size
        C.
    plain
        Whether each inverse is one number; otherwise it is a symmetric matrix, and number k of its lower
        triangle (`place_of`) stands at k count + n for element n.
    """
    each = range(size)
    texts = {
        "combined": ("a, s, t", [f"real(s[{k}] + a * t[{k}])" for k in each]),
        "preconditioned": (
            "inverses, number, count, r",
            [f"real({_row(k, size, plain)})" for k in each],
        ),
    }
    built = {
        name: _made(f"def {name}({given}):\n    return ({', '.join(result)},)\n", name, real)
        for name, (given, result) in texts.items()
    }
    products = " + ".join(f"float64(s[{k}]) * float64(t[{k}])" for k in each)
    return ElementParts(dotted=_made(f"def dotted(s, t):\n    return {products}\n", "dotted", real), **built)


def place_of(row: int, column: int) -> int:
    """Return the place of a number of a symmetric matrix whose lower triangle is kept, row by row."""
    first, second = max(row, column), min(row, column)
    return first * (first + 1) // 2 + second


def _row(row: int, size: int, plain: bool) -> str:
    if plain:
        return f"float64(inverses[uint64(number)]) * r[{row}]"
    return " + ".join(
        f"float64(inverses[uint64({place_of(row, column)} * count + number)]) * r[{column}]"
        for column in range(size)
    )


def _made(text: str, name: str, real: Any) -> Any:
    return device_function(
        expressions.of_scalars(text, name, real, {"uint64": np.uint64, "float64": np.float64})
    )


THREADS = 64 if SIMULATED else 256
WARPS = THREADS // WARP
CURVATURE, RZ, RR, SUMS = 0, 1, 3, 4
"""Places of sums: p . q; r . z of even, then of odd iterations; r . r; and how many there are."""


@device_function
def _block_sum(total: Any, of_warps: Any) -> Any:
    """Add the totals of a block; each thread gets the sum."""
    thread = cuda.threadIdx.x
    total = sum_of_reals(total)
    cuda.syncthreads()
    if thread % WARP == 0:
        of_warps[thread // WARP] = total
    cuda.syncthreads()
    result = np.float64(0)
    for warp in range(WARPS):
        result += of_warps[warp]
    return result


@device_function
def _of_all_blocks(one: Any, two: Any, parts: Any, arrived: Any, of_warps: Any, is_last: Any) -> Any:
    """Keep the totals of this block; in the block that ends last return the sums of all blocks.

    Every thread gets whether its block is the last, and both sums.
    """
    one, two = _block_sum(one, of_warps), _block_sum(two, of_warps)
    thread, blocks = cuda.threadIdx.x, cuda.gridDim.x
    if thread == 0:
        parts[cuda.blockIdx.x] = one
        parts[blocks + cuda.blockIdx.x] = two
        cuda.threadfence()
        before = cuda.atomic.add(arrived, 0, np.uint32(1))
        is_last[0] = np.int32(before + np.uint32(1) == blocks)
    cuda.syncthreads()
    one, two = np.float64(0), np.float64(0)
    if is_last[0] != 0:
        cuda.threadfence()
        at = thread
        while at < blocks:
            one += parts[at]
            two += parts[blocks + at]
            at += THREADS
        one, two = _block_sum(one, of_warps), _block_sum(two, of_warps)
        if thread == 0:
            arrived[0] = np.uint32(0)
    return is_last[0] != 0, one, two


@functools.cache
def dot_kernel(real: Any) -> Any:
    """Make the kernel that adds up the products of two vectors."""

    @cuda.jit
    def kernel(x, y, parts, arrived, sums):
        """Add up this block's share; the last block writes the sum.

        Parameters
        ----------
        x, y
            real of one length.
        parts
            float64, two a block.
        arrived
            uint32 of 1: blocks that have ended; 0 before and after.
        sums
            float64: the first becomes the sum.
        """
        of_warps = cuda.shared.array(WARPS, np.float64)
        is_last = cuda.shared.array(1, np.int32)
        begin_in_sequence()
        total, at = np.float64(0), cuda.grid(1)
        while at < x.size:
            total += np.float64(x[at]) * np.float64(y[at])
            at += cuda.gridsize(1)
        last, total, _ = _of_all_blocks(total, np.float64(0), parts, arrived, of_warps, is_last)
        if last and cuda.threadIdx.x == 0:
            sums[CURVATURE] = total

    return kernel


@functools.cache
def residual_kernel(real: Any, size: int, vector: ComponentLayout, plain: bool) -> Any:
    """Make the kernel ``r -= alpha q`` with the sums of r . z and r . r, where z = M r.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    size
        C, components of an element.
    vector
        The layout of vectors.
    plain
        Whether each inverse is one number: then z is not kept.
    """
    element_at, store = vector_parts(vector, size, real)
    parts_of = element_parts(real, size, plain)
    combined, dotted, preconditioned = parts_of.combined, parts_of.dotted, parts_of.preconditioned

    @cuda.jit
    def kernel(r, q, z, inverses, count, parts, arrived, sums, parity):
        """Take an element a thread at a time; the last block writes the sums.

        Parameters
        ----------
        r, q, z
            real: vectors.
        inverses
            real, as of `element_parts`.
        count
            Elements.
        parts, arrived
            As of `dot_kernel`.
        sums
            float64 of `SUMS`.
        parity
            Of this iteration.
        """
        of_warps = cuda.shared.array(WARPS, np.float64)
        is_last = cuda.shared.array(1, np.int32)
        begin_in_sequence()
        curvature = sums[CURVATURE]
        alpha = sums[RZ + parity] / curvature if curvature > 0 else np.float64(0)
        scaled, squared = np.float64(0), np.float64(0)
        number = np.int64(cuda.grid(1))
        while number < count:
            of_r, of_q = element_at(r, number, count, True), element_at(q, number, count, True)
            left = combined(-alpha, of_r, of_q)
            of_z = preconditioned(inverses, number, count, left)
            store(r, number, count, left)
            if not plain:
                store(z, number, count, of_z)
            scaled += dotted(left, of_z)
            squared += dotted(left, left)
            number += cuda.gridsize(1)
        last, scaled, squared = _of_all_blocks(scaled, squared, parts, arrived, of_warps, is_last)
        if last and cuda.threadIdx.x == 0:
            sums[RZ + 1 - parity] = scaled
            sums[RR] = squared

    return kernel


@functools.cache
def direction_kernel(real: Any, size: int, vector: ComponentLayout, plain: bool) -> Any:
    """Make the kernel ``x += alpha p, p = z + beta p``, which also notes the iteration's numbers.

    Parameters
    ----------
    real, size, vector, plain
        As of `residual_kernel`.
    """
    element_at, store = vector_parts(vector, size, real)
    parts_of = element_parts(real, size, plain)
    combined, preconditioned = parts_of.combined, parts_of.preconditioned

    @cuda.jit
    def kernel(x, p, z, inverses, count, sums, parity, history, iteration):
        """Take an element a thread at a time.

        Parameters
        ----------
        x, p
            real: vectors.
        z
            real: M r; where inverses are single numbers r itself.
        inverses, count, sums, parity
            As of `residual_kernel`.
        history
            float64 of 3 an iteration: p . q, r . z before and r . r after it.
        iteration
            int64 of 1: how many are noted.
        """
        begin_in_sequence()
        curvature, before, now = sums[CURVATURE], sums[RZ + parity], sums[RZ + 1 - parity]
        alpha = before / curvature if curvature > 0 else np.float64(0)
        beta = now / before if before > 0 else np.float64(0)
        number = np.int64(cuda.grid(1))
        if number == 0:
            at = 3 * iteration[0]
            if at + 2 < history.size:
                history[at], history[at + 1], history[at + 2] = curvature, before, sums[RR]
            iteration[0] += 1
        while number < count:
            of_x, of_p = element_at(x, number, count, True), element_at(p, number, count, True)
            of_z = element_at(z, number, count, True)
            if plain:
                of_z = preconditioned(inverses, number, count, of_z)
            store(x, number, count, combined(alpha, of_x, of_p))
            store(p, number, count, combined(beta, of_z, of_p))
            number += cuda.gridsize(1)

    return kernel
