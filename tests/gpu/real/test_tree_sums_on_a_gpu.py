"""Sums of HiSparse matrices on a real GPU: what SciPy gives, to the last bit, and the same in every run."""

import numpy as np
import pytest
import scipy.sparse

import gpu
from gpu.hisparse.container import HiSparse
from gpu.hisparse.sum.dual_traversal import DualTraversalSum

pytestmark = pytest.mark.usefixtures("gpu_with_others")


def scattered(rows, columns, entries, seed, dtype=np.float64):
    rng = np.random.default_rng(seed)
    at = rng.integers(0, rows, entries), rng.integers(0, columns, entries)
    results = scipy.sparse.coo_array((rng.standard_normal(entries), at), shape=(rows, columns)).tocsr()
    results.sum_duplicates()
    return results.astype(dtype)


PAIRS = {
    "no entries": lambda: (scattered(300, 40, 0, 1), scattered(300, 40, 0, 1)),
    "one empty": lambda: (scattered(300, 40, 0, 1), scattered(300, 40, 900, 1)),
    "one entry": lambda: (scattered(70_000, 9, 1, 1), scattered(70_000, 9, 1, 2)),
    "uniform": lambda: (scattered(50_001, 40_001, 800_000, 1), scattered(50_001, 40_001, 500_000, 2)),
    "float32": lambda: (
        scattered(5001, 4001, 80_000, 1, np.float32),
        scattered(5001, 4001, 90_000, 2, np.float32),
    ),
    "three levels": lambda: (scattered(30, 200_000, 60_000, 1), scattered(30, 200_000, 100_000, 2)),
    "dense leaves": lambda: (scattered(700, 600, 4_000_000, 1), scattered(700, 600, 400_000, 2)),
    "windows": lambda: (scattered(700, 600, 90_000, 1), scattered(700, 600, 80_000, 2)),
}


@pytest.mark.parametrize("node_size", [256, 16])
@pytest.mark.parametrize("ways", [(0, 0), (1, 0), (0, 1), (1, 1)])
@pytest.mark.parametrize("name", PAIRS)
def test_a_sum_is_that_of_scipy(name, ways, node_size):
    one, two = PAIRS[name]()
    placed = [
        gpu.DeviceHiSparse.from_hisparse(
            HiSparse.from_scipy(each.T.tocsr() if way else each, node_size=node_size)
        )
        for each, way in zip((one, two), ways, strict=True)
    ]
    transposed = {"transpose_a": bool(ways[0]), "transpose_b": bool(ways[1])}
    results = [gpu.add(*placed, 2.0, -0.3, **transposed) for _ in range(2)]
    real = one.dtype.type
    exact = real(2.0) * one + real(-0.3) * two
    exact.sort_indices()
    host = results[0].to_hisparse()
    host.check()
    actual = host.to_scipy()
    actual.sort_indices()
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(actual, part), getattr(exact, part), err_msg=part)
    np.testing.assert_array_equal(
        results[0].content.words.copy_to_host(), results[1].content.words.copy_to_host()
    )


@pytest.mark.parametrize("node_size", [256, 16])
@pytest.mark.parametrize("ways", [(0, 0), (1, 0), (0, 1)])
@pytest.mark.parametrize("name", PAIRS)
def test_both_trees_walked_down_together_give_the_merged_sum(name, ways, node_size):
    one, two = PAIRS[name]()
    placed = [
        gpu.DeviceHiSparse.from_hisparse(
            HiSparse.from_scipy(each.T.tocsr() if way else each, node_size=node_size)
        )
        for each, way in zip((one, two), ways, strict=True)
    ]
    ways = bool(ways[0]), bool(ways[1])
    work = DualTraversalSum(placed[0].content, placed[1].content, ways)
    for _ in range(3):
        work.run(2.0, -0.3)
    actual = gpu.DeviceHiSparse(work.result())
    exact = gpu.add(*placed, 2.0, -0.3, transpose_a=ways[0], transpose_b=ways[1])
    assert actual.content.level_nodes == exact.content.level_nodes
    host = actual.to_hisparse()
    host.check()
    for one, two in zip(host.triplets(), exact.to_hisparse().triplets(), strict=True):
        assert one.tobytes() == two.tobytes()


def test_entries_that_cancel():
    one = HiSparse.from_scipy(scattered(5000, 4000, 90_000, 3))
    recorded = gpu.add(one, one, 0.1, -0.1)
    assert recorded.nnz == one.nnz and not recorded.to_hisparse().triplets()[2].any()
    assert gpu.add(one, one, 0.1, -0.1, drop_zeros=True).nnz == 0
