"""What all formats have in common: the way from SciPy and back, the product, storage, refusals.

What only some can do is tested over those that say they can: memory images here, insertion in `insertion/`.
"""

from dataclasses import fields

import numpy as np
import pytest
import scipy.sparse
from format_cases import SECTION_SIZES, assert_right, assert_same, canonical, matrices
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from gpu.format_registry import FORMATS
from vecsim.formats import Format, FormatWithImage, FormatWithInsertion, Layout
from vecsim.support.errors import UserError

ORDERS = (("row",), ("column",), ("row", "column"), ("column", "row"), ("row", "column", "row"))
WITH_IMAGE = [name for name, format in FORMATS.items() if format.has_image]
WITH_SECTIONS = [name for name, format in FORMATS.items() if format.needs_section_size]


def build(name, matrix, section_size=8, order=None):
    options = {"order": order} if name == "hism" and order else {}
    return FORMATS[name].from_scipy(matrix, section_size=section_size, **options)


@pytest.mark.parametrize("name", FORMATS)
def test_it_keeps_the_protocols_that_it_says_it_keeps(name):
    format, built = FORMATS[name], build(name, scipy.sparse.csr_array(np.eye(3)))
    assert type(built) is format.container
    assert isinstance(built, Format)
    assert isinstance(built, FormatWithImage) == format.has_image
    assert isinstance(built, FormatWithInsertion) == format.takes_insertion


@pytest.mark.parametrize("name", FORMATS)
@examples(40)
@given(matrix=matrices(), section_size=st.sampled_from(SECTION_SIZES), order=st.sampled_from(ORDERS))
def test_round_trip_is_lossless_and_the_product_is_scipys(name, matrix, section_size, order):
    before = matrix.copy()
    built = build(name, matrix, section_size, order)
    assert_right(built, matrix)
    assert_same(canonical(matrix), before)
    # Every value has its bytes, next to 32 bits for one and its position by the paper's accounting.
    least = {"image": built.nnz * matrix.dtype.itemsize, "paper": 5 * built.nnz}
    assert all(built.storage(accounting) >= least[accounting] for accounting in built.accountings)


@pytest.mark.parametrize("name", FORMATS)
def test_values_of_another_type_are_those_of_a_matrix_rounded_before(name):
    matrix = scipy.sparse.random_array((30, 40), density=0.2, rng=3, format="csr")
    wide, narrow = build(name, matrix), build(name, matrix.astype(np.float32))
    rounded = wide.astype(np.float32)
    rounded.check()
    assert rounded.dtype == np.float32
    assert_same(rounded.to_scipy(), narrow.to_scipy())
    assert rounded.to_dict() == narrow.to_dict()
    x = np.linspace(-1, 1, 40, dtype=np.float32)
    np.testing.assert_array_equal(rounded.matvec(x), narrow.matvec(x))
    assert_same(wide.to_scipy(), matrix)


@pytest.mark.parametrize("name", FORMATS)
def test_matrices_of_a_section_and_one_more(name):
    for section_size, size in ((4, 4), (4, 5), (64, 64), (64, 65)):
        matrix = scipy.sparse.csr_array(np.arange(1.0, size * size + 1).reshape(size, size))
        built = build(name, matrix, section_size)
        built.check()
        assert_same(built.to_scipy(), matrix)


@pytest.mark.parametrize("name", FORMATS)
def test_matrices_without_entries(name):
    for shape in ((0, 0), (0, 5), (5, 0), (1, 1), (3, 100), (100, 3)):
        built = build(name, scipy.sparse.csr_array(shape))
        built.check()
        assert built.nnz == 0, shape
        assert built.to_scipy().shape == shape
        np.testing.assert_array_equal(built.matvec(np.ones(shape[1])), np.zeros(shape[0]))
        if FORMATS[name].has_image:
            assert built.image(Layout(64, 4)).symbols["NNZ"] == 0, shape


# Bytes of 70 x 30 without an entry, s = 8: pointers, permutations and lengths, but no place for an entry.
EMPTY = {
    "crs": {"paper": 8 * 70, "image": 4 * 71},
    "jd": {"paper": 4 * 70, "image": 4 * 70 + 4},
    "bbcs": {"paper": 0, "image": 8 * 4},
    "hism": {"paper": 0, "image": 0},
    "coo": {"image": 0},
    "sliced-ell": {"image": 4 * 4 + 4},  # of the slices, and of the pieces of rows
    "sliced-deltas": {"image": 4 * 96 + 2 * 4 * 4},
    "sliced-diagonals": {"image": 3 * 4 + 3 * 4 + 4 * 4},
    "biell": {"image": 4 * (6 * 3 + 1) + 4 * 96},
}


@pytest.mark.parametrize("name", EMPTY)
def test_bytes_of_a_matrix_without_entries_by_hand(name):
    built = build(name, scipy.sparse.csr_array((70, 30)))
    assert {accounting: built.storage(accounting) for accounting in built.accountings} == EMPTY[name]


@pytest.mark.parametrize("name", FORMATS)
def test_rows_without_entries_take_few_bytes(name):
    rows = 3200
    built = build(name, scipy.sparse.csr_array((rows, 30)))
    # A pointer, a permutation and a length a row, 5 bytes more where the steps of threads are kept.
    assert all(built.storage(accounting) <= 17 * rows + 64 for accounting in built.accountings)


@pytest.mark.parametrize("name", FORMATS)
def test_an_unknown_accounting_is_refused(name):
    built = build(name, scipy.sparse.csr_array(np.eye(3)))
    assert built.accountings == FORMATS[name].accountings
    for accounting in {"thesis", "paper"} - set(built.accountings):
        with pytest.raises(UserError, match=f"{accounting}.*use one of {', '.join(built.accountings)}$"):
            built.storage(accounting)


@pytest.mark.parametrize("name", FORMATS)
def test_integers_become_float64_before_duplicates_are_summed(name):
    for dtype in (np.bool_, np.int8, np.int64):
        values = np.full(3, 1 if dtype == np.bool_ else 100, dtype=dtype)
        matrix = scipy.sparse.coo_array((values, ([1, 1, 1], [2, 2, 2])), shape=(3, 4))
        back = build(name, matrix).to_scipy()
        assert back.dtype == np.float64, dtype
        assert back[1, 2] == 3 * float(values[0]), dtype


@pytest.mark.parametrize("name", FORMATS)
def test_any_scipy_format_is_accepted(name):
    for kind in (scipy.sparse.coo_array, scipy.sparse.coo_matrix):
        matrix = kind(([1.0, -2.0, 3.0], ([0, 2, 2], [1, 0, 3])), shape=(4, 4))
        for form in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil"):
            back = build(name, matrix.asformat(form)).to_scipy()
            np.testing.assert_array_equal(back.toarray(), matrix.toarray(), form)


@pytest.mark.parametrize("name", FORMATS)
def test_unsorted_csr_is_sorted_on_a_copy(name):
    matrix = scipy.sparse.csr_array((np.array([2.0, 1.0]), np.array([3, 0]), np.array([0, 2])), shape=(1, 4))
    built = build(name, matrix)
    built.check()
    matrix.data[:] = 9.0
    assert matrix.indices.tolist() == [3, 0]
    np.testing.assert_array_equal(built.to_scipy().toarray(), [[1.0, 0.0, 0.0, 2.0]])


@pytest.mark.parametrize("name", FORMATS)
def test_a_vector_of_another_length_or_type_is_refused(name):
    built = build(name, scipy.sparse.csr_array(np.eye(3)))
    with pytest.raises(ValueError, match="3 columns"):
        built.matvec(np.ones(4))
    with pytest.raises(ValueError, match="real numbers"):
        built.matvec(np.ones(3) * 1j)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_not_a_real_matrix_is_refused(name):
    for matrix, message in (
        (np.eye(3), "SciPy sparse matrix is needed, not ndarray"),
        (scipy.sparse.csr_array(np.eye(3) * 1j), "complex"),
        (scipy.sparse.coo_array((2**31, 1)), "32 bits"),
        (scipy.sparse.coo_array(np.ones(3)), "two-dimensional"),
    ):
        with pytest.raises(UserError, match=message):
            build(name, matrix)


@pytest.mark.parametrize("name", WITH_SECTIONS)
def test_an_impossible_section_size_is_refused(name):
    for section_size in (0, 2, 6, 100, 8192, -64, 64.5):
        with pytest.raises(UserError, match="power of two from 4 to 4096"):
            build(name, scipy.sparse.csr_array(np.eye(3)), section_size)


@pytest.mark.parametrize("name", WITH_IMAGE)
@pytest.mark.parametrize("value_bytes", [4, 8])
def test_an_image_beyond_the_address_space_is_refused(name, value_bytes):
    built = build(name, scipy.sparse.csr_array(np.eye(3)))
    end = built.image(Layout(0, value_bytes)).end
    highest = (2**31 - end) // 16 * 16
    assert built.image(Layout(highest, value_bytes)).end <= 2**31
    with pytest.raises(UserError, match=rf"ends at byte {highest + 16 + end}, at most {2**31} are possible"):
        built.image(Layout(highest + 16, value_bytes))


@pytest.mark.parametrize("name", WITH_IMAGE)
@given(matrix=matrices(), alignment=st.sampled_from([1, 4, 16, 64]), base=st.integers(0, 100))
def test_image_bytes_are_the_arrays_and_their_gaps(name, matrix, alignment, base):
    built = build(name, matrix.astype(np.float64))
    image = built.image(Layout(base, 8, alignment))
    assert image.base == base
    assert len(image.data) >= built.storage("image")
    if alignment == 1:
        assert len(image.data) == built.storage("image")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 2), "4 or 8 bytes"),
        ((-4, 4), "must start at 0 or more"),
        ((0, 4, 12), "power of two"),
        ((0, 4, 0), "power of two"),
    ],
)
def test_an_impossible_layout_is_refused(arguments, message):
    with pytest.raises(UserError, match=message):
        Layout(*arguments)


@pytest.mark.parametrize("name", FORMATS)
def test_formats_are_frozen_records(name):
    built = build(name, scipy.sparse.csr_array(np.eye(3)))
    with pytest.raises(AttributeError):
        setattr(built, fields(built)[0].name, None)
