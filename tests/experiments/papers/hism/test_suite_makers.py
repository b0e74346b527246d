import numpy as np
import pytest

from experiments.papers.hism.suite.coupled_grid import coupled_grid
from experiments.papers.hism.suite.lattice import wilson_hopping
from experiments.papers.hism.suite.makers import arguments_of, make
from experiments.papers.hism.suite.migration import migration
from vecsim.data.finite_elements import elastic_brick

OFF = "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"


def test_a_definition_is_read():
    brick = make("elastic_brick nodes=2x3x4", ())
    assert (brick != elastic_brick((2, 3, 4))).nnz == 0
    assert make("driven_cavity cells=3 boundary=kept", ()).shape == (2 * 49 + 27,) * 2
    assert arguments_of("maker a=1 b=two") == {"a": "1", "b": "two"}
    with pytest.raises(KeyError):
        make("nothing of=this", ())


@pytest.mark.parametrize(("maker", "unknowns"), [("laplace_beltrami", 1), ("membrane", 3), ("shell", 6)])
@pytest.mark.parametrize("numbering", ["file", "rcm"])
def test_makers_on_meshes(tmp_path, maker, unknowns, numbering):
    pytest.importorskip("trimesh")
    (tmp_path / "tetrahedron.off").write_text(OFF)
    matrix = make(f"{maker} mesh=tetrahedron numbering={numbering}", (tmp_path,))
    assert matrix.shape == (4 * unknowns,) * 2
    assert matrix.nnz == (4 * unknowns) ** 2


def test_coupled_grid_by_hand():
    expected = np.kron(
        [[4, -1, -1, 0], [-1, 4, 0, -1], [-1, 0, 4, -1], [0, -1, -1, 4]], [[1, 0.25], [0.25, 1]]
    )
    np.testing.assert_array_equal(coupled_grid(2, 2, 2).toarray(), expected)
    # Every point has its neighbours: 5 n m - 2 (n + m) blocks.
    assert coupled_grid(7, 4, 3).nnz == 9 * (5 * 28 - 2 * 11)


def test_wilson_hopping():
    matrix = wilson_hopping(3)
    assert matrix.shape == (12 * 81,) * 2
    np.testing.assert_array_equal(np.diff(matrix.indptr), 39)
    np.testing.assert_array_equal(matrix.diagonal(), 0)
    # Sites couple with their eight neighbours on a torus, the first direction fastest.
    sites = set((matrix.indices[matrix.indptr[0] : matrix.indptr[12]] // 12).tolist())
    assert sites == {1, 2, 3, 6, 9, 18, 27, 54}
    # (1 - gamma) (1 + gamma) = 0: the same colour of the neighbours on either side, in each direction.
    for step in (1, 3, 9, 27):
        forward, backward = (
            matrix[:12, 12 * site : 12 * site + 12].toarray()[::3, ::3] for site in (step, 2 * step)
        )
        assert abs(forward).max() > 0.1
        np.testing.assert_allclose(forward @ backward, 0, atol=1e-15)
    assert matrix.nnz == 39 * 12 * 81


def test_migration():
    matrix = migration(300, 6000)
    assert matrix.shape == (300, 300)
    assert matrix.nnz == 6000
    assert (matrix.diagonal() > 0).all()
    assert (matrix.data > 0).all()
    assert (matrix != migration(300, 6000)).nnz == 0
    assert (matrix != migration(300, 6000, seed=7)).nnz > 0
    # A few counties trade with many, most with few.
    lengths = np.sort(np.diff(matrix.indptr))
    assert lengths[-1] > 5 * np.median(lengths)


def test_largest_flows_are_kept():
    fewer, more = migration(100, 800), migration(100, 2000)
    recorded = fewer.astype(bool)
    assert (recorded > more.astype(bool)).nnz == 0
    dropped = more - more.multiply(recorded)
    off_diagonal = fewer - fewer.multiply(np.eye(100))
    assert dropped.data.max() <= off_diagonal.data[off_diagonal.data > 0].min()
