"""Edits as Numba compiles them; the other tests of this folder interpret them."""

import numba
import numpy as np
import pytest
from hisparse_cases import NODE_SIZES, as_dict, assert_as_if_converted, blocked, edited_at_random
from hypothesis import given
from hypothesis import strategies as st

from gpu.hisparse.container import HiSparse


@pytest.mark.nightly
@given(matrix=blocked(max_extent=60), node_size=st.sampled_from(NODE_SIZES), seed=st.integers(0, 2**32 - 1))
def test_compiled_edits_give_the_nodes_of_a_rebuilt_matrix(matrix, node_size, seed):
    assert not numba.config.DISABLE_JIT
    built, entries = HiSparse.from_scipy(matrix, node_size=node_size), as_dict(matrix)
    editor = built.editor()
    edited_at_random(editor, entries, built.shape, np.random.default_rng(seed), 12)
    assert_as_if_converted(editor.matrix(), entries, matrix.dtype)
    assert_as_if_converted(built, as_dict(matrix), matrix.dtype)
