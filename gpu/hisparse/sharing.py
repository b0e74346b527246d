"""Nodes in several places: what matrices that share some take together, and equal nodes made one."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from gpu.hisparse.container import HiSparse
from gpu.hisparse.node_layout import (
    DENSE,
    NULL,
    REFERENCE_BYTES,
    TYPE_MASK,
    UNIT_WORDS,
    first_slot,
)
from gpu.hisparse.nodes import children_of
from gpu.hisparse.pool import Pool
from gpu.hisparse.tree import Tree
from vecsim.formats.array_types import UIntArray


@dataclass(frozen=True)
class SharedStorage:
    """The bytes of the nodes of some matrices.

    Attributes
    ----------
    together
        Each node once: what they take.
    alone
        The same for each matrix by itself.
    unshared
        For each matrix, if every place had its own node.
    """

    together: int
    alone: tuple[int, ...]
    unshared: tuple[int, ...]

    @classmethod
    def of(cls, matrices: Iterable[HiSparse]) -> "SharedStorage":
        """Count the nodes of some matrices."""
        sizes: dict[tuple[int, int], int] = {}
        alone, unshared = [], []
        for matrix in matrices:
            content, places, own = matrix.content, 0, 0
            for level, nodes in enumerate(content.nodes):
                width = REFERENCE_BYTES if level else matrix.dtype.itemsize
                places += int(nodes.sizes(matrix.node_size, width).sum())
                distinct = nodes.distinct()
                counted = distinct.sizes(matrix.node_size, width)
                own += int(counted.sum())
                keys = ((id(content.pool), reference) for reference in distinct.references.tolist())
                sizes.update(zip(keys, counted.tolist(), strict=True))
            alone.append(own)
            unshared.append(places)
        return cls(sum(sizes.values()), tuple(alone), tuple(unshared))


def equal_nodes_shared(matrix: HiSparse) -> HiSparse:
    """Return the same matrix in its own pool, in which equal nodes are one node in several places.

    Nodes are equal if their bytes are, those of the leaves first, then those of each level above them. That
    pays where the matrix repeats itself every this many multiples of d, as the matrix of a stencil may.
    """
    old = matrix.content
    results: list[UIntArray] = []
    end = UNIT_WORDS
    known = now = np.zeros(0, np.uint32)  # the nodes of the level below, rising, and what they are now
    for level, nodes in enumerate(old.nodes):
        width = REFERENCE_BYTES if level else matrix.dtype.itemsize
        distinct = nodes.distinct()
        seen: dict[tuple[int, bytes], int] = {}
        references: list[int] = []
        for reference, size, count in zip(
            distinct.references.tolist(),
            (distinct.sizes(matrix.node_size, width) // REFERENCE_BYTES).tolist(),
            distinct.counts.tolist(),
            strict=True,
        ):
            at, kind = reference & ~TYPE_MASK, reference & TYPE_MASK
            words = old.pool.words[at : at + size].copy()
            words[1] = 0
            if level:
                slots = _slots(words, kind, count, matrix.node_size)
                used = slots != NULL
                slots[used] = now[np.searchsorted(known, slots[used])]
            result = seen.setdefault((kind, words.tobytes()), end + kind)
            if result == end + kind:
                results.append(words)
                end += size
            references.append(result)
        order = np.argsort(distinct.references)
        known, now = distinct.references[order], np.array(references, dtype=np.uint32)[order]
    pool = Pool(matrix.node_size, matrix.dtype, end - UNIT_WORDS)
    if results:
        pool.memory.words[UNIT_WORDS:end] = np.concatenate(results)
    root = int(now[0]) if len(now) else NULL
    tree = Tree(pool, root, old.shape, old.levels, old.nnz)
    _count_references(tree)
    return replace(matrix, content=tree)


def _slots(words: UIntArray, kind: int, count: int, node_size: int) -> UIntArray:
    """Return the slots of an inner node that are in use, as a view."""
    first = int(first_slot(kind, count, REFERENCE_BYTES)) // REFERENCE_BYTES
    return words[first : first + (node_size * node_size if kind == DENSE else count)]


def _count_references(tree: Tree) -> None:
    """Write how many slots refer to each node, once for each parent in however many places that is."""
    words = tree.pool.memory.words
    if tree.root != NULL:
        words[tree.root & ~TYPE_MASK | 1] = 1
    for nodes in tree.nodes[1:]:
        below = children_of(tree.pool.memory, nodes.distinct(), tree.geometry.bits)
        references, counts = np.unique(below.references, return_counts=True)
        words[(references & ~np.uint32(TYPE_MASK)) | np.uint32(1)] = counts
