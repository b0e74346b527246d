"""Edits of HiSparse against matrices made again, what they share, and that freed nodes are used again."""

import gc

import numpy as np
import pytest
import scipy.sparse
from format_cases import assert_right
from hisparse_cases import (
    NODE_SIZES,
    as_dict,
    assert_as_if_converted,
    assert_stores,
    blocked,
    edited_at_random,
)
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from gpu.hisparse.container import HiSparse
from gpu.hisparse.memory import FREE, USED
from vecsim.support.errors import UserError


@examples(20)
@given(
    matrix=blocked(max_extent=24),
    node_size=st.sampled_from(NODE_SIZES[:2]),
    seed=st.integers(0, 2**32 - 1),
    transposed=st.booleans(),
)
def test_edits_give_the_nodes_of_a_rebuilt_matrix(matrix, node_size, seed, transposed):
    built = HiSparse.from_scipy(matrix, node_size=node_size)
    built = built.T if transposed else built
    entries = as_dict(matrix.T if transposed else matrix)
    rng = np.random.default_rng(seed)
    editor = built.editor()
    halfway = None
    for _ in range(3):
        edited_at_random(editor, entries, built.shape, rng, 4)
        if halfway is None:
            halfway, then = editor.matrix(), dict(entries)
    assert_as_if_converted(editor.matrix(), entries, matrix.dtype)
    # What was made before, at the beginning and halfway, is what it was.
    assert_as_if_converted(built, as_dict(built.to_scipy()), matrix.dtype)
    assert_right(built, matrix.T if transposed else matrix)
    assert_as_if_converted(halfway, then, matrix.dtype)
    # With everything gone, all of the pool is free.
    pool = built.content.pool
    del editor, built, halfway
    gc.collect()
    assert pool.bytes_in_use == 0


def diagonal(size=64, dtype=np.float64):
    return scipy.sparse.csr_array(scipy.sparse.diags_array(np.ones(size, dtype)))


def test_one_insertion_copies_one_path_and_shares_the_rest():
    built = HiSparse.from_scipy(diagonal(), node_size=4)
    before = built.content.pool.bytes_in_use
    editor = built.editor()
    assert editor.insert(1, 2, 5.0) == 1
    edited = editor.matrix()
    # The root has 4 children with 4 leaves each: COO4 with 4 entries, 32 bytes; 48 and then 5 entries, 96.
    assert built.content.pool.bytes_in_use - before == 32 + 32 + 96
    old, new = built.content.nodes, edited.content.nodes
    assert len(set(old[0].references.tolist()) & set(new[0].references.tolist())) == 15
    assert len(set(old[1].references.tolist()) & set(new[1].references.tolist())) == 3
    # Further edits on that path are made in place; the matrix that was given out keeps its nodes.
    assert_stores(built, diagonal())
    del edited
    before = built.content.pool.bytes_in_use
    editor.insert(1, 3, 6.0)
    assert built.content.pool.bytes_in_use == before


def test_nodes_that_nothing_needs_are_used_again():
    built = HiSparse.from_scipy(diagonal(), node_size=4)
    pool = built.content.pool
    editor = built.editor()
    del built
    used = []
    for _ in range(8):
        editor.insert(np.arange(63), np.arange(1, 64), 2.0)
        editor.delete(np.arange(63), np.arange(1, 64))
        used.append(int(pool.memory.state[USED]))
    # Blocks of some sizes are missing at first; then the same edits find all that they need.
    assert used[-1] == used[3] < 2 * used[0]
    assert pool.bytes_in_use == HiSparse.from_scipy(diagonal(), node_size=4).storage("image")
    rows, columns = np.arange(64), np.arange(64)
    assert editor.delete(rows, columns) == 64
    assert (editor.nnz, pool.bytes_in_use) == (0, 0)
    assert pool.memory.state[FREE] == pool.memory.state[USED] - 4
    editor.insert(63, 0, 7.0)
    assert as_dict(editor.matrix().to_scipy()) == {(63, 0): 7.0}


def test_a_full_pool_grows_and_matrices_in_it_stay():
    built = HiSparse.from_scipy(scipy.sparse.csr_array((36, 36)), node_size=4)
    pool, size = built.content.pool, len(built.content.pool.memory.words)
    editor, recorded = built.editor(), []
    rows, columns = np.divmod(np.arange(1296), 36)
    for first in range(0, 1296, 216):
        editor.insert(rows[first : first + 216], columns[first : first + 216], 1.0)
        recorded.append(editor.matrix())
    assert len(pool.memory.words) > size
    for number, each in enumerate(recorded):
        each.check()
        assert each.nnz == 216 * (number + 1)
        assert np.array_equal(np.sort(rows[: each.nnz]), np.sort(each.coordinates()[0]))
    assert built.nnz == 0


def test_an_edit_that_ends_for_want_of_room_goes_on_in_a_larger_pool():
    built = HiSparse.from_scipy(diagonal(16), node_size=4)
    pool = built.content.pool
    pool.memory.state[USED] = len(pool.memory.words) - pool.room(built.levels)
    editor = built.editor()
    size = len(pool.memory.words)
    rows, columns = np.divmod(np.arange(256), 16)
    assert editor.insert(rows, columns, 1.0) == 240
    assert len(pool.memory.words) > size
    assert_right(editor.matrix(), scipy.sparse.csr_array(np.ones((16, 16))))


def test_values_are_read_where_they_are_stored():
    editor = HiSparse.from_scipy(diagonal(20, np.float32), node_size=8).T.editor()
    editor.insert([3, 3], [4, 4], [1, 0.1])
    actual = editor.values([3, 3, 4], [3, 4, 3])
    assert actual.dtype == np.float32
    assert actual.tolist() == [1, np.float32(0.1), 0]


def made_and_editor():
    built = HiSparse.from_scipy(diagonal(8), node_size=4)
    return built, built.editor()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda e: e.insert(8, 0, 1.0), "row 8 does not exist: the matrix has 8 rows"),
        (lambda e: e.insert([0, 1], [0, -1], 1.0), "column -1 does not exist"),
        (lambda e: e.insert([0, 1], 0, 1.0), "2 rows and 1 column were given"),
        (lambda e: e.insert(0.5, 0, 1.0), "row must be an integer"),
        (lambda e: e.insert([0, 1], [0, 1], [1.0, np.nan]), "the value nan cannot be stored"),
        (lambda e: e.insert([0, 1], [0, 1], [1.0, 2.0, 3.0]), "one real number is needed, or 2"),
        (lambda e: e.insert(0, 0, "x"), "one real number is needed, or 1"),
        (lambda e: e.insert(0, 0, 1j), "one real number is needed, or 1"),
        (lambda e: e.set([0, 0], [0, 5], 2.0), "no entry is stored at row 0, column 5"),
        (lambda e: e.delete([0, 0], [0, 5]), "no entry is stored at row 0, column 5"),
        (lambda e: e.delete(0, 8), "column 8 does not exist"),
        (lambda e: e.values(9, 0), "row 9 does not exist"),
    ],
)
def test_a_wrong_edit_is_refused_and_changes_nothing(edit, message):
    built, editor = made_and_editor()
    with pytest.raises(UserError, match=message):
        edit(editor)
    assert editor.nnz == 8
    assert editor.matrix().content.root == built.content.root
    assert as_dict(editor.matrix().to_scipy()) == as_dict(diagonal(8))


def test_a_batch_without_entries_changes_nothing():
    built, editor = made_and_editor()
    assert editor.insert([], [], []) == editor.delete([], []) == 0
    editor.set([], [], [])
    assert editor.matrix().content.root == built.content.root


def test_a_float32_overflow_is_refused():
    editor = HiSparse.from_scipy(diagonal(8, np.float32)).editor()
    with pytest.raises(UserError, match=r"1e\+39 cannot be stored: a finite float32 number"):
        editor.insert(0, 0, 1e39)


def test_a_scaled_matrix_is_not_edited():
    with pytest.raises(UserError, match=r"scale 2 cannot be edited: .*from_scipy"):
        HiSparse.from_scipy(diagonal()).scaled(2).editor()
