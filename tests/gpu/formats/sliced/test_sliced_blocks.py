import numpy as np
import pytest
import scipy.sparse
from format_cases import assert_same, canonical, matrices
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from gpu.format_registry import FORMATS
from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.slicing import Slicing

blocked = st.builds(
    Slicing,
    slice_height=st.sampled_from([None, 1, 3, 8]),
    sorting_window=st.sampled_from([None, 1, 5]),
    threads_per_row=st.sampled_from([1, 2]),
    wide=st.sampled_from([1, 2]),
    row_lengths=st.booleans(),
    index_bits=st.sampled_from([32, None]),
    block=st.sampled_from([2, 3, 4]),
)


def elastic(nodes=40, block=3, dtype=np.float64):
    """A chain of nodes with dense blocks between neighbours."""
    rng = np.random.default_rng(nodes)
    chain = scipy.sparse.diags_array(
        [np.ones(nodes - 1), np.ones(nodes), np.ones(nodes - 1)], offsets=[-1, 0, 1]
    )
    matrix = scipy.sparse.csr_array(scipy.sparse.kron(chain, np.ones((block, block))), dtype=dtype)
    matrix.data = rng.standard_normal(matrix.nnz).astype(dtype)
    matrix.sort_indices()
    return matrix


def test_a_block_by_hand():
    # Two block rows; the second has two blocks.
    dense = np.array([[1.0, 2, 0, 0], [3, 4, 0, 0], [5, 6, 9, 10], [7, 8, 11, 12]])
    built = Sliced.from_scipy(
        scipy.sparse.csr_array(dense), slicing=Slicing(slice_height=2, index_bits=None, block=2)
    )
    assert built.slicing.index_bits == 16
    assert built.columns.tolist() == [0, 0, 65535, 1]
    # Step 0: the first columns of both blocks, then the second ones; step 1 alike.
    assert built.values.tolist() == [1, 3, 5, 7, 2, 4, 6, 8, 0, 0, 9, 11, 0, 0, 10, 12]
    assert built.masks.tolist() == []
    assert (built.nnz, built.entries) == (12, 4)


def test_masks_only_where_elements_are_missing():
    full = elastic()
    assert len(FORMATS["sell-c-sigma-blocks-3"].from_scipy(full).masks) == 0
    # The last block row is cut: its rows are missing, not its elements.
    assert len(FORMATS["sell-c-sigma-blocks-3"].from_scipy(full[:-1]).masks) == 0
    holed = full.copy()
    holed.data[5] = 0
    holed.eliminate_zeros()
    built = FORMATS["sell-c-sigma-blocks-3"].from_scipy(holed)
    assert built.nnz == holed.nnz
    assert np.bincount(np.bitwise_count(built.masks))[8:].tolist() == [1, 117]


@examples(100)
@given(matrix=matrices(), slicing=blocked)
def test_round_trip_is_lossless_and_valid(matrix, slicing):
    built = Sliced.from_scipy(matrix, slicing=slicing)
    built.check()
    assert built.nnz == canonical(matrix).nnz
    assert_same(built.to_scipy(), matrix)
    x = np.arange(matrix.shape[1]) % 7 - 3
    np.testing.assert_array_equal(built.matvec(x), canonical(matrix) @ x.astype(matrix.dtype))


@pytest.mark.parametrize("block", [2, 3, 4])
def test_bytes_of_dense_blocks(block):
    matrix = elastic(32 * 40, block, np.float32)
    built = FORMATS[f"sell-c-sigma-blocks-{block}"].from_scipy(matrix)
    # A permutation, since the first row of blocks is shorter, and 8 bytes a slice.
    assert built.nbytes <= 1.01 * (4 + 2 / block**2) * matrix.nnz + 4 * 32 * 40 + 8 * 41


@pytest.mark.parametrize(
    ("rows", "mean", "threads_per_row"),
    [(10**6, 20, 4), (5000, 20, 16), (100, 20, 16), (100, 1000, 32), (100, 3, 4)],
)
def test_threads_by_the_number_of_rows(rows, mean, threads_per_row):
    # 131,072 threads at least, if rows are long enough for them.
    chosen = FORMATS["sliced-ell-blocks-3-threads"].options["slicing"].with_threads_per_row(rows, mean)
    assert (chosen.threads_per_row, chosen.slice_height) == (threads_per_row, 32 // threads_per_row)
    assert chosen.with_threads_per_row(1, 1) == chosen


def test_few_long_rows_of_blocks_take_many_threads():
    matrix = scipy.sparse.csr_array(np.ones((8, 128)))
    built = FORMATS["sliced-ell-blocks-4-threads"].from_scipy(matrix)
    built.check()
    assert (built.slicing.threads_per_row, built.slices) == (32, 2)
    assert (built.to_scipy() != matrix).nnz == 0
