"""Bytes a non-zero: worked by hand, and formulas next to real trees."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from experiments.papers.hisparse import storage
from experiments.papers.hisparse.printed import FIGURE_4
from experiments.papers.hisparse.results import MatrixRecord
from experiments.papers.hisparse.trees import tree_of
from gpu.hisparse.container import HiSparse
from tests.experiments.papers.hisparse.test_storage_formulas import most_overhead_bytes


def test_csr_and_coo():
    assert storage.coo_bytes(32) == 12
    assert storage.coo_bytes(64) == 16
    assert storage.csr_bytes(9, 20, 32) == 4 + 4 + 4 * 10 / 20


def test_a_tree_worked_by_hand():
    # 8 x 8 in nodes of 4 x 4: one full leaf, one of a single entry.
    dense = np.zeros((8, 8), np.float32)
    dense[:4, :4] = 1
    dense[7, 7] = 2
    tree = tree_of(HiSparse.from_scipy(scipy.sparse.csr_array(dense), node_size=4))
    leaves, top = tree.levels
    assert (leaves.sparse, leaves.dense, leaves.sparse_entries, leaves.dense_entries) == (1, 1, 1, 16)
    assert (top.sparse, top.dense, top.sparse_entries, top.dense_entries) == (1, 0, 2, 0)
    bits = (16 + 32) + 32 + (16 * 32 + 32) + 2 * (16 + 32) + 32
    assert storage.formula_bytes(tree, 17) == bits / 8 / 17
    # (1 + N / L) nnz (2 log2 d + b) + 32 L, one inner node over two leaves.
    assert storage.approximate_bytes(tree, 17) == (1.5 * 17 * (4 + 32) + 64) / 8 / 17
    nodes, most, below = storage.node_bounds(MatrixRecord("m", "small", nnz=17), tree)
    assert nodes == 3
    assert nodes <= most <= below
    assert storage.nodes_of(tree, leaves=True).mean == 1
    assert storage.nodes_of(tree, leaves=False).mean == 2


@examples(30)
@given(
    positions=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, unique=True),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_stored_trees_take_the_formula_and_at_most_their_padding(positions, dtype):
    rows, columns = zip(*positions, strict=True)
    csr = scipy.sparse.coo_array((np.ones(len(rows), dtype), (rows, columns)), shape=(41, 41)).tocsr()
    tree = tree_of(HiSparse.from_scipy(csr, node_size=16))
    nnz = len(positions)
    formula, stored = storage.formula_bytes(tree, nnz) * nnz, storage.stored_bytes(tree, nnz) * nnz
    nodes, most, below = storage.node_bounds(MatrixRecord("m", "small", nnz=nnz), tree)
    assert formula < stored <= formula + nodes * most_overhead_bytes(8 * np.dtype(dtype).itemsize)
    assert nodes <= most <= below
    assert tree.levels[0].sparse_entries + tree.levels[0].dense_entries == nnz


def test_figure_4_by_the_formulas():
    # A full matrix takes its values; elsewhere at least 2 bytes of coordinates and 4 of a value an entry.
    assert storage.printed_bytes(FIGURE_4["dense"]) == pytest.approx(4, rel=0.01)
    for name, printed in FIGURE_4.items():
        if not printed.leaves.dense:
            assert 6 * 0.94 < storage.printed_bytes(printed) < 7, name
