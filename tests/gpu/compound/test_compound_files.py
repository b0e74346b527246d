"""Matrices with compound entries from files, and what commands call the entries."""

import re

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from gpu.compound import COMPLEX, QUATERNION, blocks
from gpu.compound.compound_files import ENTRIES, entry_named, read_compound
from vecsim.support.errors import UserError

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


def test_complex_values_are_kept(tmp_path):
    matrix = sp.coo_array(([1 + 2j, 3 - 1j], ([0, 1], [1, 0])), (2, 2))
    scipy.io.mmwrite(tmp_path / "c.mtx", matrix)
    read = read_compound(str(tmp_path / "c.mtx"), COMPLEX, np.float32)
    assert (read.shape, read.nnz, read.dtype) == ((2, 2), 2, np.float32)
    assert [part.tolist() for part in read.components] == [[1, 3], [2, -1]]


def test_blocks_of_a_matrix_of_numbers(tmp_path):
    scipy.io.mmwrite(tmp_path / "b.mtx", sp.eye_array(6))
    read = read_compound(str(tmp_path / "b.mtx"), entry_named("block-3"), np.float64)
    assert (read.entry, read.shape, read.nnz) == (blocks(3), (2, 2), 2)


def test_arrays_of_numpy(tmp_path):
    file = tmp_path / "q.npz"
    np.savez(file, shape=(2, 3), indptr=[0, 1, 2], indices=[2, 0], components=np.ones((4, 2)))
    read = read_compound(str(file), QUATERNION, np.float32)
    assert (read.shape, read.nnz, read.dtype) == ((2, 3), 2, np.float32)


def test_the_dirac_operator_of_a_mesh(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "t.obj").write_text(TETRAHEDRON)
    read = read_compound(str(tmp_path / "t.obj"), QUATERNION, np.float64)
    assert (read.shape, read.nnz) == ((4, 4), 16)
    with pytest.raises(UserError, match="gives quaternions"):
        read_compound(str(tmp_path / "t.obj"), COMPLEX, np.float64)


def test_what_it_refuses(tmp_path):
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    with pytest.raises(UserError, match="shape, indptr, indices and components are needed"):
        read_compound(str(tmp_path / "bad.npz"), QUATERNION, np.float32)
    with pytest.raises(UserError, match=re.escape("has no quaternion entries; use a file of arrays (.npz)")):
        read_compound("laplace2d-3", QUATERNION, np.float32)
    with pytest.raises(UserError, match="did you mean 'quaternion'"):
        entry_named("quaternoin")
    assert {entry.name for entry in ENTRIES.values()} >= {"complex", "quaternion", "3 x 3 block"}
