"""Copied and pickled matrices: their values after edits, and that their nodes are freed."""

import copy
import gc
import pickle

import numpy as np
import pytest
import scipy.sparse
from hisparse_cases import as_dict, assert_as_if_converted, blocked, edited_at_random
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from gpu.hisparse.container import HiSparse
from vecsim.support.errors import UserError


def pickled(matrix):
    return pickle.loads(pickle.dumps(matrix))


COPIES = [pickled, copy.copy, copy.deepcopy]


def diagonal(size=64, dtype=np.float64):
    return scipy.sparse.csr_array(scipy.sparse.diags_array(np.arange(1, size + 1, dtype=dtype)))


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_edited_copy_has_the_edit_alone(copied, dtype):
    built = HiSparse.from_scipy(diagonal(dtype=dtype), node_size=4)
    editor = copied(built).editor()
    editor.insert(1, 2, 5.0)
    assert_as_if_converted(editor.matrix(), {**as_dict(diagonal()), (1, 2): 5.0}, dtype)
    assert_as_if_converted(built, as_dict(diagonal()), dtype)


@examples(10)
@given(
    matrix=blocked(max_extent=24),
    copied=st.sampled_from(COPIES),
    seed=st.integers(0, 2**32 - 1),
    transposed=st.booleans(),
)
def test_copies_of_edited_matrices_are_edited_as_any_other(matrix, copied, seed, transposed):
    built = HiSparse.from_scipy(matrix, node_size=4)
    built = built.T if transposed else built
    entries = as_dict(built.to_scipy())
    rng = np.random.default_rng(seed)
    first = built.editor()
    edited_at_random(first, entries, built.shape, rng, 4)
    middle = first.matrix()
    recorded, then = copied(middle), dict(entries)
    editor = recorded.editor()
    edited_at_random(editor, entries, built.shape, rng, 4)
    assert_as_if_converted(editor.matrix(), entries, matrix.dtype)
    assert_as_if_converted(recorded, then, matrix.dtype)
    assert_as_if_converted(middle, then, matrix.dtype)


def test_a_pickled_matrix_frees_its_nodes():
    loaded = pickled(HiSparse.from_scipy(diagonal(), node_size=4))
    pool = loaded.content.pool
    assert pool.bytes_in_use == loaded.storage("image")
    editor = loaded.editor()
    del loaded
    editor.insert(1, 2, 5.0)
    del editor
    gc.collect()
    assert pool.bytes_in_use == 0


def test_matrices_that_are_pickled_together_share_nodes_as_before():
    built = HiSparse.from_scipy(diagonal(), node_size=4)
    editor = built.editor()
    editor.insert(1, 2, 5.0)
    edited = editor.matrix()
    del editor
    before, after = pickled((built, edited))
    pool = before.content.pool
    assert after.content.pool is pool
    assert pool.bytes_in_use == built.content.pool.bytes_in_use
    both = pool.bytes_in_use
    assert_as_if_converted(after, {**as_dict(diagonal()), (1, 2): 5.0}, np.float64)
    del after
    gc.collect()
    assert pool.bytes_in_use == before.storage("image") < both
    assert_as_if_converted(before, as_dict(diagonal()), np.float64)


def test_a_pickle_has_no_spare_memory():
    built = HiSparse.from_scipy(diagonal(), node_size=4)
    built.structure()  # keeps the lists of nodes, which no pickle needs
    assert len(pickle.dumps(built)) < built.content.pool.words.nbytes + 1500


@pytest.mark.parametrize("copied", COPIES)
def test_editors_are_not_copied(copied):
    editor = HiSparse.from_scipy(diagonal(), node_size=4).editor()
    with pytest.raises(UserError, match=r"^an editor cannot be copied .*matrix\(\)\.editor\(\)`$"):
        copied(editor)
