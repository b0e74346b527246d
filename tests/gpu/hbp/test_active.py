"""HBP with slots for rows that have many entries in a block, and a rest."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from format_cases import assert_right, matrices
from hypothesis import given
from tiers import examples, one_combination_in

from gpu.hbp.active import ActiveHBP
from gpu.hbp.container import HBP
from vecsim.data.synthetic.random_graphs import kronecker, uniform
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError


@pytest.mark.parametrize(
    ("blocks", "least", "longest"),
    one_combination_in(3, [(1, 1), (32, 16), (64, 7), (8192, 4096)], [1, 2, 8], [1, 3, 64]),
)
@given(matrix=matrices())
@examples(10)
def test_any_matrix_in_any_blocks(blocks, least, longest, matrix):
    built = ActiveHBP.from_scipy(
        matrix, block_rows=blocks[0], block_columns=blocks[1], least=least, longest=longest
    )
    assert_right(built, matrix)
    assert built.lengths.max(initial=0) <= longest


def by_hand():
    dense = np.zeros((40, 8))
    dense[3, [0, 2, 5]] = [1, 2, 3]
    dense[7, [1, 6]] = [4, 5]
    dense[39, 4:8] = [6, 7, 8, 9]
    return scipy.sparse.csr_array(dense)


def test_the_arrays_by_hand():
    built = ActiveHBP.from_scipy(by_hand(), block_rows=64, block_columns=4, least=2, longest=3)
    # Row 3 has two entries on the left, row 39 four on the right, which are two slots; the others are rest.
    assert built.slot_rows.tolist() == [3, 39]
    assert built.row_places.tolist() == [0, 1, 3]
    assert built.lengths.tolist() == [2, 2, 2]
    assert built.places.tolist() == [0, 1, 2]
    assert built.group_slots.tolist() == [0, 1, 3]
    assert built.group_begins.tolist() == [0, 2, 6]
    assert built.group_columns.tolist() == [0, 1]
    assert built.columns.tolist() == [0, 2, 0, 2, 1, 3]
    assert built.values.tolist() == [1, 2, 6, 8, 7, 9, 3, 4, 5]
    assert built.rest_columns.tolist() == [5, 1, 6]
    assert np.diff(built.rest_pointers)[[3, 7, 39]].tolist() == [1, 2, 0]
    assert built.structure()["steps"] == 4


def test_slots_come_in_the_order_of_the_hash():
    dense = np.arange(16) < np.array([9, 2, 5, 9, 2])[:, None]
    built = ActiveHBP.from_scipy(scipy.sparse.csr_array(dense, dtype=float), least=1)
    assert built.lengths.tolist() == [2, 2, 5, 9, 9]
    assert built.places.tolist() == [1, 4, 2, 0, 3]


def test_a_long_row_is_cut_evenly():
    built = ActiveHBP.from_scipy(scipy.sparse.csr_array(np.ones((1, 130))), longest=64)
    assert sorted(built.lengths.tolist()) == [43, 43, 44]
    assert built.row_places.tolist() == [0, 3]


@pytest.mark.ci
@pytest.mark.parametrize("matrix", ["anywhere", "graph", "band"])
def test_bytes_are_bounded(matrix):
    if matrix == "anywhere":
        csr = uniform(4000, 8)
    elif matrix == "graph":
        csr = kronecker(9, 16)
    else:
        csr = scipy.sparse.diags_array([np.ones(60_000)] * 3, offsets=[-1, 0, 1], shape=(60_000, 60_000))
    built = ActiveHBP.from_scipy(csr.tocsr(), block_columns=256)
    # Where rows have so few entries in blocks they are all CRS; and never more than 16, and a pointer a row.
    rest = len(built.rest_columns)
    sums = 8 * len(built.lengths)
    assert built.nbytes + sums <= 12 * rest + 16 * built.in_blocks + 4 * (csr.shape[0] + 1) + 12
    if matrix != "graph":
        assert rest == csr.nnz
        assert len(built.lengths) == 0
    if matrix == "band":
        with pytest.raises(NotRepresentableError):
            HBP.from_scipy(csr)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"block_columns": 70_000}, "blocks of 70000 columns are not possible: use 1 to 65536"),
        ({"longest": 256}, "slots of 256 entries are not possible: use 1 to 255"),
        ({"least": 0}, "rows with 0 entries in a block cannot be the least: use 1 or more"),
    ],
)
def test_what_is_not_possible(options, message):
    with pytest.raises(UserError, match=message):
        ActiveHBP.from_scipy(scipy.sparse.eye_array(5), **options)


@pytest.mark.parametrize(
    ("name", "change", "broken"),
    [
        ("lengths", lambda a: a * 0, "a slot must have entries"),
        ("lengths", lambda a: a + 1, "a group must have the entries of its slots"),
        ("slot_rows", lambda a: a[::-1], "slot_rows must ascend"),
        ("places", lambda a: a * 0, "places must name each sum once"),
        ("group_columns", lambda a: a[::-1], "columns of blocks must ascend"),
        ("columns", lambda a: a + 1000, "columns must be in their block"),
        ("rest_columns", lambda a: a + 1000, "columns of entries must be from 0"),
        ("rest_columns", lambda a: a[1:], "blocks and rest must have all values"),
        ("group_begins", lambda a: a[::-1], "group_begins must"),
    ],
)
def test_what_is_broken_is_named(name, change, broken):
    rng = np.random.default_rng(1)
    matrix = scipy.sparse.random_array((70, 90), density=0.2, rng=rng, format="csr")
    built = ActiveHBP.from_scipy(matrix, block_rows=32, block_columns=30, least=3)
    with pytest.raises(ValueError, match=broken):
        replace(built, **{name: change(getattr(built, name))}).check()
