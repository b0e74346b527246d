import dataclasses

import numpy as np
import pytest
import scipy.sparse

from gpu.choice.structure import Structure
from gpu.choice.work_counts import diagonals_of_rows as work
from gpu.formats.sliced_diagonals import filling
from gpu.formats.sliced_diagonals.container import SlicedDiagonals


def tridiagonal(rows, dtype=np.float64):
    ones = np.ones(rows, dtype)
    return scipy.sparse.csr_array(
        scipy.sparse.diags_array([ones[1:], 2 * ones, ones[1:]], offsets=[-1, 0, 1])
    )


def test_worked_by_hand():
    # Rows 0 and 2 have the diagonal 1, rows 0 and 1 the diagonal 0, row 3 the diagonal -3.
    matrix = scipy.sparse.csr_array(np.array([[1.0, 2, 0, 0], [0, 3, 0, 0], [0, 0, 0, 4], [5, 0, 0, 0]]))
    built = SlicedDiagonals.from_scipy(matrix)
    np.testing.assert_array_equal(built.steps, [[-3, 0b1000], [0, 0b0011], [1, 0b0101]])
    np.testing.assert_array_equal(built.values, [5, 1, 3, 2, 4])
    np.testing.assert_array_equal(built.value_ptr, [0, 5])
    assert built.nbytes == 5 * 8 + 3 * 8 + 12 + 4


def test_equal_slices_share_their_steps():
    built = SlicedDiagonals.from_scipy(tridiagonal(32 * 100))
    # The first slice, the last, and one for all between.
    assert len(built.steps) == 3 * 3
    assert built.nbytes == 8 * built.nnz + 8 * 9 + 12 * 100 + 4
    built.check()


def test_diagonals_cost_nothing_but_what_is_there():
    # Every second row has the diagonal: half the values, no padding.
    matrix = tridiagonal(6400)
    matrix = scipy.sparse.csr_array(matrix[::2])
    assert SlicedDiagonals.from_scipy(matrix).nnz == matrix.nnz


@pytest.mark.parametrize("density", [0.02, 0.3, 1.0])
def test_slices_of_many_diagonals(density):
    rng = np.random.default_rng(3)
    matrix = scipy.sparse.random_array((70, 900), density=density, rng=rng, format="csr")
    built = SlicedDiagonals.from_scipy(matrix)
    built.check()
    assert (built.to_scipy() != matrix).nnz == 0
    np.testing.assert_allclose(built.matvec(np.arange(900)), matrix @ np.arange(900.0))


def test_two_patterns_of_one_hash(monkeypatch):
    counted = filling.counted

    def colliding(indptr, indices):
        counts, hashes = counted(indptr, indices)
        return counts, np.zeros_like(hashes)

    monkeypatch.setattr(filling, "counted", colliding)
    matrix = tridiagonal(200)
    built = SlicedDiagonals.from_scipy(matrix)
    built.check()
    assert (built.to_scipy() != matrix).nnz == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_work_counts_the_bytes(dtype):
    matrix = tridiagonal(1000, dtype)
    of = work(Structure.of(matrix))
    assert of.stored_bytes == SlicedDiagonals.from_scipy(matrix).nbytes
    assert of.chain == 3


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("value_ptr", [0, 1, 5], "value_ptr"),
        ("first_step", [3, 9], "before they begin"),
        ("last_step", [99, 99], "within steps"),
    ],
)
def test_check_names_what_is_broken(field, value, message):
    built = SlicedDiagonals.from_scipy(tridiagonal(40))
    old = getattr(built, field)
    broken = dataclasses.replace(built, **{field: np.array(value, dtype=old.dtype)})
    with pytest.raises(ValueError, match=message):
        broken.check()
