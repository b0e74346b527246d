"""The vector operations of an iteration, the same for every layout: vectors are arrays of plain numbers.

Sums have two levels: each block adds up its share in float64, in a fixed order; who needs the sum adds those
of the blocks, each block of threads for itself. So no kernel waits for another one to finish a sum, and bits
are the same in every run. What must be divided by stays on the device.
"""

import functools
from typing import Any

import numpy as np

from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.launches import let_next_begin, wait_for_previous

THREADS = 64 if SIMULATED else 256
WARPS = THREADS // WARP


@device_function
def _warp_sum(total: Any) -> Any:
    """Add the totals of a warp; each lane gets the sum."""
    total += cuda.shfl_xor_sync(EVERY_LANE, total, 16)
    total += cuda.shfl_xor_sync(EVERY_LANE, total, 8)
    total += cuda.shfl_xor_sync(EVERY_LANE, total, 4)
    total += cuda.shfl_xor_sync(EVERY_LANE, total, 2)
    return total + cuda.shfl_xor_sync(EVERY_LANE, total, 1)


@device_function
def _block_sum(total: Any, of_warps: Any) -> Any:
    """Add the totals of a block; each thread gets the sum."""
    thread = cuda.threadIdx.x
    total = _warp_sum(total)
    cuda.syncthreads()
    if thread % WARP == 0:
        of_warps[thread // WARP] = total
    cuda.syncthreads()
    found = np.float64(0)
    for warp in range(WARPS):
        found += of_warps[warp]
    return found


@device_function
def _of_all_blocks(parts: Any, first: Any, blocks: Any, of_warps: Any) -> Any:
    """Add the sums of all blocks, which begin at `first`; each thread gets the sum."""
    total, at = np.float64(0), cuda.threadIdx.x
    while at < blocks:
        total += parts[first + at]
        at += THREADS
    return _block_sum(total, of_warps)


@functools.cache
def axpby_kernel(real: Any) -> Any:
    """Make the kernel ``y = alpha x + beta y``; y is not read where beta is 0."""

    @cuda.jit
    def kernel(x, y, alpha, beta):
        """Take an element a thread at a time.

        Parameters
        ----------
        x, y
            real of one length.
        alpha, beta
            Scalars of the real type.
        """
        let_next_begin()
        wait_for_previous()
        at = cuda.grid(1)
        while at < y.size:
            found = alpha * x[at]
            if beta != real(0):
                found += beta * y[at]
            y[at] = found
            at += cuda.gridsize(1)

    return kernel


@functools.cache
def dot_kernel(real: Any) -> Any:
    """Make the kernel that adds up the products of two vectors, a sum a block."""

    @cuda.jit
    def kernel(x, y, parts):
        """Add up this block's share.

        Parameters
        ----------
        x, y
            real of one length.
        parts
            float64, one a block.
        """
        of_warps = cuda.shared.array(WARPS, np.float64)
        let_next_begin()
        wait_for_previous()
        total, at = np.float64(0), cuda.grid(1)
        while at < x.size:
            total += np.float64(x[at]) * np.float64(y[at])
            at += cuda.gridsize(1)
        total = _block_sum(total, of_warps)
        if cuda.threadIdx.x == 0:
            parts[cuda.blockIdx.x] = total

    return kernel


@functools.cache
def update_kernel(real: Any, size: int, plain: bool) -> Any:
    """Make the kernel ``x += alpha p, r -= alpha q, z = inverse r`` with the sums of r . z and r . r.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    size
        C, components of an element.
    plain
        Whether each inverse is one number.
    """
    numbers = 1 if plain else size * size

    @cuda.jit
    def kernel(x, r, z, p, q, inverses, count, inner, parts, parity):
        """Take an element a thread at a time.

        Parameters
        ----------
        x, r, z, p, q
            real: vectors.
        inverses
            real: number k of that of element n at k times `count` and n.
        count, inner
            Elements; of an inner array of the vectors' layout.
        parts
            float64 of 5 a block: sums of p . q; of r . z of even, of odd iterations; of r . r likewise.
        parity
            Of this iteration.
        """
        of_warps = cuda.shared.array(WARPS, np.float64)
        own = cuda.local.array(size, np.float64)
        let_next_begin()
        wait_for_previous()
        blocks = cuda.gridDim.x
        curvature = _of_all_blocks(parts, 0, blocks, of_warps)
        rz = _of_all_blocks(parts, (1 + parity) * blocks, blocks, of_warps)
        alpha = rz / curvature if curvature > 0 else np.float64(0)
        scaled, squared = np.float64(0), np.float64(0)
        element = cuda.grid(1)
        while element < count:
            first = element // inner * inner * size + element % inner
            for each in range(size):
                at = first + each * inner
                x[at] += real(alpha * p[at])
                left = real(r[at] - alpha * q[at])
                r[at] = left
                own[each] = left
                squared += np.float64(left) * np.float64(left)
            for each in range(size):
                found = np.float64(0)
                if numbers == 1:
                    found = np.float64(inverses[element]) * own[each]
                else:
                    for other in range(size):
                        found += np.float64(inverses[(each * size + other) * count + element]) * own[other]
                rounded = real(found)
                z[first + each * inner] = rounded
                scaled += np.float64(rounded) * own[each]
            element += cuda.gridsize(1)
        scaled = _block_sum(scaled, of_warps)
        squared = _block_sum(squared, of_warps)
        if cuda.threadIdx.x == 0:
            parts[(2 - parity) * blocks + cuda.blockIdx.x] = scaled
            parts[(4 - parity) * blocks + cuda.blockIdx.x] = squared

    return kernel


@functools.cache
def direction_kernel(real: Any) -> Any:
    """Make the kernel ``p = z + beta p``, which also notes the iteration's numbers."""

    @cuda.jit
    def kernel(p, z, parts, parity, history, iteration):
        """Take a component a thread at a time.

        Parameters
        ----------
        p, z
            real: vectors.
        parts, parity
            As of `update_kernel`.
        history
            float64 of 3 an iteration: p . q, r . z before and r . r after it.
        iteration
            int64 of 1: how many are noted.
        """
        of_warps = cuda.shared.array(WARPS, np.float64)
        let_next_begin()
        wait_for_previous()
        blocks = cuda.gridDim.x
        before = _of_all_blocks(parts, (1 + parity) * blocks, blocks, of_warps)
        now = _of_all_blocks(parts, (2 - parity) * blocks, blocks, of_warps)
        beta = now / before if before > 0 else np.float64(0)
        if cuda.blockIdx.x == 0:
            curvature = _of_all_blocks(parts, 0, blocks, of_warps)
            squared = _of_all_blocks(parts, (4 - parity) * blocks, blocks, of_warps)
            if cuda.threadIdx.x == 0:
                at = 3 * iteration[0]
                if at + 2 < history.size:
                    history[at], history[at + 1], history[at + 2] = curvature, before, squared
                iteration[0] += 1
        at = cuda.grid(1)
        while at < p.size:
            p[at] = real(z[at] + beta * p[at])
            at += cuda.gridsize(1)

    return kernel
