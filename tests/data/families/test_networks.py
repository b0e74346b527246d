"""Networks and graphs, small ones against their definition, written again as plain loops."""

import numpy as np
from dense_matrices import same_entries

from vecsim.data.families.networks import (
    butterfly,
    cube_cycles,
    cut_cube_cycles,
    de_bruijn,
    mycielskian,
    shuffle_exchange,
)


def graph(size, edges):
    matrix = np.zeros((size, size))
    for a, b in edges:
        if a != b:
            matrix[a, b] = matrix[b, a] = 1
    return matrix


def test_networks_by_loops():
    d = 3
    words, levels = range(2**d), range(d)
    wrapped = [((w, i), (w ^ flip, (i + 1) % d)) for w in words for i in levels for flip in (0, 1 << i)]
    edges = [(w * d + i, v * d + j) for (w, i), (v, j) in wrapped]
    same_entries(butterfly(d), graph(24, edges))

    flips = [((w, i), (w ^ 1 << i, i)) for w in words for i in levels]
    around = [((w, i), (w, (i + 1) % d)) for w in words for i in levels]
    edges = [(i * 8 + w, j * 8 + v) for (w, i), (v, j) in flips + around]
    same_entries(cube_cycles(d), graph(24, edges))
    cut = [(one, other) for one, other in around if other[1]]
    edges = [(w * d + i, v * d + j) for (w, i), (v, j) in flips + cut]
    same_entries(cut_cube_cycles(d), graph(24, edges))

    same_entries(de_bruijn(d), graph(8, [(w, (2 * w + bit) % 8) for w in words for bit in (0, 1)]))
    bits = [f"{w:03b}" for w in words]
    rotated = [(w, int(bits[w][1:] + bits[w][0], 2)) for w in words]
    same_entries(shuffle_exchange(d), graph(8, [*rotated, *((w, w ^ 1) for w in words)]))


def test_mycielskian_has_no_triangle():
    same_entries(mycielskian(2), np.array([[0, 1], [1, 0]]))
    # The Groetzsch graph: 11 nodes, 20 edges, degrees 3, 4 and 5.
    grotzsch = mycielskian(4).toarray()
    assert sorted(grotzsch.sum(axis=0)) == [3] * 5 + [4] * 5 + [5]
    assert np.trace(grotzsch @ grotzsch @ grotzsch) == 0
