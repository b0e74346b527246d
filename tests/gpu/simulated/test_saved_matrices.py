"""Prepared matrices in files and pickles."""

import json
import pickle

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS

import gpu
from gpu.device_matrix import restored
from gpu.formats.sliced.slicing import Slicing
from vecsim.support.errors import UserError

MATRIX = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0], [4, 5, 6]]))
X, V = np.array([1.0, 10, 100]), np.array([1.0, 2, 3, 4])
ARRANGEMENT = Slicing(slice_height=8, threads_per_row=2, row_cap=5)


def copies(built, tmp_path):
    built.save(tmp_path / "M.npz")
    return gpu.load(tmp_path / "M.npz"), pickle.loads(pickle.dumps(built))


@pytest.mark.parametrize("format", ["auto", "sliced-ell", "hyb", "hisparse", ARRANGEMENT], ids=str)
def test_they_come_back_in_their_format(format, tmp_path):
    built = gpu.prepare(MATRIX.astype(np.float32), format, threads_per_block=THREADS, deterministic=True)
    for copied in copies(built, tmp_path):
        assert (copied.format, copied.dtype, copied.nbytes) == (built.format, built.dtype, built.nbytes)
        np.testing.assert_array_equal(copied @ X, MATRIX @ X)


def test_new_values_factors_and_transposes_come_back(tmp_path):
    built = gpu.prepare(MATRIX, "sliced-ell", threads_per_block=THREADS, transpose="coo")
    built.update_values(3 * MATRIX.data)
    for view in (2 * built, (2 * built).T):
        for copied in copies(view, tmp_path):
            assert (copied.format, copied.T.format) == (view.format, view.T.format)
            x = X if view.shape[1] == 3 else V
            np.testing.assert_array_equal(copied @ x, 6 * ((MATRIX if view.shape[1] == 3 else MATRIX.T) @ x))


def test_what_is_no_prepared_matrix_is_refused(tmp_path):
    path = tmp_path / "other.npz"
    with pytest.raises(UserError, match=r"other\.npz"):
        gpu.load(path)
    path.write_bytes(b"text")
    with pytest.raises(UserError, match="no prepared matrix"):
        gpu.load(path)
    np.savez(path, values=np.ones(2))
    with pytest.raises(UserError, match="no prepared matrix"):
        gpu.load(path)
    gpu.prepare(MATRIX, "crs", threads_per_block=THREADS).save(path)
    with np.load(path) as file:
        parts = dict(file)
    with pytest.raises(UserError, match="cannot be restored: unknown choice 'colour'"):
        restored(gpu.prepare, MATRIX, {"colour": 1}, 1.0, False)
    choices = json.loads(str(parts["choices"])) | {"colour": 1}
    for changes, message in (
        ({"choices": np.array(json.dumps(choices))}, "unknown choice 'colour': another version wrote it"),
        ({"indptr": 0 * parts["indptr"]}, "values for 0 entries"),
        ({"indices": parts["indices"] + 9}, "no prepared matrix"),
        ({"shape": -parts["shape"]}, "no prepared matrix"),
    ):
        np.savez(path, **(parts | changes))
        with pytest.raises(UserError, match=message):
            gpu.load(path)
