"""HBP in blocks so small that a matrix has many: who takes which, and the sums of a row's blocks."""

import numpy as np
import pytest
import scipy.sparse

import gpu
from gpu.formats import hbp, hbp_active
from vecsim.errors import UserError
from vecsim.formats import HBP, ActiveHBP


@pytest.mark.parametrize("fixed", [0.0, 0.5, 1.0])
def test_blocks_of_many_warps(monkeypatch, fixed):
    monkeypatch.setattr(hbp, "FIXED", fixed)
    dense = np.where(np.random.default_rng(2).random((70, 50)) < 0.15, 2.0, 0)
    dense[:, 20:30] = 0
    dense[33] = 1
    matrix = scipy.sparse.csr_array(dense)
    stored = HBP.from_scipy(matrix, block_rows=32, block_columns=10)
    device = gpu.prepare(stored)
    assert device.format == "hbp"
    x, y = np.arange(50.0), np.ones(70)
    for _ in range(2):  # all tickets are there again
        np.testing.assert_array_equal(device @ x, matrix @ x)
    assert device.matvec(x, out=y, alpha=2, beta=3) is y
    np.testing.assert_array_equal(y, 2 * (matrix @ x) + 3)


def test_pieces_of_many_blocks():
    dense = np.where(np.random.default_rng(2).random((170, 50)) < 0.15, 2.0, 0)
    dense[:, 20:30] = 0
    dense[33] = 1
    matrix = scipy.sparse.csr_array(dense)
    stored = ActiveHBP.from_scipy(matrix, block_rows=32, block_columns=10)
    columns = hbp_active._pieces(stored)[1]
    assert len(columns) > 8 and set(columns.tolist()) == set(range(5))
    device = gpu.prepare(stored)
    assert device.format == "hbp-active"
    np.testing.assert_array_equal(device @ np.arange(50.0), matrix @ np.arange(50.0))


@pytest.mark.parametrize("container", [HBP, ActiveHBP])
def test_a_segment_must_fit(container):
    wide = container.from_scipy(scipy.sparse.eye_array(8, format="csr"), block_columns=5000)
    with pytest.raises(UserError, match="blocks of 5000 columns do not fit into shared memory: use 4096"):
        gpu.prepare(wide)
