"""Random tiny matrices for the products in the simulator, and their error."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import strategies as st

import gpu
from gpu.formats.sliced.slicing import Slicing

THREADS = 64

# Every format of `prepare`, and arrangements that reach what the named ones do not.
ARRANGEMENTS = [
    Slicing(slice_height=8, sorting_window=16, threads_per_row=2, wide=2, row_cap=5),
    Slicing(
        slice_height=5,
        sorting_window=None,
        threads_per_row=4,
        wide=4,
        row_lengths=True,
        row_cap=3,
        index_bits=16,
    ),
    Slicing(slice_height=None, sorting_window=None, wide=2, row_cap=7, row_lengths=True),
    Slicing(slice_height=3, sorting_window=7, threads_per_row=8, index_bits=16, base_per_step=True),
    Slicing(
        slice_height=5,
        wide=2,
        threads_per_row=2,
        index_bits=16,
        base_per_step=True,
        row_lengths=True,
        block=2,
    ),
]
ALL_FORMATS = [*gpu.KERNELS, "auto", *ARRANGEMENTS]
every_format = pytest.mark.parametrize(
    "format",
    ALL_FORMATS,
    ids=lambda format: format if isinstance(format, str) else repr(format)[8:40],
)
UNIT_ROUNDOFF = {np.dtype(np.float32): 2.0**-24, np.dtype(np.float64): 2.0**-53}


@st.composite
def tiny_matrices(draw):
    """Any matrix of at most 40 x 40: rectangular, no rows, no columns, empty, duplicates, a full row."""
    rows, columns = draw(st.integers(0, 40)), draw(st.integers(0, 40))
    entries = draw(st.integers(0, 90)) if rows and columns else 0
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    row, column = rng.integers(0, max(1, rows), entries), rng.integers(0, max(1, columns), entries)
    if entries and draw(st.booleans()):
        row[: columns * 2] = draw(st.integers(0, rows - 1))
    values = rng.standard_normal(entries).astype(draw(st.sampled_from([np.float32, np.float64])))
    values[rng.random(entries) < 0.1] = 0
    matrix = scipy.sparse.coo_array((values, (row, column)), shape=(rows, columns))
    return matrix.asformat(draw(st.sampled_from(["coo", "csr", "csc"])))


def relative_error(y, matrix, x, alpha=1.0, beta=0.0, y0=None):
    """Return max |y - r| / (|alpha| |A| |x| + |beta| |y0|), r in float64."""
    wide, x = scipy.sparse.csr_array(matrix, dtype=np.float64), x.astype(np.float64)
    exact, bound = alpha * (wide @ x), abs(alpha) * (abs(wide) @ abs(x))
    if beta:
        exact, bound = exact + beta * y0.astype(np.float64), bound + abs(beta * y0.astype(np.float64))
    wrong = np.abs(y - exact)
    assert not wrong[bound == 0].any()
    return float((wrong[bound > 0] / bound[bound > 0]).max(initial=0))


def allowed(matrix):
    """Return the error that a sum in any order may have."""
    longest = np.diff(scipy.sparse.csr_array(matrix).indptr).max(initial=0)
    return (longest + 4) * UNIT_ROUNDOFF[matrix.dtype]
