"""Sums of HiSparse matrices on the device: what SciPy gives, canonical, whatever is transposed."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st
from tiers import examples

import gpu
from gpu.hisparse import node_layout
from gpu.hisparse.container import HiSparse
from gpu.hisparse.node_shapes import first_slots, shape_of, units
from gpu.hisparse.sum.dual_traversal import DualTraversalSum
from vecsim.support.errors import UserError


def tree(matrix):
    return HiSparse.from_scipy(matrix, node_size=4)


def scattered(rows, columns, entries, seed, dtype=np.float64):
    rng = np.random.default_rng(seed)
    at = rng.integers(0, max(1, rows), entries), rng.integers(0, max(1, columns), entries)
    values = rng.integers(-2, 3, entries).astype(dtype)
    built = scipy.sparse.coo_array((values, at), shape=(rows, columns)).tocsr()
    built.sum_duplicates()
    return built


def by_scipy(first, second, alpha, beta):
    """Add with an entry at each place that one has; SciPy keeps an explicit zero where they cancel."""
    ones = [scipy.sparse.csr_array((np.ones(m.nnz), m.indices, m.indptr), shape=m.shape)
            for m in map(scipy.sparse.csr_array, (first, second))]  # fmt: skip
    places = (ones[0] + ones[1]).tocoo()
    has = [each.toarray() > 0 for each in ones]
    one, two = alpha * first.toarray(), beta * second.toarray()
    # Where only one has an entry nothing is added to it: -0.0 + 0.0 would be 0.0.
    dense = np.where(has[0] & has[1], one + two, np.where(has[0], one, two))
    built = scipy.sparse.coo_array((dense[places.coords], places.coords), shape=first.shape).tocsr()
    return built.astype(first.dtype)


def check(actual, exact):
    """Compare with a tree made of the exact sum: the same nodes, in another order, whatever is transposed."""
    host = actual.to_hisparse()
    host.check()
    rows, columns, values = host.triplets()
    order = np.lexsort((columns, rows))
    coo = exact.tocoo()
    at = np.lexsort(coo.coords[::-1])
    np.testing.assert_array_equal(rows[order], coo.coords[0][at])
    np.testing.assert_array_equal(columns[order], coo.coords[1][at])
    np.testing.assert_array_equal(values[order], coo.data[at])
    assert actual.nnz == exact.nnz and actual.shape == exact.shape and actual.dtype == exact.dtype
    rebuilt = tree(exact.T.tocsr() if actual.transposed else exact)
    assert host.content.pool.words.size == rebuilt.content.pool.words.size
    assert host.structure() == rebuilt.structure()


def test_a_sum_with_a_transposed_operand_and_its_transpose_again():
    one, two = scattered(5, 9, 16, 1), scattered(9, 5, 40, 2)
    built = gpu.add(tree(one), tree(two), 2, -0.5, transpose_b=True)
    check(built, by_scipy(one, two.T.tocsr(), 2, -0.5))
    assert built.content.levels == 2 and repr(built).startswith("<5 x 9 HiSparse matrix of ")


@pytest.mark.ci
@examples(12)
@example(sizes=(7, 9), entries=(400, 0), ways=(False, False), factors=(-1, 0), real=np.float32)
@given(
    sizes=st.tuples(st.integers(0, 9), st.integers(0, 18)),
    entries=st.tuples(st.sampled_from([0, 1, 9, 400]), st.sampled_from([0, 7, 60])),
    ways=st.tuples(st.booleans(), st.booleans()),
    factors=st.sampled_from([(1, 1), (2, -0.5), (-1, 0)]),
    real=st.sampled_from([np.float32, np.float64]),
)
def test_a_sum_is_that_of_scipy(sizes, entries, ways, factors, real):
    counts = [each if all(sizes) else 0 for each in entries]
    pair = [scattered(*sizes, count, seed, real) for seed, count in enumerate(counts)]
    placed = [tree(each.T.tocsr() if way else each) for each, way in zip(pair, ways, strict=True)]
    built = gpu.add(*placed, *factors, transpose_a=ways[0], transpose_b=ways[1])
    check(built, by_scipy(*pair, *factors))


@pytest.mark.ci
def test_zeros_are_left_out_where_that_is_asked():
    one, two = scattered(7, 6, 30, 3), scattered(7, 6, 30, 4)
    exact = by_scipy(one, two, 1, -1)
    exact.eliminate_zeros()
    check(gpu.add(tree(one), tree(two), 1, -1, drop_zeros=True), exact)
    nothing = gpu.add(tree(one), tree(one), 1, -1, drop_zeros=True)
    assert (nothing.nnz, nothing.content.root) == (0, 0)


@pytest.mark.ci
def test_states_of_operands_count_and_sums_are_operands():
    one, two = scattered(6, 8, 20, 5), scattered(8, 6, 20, 6)
    built = gpu.add(tree(one).scaled(3), tree(two).T, 2, 1)
    check(built, by_scipy(one, two.T.tocsr(), 6, 1))
    check(
        gpu.add(built.T, built, 1, 1, transpose_a=True),
        by_scipy(built.to_hisparse().to_scipy(), one * 0, 2, 0),
    )


@pytest.mark.ci
def test_a_leaf_with_minus_zero_stays_sparse():
    full = scipy.sparse.csr_array(np.arange(1.0, 17).reshape(4, 4))
    most = full[:, :]
    most.data[3] = -0.0
    short = scipy.sparse.csr_array((most.data[1:], most.indices[1:], np.maximum(most.indptr - 1, 0)), (4, 4))
    nothing = tree(scipy.sparse.csr_array((4, 4)))
    built = gpu.add(tree(short), nothing)
    check(built, short)
    assert built.to_hisparse().structure()["level_dense_arrays"] == (0,)
    check(gpu.add(tree(full), nothing, 2, 1), full * 2)


def test_sizes_of_nodes_are_those_of_the_host():
    for width in (4, 8):
        first, size = first_slots(width), units(width, 256)
        for count in [1, 2, 3, 4, 5, 8, 9, 11, 12, 13, 500, 501, 40_000, 65_535]:
            assert first(count) == node_layout.first_sparse_slot(count, width)
            assert 4 * size(shape_of(count, False)) == node_layout.sparse_words(count, width)
        assert 4 * size(shape_of(50_000, True)) == node_layout.dense_words(256, width)
        assert size(0) == 0


@pytest.mark.parametrize(
    ("one", "two", "said"),
    [
        (tree(scattered(3, 4, 2, 1)), scattered(3, 4, 2, 1), "B is csr_array and the other operand HiSparse"),
        (tree(scattered(3, 4, 2, 1)), tree(scattered(4, 3, 2, 1)), "shape"),
        (tree(scattered(3, 4, 2, 1)), tree(scattered(3, 4, 2, 1, np.float32)), "type"),
        (
            tree(scattered(3, 4, 2, 1)),
            HiSparse.from_scipy(scattered(3, 4, 2, 1), node_size=8),
            "nodes of size",
        ),
    ],
)
def test_operands_without_a_sum_are_refused(one, two, said):
    with pytest.raises(UserError, match=said):
        gpu.add(one, two)


def by_traversal(one, two, factors, ways):
    first, second = (gpu.DeviceHiSparse.from_hisparse(tree(each)).content for each in (one, two))
    work = DualTraversalSum(first, second, ways)
    for _ in range(2):
        work.run(*factors)
    return gpu.DeviceHiSparse(work.result())


@pytest.mark.parametrize(
    "ways",
    [(False, True), *(pytest.param((way, False), marks=pytest.mark.ci) for way in (False, True)),
     pytest.param((True, True), marks=pytest.mark.ci)],
)  # fmt: skip
def test_both_trees_are_walked_down_together(ways):
    # Pairs of inner nodes and of leaves, dense ones, and nodes of one operand alone, on three levels.
    dense = np.zeros((6, 18)), np.zeros((6, 18))
    dense[0][:4, 8:12] = np.arange(1, 17).reshape(4, 4)
    dense[0][[0, 5, 4], [0, 1, 17]] = 1, 2, 3
    dense[1][[0, 5, 1, 2], [0, 2, 9, 14]] = 4, 5, 6, 7
    one, two = map(scipy.sparse.csr_array, dense)
    given = [each.T.tocsr() if way else each for each, way in zip((one, two), ways, strict=True)]
    built = by_traversal(*given, (2, -0.5), ways)
    check(built, by_scipy(one, two, 2, -0.5))
    if not any(ways):
        # It is an operand like any other.
        check(gpu.add(built, built, 1, 1), by_scipy(one, two, 4, -1))


@pytest.mark.ci
@pytest.mark.parametrize(("counts", "factors"), [((0, 0), (1, 1)), ((0, 9), (1, 2)), ((9, 0), (-1, 0))])
def test_a_traversal_of_a_tree_and_nothing(counts, factors):
    one, two = (scattered(9, 7, count, seed) for seed, count in enumerate(counts))
    check(by_traversal(one, two, factors, (False, False)), by_scipy(one, two, *factors))
