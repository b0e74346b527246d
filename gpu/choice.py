"""Which format `auto` takes: the one whose product should take the least time, by bytes and longest chain.

time = max(stored bytes / rate of the format, loads that one thread does one after the other x time of a
load). The bytes are exact but for a few pointers, counted from the lengths of the rows; nothing is converted.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.sliced import ALWAYS_MADE_BYTES, MAX_GROWTH
from vecsim.formats.slicing import WARP

from .crs import lanes_for
from .kernels import ROW_CAP

# Bytes a second of float32 and float64 products: on an H200 (copy 4.28e12) with a 7-point stencil
# on 150^3 nodes and 70 random entries a row in a band of 4000, means of both. CRS on the stencil.
RATES = {
    "sliced-ell": (3.4e12, 3.9e12),
    "sliced-ell-wide": (4.0e12, 4.0e12),
    "sliced-ell-short": (2.9e12, 3.8e12),
    "sliced-ell-short-wide": (3.6e12, 4.0e12),
    "sell-c-sigma": (3.4e12, 3.8e12),
    "crs": (2.1e12, 2.9e12),
    "crs-split": (2.1e12, 2.9e12),
}
# Seconds a load and gather out of memory takes, four under way at once: 0.4 us. Measured on a Kronecker
# matrix whose longest row one thread takes.
STEP_SECONDS = 1e-7
WINDOW = 1024
HIGHEST_OFFSET = 2**16 - 2


def choose(matrix: Any) -> str:
    """Give the name of the format for a SciPy CSR matrix of float32 or float64."""
    seconds = estimates(np.diff(matrix.indptr), matrix.dtype.itemsize, _slice_spread(matrix))
    return min(seconds, key=lambda name: seconds[name])


def estimates(lengths: NDArray[np.integer[Any]], value_bytes: int, slice_spread: int) -> dict[str, float]:
    """Give the estimated seconds of a product by format, x and y apart.

    Parameters
    ----------
    lengths
        Entries of each row.
    value_bytes
        4 or 8.
    slice_spread
        How far columns of one slice lie apart at most: decides on 16-bit offsets.
    """
    rows, entries = len(lengths), int(lengths.sum())
    longest = int(lengths.max(initial=0))
    whole, short = value_bytes + 4, value_bytes + 2
    in_order = _slice_widths(lengths)
    sorted_ = _slice_widths(np.sort(_in_runs(lengths, WINDOW), axis=1).ravel())
    pairs = int((in_order + in_order % 2).sum()) * WARP
    crs_bytes = entries * whole + rows * 4
    pieces = rows + int((lengths // ROW_CAP).sum())
    mean = entries / max(1, rows)
    of = {
        "sliced-ell": (int(in_order.sum()) * WARP * whole, longest),
        "sliced-ell-wide": (pairs * whole, longest),
        "sell-c-sigma": (int(sorted_.sum()) * WARP * whole + rows * 4, longest),
        "crs": (crs_bytes, longest / lanes_for(mean, cut=False)),
        "crs-split": (crs_bytes + pieces * 4, min(longest, ROW_CAP) / lanes_for(mean, cut=True)),
    }
    if slice_spread <= HIGHEST_OFFSET:
        of["sliced-ell-short"] = (int(in_order.sum()) * WARP * short, longest)
        of["sliced-ell-short-wide"] = (pairs * short, longest)
    return {
        name: max(stored / RATES[name][value_bytes == 8], chain * STEP_SECONDS)
        for name, (stored, chain) in of.items()
        if stored <= max(ALWAYS_MADE_BYTES, MAX_GROWTH * crs_bytes)
    }


def _in_runs(lengths: NDArray[np.integer[Any]], run: int) -> NDArray[np.integer[Any]]:
    padded = np.zeros(-(-len(lengths) // run) * run, dtype=lengths.dtype)
    padded[: len(lengths)] = lengths
    runs: NDArray[np.integer[Any]] = padded.reshape(-1, run)
    return runs


def _slice_widths(lengths: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    widths: NDArray[np.int64] = _in_runs(lengths, WARP).max(axis=1, initial=0).astype(np.int64)
    return widths


def _slice_spread(matrix: Any) -> int:
    """Give the largest distance of two columns within a slice of a warp of rows."""
    filled = np.flatnonzero(np.diff(matrix.indptr[::WARP].astype(np.int64), append=matrix.nnz))
    if not len(filled):
        return 0
    first = matrix.indptr[filled * WARP]
    high = np.maximum.reduceat(matrix.indices, first)
    low = np.minimum.reduceat(matrix.indices, first)
    return int((high - low).max())
