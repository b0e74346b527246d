"""Graphs of parallel computers and of graph theory; pattern matrices, 1 for each edge both ways."""

from typing import Any

import numpy as np

from vecsim.data.families.assembly import IntArray, csr


def butterfly(dimension: int) -> Any:
    """Return the wrapped butterfly of d = `dimension`, d 2^d nodes.

    Node (w, i), numbered w d + i, is joined to (w, i + 1) and (w with bit i flipped, i + 1), i + 1 taken
    modulo d. Source: F. T. Leighton, Introduction to Parallel Algorithms and Architectures, 1992, as in
    AG-Monien of the SuiteSparse collection. Compared with: bfly (d = 12), every entry.
    """
    word, level = _words_and_levels(dimension)
    after = (level + 1) % dimension
    flipped = word ^ (1 << level)
    node = word * dimension + level
    return _graph(node.size, [node, node], [word * dimension + after, flipped * dimension + after])


def cube_cycles(dimension: int) -> Any:
    """Return the cube-connected cycles of d = `dimension`, d 2^d nodes.

    Node (w, i), numbered i 2^d + w, is joined to (w, i + 1), i + 1 taken modulo d, and to (w with bit i
    flipped, i). Source: as `butterfly`. Compared with: ccc (d = 12), the collection's index.
    """
    word, level = _words_and_levels(dimension)
    node = (level << dimension) + word
    after = ((level + 1) % dimension << dimension) + word
    return _graph(node.size, [node, node], [after, node ^ (1 << level)])


def cut_cube_cycles(dimension: int) -> Any:
    """Return the graph of `cube_cycles` without the edges from (w, d - 1) to (w, 0), (w, i) numbered w d + i.

    Compared with: cca (d = 12), the collection's index.
    """
    word, level = _words_and_levels(dimension)
    node = word * dimension + level
    inner = node[level < dimension - 1]
    return _graph(node.size, [inner, node], [inner + 1, (word ^ (1 << level)) * dimension + level])


def de_bruijn(dimension: int) -> Any:
    """Return the undirected De Bruijn graph of 2^d nodes, d = `dimension`.

    Node w is joined to 2 w and 2 w + 1, modulo 2^d, without loops. Source: as `butterfly`. Compared with:
    debr (d = 20), the collection's index.
    """
    node = np.arange(1 << dimension)
    shifted = (2 * node) % node.size
    return _graph(node.size, [node, node], [shifted, shifted + 1])


def shuffle_exchange(dimension: int) -> Any:
    """Return the shuffle-exchange graph of 2^d nodes, d = `dimension`.

    Node w is joined to w with its last bit flipped and to w rotated by one bit, without loops. Source: as
    `butterfly`. Compared with: se (d = 15), the collection's index.
    """
    node = np.arange(1 << dimension)
    rotated = (2 * node) % node.size + (node >> (dimension - 1))
    return _graph(node.size, [node, node], [node ^ 1, rotated])


def mycielskian(order: int) -> Any:
    """Return Mycielski's graph M_k, k = `order`, of 3 2^(k - 2) - 1 nodes.

    M_2 is an edge; M_(k + 1) adds to every node a twin, joined to the node's neighbours, and one node
    joined to all twins. Source: J. Mycielski, Colloquium Mathematicum 3, 1955. Compared with:
    mycielskian3, every entry; the larger ones, the collection's index.
    """
    tail, head = np.array([0]), np.array([1])
    size = 2
    for _ in range(order - 2):
        node = np.arange(size)
        last = np.full(size, 2 * size)
        tail, head = (
            np.concatenate([tail, tail, head, node + size]),
            np.concatenate([head, head + size, tail + size, last]),
        )
        size = 2 * size + 1
    return _graph(size, [tail], [head])


def _words_and_levels(dimension: int) -> tuple[IntArray, IntArray]:
    word, level = np.indices((1 << dimension, dimension))
    return word.ravel(), level.ravel()


def _graph(size: int, tails: list[IntArray], heads: list[IntArray]) -> Any:
    tail, head = np.concatenate(tails), np.concatenate(heads)
    joined = tail != head
    tail, head = tail[joined], head[joined]
    matrix = csr((size, size), [tail, head], [head, tail], [1, 1])
    matrix.data[:] = 1
    return matrix
