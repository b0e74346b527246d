"""What sums are compared with: SciPy's sum with an entry where operands cancel, and the comparison itself."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from experiments.papers.hisparse.sum_reference import csr_difference, merged, tree_difference
from gpu.hisparse.container import HiSparse

pytestmark = pytest.mark.ci  # three compiled loops


def random_matrix(shape, density, seed, dtype=np.float64):
    rng = np.random.default_rng(seed)
    built = scipy.sparse.random_array(shape, density=density, rng=rng, format="csr")
    built.data = rng.integers(-2, 3, built.nnz).astype(dtype)
    built.sort_indices()
    return built


@examples(20)
@given(
    shape=st.tuples(st.integers(0, 30), st.integers(1, 30)),
    densities=st.tuples(st.sampled_from([0, 0.1, 1]), st.sampled_from([0, 0.3])),
    dtype=st.sampled_from([np.float32, np.float64]),
    node_size=st.sampled_from([4, 16]),
)
@pytest.mark.nightly
def test_a_sum_is_scipys_with_zeros_and_trees_are_distinguished(shape, densities, dtype, node_size):
    one, two = (random_matrix(shape, density, seed, dtype) for seed, density in enumerate(densities))
    actual = merged(one, two)
    assert actual.dtype == dtype
    np.testing.assert_array_equal(actual.toarray(), one.toarray() + two.toarray())
    places = one.copy(), two.copy()
    for each in places:
        each.data[:] = 1
    assert actual.nnz == (places[0] + places[1]).nnz
    exact = (one + two).tocsr()
    exact.sort_indices()
    np.testing.assert_array_equal((exact - actual).toarray(), 0)
    tree = HiSparse.from_scipy(actual, node_size=node_size)
    assert tree_difference(tree, actual) == csr_difference(actual, actual) == 0
    if actual.nnz:
        other = actual.copy()
        other.data[-1] += 4
        largest = np.abs(other.data).max()
        assert tree_difference(tree, other) == csr_difference(actual, other) == pytest.approx(4 / largest)


def test_other_places_are_infinitely_far():
    first = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 4]]))
    moved = scipy.sparse.csr_array(np.array([[1.0, 2, 0], [0, 0, 4]]))
    below = scipy.sparse.csr_array(np.array([[1.0, 0, 0], [0, 2, 4]]))
    more = scipy.sparse.csr_array(np.array([[1.0, 1, 2], [0, 0, 4]]))
    tree = HiSparse.from_scipy(first, node_size=4)
    for other in (moved, below, more, first.T.tocsr()):
        assert csr_difference(first, other) == tree_difference(tree, other) == float("inf")
    assert tree_difference(tree.T, first) == 0
