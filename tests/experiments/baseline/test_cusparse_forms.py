"""The forms that cuSPARSE multiplies: each multiplied by SciPy is the product of the compound matrix."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from experiments.baseline.cusparse_forms import cusparse_forms
from gpu.compound import COMPLEX, DUAL, QUATERNION, CompoundMatrix, blocks, reference_product


def as_scipy(stored):
    if stored.format == "csr":
        return scipy.sparse.csr_array((stored.values, stored.columns, stored.offsets), shape=stored.shape)
    if stored.format == "sell":
        starts = np.repeat(np.arange(len(stored.offsets) - 1), np.diff(stored.offsets))
        row = starts * stored.slice_size + (np.arange(len(stored.columns)) - stored.offsets[starts]) % 32
        real = stored.columns >= 0
        places = (row[real], stored.columns[real])
        return scipy.sparse.coo_array((stored.values[real], places), shape=stored.shape)
    values = stored.values.reshape(-1, stored.block, stored.block)
    values = values if stored.order == "row" else values.transpose(0, 2, 1)
    return scipy.sparse.bsr_array((values, stored.columns, stored.offsets), shape=stored.shape)


def multiplied(form, stored, x):
    if not form.columns:
        return as_scipy(stored) @ x
    total = 0
    values = stored.values.reshape(-1, stored.nnz)
    for own, of_own in zip(values, x.reshape(len(values), -1), strict=True):
        shape = (-1, form.columns) if form.order == "row" else (form.columns, -1)
        dense = of_own.reshape(shape) if form.order == "row" else of_own.reshape(shape).T
        total = total + as_scipy(replace(stored, values=own)) @ dense
    return total.ravel() if form.order == "row" else total.T.ravel()


@pytest.mark.parametrize(
    ("entry", "forms"),
    [(COMPLEX, 3), (QUATERNION, 6), (blocks(3), 4), (DUAL, 0)],
    ids=lambda each: str(each)[:22],
)
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_every_form_is_the_same_product(entry, forms, real):
    rng = np.random.default_rng(1)
    pattern = scipy.sparse.random_array((40, 35), density=0.1, rng=rng, format="csr")
    components = [rng.normal(size=pattern.nnz).astype(real) for _ in entry.entry]
    matrix = CompoundMatrix.from_arrays(entry, (40, 35), pattern.indptr, pattern.indices, components)
    x = rng.normal(size=(35, len(entry.vector))).astype(real)
    built = cusparse_forms(matrix)
    assert len(built) == forms
    for form in built:
        stored = form.store()
        assert form.vector(x).dtype == stored.values.dtype
        assert stored.values.dtype.char.lower() in ("f", "d")
        y = form.result(multiplied(form, stored, form.vector(x)))
        np.testing.assert_allclose(y, reference_product(matrix, x), rtol=1e-4, atol=1e-5)
