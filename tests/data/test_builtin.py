import os
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from isa.errors import UserError
from vecsim.data import BUILTINS, DEFAULT_BUILTIN, load, load_builtin
from vecsim.data.generators import brusselator_wave, laplace2d, olmstead, pde, random_walk, trefethen

FOLDER = Path(os.environ.get("VECSIM_MATRICES", Path(__file__).parents[3] / "shared" / "matrices"))


def test_laplace2d_entry_by_entry():
    expected = [[4, -1, -1, 0], [-1, 4, 0, -1], [-1, 0, 4, -1], [0, -1, -1, 4]]
    np.testing.assert_array_equal(laplace2d(2).toarray(), expected)


def test_random_walk_entry_by_entry():
    # Nodes (i, j): 00 01 02 10 11 20; columns are where a step starts.
    expected = [
        [0, 1 / 2, 0, 1 / 2, 0, 0],
        [1 / 2, 0, 1, 0, 1 / 2, 0],
        [0, 1 / 4, 0, 0, 0, 0],
        [1 / 2, 0, 0, 0, 1 / 2, 1],
        [0, 1 / 4, 0, 1 / 4, 0, 0],
        [0, 0, 0, 1 / 4, 0, 0],
    ]
    np.testing.assert_array_equal(random_walk(2).toarray(), expected)


def test_random_walk_is_a_walk():
    walk = random_walk(37)
    assert walk.shape == (38 * 39 // 2,) * 2
    assert walk.nnz == 2 * 37 * 38
    np.testing.assert_allclose(walk.sum(axis=0), 1)


def test_trefethen_entry_by_entry():
    expected = [
        [2, 1, 1, 0, 1],
        [1, 3, 1, 1, 0],
        [1, 1, 5, 1, 1],
        [0, 1, 1, 7, 1],
        [1, 0, 1, 1, 11],
    ]
    np.testing.assert_array_equal(trefethen(5).toarray(), expected)
    assert trefethen(20000).data.max() == 224737


def test_olmstead_entry_by_entry():
    s = (3 / np.pi) ** 2
    expected = [
        [4.7 - 0.2 * s, -1.8 * s, 0.1 * s, 0.9 * s],
        [0.5, -0.5, 0, 0],
        [0.1 * s, 0.9 * s, 4.7 - 0.2 * s, -1.8 * s],
        [0, 0, 0.5, -0.5],
    ]
    np.testing.assert_allclose(olmstead(4).toarray(), expected)


def test_brusselator_wave_entry_by_entry():
    u, v = 0.008 * (3 / 0.51302) ** 2, 0.004 * (3 / 0.51302) ** 2
    expected = [
        [4.45 - 2 * u, u, 4, 0],
        [u, 4.45 - 2 * u, 0, 4],
        [-5.45, 0, -4 - 2 * v, v],
        [0, -5.45, v, -4 - 2 * v],
    ]
    np.testing.assert_allclose(brusselator_wave(4).toarray(), expected)


def test_pde_entry_by_entry():
    # Two points side by side: x = 1/3 and 2/3, y = 1/2; mesh widths 1/3 and 1/2, so their ratio is 9/4.
    matrix = pde(2, 1).toarray()
    middle, drift = 9 / 4 * np.exp(-1 / 4), 3 / 4 / 2 * (20 * (5 / 6) + 20 * (7 / 6))
    corner = 9 / 4 * (np.exp(-1 / 12) + np.exp(-1 / 4)) + np.exp(1 / 12) + np.exp(1 / 4)
    assert matrix[0, 0] == pytest.approx(corner + 1 / 4 / (1 + 1 / 3 + 1 / 2))
    # Transposed, as in the files of the collection.
    assert matrix[0, 1] == pytest.approx(-(middle + drift))
    assert matrix[1, 0] == pytest.approx(-middle + drift)


# Least and greatest value of the matrix in the SuiteSparse index, where the file is not at hand.
@pytest.mark.parametrize(
    ("name", "nnz", "least", "greatest"),
    [
        ("pde225", 1065, -2.73226942352, 5.65078440956),
        ("pde900", 4380, -2.51158923164, 5.88724627242),
        ("bwm2000", 7996, -60909.89026565445, 30457.17013282722),
        ("Trefethen_20000", 554466, 1, 224737),
    ],
)
def test_agrees_with_the_collections_index(name, nnz, least, greatest):
    matrix = load_builtin(name).csr
    assert matrix.nnz == nnz
    assert matrix.data.min() == pytest.approx(least, rel=1e-11)
    assert matrix.data.max() == pytest.approx(greatest, rel=1e-11)


@pytest.mark.parametrize(
    ("name", "digits"),
    [("pde2961", 1e-8), ("olm500", 1e-8), ("olm1000", 1e-8), ("bwm200", 1e-5), ("Trefethen_20", 0)],
)
def test_agrees_with_the_collections_file(name, digits):
    path = FOLDER / f"{name}.mtx.gz"
    if not path.exists():
        pytest.skip(f"{path} is not at hand")
    original = scipy.sparse.csr_array(scipy.io.mmread(path))
    original.sum_duplicates()
    matrix = load_builtin(name).csr
    np.testing.assert_array_equal(matrix.indptr, original.indptr)
    np.testing.assert_array_equal(matrix.indices, original.indices)
    np.testing.assert_allclose(matrix.data, original.data, rtol=digits)


@pytest.mark.parametrize("name", BUILTINS)
def test_every_builtin_loads_the_same_twice(name):
    builtin = BUILTINS[name]
    chosen = name.replace("N", "5") if builtin.is_family else name
    matrix, again = load(chosen), load(chosen)
    assert (matrix.name, matrix.source) == (chosen, "built-in")
    assert matrix.csr.has_canonical_format
    assert (matrix.csr != again.csr).nnz == 0
    assert builtin.description
    assert builtin.source


def test_the_default_is_large_enough_to_show_three_levels():
    matrix = load(DEFAULT_BUILTIN).csr
    assert matrix.shape[0] > 64 * 64
    assert matrix.nnz >= 10_000


def test_load_prefers_an_existing_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("pde225").write_text("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
    assert load("pde225").csr.shape == (1, 1)
    assert load(Path("pde225")).name == "pde225"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone.mtx", r"gone\.mtx: no such file"),
        ("folder/gone", "folder/gone: no such file"),
        (Path("gone"), "gone: no such file"),
        ("laplac2d", "did you mean laplace2d-N"),
        ("trefethen_20", "did you mean Trefethen_20"),
        ("zzzzzz", "unknown matrix 'zzzzzz': `vecsim list"),
        ("x" * 5000, "unknown matrix"),
        ("laplace2d-1", "N runs from 2 to"),
        ("laplace2d-999999", "N runs from 2 to"),
    ],
)
def test_what_is_neither_file_nor_builtin(name, message):
    with pytest.raises(UserError, match=message):
        load(name)


def test_load_builtin_refuses_other_names():
    with pytest.raises(UserError, match="no built-in matrix 'pde226'"):
        load_builtin("pde226")
