"""Products of compound entries in the simulator: every entry type, layout and schedule."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from gpu.compound import COMPLEX, DUAL, QUATERNION, UNIT_QUATERNION, CompoundMatrix, EntryType, blocks
from gpu.compound.component_layout import AOS, SOA, ComponentLayout
from gpu.compound.device_compound import CompoundProduct, Layout, PlacedMatrix, prepare
from gpu.compound.outer_layout import OUTER_LAYOUTS
from gpu.compound.reference import reference_product
from gpu.compound.schedule import Schedule
from gpu.formats.sliced.slicing import Slicing
from vecsim.support.errors import UserError

PATHS = EntryType(
    "path",
    entry={"steps": "int16"},
    vector=("distance",),
    product={"distance": "a.steps + x.distance"},
    sum={"distance": "minimum(s.distance, t.distance)"},
    zero={"distance": np.inf},
)
ENTRIES = [COMPLEX, QUATERNION, UNIT_QUATERNION, DUAL, PATHS, *map(blocks, (2, 3, 4, 5, 6))]
INNER = [AOS, SOA, ComponentLayout(None, 4), ComponentLayout(8), ComponentLayout(4, 2)]
VECTORS = [AOS, SOA, ComponentLayout(4), ComponentLayout(2)]
OUTER = [*OUTER_LAYOUTS, Slicing(slice_height=3, sorting_window=5, threads_per_row=None, index_bits=16)]
SHARING = (1, 2, 8)


def matrix_of(entry, rows, columns, rng, real, entries):
    """A matrix with empty rows and a full one."""
    lengths = rng.multinomial(entries, rng.dirichlet(np.full(rows, 0.5))) if rows else np.zeros(0, int)
    lengths = np.minimum(lengths, columns)
    if rows > 2:
        lengths[rng.integers(rows)], lengths[rng.integers(rows)] = columns, 0
    chosen = [np.sort(rng.choice(columns, length, replace=False)) for length in lengths]
    indices = np.concatenate([np.zeros(0, int), *chosen])
    components = [
        rng.uniform(-0.5, 0.5, len(indices)).astype(real)
        if kind == "real"
        else rng.choice([-1, 1], len(indices)).astype(kind)
        for _, kind in entry.entry
    ]
    pointers = np.concatenate(([0], np.cumsum(lengths)))
    matrix = CompoundMatrix.from_arrays(entry, (rows, columns), pointers, indices, components)
    return matrix.astype(real)


def check(matrix, layout, schedule, rng):
    placed = prepare(matrix, layout, schedule)
    x = rng.uniform(-1, 1, (matrix.shape[1], len(matrix.entry.vector)))
    tolerance = 1e-4 if placed.dtype == np.float32 else 1e-12
    for _ in range(2):  # the second draws chunks from the same counter
        y = placed @ x
        assert y.dtype == placed.dtype
        np.testing.assert_allclose(y, reference_product(matrix, x), rtol=tolerance, atol=tolerance)


@examples(20)
@given(data=st.data())
def test_product_of_any_matrix_in_any_layout_under_any_schedule(data):
    entry = data.draw(st.sampled_from(ENTRIES))
    assignment = data.draw(st.sampled_from(["whole", "static", "dynamic"]))
    layout = Layout(*(data.draw(st.sampled_from(choices)) for choices in (OUTER, INNER, VECTORS)))
    schedule = Schedule(
        assignment,
        threads_per_block=data.draw(st.sampled_from([32, 64] if assignment == "whole" else [32])),
        blocks_per_sm=data.draw(st.integers(1, 2)),
        threads_per_row=data.draw(st.sampled_from(SHARING)),
        rows_per_thread=data.draw(st.integers(1, 2)),
        at_once=data.draw(st.sampled_from([None, 1, 2, 4])),
    )
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    rows, columns = data.draw(st.integers(0, 12)), data.draw(st.integers(1, 12))
    real = data.draw(st.sampled_from([np.float32, np.float64]))
    check(matrix_of(entry, rows, columns, rng, real, 20), layout, schedule, rng)


@pytest.mark.nightly
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
@pytest.mark.parametrize("outer", OUTER_LAYOUTS)
def test_every_combination(entry, outer):
    rng = np.random.default_rng(9)
    matrix = matrix_of(entry, 21, 19, rng, np.float64, 60)
    for inner, vector, assignment, sharing in product(
        INNER, VECTORS, ("whole", "static", "dynamic"), SHARING
    ):
        check(matrix, Layout(outer, inner, vector), Schedule(assignment, 32, 1, sharing), rng)


def test_a_nan_in_x_reaches_the_rows_of_its_column_alone():
    rng = np.random.default_rng(5)
    matrix = matrix_of(COMPLEX, 10, 6, rng, np.float64, 15)
    x = np.ones((6, 2))
    x[3] = np.nan
    y = prepare(matrix, Layout("ellpack-r", SOA), Schedule(threads_per_block=32)) @ x
    rows = np.repeat(np.arange(10), np.diff(matrix.indptr))
    np.testing.assert_array_equal(np.isnan(y).all(axis=1), np.isin(np.arange(10), rows[matrix.indices == 3]))
    np.testing.assert_array_equal(np.isnan(y).any(axis=1), np.isnan(y).all(axis=1))


def test_bytes_by_hand():
    lengths, columns = [3, 0, 1], [0, 1, 2, 1]
    pointers = np.concatenate(([0], np.cumsum(lengths)))
    matrix = CompoundMatrix.from_arrays(COMPLEX, (3, 3), pointers, columns, [np.ones(4, np.float32)] * 2)
    csr, padded = PlacedMatrix(matrix), PlacedMatrix(matrix, Layout("ellpack-r"))
    assert csr.nbytes == csr.read_bytes == 4 * (8 + 4) + 4 * 4
    # 32 rows of 3 places; two pointers of slices and 32 lengths.
    assert padded.nbytes == 96 * (8 + 4) + 4 * 2 + 4 * 32
    assert padded.read_bytes == 4 * (8 + 4) + 4 * 2 + 4 * 32


def test_what_does_not_fit_is_refused():
    matrix = matrix_of(COMPLEX, 4, 4, np.random.default_rng(6), np.float32, 6)
    with pytest.raises(UserError, match=r"unknown outer layout 'slice-32'.*did you mean 'sliced-32'"):
        prepare(matrix, Layout("slice-32"))
    with pytest.raises(UserError, match="wide 1, block 1 and no row_cap"):
        prepare(matrix, Layout(Slicing(wide=2)))
    with pytest.raises(UserError, match="threads a row must be 2 as in the arrangement, not 1"):
        prepare(matrix, Layout(Slicing(threads_per_row=2)))
    for x in (np.zeros(4), np.full((4, 2), "a")):
        with pytest.raises(
            UserError, match=r"x of complex elements must be an array of \(4, 2\) real numbers"
        ):
            prepare(matrix) @ x
    with pytest.raises(UserError, match="schedule must be 2, as the matrix was placed, not 1"):
        CompoundProduct(PlacedMatrix(matrix, threads_per_row=2), Schedule())
