"""Insertion into every format against the format made again from the matrix with the element."""

from dataclasses import fields

import numpy as np
import pytest
import scipy.sparse
from format_cases import canonical, matrices
from hypothesis import given
from hypothesis import strategies as st

from gpu.format_registry import FORMATS
from vecsim.formats import Level
from vecsim.formats.canonical_csr import MAX_COUNT
from vecsim.formats.insertion.record import check_room
from vecsim.support.errors import UserError

ORDERS = (("row", "column", "row"), ("column",), ("row", "column", "column", "row"))
TAKING = [name for name, format in FORMATS.items() if format.takes_insertion]
PLACES = st.tuples(st.integers(0, 2**20), st.integers(0, 2**20))


def build(name, matrix, section_size=4, order=ORDERS[0]):
    options = {"order": order} if name == "hism" else {}
    return FORMATS[name].from_scipy(matrix, section_size=section_size, **options)


def with_element(matrix, row, column, value):
    """Return the matrix with the element, by SciPy alone; other explicit zeros are kept."""
    coo = canonical(matrix).tocoo()
    other = (coo.row != row) | (coo.col != column)
    return scipy.sparse.coo_array(
        (
            np.append(coo.data[other], coo.data.dtype.type(value)),
            (np.append(coo.row[other], row), np.append(coo.col[other], column)),
        ),
        shape=matrix.shape,
    )


def parts_of(record):
    """Yield the fields of a format, those of its levels too, as arrays with their types."""
    for field in fields(record):
        value = getattr(record, field.name)
        if isinstance(value, tuple) and value and isinstance(value[0], Level):
            for level in value:
                yield from parts_of(level)
        else:
            yield field.name, np.asarray(value)


def assert_equal(built, expected):
    assert type(built) is type(expected)
    for (name, array), (_, wanted) in zip(parts_of(built), parts_of(expected), strict=True):
        assert array.dtype == wanted.dtype, name
        np.testing.assert_array_equal(array, wanted, err_msg=name)


@pytest.mark.parametrize("name", TAKING)
@given(
    matrix=matrices(),
    place=PLACES,
    stored=st.booleans(),
    value=st.sampled_from([7.0, 0.0, -1.5]),
    section_size=st.sampled_from([4, 8, 64]),
    order=st.sampled_from(ORDERS),
)
def test_insert_makes_the_format_of_the_matrix_with_the_element(
    name, matrix, place, stored, value, section_size, order
):
    entries = canonical(matrix).tocoo()
    if stored and entries.nnz:
        row, column = entries.row[place[0] % entries.nnz], entries.col[place[0] % entries.nnz]
    else:
        row, column = place[0] % matrix.shape[0], place[1] % matrix.shape[1]
    before = build(name, matrix, section_size, order)

    insertion = before.insert(row, column, value)

    insertion.matrix.check()
    new = with_element(matrix, row, column, value)
    assert_equal(insertion.matrix, build(name, new, section_size, order))
    assert insertion.replaced == (new.nnz == entries.nnz)
    assert_equal(before, build(name, matrix, section_size, order))


@pytest.mark.parametrize("name", TAKING)
@given(matrix=matrices(max_extent=10), seed=st.integers(0, 2**32 - 1))
def test_a_matrix_can_be_built_by_insertions_in_any_order(name, matrix, seed):
    entries = canonical(matrix).tocoo()
    built = build(name, scipy.sparse.csr_array(matrix.shape, dtype=matrix.dtype))
    for e in np.random.default_rng(seed).permutation(entries.nnz):
        built = built.insert(entries.row[e], entries.col[e], entries.data[e]).matrix
    assert_equal(built, build(name, matrix))


@pytest.mark.parametrize("row", [1, 5, 20, 80, 300])
@pytest.mark.parametrize("order", ORDERS)
def test_hism_gets_new_block_arrays_below_any_level(row, order):
    # Five levels of section size 4; the first element is alone in the corner of all of them.
    corner = scipy.sparse.coo_array(([1.0], ([0], [0])), shape=(1000, 1000))
    before = build("hism", corner, 4, order)
    built = before.insert(row, 0, 2.0).matrix
    built.check()
    assert_equal(built, build("hism", with_element(corner, row, 0, 2.0), 4, order))
    # The levels above the one that takes up an entry are the very same.
    grown = next(level for level in range(5) if row < 4 ** (level + 1))
    assert [new is old for new, old in zip(built.levels, before.levels, strict=True)] == [
        level > grown for level in range(5)
    ]
    assert built.level_arrays == (2,) * grown + (1,) * (5 - grown)


def test_positions_of_31_bits():
    last = 2**31 - 2
    ends = scipy.sparse.coo_array(([1.0], ([0], [0])), shape=(2, last + 1))
    for name in ("crs", "jd", "hism"):
        built = build(name, ends, 4096).insert(1, last, 2.0).matrix
        built.check()
        assert_equal(built, build(name, with_element(ends, 1, last, 2.0), 4096))


@pytest.mark.parametrize("name", TAKING)
def test_a_stored_position_is_replaced_and_all_else_shared(name):
    before = build(name, scipy.sparse.csr_array(np.eye(9)))
    insertion = before.insert(4, 4, -3.0)
    assert insertion.replaced
    for field in fields(before):
        shared = getattr(before, field.name) is getattr(insertion.matrix, field.name)
        assert shared == (field.name != "values")
    assert before.to_scipy()[4, 4] == 1
    assert insertion.matrix.to_scipy()[4, 4] == -3


@pytest.mark.parametrize("name", TAKING)
def test_an_explicit_zero_is_stored(name):
    built = build(name, scipy.sparse.csr_array(np.eye(3))).insert(0, 2, 0).matrix
    assert built.nnz == 4


@pytest.mark.parametrize("name", TAKING)
def test_the_value_is_rounded_to_the_type_of_the_matrix(name):
    built = build(name, scipy.sparse.csr_array(np.eye(3, dtype=np.float32))).insert(0, 2, 0.1).matrix
    assert built.values.dtype == np.float32
    assert built.to_scipy()[0, 2] == np.float32(0.1)


@pytest.mark.parametrize("name", TAKING)
@pytest.mark.parametrize(
    ("row", "column", "message"),
    [
        (3, 0, "row 3 does not exist: the matrix has 3 rows, counted from 0"),
        (-1, 0, "row -1 does not exist"),
        (0, 5, "column 5 does not exist: the matrix has 5 columns, counted from 0"),
        (1.0, 0, "row must be an integer"),
        (0, "2", "column must be an integer"),
        ([0, 1], [0, 1], "one element is inserted at a time"),
        (0, [1], "one element is inserted at a time"),
    ],
)
def test_an_invalid_position_is_refused(name, row, column, message):
    with pytest.raises(UserError, match=message):
        build(name, scipy.sparse.csr_array(np.eye(3, 5))).insert(row, column, 1.0)


@pytest.mark.parametrize("name", TAKING)
@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
def test_a_matrix_without_positions_takes_none(name, shape):
    with pytest.raises(UserError, match=r"has 0 (rows|columns)"):
        build(name, scipy.sparse.csr_array(shape)).insert(0, 0, 1.0)


@pytest.mark.parametrize("name", TAKING)
@pytest.mark.parametrize("value", [np.nan, np.inf, 1j, np.complex128(1 + 2j), "many", None, 10**400])
def test_a_value_that_is_no_finite_number_is_refused(name, value):
    with pytest.raises(UserError, match="a finite float64 number is needed"):
        build(name, scipy.sparse.csr_array(np.eye(3))).insert(0, 1, value)


@pytest.mark.parametrize("name", TAKING)
def test_a_value_beyond_float32_is_refused(name):
    with pytest.raises(UserError, match=r"1e\+300 cannot be stored: a finite float32 number is needed"):
        build(name, scipy.sparse.csr_array(np.eye(3, dtype=np.float32))).insert(0, 1, 1e300)
    with pytest.raises(UserError, match="1e-60 cannot be stored: a finite float32 number is needed"):
        build(name, scipy.sparse.csr_array(np.eye(3, dtype=np.float32))).insert(0, 1, 1e-60)


@pytest.mark.parametrize("value", [2**53 + 1, np.uint64(2**64 - 1)])
def test_a_whole_number_that_would_be_rounded_is_refused(value):
    with pytest.raises(UserError, match="cannot be stored: float64 would round it to"):
        build("crs", scipy.sparse.csr_array(np.eye(3))).insert(0, 1, value)


def test_entries_stay_within_what_32_bits_count():
    check_room(MAX_COUNT - 1)
    with pytest.raises(UserError, match="32 bits"):
        check_room(MAX_COUNT)
