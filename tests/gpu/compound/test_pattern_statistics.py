"""Row lengths and bandwidths by hand."""

import numpy as np
import scipy.sparse

from gpu.compound import CompoundMatrix
from gpu.compound.pattern_statistics import FiveNumbers, pattern_statistics


def test_statistics_by_hand():
    dense = np.array([[1, 0, 0, 1, 0], [0, 0, 0, 0, 0], [0, 1, 1, 1, 1], [0, 0, 1, 0, 0], [1, 0, 1, 0, 0]])
    actual = pattern_statistics(CompoundMatrix.from_complex(scipy.sparse.csr_array(dense)))
    assert actual.row_lengths == FiveNumbers(0, 1, 2, 2, 4)
    assert actual.bandwidths == FiveNumbers(0, 1.5, 2.5, 3, 3)  # of four rows: 3, 3, 0, 2


def test_blocks_count_once_and_nothing_is_zero():
    blocks = scipy.sparse.kron(scipy.sparse.csr_array([[1, 0, 1]]), np.ones((2, 2)))
    actual = pattern_statistics(CompoundMatrix.from_blocks(blocks, 2))
    assert (actual.row_lengths.median, actual.bandwidths.greatest) == (2, 2)
    empty = pattern_statistics(CompoundMatrix.from_complex(scipy.sparse.csr_array((3, 3))))
    assert empty.bandwidths == FiveNumbers(0, 0, 0, 0, 0)
