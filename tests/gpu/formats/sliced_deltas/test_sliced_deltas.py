import dataclasses

import numpy as np
import pytest
import scipy.sparse
from format_cases import assert_same, canonical, matrices
from hypothesis import given
from tiers import examples

from gpu.choice.structure import Structure
from gpu.choice.work_counts import deltas_of_rows as work
from gpu.formats.sliced_deltas.container import SlicedDeltas
from vecsim.formats import NotRepresentableError


def in_a_band(rows, per_row, half_width, seed=1):
    rng = np.random.default_rng(seed)
    columns = np.arange(rows)[:, None] + rng.integers(-half_width, half_width, (rows, per_row))
    return scipy.sparse.csr_array(
        scipy.sparse.coo_array(
            (
                rng.standard_normal(rows * per_row),
                (np.repeat(np.arange(rows), per_row), columns.clip(0, rows - 1).ravel()),
            ),
            shape=(rows, rows),
        )
    )


def test_worked_by_hand():
    # Distances 3, 14, 15 and four times 1: codes of four bits, where a filler goes 15 on.
    columns = [2, 5, 19, 34, 35, 36, 37, 38]
    matrix = scipy.sparse.coo_array((np.arange(1.0, 9), (np.zeros(8, int), columns)), shape=(1, 40))
    built = SlicedDeltas.from_scipy(matrix)
    built.check()
    assert built.first_column[0] == 2
    codes = {4: [1, 4, 15, 0, 1, 2, 2, 2, 2], 5: [1, 4, 15, 16, 2, 2, 2, 2]}[built.bits]
    in_word = 32 // built.bits
    for word, first in enumerate(range(0, len(codes), in_word)):
        packed = sum(code << (built.bits * k) for k, code in enumerate(codes[first : first + in_word]))
        assert built.words[32 * word] == packed
    assert built.values.reshape(-1, 32)[np.array(codes) > 0, 0].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


@examples(100)
@given(matrix=matrices())
def test_round_trip_is_lossless_and_valid(matrix):
    built = SlicedDeltas.from_scipy(matrix)
    built.check()
    assert built.nnz == canonical(matrix).nnz
    assert_same(built.to_scipy(), matrix)
    x = np.arange(matrix.shape[1]) % 7 - 3
    np.testing.assert_array_equal(built.matvec(x), canonical(matrix) @ x.astype(matrix.dtype))
    assert work(Structure.of(canonical(matrix))).stored_bytes == built.nbytes


@pytest.mark.parametrize(
    ("half_width", "bits", "index_bytes"),
    [
        (60, 5, 0.8),
        pytest.param(300, 8, 1.2, marks=pytest.mark.ci),
        pytest.param(2000, 10, 1.6, marks=pytest.mark.ci),
        (30000, 16, 2.2),
    ],
)
def test_bits_follow_the_distances(half_width, bits, index_bytes):
    matrix = in_a_band(4000, 40, half_width)
    built = SlicedDeltas.from_scipy(matrix)
    built.check()
    assert abs(built.bits - bits) <= 2
    assert_same(built.to_scipy(), matrix)
    assert built.nbytes < (8 + index_bytes) * 1.06 * matrix.nnz + 8 * matrix.shape[0]


def test_rows_are_sorted_where_that_saves_bytes():
    lengths = np.tile([2, 40], 2000)
    columns = np.concatenate([np.arange(count) * 3 for count in lengths])
    matrix = scipy.sparse.csr_array(
        (np.ones(len(columns)), columns, np.append(0, lengths.cumsum())), shape=(4000, 200)
    )
    built = SlicedDeltas.from_scipy(matrix)
    assert built.perm[:2].tolist() == [1, 3]
    assert_same(built.to_scipy(), matrix)
    built.check()


def test_what_fillers_would_blow_up_is_refused():
    rng = np.random.default_rng(1)
    matrix = scipy.sparse.csr_array(
        (np.ones(40000), rng.integers(0, 2**31 - 1, 40000).reshape(-1, 2).ravel(), np.arange(0, 40001, 2)),
        shape=(20000, 2**31 - 1),
    )
    matrix.sort_indices()
    with pytest.raises(NotRepresentableError, match="fillers and padding"):
        SlicedDeltas.from_scipy(matrix)
    assert work(Structure.of(matrix)) is None


@pytest.mark.parametrize(
    ("field", "change", "message"),
    [
        ("bits", lambda bits: 7, "bits must be one of"),
        ("words", lambda words: words[:-1], "whole steps of 32"),
        ("value_ptr", lambda pointers: pointers[::-1], "value_ptr must start at 0"),
        ("first_column", lambda columns: columns + 2**20, "stand at must be"),
        ("words", lambda words: words * 0, "fillers must have the value 0"),
    ],
)
def test_check_names_what_is_broken(field, change, message):
    built = SlicedDeltas.from_scipy(in_a_band(100, 5, 20))
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(built, **{field: change(getattr(built, field))}).check()
