import numba
import numpy as np
import pytest

from vecsim.data.families.poisson import laplace2d, laplace3d, nine_point, twenty_seven_point
from vecsim.data.finite_elements import elastic_brick
from vecsim.data.synthetic.stencils import grid_diffusion, hexahedral_elasticity
from vecsim.support.errors import UserError


def pattern(matrix):
    return sorted(zip(*map(list, matrix.tocoo().coords), strict=True))


def assert_canonical(matrix):
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    inner = np.diff(matrix.indices.astype(np.int64))
    row_ends = matrix.indptr[1:-1] - 1
    inner[row_ends[(row_ends >= 0) & (row_ends < len(inner))]] = 1
    assert (inner > 0).all()


@pytest.mark.parametrize(
    ("points", "box", "family"),
    [
        ((1, 7, 7), False, laplace2d(7)),
        ((6, 6, 6), False, laplace3d(6)),
        ((1, 5, 5), True, nine_point(5)),
        ((5, 5, 5), True, twenty_seven_point(5)),
    ],
)
def test_the_pattern_is_that_of_the_stencil_of_constant_coefficients(points, box, family):
    matrix = grid_diffusion(points, box=box)
    assert_canonical(matrix)
    assert pattern(matrix) == pattern(family)


@pytest.mark.parametrize("points", [(1, 3, 9), (4, 3, 5)])
def test_diffusion_is_symmetric_and_diagonally_dominant(points):
    matrix = grid_diffusion(points, seed=3)
    assert abs(matrix - matrix.T).max() == 0
    off = matrix - np.diag(matrix.diagonal())
    assert off.max() <= 0
    couplings = -off[off < 0]
    assert couplings.min() >= 0.5 and couplings.max() < 1.5
    assert len(np.unique(couplings)) == couplings.size / 2
    assert np.linalg.eigvalsh(matrix.toarray()).min() > 0


def test_hexahedra_have_the_pattern_of_the_brick_and_its_rigid_motions():
    nodes = (3, 4, 5)
    matrix, brick = hexahedral_elasticity(nodes), elastic_brick(nodes)
    assert_canonical(matrix)
    assert pattern(matrix) == pattern(brick)
    assert abs(matrix - matrix.T).max() < 1e-12
    x, y, z = np.indices(nodes).reshape(3, -1)
    for motion in ([1 + 0 * x, 0 * x, 0 * x], [-y, x, 0 * x], [0 * x, -z, y]):
        assert np.abs(matrix @ np.stack(motion, axis=1).ravel().astype(float)).max() < 1e-12
    assert np.linalg.eigvalsh(matrix.toarray()).min() > -1e-12


def test_another_seed_gives_other_values_and_one_thread_the_same():
    first = hexahedral_elasticity((4, 4, 4), seed=1)
    assert (first.data != hexahedral_elasticity((4, 4, 4), seed=2).data).any()
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        again = hexahedral_elasticity((4, 4, 4), seed=1)
    finally:
        numba.set_num_threads(threads)
    np.testing.assert_array_equal(first.data, again.data)


@pytest.mark.parametrize("points", [(0, 2, 2), (1, 1, 2**21), (2048, 2048, 2048)])
def test_what_cannot_be_made_is_refused_before_it_is_begun(points):
    with pytest.raises(UserError, match="is not possible"):
        grid_diffusion(points)
