import numba
import numpy as np
import pytest

from vecsim.data.synthetic import random_graphs
from vecsim.support.errors import UserError

SMALL = {
    "kronecker": lambda seed: random_graphs.kronecker(9, 8, seed),
    "uniform": lambda seed: random_graphs.uniform(700, 9, seed),
    "circuit": lambda seed: random_graphs.circuit(3000, seed),
    "web": lambda seed: random_graphs.web(3000, seed),
    "road": lambda seed: random_graphs.road(40, 30, seed),
}
# Compiling the others takes seconds each.
COMPILED_SOON = ("uniform", "road")
every_graph = pytest.mark.parametrize(
    "name", [name if name in COMPILED_SOON else pytest.param(name, marks=pytest.mark.ci) for name in SMALL]
)


@every_graph
def test_canonical_matrices_of_float64(name):
    matrix = SMALL[name](1)
    matrix.check_format(full_check=True)
    assert matrix.shape[0] == matrix.shape[1]
    assert matrix.data.dtype == np.float64
    assert matrix.indices.dtype == np.int32
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    assert (np.diff(rows * matrix.shape[1] + matrix.indices) > 0).all()
    assert -1 <= matrix.data.min() < -0.9 and 0.9 < matrix.data.max() < 1


@every_graph
def test_the_seed_alone_decides(name):
    matrix, threads = SMALL[name](1), numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        again = SMALL[name](1)
    finally:
        numba.set_num_threads(threads)
    for array in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(matrix, array), getattr(again, array))
    other = SMALL[name](2)
    assert other.nnz != matrix.nnz or (other.indices != matrix.indices).any()


@pytest.mark.parametrize(
    "name", ["road", *(pytest.param(name, marks=pytest.mark.ci) for name in ("kronecker", "circuit"))]
)
def test_symmetric_ones(name):
    matrix = SMALL[name](1)
    assert (matrix != matrix.T).nnz == 0
    assert (matrix.diagonal() != 0).all() == (name == "circuit")
    assert matrix.diagonal().any() == (name == "circuit")


@pytest.mark.ci
def test_kronecker_degrees():
    matrix = random_graphs.kronecker(12, 16)
    degrees = np.diff(matrix.indptr)
    # 2 x 16 a vertex, minus duplicate edges; the first vertex takes (0.57 + 0.19)^12 of all row ends.
    assert 0.6 < degrees.mean() / 32 < 1
    assert degrees.max() > 20 * degrees.mean()
    assert 0.1 < (degrees == 0).mean() < 0.5
    directed = random_graphs.kronecker(12, 16, symmetric=False)
    assert (directed != directed.T).nnz > 0
    assert directed.nnz < matrix.nnz


@pytest.mark.ci
def test_kronecker_quadrants():
    # One level: four positions, two of them loops; both directions are equally likely.
    assert random_graphs.kronecker(1, 8).nnz == 2
    # Scale 2 by hand: without shuffled labels row 0 would have 0.76^2 of the ends.
    matrix = random_graphs.kronecker(2, 1000, symmetric=False)
    assert matrix.nnz == 12


def test_uniform_rows():
    matrix = random_graphs.uniform(5000, 12)
    lengths = np.diff(matrix.indptr)
    assert lengths.max() == 12
    assert lengths.mean() > 11.9
    # Columns are Poisson: mean and variance alike.
    counts = np.bincount(matrix.indices, minlength=5000)
    assert 0.9 < counts.var() / counts.mean() < 1.1


@pytest.mark.ci
def test_circuit_has_few_dense_rows_and_short_wires():
    matrix = random_graphs.circuit(20_000, rails=3, rail_share=0.4)
    lengths = np.sort(np.diff(matrix.indptr))[::-1]
    for length, share in zip(lengths[:3], (0.4, 0.2, 0.1), strict=True):
        assert 0.95 < length / (share * 20_000) < 1.1
    assert lengths[3] < 2000
    rows = np.repeat(np.arange(20_000), np.diff(matrix.indptr))
    assert np.median(np.abs(rows - matrix.indices)) < 50


@pytest.mark.ci
def test_web_has_popular_pages_and_local_links():
    matrix = random_graphs.web(50_000)
    popularity = np.sort(np.bincount(matrix.indices, minlength=50_000))[::-1]
    assert popularity[0] > 50 * popularity.mean()
    assert np.diff(matrix.indptr).max() < popularity[0]
    rows = np.repeat(np.arange(50_000), np.diff(matrix.indptr))
    near = np.abs(rows - matrix.indices) <= 1024
    assert 0.4 < near.mean() < 0.9
    unlocal = random_graphs.web(50_000, local=0.0)
    rows = np.repeat(np.arange(50_000), np.diff(unlocal.indptr))
    assert (np.abs(rows - unlocal.indices) <= 1024).mean() < 0.2


def test_road_is_a_grid_with_streets_left_out():
    matrix = random_graphs.road(100, 80)
    assert np.diff(matrix.indptr).max() <= 4
    assert 2.2 < matrix.nnz / 8000 < 2.6
    rows = np.repeat(np.arange(8000), np.diff(matrix.indptr))
    distance = np.abs(rows - matrix.indices)
    assert set(distance.tolist()) == {1, 100}
    # No street leads from the end of a row to the next.
    assert ((rows // 100 == matrix.indices // 100) | (distance == 100)).all()
    assert random_graphs.road(6, 5, kept=1.0).nnz == 2 * (5 * 5 + 6 * 4)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: random_graphs.kronecker(0, 8), "scale 0"),
        (lambda: random_graphs.kronecker(20, 4096), "edge_factor"),
        (lambda: random_graphs.uniform(0, 3), "rows"),
        (lambda: random_graphs.circuit(1), "nodes"),
        (lambda: random_graphs.circuit(9, wire_exponent=1), "wire_exponent"),
        (lambda: random_graphs.circuit(9, rail_share=1.5), "rail_share"),
        (lambda: random_graphs.web(9, copied=1), "copied"),
        (lambda: random_graphs.road(9, 9, kept=2), "kept"),
    ],
)
def test_impossible_sizes(call, named):
    with pytest.raises(UserError, match=named):
        call()
