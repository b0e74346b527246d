"""HiSparse on a real GPU: products both ways, sums and edits of any small matrix; equal bits in every run.

Those named `small` are what compute-sanitizer looks at: CONTRIBUTING.md says how.
"""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

import gpu
from gpu.hisparse.container import HiSparse
from gpu.hisparse.sharing import equal_nodes_shared
from vecsim.formats.accuracy import relative_error, rounding_bound

pytestmark = pytest.mark.usefixtures("gpu_with_others")

SHAPES = {
    "no rows": (0, 7),
    "no columns": (7, 0),
    "one entry": (1, 1),
    "one row": (1, 300),
    "one column": (300, 1),
    "wide": (20, 700),
    "tall": (700, 20),
    "square": (90, 90),
}
REALS = (np.float32, np.float64)


def random_matrix(shape, density, seed, dtype):
    """Return a canonical matrix with places full and empty, and explicit zeros."""
    rng = np.random.default_rng(seed)
    present = rng.random(shape) < density
    present[: shape[0] // 3, : shape[1] // 3] |= rng.random() < 0.5
    row, column = np.nonzero(present)
    values = rng.integers(-3, 4, len(row)).astype(dtype)
    return scipy.sparse.csr_array((values, (row, column)), shape=shape)


def check_product(results, matrix):
    """Compare y = 2 A x - y0 with SciPy's, and two runs with each other."""
    x = np.linspace(-1, 2, matrix.shape[1]).astype(matrix.dtype)
    y0 = np.linspace(3, -1, matrix.shape[0]).astype(matrix.dtype)
    actual = [results.matvec(x, out=y0.copy(), alpha=2, beta=-1) for _ in range(2)]
    bound = 2 * rounding_bound(matrix, matrix.dtype) + 4 * np.finfo(matrix.dtype).eps
    assert relative_error(matrix, x, actual[0], alpha=2, beta=-1, y0=y0) <= bound
    assert actual[0].tobytes() == actual[1].tobytes()


def check_both_ways(host, matrix):
    results = gpu.prepare(host)
    check_product(results, matrix)
    check_product(results.T, matrix.T.tocsr())


def check_sum(one, two, node_size, ways):
    """Compare with an entry at each place of either, which SciPy leaves out where they cancel."""
    placed = [
        HiSparse.from_scipy(each.T.tocsr() if way else each, node_size=node_size)
        for each, way in zip((one, two), ways, strict=True)
    ]
    transposed = dict(zip(("transpose_a", "transpose_b"), map(bool, ways), strict=True))
    results = [gpu.add(*placed, 2.0, -1.0, **transposed) for _ in range(2)]
    host = results[0].to_hisparse()
    host.check()
    places = [
        scipy.sparse.csr_array((np.ones(m.nnz), m.indices, m.indptr), shape=m.shape) for m in (one, two)
    ]
    assert host.nnz == (places[0] + places[1]).nnz
    np.testing.assert_array_equal(host.to_scipy().toarray(), 2 * one.toarray() - two.toarray())
    assert (
        results[0].content.words.copy_to_host().tobytes() == results[1].content.words.copy_to_host().tobytes()
    )


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("shape", SHAPES)
def test_small_products_and_sums(shape, dtype):
    for density, node_size in ((0.0, 16), (0.1, 16), (1.0, 256)):
        one, two = (random_matrix(SHAPES[shape], density, seed, dtype) for seed in (1, 2))
        check_both_ways(HiSparse.from_scipy(one, node_size=node_size), one)
        for ways in ((0, 0), (1, 0), (0, 1), (1, 1)):
            check_sum(one, two, node_size, ways)


@pytest.mark.parametrize("dtype", REALS)
def test_small_edits(dtype):
    matrix = random_matrix((300, 280), 0.05, 3, dtype)
    results = HiSparse.from_scipy(matrix, node_size=16)
    editor, dense = results.editor(), matrix.toarray()
    rng = np.random.default_rng(4)
    rows, columns = matrix.tocoo().coords
    third = matrix.nnz // 3
    editor.delete(rows[:third], columns[:third])
    dense[rows[:third], columns[:third]] = 0
    editor.set(rows[third:], columns[third:], 5)
    dense[rows[third:], columns[third:]] = 5
    rows, columns = np.divmod(rng.choice(dense.size, 900, replace=False), dense.shape[1])
    editor.insert(rows, columns, -4)
    dense[rows, columns] = -4
    edited = editor.matrix()
    rebuilt = scipy.sparse.csr_array(dense)
    check_both_ways(edited, rebuilt)
    check_both_ways(results, matrix)
    check_both_ways(equal_nodes_shared(edited), rebuilt)
    # Both lie in one pool, and are added from there.
    total = gpu.add(edited, results).to_hisparse().to_scipy().toarray()
    np.testing.assert_array_equal(total, dense + matrix.toarray())


@examples(100)
@given(
    shape=st.tuples(st.integers(0, 600), st.integers(0, 600)),
    density=st.sampled_from([0.0, 0.002, 0.05, 1.0]),
    seed=st.integers(0, 999),
    dtype=st.sampled_from(REALS),
    node_size=st.sampled_from([4, 16, 256]),
    ways=st.tuples(st.booleans(), st.booleans()),
)
def test_any_matrix(shape, density, seed, dtype, node_size, ways):
    one, two = random_matrix(shape, density, seed, dtype), random_matrix(shape, 0.01, seed + 1, dtype)
    check_both_ways(HiSparse.from_scipy(one, node_size=node_size), one)
    check_sum(one, two, node_size, ways)
