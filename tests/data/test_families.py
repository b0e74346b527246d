"""Small members of every family against their definition, written again as plain loops."""

import csv
from itertools import combinations, product
from math import cos, exp, pi, sin

import numpy as np
import pytest

from vecsim.data.families.beams import clamped_beam, supported_beam, supported_beam_with_torsion
from vecsim.data.families.combinatorics import block_design, chessboard_boundary
from vecsim.data.families.elliptic import convection_diffusion, convection_diffusion_cube, pde
from vecsim.data.families.extremes import arrowhead, diagonal, hilbert
from vecsim.data.families.networks import (
    butterfly,
    cube_cycles,
    cut_cube_cycles,
    de_bruijn,
    mycielskian,
    shuffle_exchange,
)
from vecsim.data.families.poisson import (
    laplace1d,
    laplace2d,
    laplace3d,
    nested_cubes,
    nine_point,
    nine_point_pattern,
    twenty_seven_point,
)
from vecsim.data.families.primes import trefethen, trefethen_minor
from vecsim.data.families.random_walk import random_walk
from vecsim.data.families.reactions import brusselator, brusselator_wave, olmstead, tubular_reactor
from vecsim.data.families.serendipity import wathen
from vecsim.data.families.toeplitz import boundary_problem, grcar, ising
from vecsim.data.families.tolosa import tolosa


def on_grid(shape, entry):
    """Return the dense matrix of a grid; `entry` gives a value for a node and a step, None for no entry."""
    nodes = list(product(*map(range, shape)))
    matrix = np.zeros((len(nodes), len(nodes)))
    for row, node in enumerate(nodes):
        for column, other in enumerate(nodes):
            value = entry(node, tuple(np.subtract(other, node)))
            if value is not None:
                matrix[row, column] = value
    return matrix


def same_entries(matrix, dense, rtol=0.0):
    """Check pattern and values: no entry where the dense matrix is zero."""
    assert matrix.nnz == np.count_nonzero(dense)
    np.testing.assert_allclose(matrix.toarray(), dense, rtol=rtol)


def star(step):
    distance = sum(map(abs, step))
    return {0: 2 * len(step), 1: -1}.get(distance)


def box(step):
    if max(map(abs, step)) > 1:
        return None
    return -1 if any(step) else 3 ** len(step) - 1


@pytest.mark.parametrize(
    ("make", "dimensions", "value"),
    [
        (laplace1d, 1, star),
        (laplace2d, 2, star),
        (laplace3d, 3, star),
        (nine_point, 2, box),
        (twenty_seven_point, 3, box),
    ],
)
@pytest.mark.parametrize("points", [1, 2, 3, 4])
def test_poisson(make, dimensions, value, points):
    same_entries(make(points), on_grid((points,) * dimensions, lambda _, step: value(step)))


def test_nested_cubes():
    points = 6

    def conductivity(node):
        if all(k in (2, 3) for k in node):
            return 1e6
        return 100 if all(1 <= k <= 4 for k in node) else 0.01

    def coefficient(node, step):
        other = tuple(np.add(node, step))
        if any(step):
            return -conductivity(max(node, other)) if sum(map(abs, step)) == 1 else None
        number = 36 * node[0] + 6 * node[1] + node[2]
        after = [number + k for k in (1, 6, 36) if number + k < 216]
        return 3 * conductivity(node) + sum(conductivity((k // 36, k // 6 % 6, k % 6)) for k in after)

    same_entries(nested_cubes(points), on_grid((points,) * 3, coefficient), 1e-12)


def test_nine_point_pattern():
    same_entries(nine_point_pattern(3), nine_point(3).toarray() != 0)


def test_laplace2d_entry_by_entry():
    expected = [[4, -1, -1, 0], [-1, 4, 0, -1], [-1, 0, 4, -1], [0, -1, -1, 4]]
    np.testing.assert_array_equal(laplace2d(2).toarray(), expected)


def test_random_walk_entry_by_entry():
    # Nodes (i, j): 00 01 02 10 11 20; columns are where a step starts.
    expected = [
        [0, 1 / 2, 0, 1 / 2, 0, 0],
        [1 / 2, 0, 1, 0, 1 / 2, 0],
        [0, 1 / 4, 0, 0, 0, 0],
        [1 / 2, 0, 0, 0, 1 / 2, 1],
        [0, 1 / 4, 0, 1 / 4, 0, 0],
        [0, 0, 0, 1 / 4, 0, 0],
    ]
    np.testing.assert_array_equal(random_walk(2).toarray(), expected)


def test_random_walk_is_a_walk():
    walk = random_walk(37)
    assert walk.shape == (38 * 39 // 2,) * 2
    assert walk.nnz == 2 * 37 * 38
    np.testing.assert_allclose(walk.sum(axis=0), 1)


def test_pde_entry_by_entry():
    # Two points side by side: x = 1/3 and 2/3, y = 1/2; mesh widths 1/3 and 1/2, so their ratio is 9/4.
    matrix = pde(2, 1).toarray()
    middle, drift = 9 / 4 * np.exp(-1 / 4), 3 / 4 / 2 * (20 * (5 / 6) + 20 * (7 / 6))
    corner = 9 / 4 * (np.exp(-1 / 12) + np.exp(-1 / 4)) + np.exp(1 / 12) + np.exp(1 / 4)
    assert matrix[0, 0] == pytest.approx(corner + 1 / 4 / (1 + 1 / 3 + 1 / 2))
    # Transposed, as in the files of the collection.
    assert matrix[0, 1] == pytest.approx(-(middle + drift))
    assert matrix[1, 0] == pytest.approx(-middle + drift)


def test_pde_by_loops():
    points_x, points_y = 3, 4
    hx, hy = 1 / 4, 1 / 5

    def coefficient(node, step):
        y, x = hy * (node[0] + 1), hx * (node[1] + 1)
        if step == (0, 0):
            neighbours = [coefficient(node, other) for other in ((0, -1), (0, 1), (-1, 0), (1, 0))]
            # What the neighbours take in diffusion, without their drift, and the term in u itself.
            drift = [20 * (x + k * hx + y) + 20 * (x + y) for k in (-1, 1)]
            diffusion = -sum(neighbours) + hy * hy / (2 * hx) * (drift[1] - drift[0])
            return diffusion + hy * hy / (1 + x + y)
        if step in ((0, 1), (0, -1)):
            p = exp(-(x + step[1] * hx / 2) * y)
            drift = 20 * (x + step[1] * hx + y) + 20 * (x + y)
            return hy * hy * (-p / hx**2 + step[1] * drift / (2 * hx))
        return -exp(x * (y + step[0] * hy / 2)) if step in ((1, 0), (-1, 0)) else None

    # Rows of the definition are columns of the collection's files.
    same_entries(pde(points_x, points_y), on_grid((points_y, points_x), coefficient).T, 1e-12)


def test_convection_diffusion():
    h, p1, p2, p3 = 1 / 4, 1, 2, 30

    def coefficient(_, step):
        return {
            (0, 0): 4 - p3 * h * h,
            (0, -1): -1 + p1 * h,
            (0, 1): -1 - p1 * h,
            (-1, 0): -1 + p2 * h,
            (1, 0): -1 - p2 * h,
        }.get(step)

    same_entries(convection_diffusion(3, p1, p2, p3), on_grid((3, 3), coefficient))


def test_convection_diffusion_in_a_cube():
    h = 1 / 4

    def coefficient(_, step):
        if not any(step):
            return 6 - 30 * h * h
        if sum(map(abs, step)) > 1:
            return None
        z, y, x = step
        return -1 - h * (25 * x + 50 * y + 75 * z)

    same_entries(convection_diffusion_cube(3), on_grid((3, 3, 3), coefficient))


def test_olmstead_entry_by_entry():
    s = (3 / np.pi) ** 2
    expected = [
        [4.7 - 0.2 * s, -1.8 * s, 0.1 * s, 0.9 * s],
        [0.5, -0.5, 0, 0],
        [0.1 * s, 0.9 * s, 4.7 - 0.2 * s, -1.8 * s],
        [0, 0, 0.5, -0.5],
    ]
    same_entries(olmstead(2), np.array(expected), 1e-12)


def test_brusselator_wave_entry_by_entry():
    u, v = 0.008 * (3 / 0.51302) ** 2, 0.004 * (3 / 0.51302) ** 2
    expected = [
        [4.45 - 2 * u, u, 4, 0],
        [u, 4.45 - 2 * u, 0, 4],
        [-5.45, 0, -4 - 2 * v, v],
        [0, -5.45, v, -4 - 2 * v],
    ]
    same_entries(brusselator_wave(2), np.array(expected), 1e-12)


def test_brusselator_entry_by_entry():
    # Four points: 0 1 above 2 3, each with u and v; mesh width 1/3, L = 1/2.
    u, v = 0.004 * 36, 0.008 * 36
    expected = np.zeros((8, 8))
    for point in range(4):
        expected[2 * point : 2 * point + 2, 2 * point : 2 * point + 2] = [
            [4.45 - 4 * u, 4],
            [-5.45, -4 - 4 * v],
        ]
    for one, other in ((0, 1), (2, 3), (0, 2), (1, 3)):
        for a, b in ((one, other), (other, one)):
            expected[2 * a, 2 * b], expected[2 * a + 1, 2 * b + 1] = u, v
    same_entries(brusselator(2, 0.5), expected, 1e-12)


def test_tubular_reactor_is_at_its_steady_state():
    points = 21
    jacobian = tubular_reactor(points).toarray()
    h, peclet, b, d, gamma, beta = 1 / 20, 5, 0.5, 0.23, 25, 3.5
    # The rate of reaction heats (b times), the temperature quickens it: so both stand in the Jacobian.
    rate = [jacobian[2 * k + 1, 2 * k] / b for k in range(points)]
    t = [gamma / (gamma - np.log(rate[k] / d)) for k in range(points)]
    y = [-jacobian[2 * k, 2 * k + 1] / rate[k] * t[k] ** 2 / gamma for k in range(points)]

    def transport(u, k, inflow):
        before = u[1] - 2 * h * peclet * (u[0] - inflow) if k == 0 else u[k - 1]
        after = u[k - 1] if k == points - 1 else u[k + 1]
        return (before - 2 * u[k] + after) / (peclet * h * h) - (after - before) / (2 * h)

    for k in range(points):
        assert transport(y, k, 1) - y[k] * rate[k] == pytest.approx(0, abs=1e-9)
        heat = transport(t, k, 1) - beta * (t[k] - 1) + b * y[k] * rate[k]
        assert heat == pytest.approx(0, abs=1e-9)
        reaction = b * y[k] * rate[k] * gamma / t[k] ** 2
        at_the_inflow = 2 * h * peclet * (1 / (peclet * h * h) + 1 / (2 * h)) if k == 0 else 0
        diffusion = 2 / (peclet * h * h) + at_the_inflow
        assert jacobian[2 * k, 2 * k] == pytest.approx(-diffusion - rate[k])
        assert jacobian[2 * k + 1, 2 * k + 1] == pytest.approx(-diffusion - beta + reaction)


# From the collection's tub1000, which differs at the last point alone: rows and columns from 1.
TUB1000 = """
1,1,-1.00603771E+05
2,1,1.86625885E-01
3,1,5.00496987E+04
1,2,-8.14551509E+00
2,2,-1.00602825E+05
1,3,9.96003974E+04
4,3,1.87515627E-01
125,125,-9.96008966E+04
126,125,2.49556941E-01
125,126,-9.90951870E+00
126,126,-9.95989427E+04
970,969,8.07151261E-01
971,972,-1.38087580E+01
998,997,8.08191491E-01
999,997,9.96003974E+04
998,998,-9.95970068E+04
997,999,4.95506987E+04
"""


def test_tubular_reactor_agrees_with_entries_of_the_collections_file():
    matrix = tubular_reactor(500)
    for row, column, value in csv.reader(TUB1000.split()):
        # The file was computed in single precision.
        assert matrix[int(row) - 1, int(column) - 1] == pytest.approx(float(value), rel=4e-8)


def test_tolosa_by_loops():
    small = tolosa(0).toarray()
    m = 21
    expected = np.zeros((5 * m, 5 * m))
    for k in range(m):
        expected[k, m + k] = 1
        for block, beta in ((2, -12.098), (3, -24.196), (4, -36.294)):
            expected[block * m + k, m + k] = 1
            expected[block * m + k, block * m + k] = beta
    for i, j, block in product(range(18), range(18), range(5)):
        expected[m + i, block * m + j] = small[18 + i, block * 18 + j]
    c1 = 0.299 / 3
    c2 = 0.001 - c1
    for i in (1, 2, 3):
        omega, alpha = 150 + 6 * i, c1 * i + c2
        expected[m + 17 + i, 17 + i] = -(omega**2)
        expected[m + 17 + i, m + 17 + i] = -2 * alpha * omega
    same_entries(tolosa(3), expected, 1e-12)


def test_grcar_entry_by_entry():
    expected = [
        [1, 1, 1, 1, 0],
        [-1, 1, 1, 1, 1],
        [0, -1, 1, 1, 1],
        [0, 0, -1, 1, 1],
        [0, 0, 0, -1, 1],
    ]
    same_entries(grcar(5), np.array(expected))
    same_entries(grcar(2), np.array([[1, 1], [-1, 1]]))


def test_ising_is_the_product_of_rotations():
    pairs, angle = 3, pi / 4
    k, shifted = np.zeros((6, 6)), np.zeros((6, 6))
    for pair in range(pairs):
        one, two, three = 2 * pair, 2 * pair + 1, (2 * pair + 2) % 6
        for matrix, a, b in ((k, one, two), (shifted, two, three)):
            matrix[a, a] = matrix[b, b] = cos(angle)
            matrix[a, b], matrix[b, a] = sin(angle), -sin(angle)
    same_entries(ising(pairs), k @ shifted, 1e-12)


def test_boundary_problem_entry_by_entry():
    expected = [
        [-2, 1, 0, 0, 0, 0],
        [1, -2, 1, 0, 0, 0],
        [0, 1, -2, 1, 0, 0],
        [0, 0, 1, -2, 1, 0],
        [0, 0, 0, 1, -2, 1],
        [4, -1, 0, 0.01, -0.04, 0.03],
    ]
    same_entries(boundary_problem(6), np.array(expected))


def test_trefethen_entry_by_entry():
    expected = [
        [2, 1, 1, 0, 1],
        [1, 3, 1, 1, 0],
        [1, 1, 5, 1, 1],
        [0, 1, 1, 7, 1],
        [1, 0, 1, 1, 11],
    ]
    np.testing.assert_array_equal(trefethen(5).toarray(), expected)
    np.testing.assert_array_equal(trefethen_minor(4).toarray(), np.array(expected)[1:, 1:])
    assert trefethen(20000).data.max() == 224737


def flexure(h, stiffness):
    k = stiffness / h**3
    return k * np.array(
        [
            [12, 6 * h, -12, 6 * h],
            [6 * h, 4 * h**2, -6 * h, 2 * h**2],
            [-12, -6 * h, 12, -6 * h],
            [6 * h, 2 * h**2, -6 * h, 4 * h**2],
        ]
    )


def beam(elements, length, held, bars, stiffness):
    """Assemble element by element: bars, then deflection and rotation at every node; drop what is held."""
    h, unknowns = length / elements, len(bars) + 2
    whole = np.zeros((unknowns * (elements + 1),) * 2)
    for element in range(elements):
        start = unknowns * element
        for place, bar in enumerate(bars):
            ends = [start + place, start + place + unknowns]
            whole[np.ix_(ends, ends)] += bar / h * np.array([[1, -1], [-1, 1]])
        first = start + len(bars)
        ends = [first, first + 1, first + unknowns, first + unknowns + 1]
        whole[np.ix_(ends, ends)] += flexure(h, stiffness)
    last = unknowns * elements
    free = [k for k in range(len(whole)) if k not in held and k - last not in held]
    return whole[np.ix_(free, free)]


def test_beams_by_loops():
    same_entries(clamped_beam(4), beam(4, 10, (0, 1, 2), (1e4,), 1e5), 1e-12)
    same_entries(supported_beam(3), beam(3, 0.1, (0,), (), 0.009818), 1e-12)
    bars = (157080, 0.009817 / 1.29)
    same_entries(supported_beam_with_torsion(3), beam(3, 0.1, (0, 1, 2), bars, 0.009818), 1e-12)


def test_block_design_by_loops():
    pairs, triples = list(combinations(range(5), 2)), list(combinations(range(5), 3))
    expected = [[set(pair) <= set(triple) for triple in triples] for pair in pairs]
    same_entries(block_design(5, 3), np.array(expected))


def test_a_boundary_has_no_boundary():
    for rows, columns in ((4, 4), (4, 5), (5, 4)):
        for dimension in (2, 3):
            upper = chessboard_boundary(rows, columns, dimension)
            lower = chessboard_boundary(rows, columns, dimension - 1)
            # Columns are numbered from last to first, rows are not.
            assert not (upper @ lower[::-1]).toarray().any()
            assert set(np.diff(upper.indptr)) == {dimension + 1}


def test_chessboard_by_hand():
    # Placements of two rooks on 2 x 2 squares: the diagonals 00 11, then 01 10; each joins two squares.
    expected = [[0, 0, 1, -1], [1, -1, 0, 0]]
    np.testing.assert_array_equal(chessboard_boundary(2, 2, 1).toarray(), expected)


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


def test_wathen_integrates_products_of_shape_functions():
    # Top right, then against the clock round the square [-1, 1]^2.
    at = [(1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0)]

    def shape(node, x, y):
        a, b = at[node]
        if a and b:
            return (1 + a * x) * (1 + b * y) * (a * x + b * y - 1) / 4
        return (1 - x * x) * (1 + b * y) / 2 if b else (1 + a * x) * (1 - y * y) / 2

    gauss = [(-(0.6**0.5), 5 / 9), (0.0, 8 / 9), (0.6**0.5, 5 / 9)]
    expected = np.zeros((8, 8))
    for i, j in product(range(8), repeat=2):
        expected[i, j] = sum(u * v * shape(i, x, y) * shape(j, x, y) for x, u in gauss for y, v in gauss)
    # The nodes row by row: three, two, three.
    order = [4, 5, 6, 3, 7, 2, 1, 0]
    np.testing.assert_allclose(wathen(1).toarray(), expected[np.ix_(order, order)], atol=1e-14)
    large = wathen(7)
    assert large.shape[0] == 3 * 49 + 28 + 1
    assert large.sum() == pytest.approx(4 * 49)
    assert abs(large - large.T).max() == 0


def test_extremes_entry_by_entry():
    same_entries(diagonal(3), np.diag([1, 2, 3]))
    expected = [[4, -1, -1, -1], [-1, 2, 0, 0], [-1, 0, 2, 0], [-1, 0, 0, 2]]
    same_entries(arrowhead(4), np.array(expected))
    expected = [[1, 1 / 2, 1 / 3], [1 / 2, 1 / 3, 1 / 4], [1 / 3, 1 / 4, 1 / 5]]
    same_entries(hilbert(3), np.array(expected))
