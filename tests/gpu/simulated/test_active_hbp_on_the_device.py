"""The repaired form of HBP made on the device: the host's arrays."""

from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest
import scipy.sparse

from gpu.hbp.active import ActiveHBP
from gpu.hbp.active_product import ActiveHBPProduct
from gpu.hbp.building.active import active_on_device
from gpu.runtime.memory import on_host, upload
from gpu.sums.device_csr import DeviceCsr


def copied(built):
    """Return the matrix with its arrays on the host."""
    plain = (int, tuple)
    values = {each.name: getattr(built, each.name) for each in fields(built)}
    arrays = {
        name: on_host(value)
        for name, value in values.items()
        if not isinstance(value, plain) and not is_dataclass(value)
    }
    return replace(built, **arrays)


def assert_equal(actual, exact):
    built = copied(actual)
    built.check()
    assert built.hash == exact.hash
    for each in fields(exact):
        actual, wanted = getattr(built, each.name), getattr(exact, each.name)
        if isinstance(wanted, np.ndarray):
            np.testing.assert_array_equal(actual, wanted, each.name)
            assert actual.dtype == wanted.dtype, each.name


def numbered(dense):
    matrix = scipy.sparse.csr_array(dense.astype(float))
    matrix.data = np.arange(1.0, matrix.nnz + 1)
    return matrix


@pytest.mark.parametrize(
    ("least", "longest"),
    [(2, 3), pytest.param(1, 64, marks=pytest.mark.ci), pytest.param(8, 8, marks=pytest.mark.ci)],
)
def test_the_arrays_are_those_of_the_host(least, longest):
    rng = np.random.default_rng(5)
    dense = rng.random((50, 60)) < rng.choice([0, 0.02, 0.3], 50)[:, None]
    dense[20] = True
    dense[7:9] = np.arange(60) == 12  # a row that begins where the one before ended
    matrix = numbered(dense)
    options = {"block_rows": 32, "block_columns": 20, "least": least, "longest": longest}
    exact = ActiveHBP.from_scipy(matrix, **options)
    assert exact.in_blocks > 0
    assert_equal(active_on_device(DeviceCsr.from_scipy(matrix), **options), exact)


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.ci)])
def test_all_in_the_rest_or_none(whole):
    matrix = numbered(np.ones((3, 5)) if whole else np.eye(6))
    exact = ActiveHBP.from_scipy(matrix, least=2)
    assert exact.in_blocks == (15 if whole else 0)
    assert_equal(active_on_device(DeviceCsr.from_scipy(matrix), least=2), exact)


@pytest.mark.ci
@pytest.mark.parametrize("least", [2, 90])
def test_what_is_on_the_device_is_multiplied_as_it_is(least):
    rng = np.random.default_rng(6)
    dense = rng.random((34, 30)) < rng.choice([0.02, 0.3], 34)[:, None]
    dense[20] = True
    matrix = numbered(dense)
    built = active_on_device(
        DeviceCsr.from_scipy(matrix), block_rows=32, block_columns=20, least=least, longest=3
    )
    product = ActiveHBPProduct(built, 64)
    if least == 2:
        assert product.device_arrays[0] is built.columns
    y = upload(np.full(34, np.nan))
    product.launch(upload(np.arange(30.0)), y, 1.0, 0.0, 0)
    np.testing.assert_array_equal(y.copy_to_host(), matrix @ np.arange(30.0))
