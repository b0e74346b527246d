"""The benchmark of edits: what it draws and what it compares with; its times are for a reader."""

import numpy as np
import pytest
import scipy.sparse

from benchmarks import editing
from vecsim.data import load


@pytest.mark.parametrize("near", [False, True])
def test_new_positions_are_new_and_each_there_once(near):
    csr = load("laplace2d-20").csr
    rows, columns = editing.new_positions(csr, 300, near)
    assert len(set(zip(rows.tolist(), columns.tolist(), strict=True))) == 300
    assert not csr[rows, columns].any()
    # Moved by two numbers of deviation 10 from a pattern of offsets 0, 1 and 20.
    distance = np.abs(np.abs(rows - columns)[:, None] - [0, 1, 20]).min(axis=1).mean()
    assert distance < 20 if near else distance > 50


def test_a_merge_is_scipys_sum():
    csr = load("laplace2d-20").csr
    positions = editing.new_positions(csr, 300, False)
    values = np.arange(1.0, 301)
    found = editing.merged(csr, positions, values)
    expected = csr + scipy.sparse.csr_array((values, positions), shape=csr.shape)
    expected.sort_indices()
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.data, expected.data)


@pytest.mark.ci
def test_all_is_measured_of_what_is_right():
    found = editing.measured(editing.Case(load("laplace2d-30").csr, 300, True))
    assert len(found) == 6
    assert all(time >= 0 for time in found.values())
