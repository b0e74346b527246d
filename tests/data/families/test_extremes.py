"""Extreme matrices, small ones against their definition, written again as plain loops."""

import numpy as np
from dense_matrices import same_entries

from vecsim.data.families.extremes import arrowhead, diagonal, hilbert


def test_extremes_entry_by_entry():
    same_entries(diagonal(3), np.diag([1, 2, 3]))
    expected = [[4, -1, -1, -1], [-1, 2, 0, 0], [-1, 0, 2, 0], [-1, 0, 0, 2]]
    same_entries(arrowhead(4), np.array(expected))
    expected = [[1, 1 / 2, 1 / 3], [1 / 2, 1 / 3, 1 / 4], [1 / 3, 1 / 4, 1 / 5]]
    same_entries(hilbert(3), np.array(expected))
