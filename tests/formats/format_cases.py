"""Random matrices for the format tests, and image reading by plain loops."""

import struct

import numpy as np
import scipy.sparse
from hypothesis import strategies as st

SECTION_SIZES = (4, 8, 64, 256, 512)


@st.composite
def matrices(draw, max_extent=40):
    """Any small matrix: empty rows and columns, explicit zeros, duplicates, one row, dense, float32."""
    rows = draw(st.one_of(st.integers(1, max_extent), st.sampled_from([1, 4, 5, 8, 9, 64, 65])))
    columns = draw(st.one_of(st.integers(1, max_extent), st.sampled_from([1, 4, 5, 8, 9, 64, 65])))
    entries = draw(st.integers(0, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        # Few distinct rows and columns: many empty ones, many duplicates.
        row = rng.choice(rng.integers(0, rows, 4), entries)
        column = rng.choice(rng.integers(0, columns, 6), entries)
    elif draw(st.booleans()) and rows * columns < 2000:
        row, column = (axis.ravel() for axis in np.indices((rows, columns)))
        entries = rows * columns
    else:
        row, column = rng.integers(0, rows, entries), rng.integers(0, columns, entries)
    # Small integers: sums are exact in any order, and zeros are common.
    values = rng.integers(-3, 4, entries).astype(draw(st.sampled_from([np.float32, np.float64])))
    matrix = scipy.sparse.coo_array((values, (row, column)), shape=(rows, columns))
    return matrix.asformat(draw(st.sampled_from(["coo", "csr", "csc"])))


def canonical(matrix):
    """Return sorted CSR with duplicates summed, by SciPy alone."""
    csr = scipy.sparse.csr_array(matrix, copy=True)
    csr.sum_duplicates()
    return csr


def assert_same(actual, matrix):
    """Assert that two matrices store the same entries, zeros and types included."""
    expected = canonical(matrix)
    assert actual.format == "csr"
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual.indptr, expected.indptr)
    np.testing.assert_array_equal(actual.indices, expected.indices)
    np.testing.assert_array_equal(actual.data, expected.data)


def assert_right(built, matrix):
    """Assert that a matrix in a format is valid, gives the same entries back, and the product of SciPy."""
    built.check()
    assert built.shape == matrix.shape
    assert built.dtype == matrix.dtype
    assert built.nnz == canonical(matrix).nnz
    assert_same(built.to_scipy(), matrix)
    x = np.arange(matrix.shape[1]) % 7 - 3
    y = built.matvec(x)
    assert y.dtype == matrix.dtype
    np.testing.assert_array_equal(y, canonical(matrix) @ x.astype(matrix.dtype))


def assert_holds(entries, matrix):
    """Assert that a list of (row, column, value) in any order is the whole matrix."""
    expected = canonical(matrix).tocoo()
    wanted = zip(expected.row.tolist(), expected.col.tolist(), expected.data.tolist(), strict=True)
    assert sorted(entries) == sorted(wanted)


class Memory:
    """Reads the bytes of an image by address."""

    def __init__(self, image):
        self.image = image

    def read(self, code, address):
        """Unpack one little-endian value of the given struct code."""
        return struct.unpack_from("<" + code, self.image.data, address - self.image.base)[0]

    def word(self, address):
        """Read an int32."""
        return self.read("i", address)

    def value(self, address, layout):
        """Read a matrix value."""
        return self.read("f" if layout.value_bytes == 4 else "d", address)
