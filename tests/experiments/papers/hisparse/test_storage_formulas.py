"""The paper's formulas of storage against real trees."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from experiments.papers.hisparse import storage
from gpu.hisparse.container import HiSparse
from gpu.hisparse.node_layout import DENSE, FIRST_COORDINATE, UNIT_BYTES, node_bits
from tests.gpu.hisparse.hisparse_cases import NODE_SIZES, blocked


def leaf_bits(entries, node_size, value_bits):
    """Return B_i of section 3.3, the bits of a sparse leaf."""
    return entries * (2 * node_bits(node_size) + value_bits) + storage.COUNT_BITS


def most_overhead_bytes(value_bits):
    """Return what a sparse node takes at most beyond its entries: counts, three entries of padding, gaps."""
    return FIRST_COORDINATE + 3 * (2 + value_bits // 8) + 2 * (UNIT_BYTES - 2)


def test_formulas_by_hand():
    assert storage.tree_bits(1000, 20, 5, 128, 32) == 1.25 * 1000 * 46 + 640
    assert [storage.full_levels(nnz, 4) for nnz in (1, 2, 16, 17, 256, 257)] == [0, 1, 1, 2, 2, 3]
    # One non-zero: a node on each level. Up to d^2: each further one shares the root alone.
    assert storage.most_nodes(1, 3, 4) == 3
    assert storage.most_nodes(16, 3, 4) == 3 + 15 * 2
    assert storage.most_nodes(17, 3, 4) == 3 + 15 * 2 + (256 - 16) * 1
    assert storage.nodes_below(17, 3, 4) == 4**6 * 4


@pytest.mark.parametrize(("nnz", "levels"), [(1, 3), (16, 3), (256, 3), (16, 4)])
def test_the_most_nodes_are_reached_by_entries_as_far_apart_as_can_be(nnz, levels):
    side = int(np.sqrt(nnz))
    extent = 4**levels
    rows, columns = np.divmod(np.arange(nnz), side)
    matrix = scipy.sparse.coo_array(
        (np.ones(nnz), (rows * extent // side, columns * extent // side)), shape=(extent, extent)
    )
    nodes = HiSparse.from_scipy(matrix, node_size=4).content.nodes
    assert sum(len(each.references) for each in nodes) == storage.most_nodes(nnz, levels, 4)


@given(matrix=blocked(max_extent=70), node_size=st.sampled_from(NODE_SIZES))
def test_no_tree_has_more_nodes_or_bytes_than_the_bounds(matrix, node_size):
    if matrix.nnz == 0:
        return
    built = HiSparse.from_scipy(matrix, node_size=node_size)
    count = sum(len(each.references) for each in built.content.nodes)
    most = storage.most_nodes(matrix.nnz, built.levels, node_size)
    assert count <= most < storage.nodes_below(matrix.nnz, built.levels, node_size)
    assert count <= matrix.nnz * built.levels < matrix.nnz * node_size**2 * (built.levels + 1)
    # A node has bounded bytes, so a tree has at most this many times nnz log_d(m).
    largest = leaf_bits(node_size**2, 256, 64) // 8 + most_overhead_bytes(64)
    assert built.storage("image") <= largest * matrix.nnz * built.levels


@given(matrix=blocked(), node_size=st.sampled_from(NODE_SIZES))
def test_a_sparse_leaf_takes_what_the_paper_says_and_a_bounded_overhead(matrix, node_size):
    built = HiSparse.from_scipy(matrix, node_size=node_size)
    leaves, width = built.content.nodes[0], built.dtype.itemsize
    total = 0
    for kind, count, size in zip(
        leaves.kinds, leaves.counts.tolist(), leaves.sizes(node_size, width).tolist(), strict=True
    ):
        if kind == DENSE:
            assert size == 16 + width * node_size**2
            continue
        total += leaf_bits(count, node_size, 8 * width)
        assert leaf_bits(count, node_size, 8 * width) <= 8 * size
        assert size <= count * (2 + width) + most_overhead_bytes(8 * width)
    sparse = leaves.kinds != DENSE
    # Summed over the leaves it is the formula of all of them, without inner nodes.
    if sparse.any():
        entries, number = int(leaves.counts[sparse].sum()), int(np.count_nonzero(sparse))
        assert total == storage.tree_bits(entries, number, 0, node_size, 8 * width)
