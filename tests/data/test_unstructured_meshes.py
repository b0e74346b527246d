import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from test_stencils import assert_canonical

from vecsim.data.synthetic.unstructured_meshes import tetrahedral_elasticity, triangle_diffusion
from vecsim.support.errors import UserError


def bandwidth(matrix):
    rows, columns = matrix.tocoo().coords
    return int(np.abs(rows - columns).max())


@pytest.mark.nightly
def test_triangles_are_a_planar_triangulation():
    matrix = triangle_diffusion(12, 3)
    assert_canonical(matrix)
    nodes = matrix.shape[0]
    assert nodes == (12 * 3) ** 2
    assert abs(matrix - matrix.T).max() == 0
    edges = (matrix.nnz - nodes) // 2
    # Euler: at most 3 n - 6 edges, reached but for the border.
    assert 3 * nodes - 6 * 36 - 6 < edges <= 3 * nodes - 6
    assert connected_components(matrix)[0] == 1
    assert np.linalg.eigvalsh(matrix.toarray()).min() > 0


@pytest.mark.ci
def test_nodes_are_numbered_for_a_narrow_band():
    matrix = triangle_diffusion(12, 3)
    assert bandwidth(matrix) < 4 * 36


@pytest.mark.ci
def test_tetrahedra_give_a_stiffness_matrix():
    matrix = tetrahedral_elasticity(8, 2)
    assert_canonical(matrix)
    assert matrix.shape == (3 * 16**3,) * 2
    assert abs(matrix - matrix.T).max() < 1e-12
    lengths = np.diff(matrix.indptr)
    assert (lengths % 3 == 0).all() and (lengths.reshape(-1, 3) == lengths[::3, None]).all()
    assert 35 < lengths.mean() < 50
    rng = np.random.default_rng(1)
    for _ in range(5):
        x = rng.standard_normal(matrix.shape[0])
        assert x @ (matrix @ x) > 0


def test_nodes_far_from_the_border_feel_no_rigid_motion():
    matrix = tetrahedral_elasticity(8, 3)
    longest = np.abs(matrix @ np.tile([1.0, 0, 0], matrix.shape[0] // 3))
    # All couplings of an inner node add up to nothing; the border is clamped.
    assert np.count_nonzero(longest < 1e-10) > 0.5 * len(longest)


@pytest.mark.parametrize(("tile", "repeats"), [(7, 2), (10, 0), (1000, 1000)])
def test_what_cannot_be_made_is_refused(tile, repeats):
    with pytest.raises(UserError, match="tiles of"):
        triangle_diffusion(tile, repeats)
