"""The second operand of the paper's sums: A with every entry moved within its neighbourhood."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from vecsim.formats.canonical_csr import canonical_csr

SIGMA = 10.0
"""Standard deviation of the moves, in rows and in columns."""
SEED = 20170614


def moved(csr: Any, seed: int = SEED) -> Any:
    """Move each entry by a normal deviate of sigma 10 in its row and in its column.

    What would leave the matrix stays at its edge. Entries that meet are added.

    Parameters
    ----------
    csr
        scipy.sparse.csr_array.
    seed
        Of the deviates.

    Returns
    -------
    scipy.sparse.csr_array
        Of the same shape and type, sorted, 32-bit indices, each position once.
    """
    rng = np.random.default_rng(seed)
    rows, columns = csr.shape
    row = np.repeat(np.arange(rows, dtype=np.int32), np.diff(csr.indptr))
    places = (_nearby(row, rows, rng), _nearby(csr.indices, columns, rng))
    return canonical_csr(scipy.sparse.coo_array((csr.data, places), shape=csr.shape))


def _nearby(positions: Any, extent: int, rng: np.random.Generator) -> Any:
    moves = np.rint(rng.normal(0.0, SIGMA, len(positions))).astype(np.int64)
    return np.clip(positions + moves, 0, max(extent - 1, 0)).astype(np.int32)
