"""What is measured: x, the relative error, the figures of a measurement, the limits of memory."""

import math

import numpy as np
import pytest
import scipy.sparse
from product_cases import machine_of

from programs.loading import ADDRESS_SPACE, MatrixImage, layout_for, place_vectors
from programs.measurement import measure, multiplicand
from vecsim.errors import UserError
from vecsim.formats import Image

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


def test_figures_of_a_measurement():
    matrix = scipy.sparse.random_array((30, 40), density=0.2, rng=np.random.default_rng(4), format="csr")
    found = measure("hism", matrix.astype(np.float32), machine_of("vs2003", 8), seed=2)
    assert found.nnz == matrix.nnz
    assert found.cycles == found.run.cycles
    assert found.cycles_per_nnz == found.cycles / matrix.nnz
    assert found.instructions == found.run.counters["instructions"]
    assert found.bytes_moved == found.run.vector_bytes + found.run.counters["scalar_bytes"]
    assert 0 < found.peak_share <= 1
    assert found.peak_share == found.run.vector_bytes / (16 * found.cycles)
    assert 0 < found.relative_error < 1e-6


def test_a_matrix_without_entries_has_no_cycles_per_entry():
    found = measure("crs", scipy.sparse.csr_array((3, 3)), machine_of("vs2003", 4))
    assert math.isnan(found.cycles_per_nnz)
    assert found.relative_error == 0


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
