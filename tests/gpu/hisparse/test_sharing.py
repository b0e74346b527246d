"""Nodes in several places: between matrices, and within one."""

import numpy as np
import scipy.sparse
from format_cases import assert_right
from hisparse_cases import NODE_SIZES, as_dict, assert_as_if_converted, blocked, edited_at_random
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from gpu.hisparse.container import HiSparse
from gpu.hisparse.sharing import SharedStorage, equal_nodes_shared


def tridiagonal(size):
    return scipy.sparse.csr_array(
        scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(size, size))
    )


def test_equal_nodes_of_a_stencil_are_one():
    matrix = tridiagonal(64)
    built = HiSparse.from_scipy(matrix, node_size=4)
    shared = equal_nodes_shared(built.T.scaled(2))
    shared.check()
    assert (shared.transposed, shared.scale) == (True, 2)
    assert_right(shared, matrix.T * 2)
    # Leaves: on the diagonal, above and below it. 4 x 4 of these: on, above and below the diagonal again.
    assert shared.structure()["level_arrays"] == (3, 3, 1)
    assert [len(nodes.references) for nodes in shared.content.nodes] == [46, 10, 1]
    counted = SharedStorage.of([shared])
    assert counted.together == shared.storage("image") == shared.content.pool.bytes_in_use
    assert counted.unshared == (built.storage("image"),)


def test_what_matrices_share_is_counted_once():
    built = HiSparse.from_scipy(tridiagonal(64), node_size=4)
    editor = built.editor()
    editor.insert(0, 63, 1.0)
    edited, other = editor.matrix(), HiSparse.from_scipy(tridiagonal(64), node_size=4)
    alone = built.storage("image")
    counted = SharedStorage.of([built, edited, built.T, other])
    assert counted.alone == counted.unshared == (alone, edited.storage("image"), alone, alone)
    # The edited one has its own root, and one inner node and one leaf for the entry; the fourth its own pool.
    assert counted.together == built.content.pool.bytes_in_use + alone
    assert built.content.pool.bytes_in_use - alone < alone / 5


@examples(30)
@given(matrix=blocked(max_extent=40), node_size=st.sampled_from(NODE_SIZES), seed=st.integers(0, 2**32 - 1))
def test_a_matrix_that_shares_nodes_with_itself_is_edited_in_one_place(matrix, node_size, seed):
    matrix.data[:] = np.ones_like(matrix.data)
    built = equal_nodes_shared(HiSparse.from_scipy(matrix, node_size=node_size))
    assert_as_if_converted(built, as_dict(matrix), matrix.dtype)
    editor, entries = built.editor(), as_dict(matrix)
    edited_at_random(editor, entries, built.shape, np.random.default_rng(seed), 6)
    assert_as_if_converted(editor.matrix(), entries, matrix.dtype)
    assert_as_if_converted(built, as_dict(matrix), matrix.dtype)
