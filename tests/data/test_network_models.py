"""Graph models by their definitions: degrees, communities, distances; ratings; what is not possible."""

import numpy as np
import pytest
from test_stencils import assert_canonical

from vecsim.data.synthetic import hyperbolic_graphs
from vecsim.data.synthetic.hyperbolic_graphs import hyperbolic
from vecsim.data.synthetic.network_models import chung_lu, communities, preferential_attachment, ratings
from vecsim.support.errors import UserError

# Each generator is compiled for seconds when it is first used.
pytestmark = pytest.mark.ci


def degrees(matrix):
    return np.diff(matrix.indptr), np.bincount(matrix.indices, minlength=matrix.shape[1])


def assert_graph(matrix):
    assert_canonical(matrix)
    assert (matrix != matrix.T).nnz == 0
    assert not matrix.diagonal().any()


def test_preferential_attachment_has_the_degrees_of_barabasi_and_albert():
    nodes, edges = 30_000, 4
    matrix = preferential_attachment(nodes, edges)
    assert_graph(matrix)
    rows, _ = degrees(matrix)
    assert 7.9 < rows.mean() <= 8
    # P(k or more) = m (m + 1) / (k (k + 1)) in a large graph; many nodes have k = 12 to 48.
    for k in (12, 24, 48):
        assert (rows >= k).mean() == pytest.approx(edges * (edges + 1) / (k * (k + 1)), rel=0.15)
    # Old nodes have the most neighbours, and each node brings at most its own edges.
    assert rows[:30].mean() > 10 * rows[-3000:].mean()
    row = np.repeat(np.arange(nodes), rows)
    assert np.bincount(row[matrix.indices < row], minlength=nodes).max() <= edges


def test_chung_lu_has_its_expected_degrees():
    nodes, mean, exponent = 20_000, 10, 2.6
    matrix = chung_lu(nodes, mean, exponent)
    assert_graph(matrix)
    weights = np.arange(1.0, nodes + 1) ** (-1 / (exponent - 1))
    expected = weights * nodes * mean / weights.sum()
    labels = np.random.default_rng(1).permutation(nodes)
    rows = degrees(matrix)[0][labels]
    assert rows[100:1000].mean() == pytest.approx(expected[100:1000].mean(), rel=0.05)
    assert rows[10_000:].mean() == pytest.approx(expected[10_000:].mean(), rel=0.05)


def test_ratings_of_both_sides():
    matrix = ratings(9000, 700, 12, 2.5)
    assert_canonical(matrix)
    assert matrix.shape == (9000, 700)
    rows, columns = degrees(matrix)
    assert rows.max() > 10 * rows.mean() and columns.max() > 5 * columns.mean()


def test_communities_have_their_share():
    nodes, count, mean, outside = 12_000, 7, 10, 0.3
    matrix = communities(nodes, count, mean, outside)
    assert_graph(matrix)
    rows, _ = degrees(matrix)
    assert rows.mean() == pytest.approx(mean, rel=0.01)
    row = np.repeat(np.arange(nodes), rows)
    same = row * count // nodes == matrix.indices.astype(np.int64) * count // nodes
    # An edge between any two nodes joins two of a community once in `count`.
    assert same.mean() == pytest.approx(1 - outside + outside / count, abs=0.01)
    assert rows.max() < 40


@pytest.mark.parametrize(("nodes", "mean", "exponent"), [(1, 1, 2.5), (300, 5, 2.2), (400, 9, 5.0)])
def test_hyperbolic_edges_are_all_pairs_within_the_radius(nodes, mean, exponent):
    matrix = hyperbolic(nodes, mean, exponent, 3)
    assert_graph(matrix)
    alpha = (exponent - 1) / 2
    radius = max(1.0, 2 * np.log(2 * nodes * (alpha / (alpha - 0.5)) ** 2 / (np.pi * mean)))
    angles, radii = hyperbolic_graphs._points(nodes, alpha, radius, np.uint64(3))
    angles = np.sort(angles)
    cosh = np.cosh(radii)[:, None] * np.cosh(radii)
    cosh -= np.sinh(radii)[:, None] * np.sinh(radii) * np.cos(angles[:, None] - angles)
    near = cosh < np.cosh(radius)
    np.fill_diagonal(near, False)
    assert (near == (matrix.toarray() != 0)).all()


def test_hyperbolic_degrees():
    matrix = hyperbolic(20_000, 10, 2.8)
    rows, _ = degrees(matrix)
    assert rows.mean() == pytest.approx(10, rel=0.15)
    # P(k or more) falls by 4^(A - 1) from k = 10 to 40.
    assert np.log((rows >= 10).sum() / (rows >= 40).sum()) == pytest.approx(1.8 * np.log(4), rel=0.15)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: preferential_attachment(2**20, 2**12), "M 4096 is not possible: use 1 to 1023"),
        (lambda: chung_lu(9, 2, 1.0), "A 1.0 is not possible: use more than 1"),
        (lambda: communities(9, 10, 2, 0.1), "B 10 is not possible: use 1 to 9"),
        (lambda: communities(9, 2, 2, 1.1), "P 1.1 is not possible: use a probability"),
        (lambda: hyperbolic(9, 2, 2.0), "A 2.0 is not possible: use more than 2"),
        (lambda: ratings(9, 0, 2, 2.5), "N 0 is not possible"),
    ],
)
def test_what_is_not_possible(call, message):
    with pytest.raises(UserError, match=message):
        call()
