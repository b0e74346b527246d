import numpy as np
import pytest
import scipy.sparse

from vecsim.data import Matrix, as_matrix, load_builtin
from vecsim.support.errors import UserError

VALUES = np.array([[0.0, 2.0, 0.0], [-1.5, 0.0, 4.0]])


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("kind", [scipy.sparse.coo_array, scipy.sparse.coo_matrix])
def test_every_form_of_scipy_is_taken(kind, form):
    actual = as_matrix(kind(VALUES).asformat(form))
    np.testing.assert_array_equal(actual.csr.toarray(), VALUES)
    assert (actual.name, actual.source, actual.csr.dtype) == ("matrix", "Python", np.float64)
    assert actual.csr.has_canonical_format


@pytest.mark.parametrize(
    ("given", "dtype"),
    [("f4", "f4"), ("f8", "f8"), ("i1", "f8"), ("u8", "f8"), ("?", "f8"), (">f4", "f8"), ("f2", "f8")],
)
def test_types_become_those_of_values(given, dtype):
    array = np.array([[1, 0], [0, 1]], given)
    actual = as_matrix(array).csr
    assert actual.dtype == dtype
    np.testing.assert_array_equal(actual.toarray(), [[1, 0], [0, 1]])


def test_zeros_of_a_sparse_matrix_are_entries_and_duplicates_are_summed():
    given = scipy.sparse.coo_array(([0.0, 1.0, 2.0], ([0, 1, 1], [1, 0, 0])), shape=(2, 2))
    actual = as_matrix(given).csr
    assert actual.nnz == 2
    assert actual.toarray().tolist() == [[0, 0], [3, 0]]
    assert given.nnz == 3


def test_a_matrix_stays_as_it_is_and_a_name_is_loaded(tmp_path):
    matrix = load_builtin("laplace2d-3")
    assert as_matrix(matrix) is matrix
    assert as_matrix("laplace2d-3").name == "laplace2d-3"
    path = tmp_path / "one.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 7\n")
    for given in (path, str(path)):
        assert isinstance(as_matrix(given), Matrix)
        assert as_matrix(given).name == "one"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[1, 2]], "or a name, not list"),
        (np.zeros(3), "not an array of 1 dimension$"),
        (np.zeros((1, 2, 3)), "not an array of 3 dimensions$"),
        (np.array([["a"]]), "values of type <U1: real numbers are needed"),
        (np.array([[1j]]), "values of type complex128: real numbers"),
        (scipy.sparse.csr_array([[1j]]), "values of type complex128: real numbers"),
        (np.array([[1, 2], [np.nan, 0]]), "row 2, column 1 is nan: values must be finite"),
        (scipy.sparse.csc_array([[1, -np.inf]]), "row 1, column 2 is -inf"),
        (None, "not NoneType"),
        ("no_such_matrix", "unknown matrix"),
    ],
    ids=str,
)
def test_what_is_no_matrix_is_refused(given, message):
    with pytest.raises(UserError, match=message):
        as_matrix(given)
