import numpy as np
import pytest
import scipy.sparse

from gpu.choice.block_rows import BlockRows
from gpu.formats.sliced.filling import count_blocks


@pytest.mark.parametrize("block", [2, 3, 4])
@pytest.mark.parametrize("density", [0.0, 0.02, 1.0])
def test_blocks_are_those_of_the_container(block, density):
    rng = np.random.default_rng(1)
    matrix = scipy.sparse.random_array((331, 170), density=density, rng=rng, format="csr")
    matrix.sort_indices()
    actual = BlockRows.of(matrix.indptr, matrix.indices, matrix.shape, block)
    np.testing.assert_array_equal(actual.counts, count_blocks(matrix.indptr, matrix.indices, block))
    assert actual.row_lengths.longest == actual.counts.max()
    if density == 1:
        assert actual.elements == 331 * -(-170 // block) * block


def test_columns_that_share_a_place_of_the_table():
    # Multiples of a power of two, in every row others.
    columns = (np.arange(4000).reshape(40, 100) * 2**19).astype(np.int64)
    indptr = np.arange(0, 4001, 100).astype(np.int32)
    actual = BlockRows.of(indptr, (columns.ravel() % 2**31).astype(np.int32), (40, 2**31 - 1), 2)
    expected = [len(np.unique(columns[k : k + 2] % 2**31 // 2)) for k in range(0, 40, 2)]
    np.testing.assert_array_equal(actual.counts, expected)
