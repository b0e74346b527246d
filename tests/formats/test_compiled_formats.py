"""Every format as Numba compiles it, and larger matrices; the other tests of this folder interpret it."""

import numba
import numpy as np
import pytest
import scipy.sparse
from format_cases import assert_right, matrices
from hypothesis import given
from tiers import examples

from gpu.choice.structure import Structure
from gpu.choice.work_counts import diagonals_of_rows
from gpu.format_registry import FORMATS
from gpu.formats.sliced_diagonals.container import SlicedDiagonals
from vecsim.formats import NotRepresentableError

# One that sorts rows, one that cuts rows: to compile all takes a minute and more.
EVERY_DAY = ("sell-c-sigma", "hyb")

every_format = pytest.mark.parametrize(
    "name", [name if name in EVERY_DAY else pytest.param(name, marks=pytest.mark.nightly) for name in FORMATS]
)


def matrix_of_every_kind(dtype):
    """Empty rows, full rows, a block, a band, and entries anywhere, all small whole numbers."""
    rng = np.random.default_rng(1)
    dense = np.where(rng.random((300, 150)) < 0.03, rng.integers(1, 4, (300, 150)), 0)
    dense[::7] = 0
    dense[3] = dense[290] = 1
    dense[20:32, 40:52] = 2
    dense[np.arange(40, 190), np.arange(150)] = 3
    return scipy.sparse.csr_array(dense.astype(dtype))


def build(name, matrix):
    assert not numba.config.DISABLE_JIT
    return FORMATS[name].from_scipy(matrix, section_size=8)


@every_format
def test_a_matrix_of_every_kind(name):
    matrix = matrix_of_every_kind(np.float64)
    assert_right(build(name, matrix), matrix)


@pytest.mark.nightly
@pytest.mark.parametrize("name", FORMATS)
@examples(25)
@given(matrix=matrices())
def test_any_matrix_of_both_types(name, matrix):
    assert_right(build(name, matrix), matrix)


@pytest.mark.ci
def test_blocks_that_are_not_dense_are_refused():
    rng = np.random.default_rng(2)
    matrix = scipy.sparse.random_array((30000, 30000), density=1e-3, rng=rng, format="csr")
    actual = [each for each in FORMATS.values() if "-blocks-" in each.name]
    assert {each.options["slicing"].block for each in actual} == {2, 3, 4}
    for each in actual:
        with pytest.raises(NotRepresentableError, match="a smaller block"):
            each.from_scipy(matrix)


@pytest.mark.nightly
def test_scattered_entries_have_too_many_diagonals():
    rng = np.random.default_rng(4)
    rows = np.repeat(np.arange(20000), 10)
    matrix = scipy.sparse.coo_array(
        (np.ones(len(rows)), (rows, rng.integers(0, 20000, len(rows)))), shape=(20000, 20000)
    )
    with pytest.raises(NotRepresentableError, match="16-bit columns take"):
        SlicedDiagonals.from_scipy(matrix)
    assert diagonals_of_rows(Structure.of(scipy.sparse.csr_array(matrix))) is None
