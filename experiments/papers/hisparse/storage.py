"""Bytes a non-zero: of CSR, of COO, of trees as stored, by the paper's formulas, by its Figure 4."""

from __future__ import annotations

from experiments.papers.hisparse.printed import NODE_SIZE, Nodes, PrintedMatrix
from experiments.papers.hisparse.results import MatrixRecord, Tree
from gpu.hisparse.node_layout import node_bits

INDEX_BYTES = 4
"""Of a column, a row, a row offset, a reference: 32 bits, as the paper has them usually."""
VALUE_BITS = {"float32": 32, "float64": 64}
POINTER_BITS = 32
COORDINATE_BITS = 16
"""Of an entry of a sparse node: a byte for its row, a byte for its column (section 3.3)."""
COUNT_BITS = 32
"""Of the entries of a node."""


def coo_bytes(value_bits: int) -> float:
    """Return the bytes a non-zero of COO."""
    return 2 * INDEX_BYTES + value_bits / 8


def csr_bytes(rows: float, nnz: float, value_bits: int) -> float:
    """Return the bytes a non-zero of CSR: column, value, and the share of the row offsets."""
    return INDEX_BYTES + value_bits / 8 + INDEX_BYTES * (rows + 1) / max(nnz, 1)


def stored_bytes(tree: Tree, nnz: int) -> float:
    """Return the bytes a non-zero that a tree really takes, padding and reference counts included."""
    return tree.nbytes / max(nnz, 1)


def formula_bytes(tree: Tree, nnz: int) -> float:
    """Return the bytes a non-zero of the same tree by section 3.3: no padding, one count a node.

    A sparse node has its entries and B_i's 32 bits; a dense one d^2 values. The sums are over the real nodes.
    """
    return sum(formula_bits(tree)) / 8 / max(nnz, 1)


def formula_bits(tree: Tree) -> tuple[float, float]:
    """Return the bits of all leaves, and of all inner nodes, as `formula_bytes` counts them."""
    leaves, inner = tree.levels[0], tree.inner
    return (
        _bits(leaves.sparse_entries, leaves.sparse, leaves.dense, tree.node_size, VALUE_BITS[tree.dtype]),
        _bits(inner.sparse_entries, inner.sparse, inner.dense, tree.node_size, POINTER_BITS),
    )


def approximate_bytes(tree: Tree, nnz: int) -> float:
    """Return the paper's approximation: sparse nodes, (1 + N / L) nnz entries, near a full hierarchy."""
    inner = tree.inner
    bits = tree_bits(
        nnz, max(tree.leaves, 1), inner.sparse + inner.dense, tree.node_size, VALUE_BITS[tree.dtype]
    )
    return bits / 8 / max(nnz, 1)


def printed_bytes(matrix: PrintedMatrix, value_bits: int = 32) -> float:
    """Return the bytes a non-zero that follow from the nodes that Figure 4 prints.

    All non-zeros that the dense leaves do not have are in sparse ones. Every node but the root is an entry of
    one inner node; the few dense inner nodes have their share of them.
    """
    leaves, inner = matrix.leaves, matrix.inner
    children = leaves.count + inner.count - 1
    bits = _bits(leaves.sparse * leaves.mean, leaves.sparse, leaves.dense, NODE_SIZE, value_bits)
    bits += _bits(children * inner.sparse / inner.count, inner.sparse, inner.dense, NODE_SIZE, POINTER_BITS)
    return bits / 8 / matrix.nnz


def _bits(entries: float, sparse: float, dense: float, node_size: int, value_bits: int) -> float:
    return (
        entries * (COORDINATE_BITS + value_bits)
        + sparse * COUNT_BITS
        + dense * (node_size * node_size * value_bits + COUNT_BITS)
    )


def tree_bits(nnz: int, leaves: int, inner_nodes: int, node_size: int, value_bits: int) -> float:
    """Return the paper's approximation of the bits of a tree of sparse nodes, close to a full hierarchy.

    Parameters
    ----------
    nnz
        Non-zeros.
    leaves, inner_nodes
        L, one at least, and N.
    node_size
        d.
    value_bits
        b, of a value and of a pointer.
    """
    entry_bits = 2 * node_bits(node_size) + value_bits
    return (1 + inner_nodes / leaves) * nnz * entry_bits + COUNT_BITS * leaves


def full_levels(nnz: int, node_size: int) -> int:
    """Return lambda, the levels that this many non-zeros can fill with nodes: log of nnz by d^2, rounded
    up.
    """
    result = 0
    while node_size ** (2 * result) < nnz:
        result += 1
    return result


def most_nodes(nnz: int, levels: int, node_size: int) -> int:
    """Return the most nodes, leaves and inner ones, that a tree can have: equation 1.

    Parameters
    ----------
    nnz
        Non-zeros, one at least.
    levels
        D, the paper's log_d(m).
    node_size
        d.
    """
    squared = node_size * node_size
    return sum(
        (squared**i - (squared ** (i - 1) if i else 0)) * (levels - i)
        for i in range(full_levels(nnz, node_size) + 1)
    )


def nodes_below(nnz: int, levels: int, node_size: int) -> int:
    """Return what the paper bounds `most_nodes` with: d^(2 (lambda + 1)) (log_d(m) + 1).

    For the last step of the paper, nnz d^2 (log_d(m) + 1), lambda would have to be rounded down; but no tree
    has more than nnz log_d(m) nodes, since a non-zero has one on each level.

    Parameters
    ----------
    nnz, levels, node_size
        Those of `most_nodes`.
    """
    squared = node_size * node_size
    return int(squared ** (full_levels(nnz, node_size) + 1)) * (levels + 1)


def node_bounds(matrix: MatrixRecord, tree: Tree) -> tuple[int, int, int]:
    """Return the nodes of a tree, the most by equation 1, and what the paper bounds that with (appendix)."""
    inner, levels = tree.inner, len(tree.levels)
    nodes = tree.leaves + inner.sparse + inner.dense
    return (
        nodes,
        most_nodes(matrix.nnz, levels, tree.node_size),
        nodes_below(matrix.nnz, levels, tree.node_size),
    )


def nodes_of(tree: Tree, *, leaves: bool) -> Nodes:
    """Return nodes of a tree as Figure 4 prints them; the mean of leaves is that of the sparse ones."""
    level = tree.levels[0] if leaves else tree.inner
    if leaves:
        mean = level.sparse_entries / level.sparse if level.sparse else 0.0
    else:
        mean = (level.sparse_entries + level.dense_entries) / max(level.sparse + level.dense, 1)
    return Nodes(level.sparse, level.dense, mean)
