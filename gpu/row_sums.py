"""Kernels that end a product: sums of the pieces of a row in a fixed order, and y scaled by beta."""

import functools
from typing import Any

from .cuda import EVERY_LANE, WARP, cuda


@functools.cache
def piece_sums(real: Any) -> Any:
    """Make the kernel ``y[rows[k]] = alpha sum(pieces[first[k]:last[k]]) + beta y[rows[k]]``.

    A warp a row; each lane sums every 32nd piece, then the lanes are summed as a tree, so the order is fixed.
    y is not read where beta is 0.
    """

    @cuda.jit
    def kernel(pieces, rows, first, last, y, alpha, beta):  # type: ignore[no-untyped-def]
        thread = cuda.grid(1)
        k = thread // WARP
        total = real(0)
        if k < rows.size:
            at = int(first[k]) + thread % WARP
            end = int(last[k])
            while at < end:
                total += pieces[at]
                at += WARP
        offset = WARP // 2
        while offset > 0:
            total += cuda.shfl_xor_sync(EVERY_LANE, total, offset)
            offset //= 2
        if k < rows.size and thread % WARP == 0:
            row = rows[k]
            result = alpha * total
            if beta != real(0):
                result += beta * y[row]
            y[row] = result

    return kernel


@functools.cache
def scaled(real: Any) -> Any:
    """Make the kernel ``y = beta y``; y is not read where beta is 0."""

    @cuda.jit
    def kernel(y, beta):  # type: ignore[no-untyped-def]
        row = cuda.grid(1)
        if row < y.size:
            y[row] = beta * y[row] if beta != real(0) else real(0)

    return kernel
