"""What HiSparse takes by the paper (section 3.3, appendix): bits of leaves and trees, and the most nodes.

The paper counts packed coordinates of 2 log2(d) bits and one count of 32 bits a node. The nodes here have 16
bits of coordinates whatever d is, a count of references of 32 bits, and padding to the next 16 bytes; how
much that is at most, `most_overhead_bytes` says.
"""

from gpu.hisparse.node_layout import FIRST_COORDINATE, UNIT_BYTES, node_bits

COUNT_BITS = 32
"""Of the entries of a node."""


def leaf_bits(entries: int, node_size: int, value_bits: int) -> int:
    """Return B_i, the bits of a sparse leaf.

    Parameters
    ----------
    entries
        nnz_Li, its non-zeros.
    node_size
        d.
    value_bits
        b, of a value.
    """
    return entries * (2 * node_bits(node_size) + value_bits) + COUNT_BITS


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


def most_overhead_bytes(value_bits: int) -> int:
    """Return the most bytes that a sparse node takes here beyond 16 bits of coordinates and a slot an entry.

    They are its counts, three entries of padding, and the gaps before its slots and after them.
    """
    return FIRST_COORDINATE + 3 * (2 + value_bits // 8) + 2 * (UNIT_BYTES - 2)
