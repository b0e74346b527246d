"""Where the parts of a node are, and which type it has: the formulas, for numbers and for NumPy arrays alike.

The docstring of `gpu.hisparse.container.HiSparse` shows a node byte by byte. A reference to a node
is the index of its first 32-bit word in the pool, a multiple of 4, plus its type in the two low bits.
"""

import math
from typing import Any

import numpy as np
from numba.extending import register_jitable

from vecsim.support.errors import UserError

DENSE, COO1, COO2, COO4 = range(4)
"""The types of nodes, in the order in which the paper counts them (section 3.1)."""
TYPE_MASK = 3
NULL = 0
"""The reference to no node: the first 16 bytes of a pool belong to none."""

UNIT_BYTES = 16
"""What a GPU loads at once: nodes begin and end at multiples of it."""
UNIT_WORDS = 4
FIRST_COORDINATE = 8
"""The byte of a sparse node where its coordinates begin: after its count and its references."""
FIRST_DENSE_SLOT = 16
"""The byte of a dense node where its slots begin: after its count, its references and 8 bytes of nothing."""
REFERENCE_BYTES = 4
"""Of a slot of an inner node."""

MIN_NODE_SIZE, MAX_NODE_SIZE = 4, 256
DEFAULT_NODE_SIZE = 256
"""It takes the fewest bytes of all on each large structured matrix of the suite (benchmarks/README.md)."""


def node_bits(node_size: int) -> int:
    """Return log2 of d, refusing what no node can have.

    Parameters
    ----------
    node_size
        d, a power of two from 4 to 256.

    Raises
    ------
    UserError
        If it is anything else.
    """
    size = int(node_size) if isinstance(node_size, int | np.integer) else 0
    if not MIN_NODE_SIZE <= size <= MAX_NODE_SIZE or size & (size - 1):
        raise UserError(
            f"a node size of {node_size} is not possible: "
            f"use a power of two from {MIN_NODE_SIZE} to {MAX_NODE_SIZE}"
        )
    return size.bit_length() - 1


def level_count(extent: int, node_size: int) -> int:
    """Return D, the levels of a tree: at least one, and d ** D >= max(M, N)."""
    levels = 1
    while node_size**levels < extent:
        levels += 1
    return levels


@register_jitable
def group(count: Any) -> Any:
    """Return X of the COOX node for this many entries: 1 for one, 2 for two, 4 for more."""
    return 1 + (count > 1) + 2 * (count > 2)


@register_jitable
def sparse_type(count: Any) -> Any:
    """Return the type of a sparse node of this many entries."""
    return COO1 + (count > 1) + (count > 2)


@register_jitable
def padded(count: Any) -> Any:
    """Return the entries of a sparse node, padding included."""
    each = group(count)
    return -(-count // each) * each


@register_jitable
def first_sparse_slot(count: Any, width: int) -> Any:
    """Return the byte of a sparse node where its slots begin, aligned for loads of X slots, up to 16 bytes.

    Parameters
    ----------
    count
        Its entries.
    width
        Bytes of a slot: 4 or 8.
    """
    aligned = np.minimum(UNIT_BYTES, group(count) * width)
    return -(-(FIRST_COORDINATE + 2 * padded(count)) // aligned) * aligned


@register_jitable
def sparse_words(count: Any, width: int) -> Any:
    """Return the 32-bit words of a sparse node of `count` entries of `width` bytes."""
    end = first_sparse_slot(count, width) + width * padded(count)
    return -(-end // UNIT_BYTES) * UNIT_WORDS


@register_jitable
def dense_words(node_size: int, width: int) -> Any:
    """Return the 32-bit words of a dense node of d x d slots of `width` bytes."""
    return (FIRST_DENSE_SLOT + node_size * node_size * width) // REFERENCE_BYTES


@register_jitable
def node_words(kind: Any, count: Any, node_size: int, width: int) -> Any:
    """Return the 32-bit words of a node.

    Parameters
    ----------
    kind, count
        Its type and its entries.
    node_size
        d.
    width
        Bytes of a slot: 4 or 8.
    """
    return dense_words(node_size, width) if kind == DENSE else sparse_words(count, width)


@register_jitable
def first_slot(kind: Any, count: Any, width: int) -> Any:
    """Return the byte of a node where its slots begin; the parameters are those of `node_words`."""
    return FIRST_DENSE_SLOT if kind == DENSE else first_sparse_slot(count, width)


def dense_from(node_size: int, width: int) -> int:
    """Return the entries from which on a dense node takes less than a sparse one; d^2 + 1 if none does.

    The bytes of a sparse node never fall with its entries, so that it is one number.
    """
    counts = np.arange(1, node_size * node_size + 1)
    smaller = np.flatnonzero(sparse_words(counts, width) > dense_words(node_size, width))
    return int(counts[smaller[0]]) if len(smaller) else node_size * node_size + 1


def most_words(node_size: int, width: int) -> int:
    """Return the 32-bit words of the largest node that the type rule allows, or an exception to it.

    A leaf that has too many entries for a sparse one, yet an explicit -0.0, stays sparse.
    """
    return int(max(dense_words(node_size, width), sparse_words(node_size * node_size, width)))


@register_jitable
def is_absent(value: Any) -> Any:
    """Return whether a value is -0.0, which means no entry in a dense leaf that is not full.

    It is the one number that leaves every sum as it was, so sums of dense leaves keep what is absent.
    """
    return value == 0 and math.copysign(1.0, value) < 0
