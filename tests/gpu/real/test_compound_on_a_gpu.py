"""Products of compound entries on a real GPU, and the forms of cuSPARSE that they are compared with."""

import numpy as np
import pytest

from gpu.compound import COMPLEX, DUAL, QUATERNION, UNIT_QUATERNION, CompoundMatrix, blocks, reference_product

pytestmark = pytest.mark.usefixtures("gpu_with_others")

ENTRIES = [COMPLEX, QUATERNION, UNIT_QUATERNION, DUAL, blocks(2), blocks(3), blocks(6)]
LIMITS = {np.float32: 2e-5, np.float64: 1e-13}


def matrix_of(entry, real, rows=5000, columns=4000):
    """Rows of up to 12 entries, empty ones among them, and one long row."""
    rng = np.random.default_rng(3)
    lengths = rng.integers(0, 13, rows)
    lengths[rows // 2] = 400  # as long as the slices' limit of padding allows
    indices = np.concatenate([np.sort(rng.choice(columns, length, replace=False)) for length in lengths])
    components = [
        rng.uniform(-0.5, 0.5, len(indices)).astype(real)
        if kind == "real"
        else rng.choice([-1, 1], len(indices)).astype(kind)
        for _, kind in entry.entry
    ]
    pointers = np.concatenate(([0], np.cumsum(lengths)))
    matrix = CompoundMatrix.from_arrays(entry, (rows, columns), pointers, indices, components)
    x = rng.uniform(-1, 1, (columns, len(entry.vector))).astype(real)
    return matrix, x


def variants():
    from gpu.compound.component_layout import AOS, SOA, ComponentLayout
    from gpu.compound.device_compound import Layout
    from gpu.compound.schedule import Schedule

    return [
        (Layout(), Schedule("dynamic", 128, 4, 8)),
        (Layout("csr", SOA, SOA), Schedule("static", 256, 2, 32)),
        (Layout("sliced-32", ComponentLayout(None, 2)), Schedule("whole", 128, rows_per_thread=2)),
        (Layout("sliced-16", ComponentLayout(32, 4), ComponentLayout(32)), Schedule("static", 96, 3, 2)),
        (Layout("sorted-32", AOS, ComponentLayout(2)), Schedule("dynamic", 64, 6, at_once=1)),
        (Layout("sorted-32-short", ComponentLayout(None, 4)), Schedule("whole", 256, 2, at_once=2)),
    ]


@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_layouts_and_schedules_give_the_reference(entry, real):
    from gpu.compound.device_compound import prepare

    matrix, x = matrix_of(entry, real)
    exact = reference_product(matrix, x)
    for layout, schedule in variants():
        product = prepare(matrix, layout, schedule)
        for _ in range(2):
            error = np.abs(product @ x - exact).max() / np.abs(exact).max()
            assert error <= LIMITS[real], (layout.name, schedule.name)


@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("entry", [COMPLEX, QUATERNION, blocks(3)], ids=lambda entry: entry.name)
def test_cusparse_gives_the_reference(entry, real):
    from experiments.baseline.cusparse_forms import cusparse_forms
    from gpu.runtime.cuda_driver import Stream

    matrix, x = matrix_of(entry, real)
    exact = reference_product(matrix, x)
    for form in cusparse_forms(matrix):
        with form.product() as product, Stream() as stream:
            product.write_x(form.vector(x))
            product.enqueue(stream)
            stream.synchronize()
            error = np.abs(form.result(product.read_y()) - exact).max() / np.abs(exact).max()
            assert error <= LIMITS[real], form.name
