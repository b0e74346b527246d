"""What is measured: x, the relative error, the figures of a measurement, the limits of memory."""

import math

import numpy as np
import pytest
import scipy.sparse
from random_products import machine_of

from programs.loading import ADDRESS_SPACE, MatrixImage, layout_for, place_vectors
from programs.measurement import measure, multiplicand, prepare
from programs.registry import PROGRAMS
from vecsim.data import load, values_as
from vecsim.formats import Image
from vecsim.machine import load_machine
from vecsim.support.errors import MatrixWarning, UserError

FLOATS = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@FLOATS
def test_x_is_decided_by_the_seed(dtype):
    first, again, other = (multiplicand(500, seed, dtype) for seed in (7, 7, 8))
    assert first.dtype == dtype
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    # A longer x begins with the shorter one.
    np.testing.assert_array_equal(multiplicand(100, 7, dtype), first[:100])


def test_x_is_the_same_for_ever():
    expected = [0.6369616873214543, 0.2697867137638703, 0.04097352393619469]
    assert multiplicand(3, 0, np.float64).tolist() == expected
    assert multiplicand(3, 0, np.float32).tolist() == np.float32(expected).tolist()


@FLOATS
def test_x_is_uniform_below_one(dtype):
    x = multiplicand(200_000, 1, dtype)
    assert x.min() >= 0
    assert x.max() < 1
    shares = np.histogram(x, bins=10, range=(0, 1))[0] / len(x)
    assert np.abs(shares - 0.1).max() < 0.005


def test_rounding_x_to_32_bits_stays_below_one(monkeypatch):
    class Last:
        def __init__(self, bits):
            pass

        def random(self, count):
            return np.full(count, np.nextafter(1.0, 0.0))

    monkeypatch.setattr(np.random, "Generator", Last)
    assert multiplicand(2, 0, np.float32).max() < 1


def test_x_of_integers_would_be_zero_and_is_refused():
    with pytest.raises(UserError, match=r"x in \[0, 1\) cannot have the type int64"):
        multiplicand(5, 0, np.int64)


def test_figures_of_a_measurement():
    matrix = scipy.sparse.random_array((30, 40), density=0.2, rng=np.random.default_rng(4), format="csr")
    actual = measure("hism", matrix.astype(np.float32), machine_of("vs2003", 8), seed=2)
    assert actual.nnz == matrix.nnz
    assert actual.cycles == actual.run.cycles
    assert actual.cycles_per_nnz == actual.cycles / matrix.nnz
    assert actual.instructions == actual.run.counters["instructions"]
    assert actual.bytes_moved == actual.run.vector_bytes + actual.run.counters["scalar_bytes"]
    assert 0 < actual.peak_share <= 1
    assert actual.peak_share == actual.run.vector_bytes / (16 * actual.cycles)
    assert 0 < actual.relative_error < 1e-6


def test_a_matrix_without_entries_has_no_cycles_per_entry():
    actual = measure("crs", scipy.sparse.csr_array((3, 3)), machine_of("vs2003", 4))
    assert math.isnan(actual.cycles_per_nnz)
    assert actual.relative_error == 0


def test_too_few_cycles_are_taken_for_an_infinite_loop():
    matrix = scipy.sparse.eye_array(20, format="csr")
    with pytest.raises(UserError, match="no end after 50 cycles"):
        measure("crs", matrix, machine_of("vs2003", 4), max_cycles=50)


def test_vectors_beyond_the_address_space():
    image = MatrixImage(Image(64, np.zeros(0, np.uint8), {}), 0)
    with pytest.raises(UserError, match="too large for the simulated address space") as caught:
        place_vectors(image, (1, 1 << 29), np.zeros(0), machine_of("vs2003", 64), 4)
    assert str(ADDRESS_SPACE) in str(caught.value)
    assert place_vectors(image, (1, 1), np.zeros(1), machine_of("vs2003", 64), 4).rows == 1
    assert layout_for(4).base == 64


THIRDS = scipy.sparse.csr_array(np.array([[1 / 3, 0, 2], [0, 1 / 7, 0]]))


def test_values_have_32_bits_unless_64_are_asked_for():
    """One rule for the command line and Python; a matrix that a user gave in float64 tells what it lost."""
    with pytest.warns(MatrixWarning, match=r"^2 of 3 values were rounded to 32 bits; .*value_bits=64"):
        narrow = measure("crs", THIRDS, machine_of("vs2003", 4))
    wide = measure("crs", THIRDS, machine_of("vs2003", 4), value_bits=64)
    assert (narrow.value_bits, wide.value_bits) == (32, 64)
    assert narrow.bytes_moved < wide.bytes_moved
    assert wide.relative_error < 1e-15
    by_hand = measure("crs", THIRDS.astype(np.float32), machine_of("vs2003", 4))
    assert by_hand.run.counters == narrow.run.counters
    assert by_hand.cycles == narrow.cycles


def test_the_warning_names_the_line_of_the_caller():
    with pytest.warns(MatrixWarning) as caught:
        measure("crs", THIRDS, machine_of("vs2003", 4))
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "exact", [THIRDS.astype(np.float32), 3 * (THIRDS > 1), THIRDS.astype(np.int32), THIRDS > 0]
)
def test_values_that_32_bits_hold_warn_of_nothing(exact):
    assert measure("crs", exact, machine_of("vs2003", 4)).relative_error < 1e-6


def test_a_value_that_32_bits_cannot_hold_is_refused():
    with pytest.raises(UserError, match=r"1e\+39 in row 1, column 1 is too large .*value_bits=64"):
        measure("crs", np.array([[1e39]]), machine_of("vs2003", 4))
    with pytest.warns(MatrixWarning, match="1 value too small for 32 bits"):
        measure("crs", values_of(1e-60), machine_of("vs2003", 4))
    with pytest.raises(UserError, match=r"^value_bits 16: a matrix value must have 32 or 64 bits"):
        measure("crs", THIRDS, machine_of("vs2003", 4), value_bits=16)


def values_of(value):
    matrix = load("laplace2d-3")
    matrix.csr.data[0] = value
    return matrix


def test_names_matrices_and_arrays_give_the_same():
    matrix = load("laplace2d-3")
    given = [matrix, "laplace2d-3", matrix.csr, matrix.csr.tocoo(), matrix.csr.toarray()]
    actual = [measure("hism", each) for each in given]
    assert {each.cycles for each in actual} == {actual[0].cycles}
    assert [each.matrix for each in actual] == ["laplace2d-3"] * 2 + ["matrix"] * 3
    assert {(each.shape, each.nnz) for each in actual} == {((9, 9), 33)}


def test_machines_by_name():
    by_name, by_machine = (measure("hism", "laplace2d-3", each) for each in ("t0", machine_of("t0", 32)))
    assert by_name.run.machine == by_machine.run.machine
    assert by_name.cycles == by_machine.cycles
    assert measure("hism", "laplace2d-3").run.machine.name == "vs2003"
    with pytest.raises(UserError, match="unknown machine 't1'"):
        measure("hism", "laplace2d-3", "t1")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_product_of_integers_is_checked(name):
    """With x = 0, as integers would round it, any program was right."""
    matrix = scipy.sparse.csr_array(np.arange(1, 13).reshape(3, 4))
    actual = measure(name, matrix, machine_of("vs2003", 4))
    prepared = prepare(
        name, values_as(matrix.astype("f8"), 4)[0], machine_of("vs2003", 4), multiplicand(4, 0, "f4")
    )
    y = prepared.loaded.result(actual.run.state.memory)
    np.testing.assert_allclose(y, matrix @ multiplicand(4, 0, "f4"), rtol=1e-6)
    assert y.min() > 0


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_a_matrix_without_rows_or_columns_is_refused(name, shape):
    message = f"^the matrix has {shape[0]} rows and {shape[1]} columns: a product needs at least one of each"
    with pytest.raises(UserError, match=message):
        measure(name, scipy.sparse.csr_array(shape), machine_of("vs2003", 4))


def test_what_is_prepared_has_values_of_a_machine():
    matrix = scipy.sparse.eye_array(3, dtype=np.int64, format="csr")
    with pytest.raises(UserError, match="values of type int64: float32 or float64"):
        prepare("crs", matrix, machine_of("vs2003", 4), np.ones(3))


def test_no_program_moves_more_than_the_peak_where_indexed_words_are_the_faster():
    """A share above 1 would be taken for damage where cells are kept."""
    machine = load_machine("vs2003", ["addresses_per_cycle=8", "startup=0", "banks=64", "bank_busy=1"])
    for name in ("jd", "bbcs"):
        result = measure(name, "laplace2d-30", machine)
        assert 0 < result.peak_share <= 1, name
