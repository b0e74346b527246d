"""Sums of CSR matrices on a real GPU: what SciPy gives, to the last bit, and the same in every run."""

import numpy as np
import pytest
import scipy.sparse

import gpu
from gpu.sums.transposition import LONGEST_COLUMN

pytestmark = pytest.mark.usefixtures("gpu_with_others")


def scattered(rows, columns, entries, seed, dtype=np.float64):
    rng = np.random.default_rng(seed)
    at = rng.integers(0, rows, entries), rng.integers(0, columns, entries)
    results = scipy.sparse.coo_array((rng.standard_normal(entries), at), shape=(rows, columns)).tocsr()
    return results.astype(dtype)


def skewed(seed):
    rng = np.random.default_rng(seed)
    row = np.append(rng.integers(0, 9000, 40_000), np.full(30_000, 77))
    at = row, rng.integers(0, 60_000, len(row))
    return scipy.sparse.coo_array((rng.standard_normal(len(row)), at), shape=(9000, 60_000)).tocsr()


PAIRS = {
    "no rows": lambda: (scattered(3, 7, 0, 1)[:0], scattered(3, 7, 0, 1)[:0]),
    "no entries": lambda: (scattered(300, 40, 0, 1), scattered(300, 40, 0, 1)),
    "one empty": lambda: (scattered(300, 40, 0, 1), scattered(300, 40, 900, 1)),
    "one entry": lambda: (scattered(70_000, 9, 1, 1), scattered(70_000, 9, 1, 2)),
    "uniform": lambda: (scattered(50_001, 40_001, 800_000, 1), scattered(50_001, 40_001, 500_000, 2)),
    "float32": lambda: (
        scattered(5001, 4001, 80_000, 1, np.float32),
        scattered(5001, 4001, 90_000, 2, np.float32),
    ),
    "wide": lambda: (scattered(30, 200_000, 60_000, 1), scattered(30, 200_000, 100_000, 2)),
    "tall": lambda: (scattered(200_000, 30, 60_000, 1), scattered(200_000, 30, 100_000, 2)),
    "dense": lambda: (scattered(700, 600, 4_000_000, 1), scattered(700, 600, 4_000_000, 2)),
    "a long row": lambda: (skewed(1), skewed(2)),
    "many empty rows": lambda: (scattered(3_000_000, 500, 2000, 1), scattered(3_000_000, 500, 1000, 2)),
}


def check(actual, exact):
    exact = scipy.sparse.csr_array(exact)
    exact.sort_indices()
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(actual, part), getattr(exact, part), err_msg=part)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("transposed", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_a_sum_is_that_of_scipy(name, transposed):
    one, two = PAIRS[name]()
    first, second = (
        each.T.tocsr() if turn else each for each, turn in zip((one, two), transposed, strict=True)
    )
    placed = gpu.DeviceCsr.from_scipy(first), gpu.DeviceCsr.from_scipy(second)
    ways = {"transpose_a": bool(transposed[0]), "transpose_b": bool(transposed[1])}
    results = [gpu.add(*placed, 2.0, -0.3, **ways).to_scipy() for _ in range(2)]
    real = one.dtype.type
    check(results[0], real(2.0) * one + real(-0.3) * two)
    check(results[1], results[0])


def test_entries_that_cancel():
    one = scattered(5000, 4000, 90_000, 3)
    placed = gpu.DeviceCsr.from_scipy(one)
    recorded = gpu.add(placed, placed, 0.1, -0.1)
    assert recorded.nnz == one.nnz and not recorded.to_scipy().data.any()
    other = scattered(5000, 4000, 90_000, 4)
    dropped = gpu.add(placed, other + one, 1, -1, drop_zeros=True).to_scipy()
    exact = one - (other + one)
    exact.eliminate_zeros()
    check(dropped, exact)


def test_a_sum_with_long_columns():
    one = scattered(LONGEST_COLUMN * 4, 3, LONGEST_COLUMN * 9, 5)
    assert np.diff(one.tocsc().indptr).max() > LONGEST_COLUMN
    check(gpu.add(one.T.tocsr(), one, transpose_b=True).to_scipy(), (one + one).T)


def test_a_sum_on_a_stream():
    from gpu.runtime.cuda import cuda

    one, two = PAIRS["uniform"]()
    check(gpu.add(one, two, stream=cuda.stream()).to_scipy(), one + two)
    check(gpu.add(one, two.T.tocsr(), transpose_b=True, stream=cuda.stream()).to_scipy(), one + two)


def test_csr_matrices_of_cupy():
    sparse = pytest.importorskip("cupyx.scipy.sparse")
    one, two = PAIRS["uniform"]()
    of_cupy = []
    for each in (one, two):
        small = each.data, each.indices.astype(np.int32), each.indptr.astype(np.int32)
        of_cupy.append(sparse.csr_matrix(scipy.sparse.csr_matrix(small, shape=each.shape)))
    check(gpu.add(*of_cupy, 3, 4).to_scipy(), 3 * one + 4 * two)


def test_csrgeam2_and_csr2csc_are_called_as_they_should():
    from experiments.baseline.cusparse_sums import PlacedCsr, SparseSum, SparseTransposition
    from gpu.runtime.cuda_driver import Stream

    one, two = PAIRS["uniform"]()
    with (
        PlacedCsr.holding(one) as first,
        PlacedCsr.holding(two.T.tocsr()) as second,
        Stream() as stream,
        SparseTransposition(second) as turning,
    ):
        turning.enqueue(stream)
        stream.synchronize()
        with SparseSum(first, turning.result, 2.0, -0.3) as work:
            work.enqueue(stream)
            stream.synchronize()
            pointers, columns, values = work.result.arrays()
    results = scipy.sparse.csr_array((values, columns, pointers), shape=one.shape)
    assert abs(results - (2.0 * one + -0.3 * two)).max() < 1e-14
