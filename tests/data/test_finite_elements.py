import gzip

import numpy as np
import pytest

from vecsim.data import read
from vecsim.data.finite_elements import (
    TriangleMesh,
    cylindrical_shell,
    driven_cavity,
    elastic_brick,
    find_mesh,
    laplace_beltrami,
    membrane,
    mesh,
    mesh_folders,
    read_mesh,
    shell,
)
from vecsim.data.finite_elements.assembly import assemble
from vecsim.data.finite_elements.grids import brick_hexahedra, halved, quarter_cylinder, rectangle_quads
from vecsim.support.errors import UserError

YOUNG, POISSON, THICKNESS = 2.0, 0.25, 0.1


@pytest.fixture
def bent():
    """A curved mesh without any symmetry."""
    flat = quarter_cylinder(4, 5)
    shaken = flat.vertices + 0.05 * np.sin(7 * np.arange(60).reshape(20, 3))
    return TriangleMesh("bent", shaken, flat.triangles)


@pytest.fixture
def plate():
    """A flat mesh of triangles of different shapes: the rectangle 2 x 3 in the plane z = 0."""
    rows, columns = 4, 5
    y, x = np.meshgrid(np.linspace(0, 3, rows), np.linspace(0, 2, columns), indexing="ij")
    inner = np.zeros((rows, columns))
    inner[1:-1, 1:-1] = [[0.1, -0.15, 0.05], [-0.1, 0.1, 0.12]]
    vertices = np.stack([x + inner, y - 0.7 * inner, 0 * x], axis=-1).reshape(-1, 3)
    return TriangleMesh("plate", vertices, halved(rectangle_quads(rows, columns)))


def rigid_motions(points):
    """Three translations and three rotations: displacements (6, V, 3) and rotations (6, V, 3)."""
    axes = np.eye(3)
    displacements = [np.broadcast_to(axis, points.shape) for axis in axes]
    displacements += [np.cross(axis, points) for axis in axes]
    turns = [0 * points] * 3 + [np.broadcast_to(axis, points.shape) for axis in axes]
    return np.array(displacements), np.array(turns)


def assert_symmetric_and_semidefinite(matrix, null_space):
    dense = matrix.toarray()
    np.testing.assert_allclose(dense, dense.T, atol=1e-14 * abs(dense).max())
    values = np.linalg.eigvalsh(dense)
    assert abs(values[:null_space]).max(initial=0) < 1e-13 * values[-1]
    assert values[null_space] > 1e-12 * values[-1]


def bandwidth(matrix):
    coo = matrix.tocoo()
    return int((coo.row - coo.col).max()), int((coo.col - coo.row).max())


def test_assembly_adds_and_keeps_zeros():
    matrix = assemble(np.array([[0, 1], [1, 2], [2, -1]]), np.array([[2.0, 0], [0, 3]]), 3)
    np.testing.assert_array_equal(matrix.toarray(), np.diag([2.0, 5, 5]))
    assert matrix.nnz == 7


def test_laplace_of_one_triangle_by_hand():
    triangle = TriangleMesh("one", np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]]))
    matrix = laplace_beltrami(triangle)
    np.testing.assert_allclose(matrix.toarray(), [[1, -0.5, -0.5], [-0.5, 0.5, 0], [-0.5, 0, 0.5]])
    assert matrix.nnz == 9


def test_laplace(bent, plate):
    matrix = laplace_beltrami(bent)
    assert_symmetric_and_semidefinite(matrix, 1)
    np.testing.assert_allclose(matrix @ np.ones(20), 0, atol=1e-14)
    # The integral of |grad x|^2 is the area.
    x = plate.vertices[:, 0]
    assert x @ laplace_beltrami(plate) @ x == pytest.approx(6)


def test_laplace_has_an_entry_for_each_edge_both_ways(bent):
    matrix = laplace_beltrami(bent)
    graph = bent.adjacency()
    np.testing.assert_array_equal(matrix.indptr, graph.indptr)
    np.testing.assert_array_equal(matrix.indices, graph.indices)
    # 12 quadrilaterals: 31 sides and 12 diagonals.
    assert matrix.nnz == 20 + 2 * (31 + 12)


def test_membrane(bent, plate):
    matrix = membrane(bent, YOUNG, POISSON, THICKNESS)
    displacements, _ = rigid_motions(bent.vertices)
    np.testing.assert_allclose(matrix @ displacements.reshape(6, -1).T, 0, atol=1e-14)
    dense = matrix.toarray()
    np.testing.assert_allclose(dense, dense.T, atol=1e-15)
    assert np.linalg.eigvalsh(dense)[0] > -1e-14
    assert matrix.nnz == 9 * laplace_beltrami(bent).nnz

    # Stretched by one along x, not at all along y: energy of plane stress.
    stretched = np.zeros((20, 3))
    stretched[:, 0] = plate.vertices[:, 0]
    energy = stretched.ravel() @ membrane(plate, YOUNG, POISSON, THICKNESS) @ stretched.ravel()
    assert energy == pytest.approx(6 * THICKNESS * YOUNG / (1 - POISSON**2))


def test_shell_has_the_six_rigid_motions_and_no_more(bent):
    matrix = shell(bent, YOUNG, POISSON, 0.3)
    motions = np.concatenate(rigid_motions(bent.vertices), axis=2).reshape(6, -1)
    np.testing.assert_allclose(matrix @ motions.T, 0, atol=1e-13)
    assert_symmetric_and_semidefinite(matrix, 6)
    assert matrix.nnz == 36 * laplace_beltrami(bent).nnz


@pytest.mark.parametrize(
    ("deflection", "slopes", "by_rigidity"),
    [
        # w = x^2 / 2, w = y^2 / 2, w = x y: curvatures (1, 0, 0), (0, 1, 0), (0, 0, 2).
        (lambda x, y: x * x / 2, lambda x, y: (x, 0 * y), 1),
        (lambda x, y: y * y / 2, lambda x, y: (0 * x, y), 1),
        (lambda x, y: x * y, lambda x, y: (y, x), 4 * (1 - POISSON) / 2),
    ],
)
def test_bending_of_a_plate_is_exact_for_constant_curvature(plate, deflection, slopes, by_rigidity):
    x, y = plate.vertices[:, 0], plate.vertices[:, 1]
    unknowns = np.zeros((20, 6))
    unknowns[:, 2] = deflection(x, y)
    along_x, along_y = slopes(x, y)
    unknowns[:, 3], unknowns[:, 4] = along_y, -along_x
    energy = unknowns.ravel() @ shell(plate, YOUNG, POISSON, THICKNESS) @ unknowns.ravel()
    rigidity = YOUNG * THICKNESS**3 / 12 / (1 - POISSON**2)
    assert energy == pytest.approx(6 * rigidity * by_rigidity)


def test_stretching_of_a_shell_is_that_of_a_membrane(plate):
    unknowns = np.zeros((20, 6))
    unknowns[:, :2] = np.stack([0.3 * plate.vertices[:, 1], plate.vertices[:, 0] ** 2], axis=1)
    expected = unknowns[:, :3].ravel() @ membrane(plate, YOUNG, POISSON, THICKNESS) @ unknowns[:, :3].ravel()
    assert unknowns.ravel() @ shell(plate, YOUNG, POISSON, THICKNESS) @ unknowns.ravel() == pytest.approx(
        expected
    )


def test_elastic_brick():
    nodes = (3, 4, 5)
    matrix = elastic_brick(nodes, YOUNG, POISSON)
    points = np.indices(nodes).reshape(3, -1).T.astype(float)
    displacements, _ = rigid_motions(points)
    np.testing.assert_allclose(matrix @ displacements.reshape(6, -1).T, 0, atol=1e-13)
    assert_symmetric_and_semidefinite(matrix, 6)
    assert matrix.nnz == 7 * 10 * 13 * 9
    # Stretched by one along x in a volume of 2 x 3 x 4: lambda + 2 mu.
    stretched = np.zeros_like(points)
    stretched[:, 0] = points[:, 0]
    lame = YOUNG * POISSON / (1 + POISSON) / (1 - 2 * POISSON)
    energy = stretched.ravel() @ matrix @ stretched.ravel()
    assert energy == pytest.approx(24 * (lame + YOUNG / (1 + POISSON)))


def test_grids():
    np.testing.assert_array_equal(rectangle_quads(2, 3), [[0, 1, 4, 3], [1, 2, 5, 4]])
    np.testing.assert_array_equal(halved(np.array([[0, 1, 4, 3]])), [[0, 1, 4], [0, 4, 3]])
    np.testing.assert_array_equal(halved(np.array([[0, 1, 4, 3]]), rising=False), [[1, 4, 3], [1, 3, 0]])
    np.testing.assert_array_equal(brick_hexahedra((2, 2, 2)), [range(8)])
    cylinder = quarter_cylinder(3, 9, length=5)
    np.testing.assert_allclose(np.hypot(*cylinder.vertices[:, :2].T), 1)
    assert cylinder.areas.sum() == pytest.approx(5 * 8 * 2 * np.sin(np.pi / 32))


def test_renumbering_keeps_the_mesh(bent):
    scattered = np.random.default_rng(514).permutation(20)
    mixed = TriangleMesh("mixed", bent.vertices[np.argsort(scattered)], scattered[bent.triangles])
    ordered = mixed.reordered()
    corners = [m.vertices[m.triangles] for m in (mixed, ordered)]
    np.testing.assert_array_equal(*corners)
    assert max(bandwidth(laplace_beltrami(ordered))) < max(bandwidth(laplace_beltrami(mixed)))
    again = mixed.reordered()
    np.testing.assert_array_equal(ordered.triangles, again.triangles)


# Order, entries and bandwidth of the originals, from the SuiteSparse index (explicit zeros included).
@pytest.mark.parametrize(
    ("rows", "columns", "cells", "along", "order", "entries", "band"),
    [
        (31, 31, "triangles", "circumference", 5489, 219521, 191),  # s1rmt3m1
        (31, 31, "quadrilaterals", "circumference", 5489, 281111, 191),  # s1rmq4m1
    ],
)
def test_cylindrical_shell_is_that_of_the_collection(rows, columns, cells, along, order, entries, band):
    matrix = cylindrical_shell(rows, columns, cells, along)
    assert (matrix.shape, matrix.nnz, bandwidth(matrix)) == ((order, order), entries, (band, band))


@pytest.mark.parametrize("along", ["circumference", "axis"])
@pytest.mark.parametrize("cells", ["triangles", "quadrilaterals"])
def test_cylindrical_shell_is_held(cells, along):
    matrix = cylindrical_shell(5, 7, cells, along, radius_by_thickness=10)
    assert matrix.shape[0] == 6 * 35 - 3 * (5 + 5 + 7) + 2
    assert_symmetric_and_semidefinite(matrix, 0)


def test_numbering_of_the_cylindrical_shell_changes_nothing_else():
    values = [
        np.linalg.eigvalsh(cylindrical_shell(4, 6, along=along).toarray())
        for along in ("circumference", "axis")
    ]
    np.testing.assert_allclose(*values, atol=1e-15)


# From the SuiteSparse index: cavity01, cavity05, cavity10, cavity16.
@pytest.mark.parametrize(
    ("cells", "order", "entries", "band"),
    [(5, 317, 7327, 102), (10, 1182, 32747, 177), (15, 2597, 76367, 252), (20, 4562, 138187, 327)],
)
def test_driven_cavity_with_its_boundary_is_that_of_the_collection(cells, order, entries, band):
    matrix = driven_cavity(cells, "kept")
    assert (matrix.shape, matrix.nnz, bandwidth(matrix)) == ((order, order), entries, (band, band))
    held = np.flatnonzero(np.diff(matrix.tocsc().indptr) == 1)
    assert len(held) == 2 * 4 * 2 * cells + 1
    np.testing.assert_array_equal(matrix.diagonal()[held], 1)


def test_driven_cavity_by_hand():
    cells = 3
    matrix = driven_cavity(cells)
    assert matrix.shape[0] == 2 * (2 * cells - 1) ** 2 + 3 * cells**2 - 1
    assert (abs(matrix - matrix.T)).max() < 1e-15
    # Of the first square's centre: on a line stiffness 16/6 and mass 16/15 of the middle node.
    assert matrix[0, 0] == pytest.approx(3 * 16 / 6 * 16 / 15)
    assert matrix[0, 1] == 0
    # -integral of xi d(phi)/dx over the square, phi = (1 - xi^2)(1 - eta^2).
    assert matrix[0, 8] == pytest.approx(8 / 9 / cells)
    assert matrix[0, 9] == pytest.approx(0)


def test_driven_cavity_is_solvable_and_keeps_volume():
    matrix = driven_cavity(4).toarray()
    assert np.linalg.cond(matrix) < 1e7
    # A constant pressure does no work on velocities that vanish on the boundary, once it is not pinned.
    pressures = np.flatnonzero(matrix.diagonal() == 0)
    assert len(pressures) == 3 * 16 - 1


@pytest.mark.parametrize(("name", "cells"), [("e05r0000", 5), ("e20r0000", 20)])
def test_driven_cavity_agrees_with_the_file(real_matrix, name, cells):
    original, matrix = read(real_matrix(name)).csr, driven_cavity(cells)
    np.testing.assert_array_equal(matrix.indptr, original.indptr)
    np.testing.assert_array_equal(matrix.indices, original.indices)
    np.testing.assert_allclose(matrix.data, original.data, atol=1e-6 * abs(original.data).max())


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("cavity14", lambda: driven_cavity(15, "kept")),
        ("s1rmq4m1", lambda: cylindrical_shell(31, 31, "quadrilaterals")),
    ],
)
def test_pattern_agrees_with_the_file(real_matrix, name, make):
    original, matrix = read(real_matrix(name)).csr, make()
    np.testing.assert_array_equal(matrix.indptr, original.indptr)
    np.testing.assert_array_equal(matrix.indices, original.indices)


OBJ = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 9 9 9\nf 1 2 3 4\n"
OFF = "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n"
PLY = (
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n"
)


def test_a_mesh_as_arrays(tmp_path):
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    np.savez(tmp_path / "one.npz", vertices=corners, triangles=np.array([[0, 1, 2]], np.int32))
    actual = read_mesh(find_mesh("one", (tmp_path,)))
    np.testing.assert_array_equal(actual.vertices, corners)
    assert actual.triangles.tolist() == [[0, 1, 2]]
    np.savez(tmp_path / "two.npz", vertices=corners)
    with pytest.raises(UserError, match=r"two\.npz: must be a mesh file with vertices and triangles"):
        read_mesh(tmp_path / "two.npz")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("suffix", "text"), [("obj", OBJ), ("off", OFF), ("ply", PLY)])
def test_mesh_files(tmp_path, suffix, text, packed):
    pytest.importorskip("trimesh")
    path = tmp_path / (f"square.{suffix}.gz" if packed else f"square.{suffix}")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    assert find_mesh("square", (tmp_path,)) == path
    square = read_mesh(path)
    assert square.name == "square"
    np.testing.assert_array_equal(square.vertices, [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    assert square.areas.sum() == pytest.approx(1)
    assert square.triangles.shape == (2, 3)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.stl", "solid", "one of .obj, .off, .ply is needed"),
        ("a.obj", "", "the file is empty"),
        ("a.obj", "v 0 0 0\n", "a.obj: "),
        ("a.off", "OFF\nthis is no mesh\n", "must be a readable .off mesh"),
        ("a.obj", "v 0 0 0\nv 1 1 1\nv 2 2 2\nf 1 2 3\n", "no triangle of the mesh has an area"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n", "a.obj: "),
    ],
)
def test_what_is_no_mesh(tmp_path, name, text, message):
    pytest.importorskip("trimesh")
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=message) as raised:
        read_mesh(tmp_path / name)
    assert "\n" not in str(raised.value)


def test_a_mesh_that_is_not_there(tmp_path, monkeypatch):
    with pytest.raises(UserError, match=r"gone\.obj: no such file"):
        read_mesh(tmp_path / "gone.obj")
    monkeypatch.setenv("VECSIM_MESHES", "")
    with pytest.raises(UserError, match=r"'bunny'.*none is given; set VECSIM_MESHES"):
        find_mesh("bunny")
    monkeypatch.setenv("VECSIM_MESHES", str(tmp_path))
    assert mesh_folders() == (tmp_path,)
    with pytest.raises(UserError, match=f"'bunny'.*is not in {tmp_path}; set VECSIM_MESHES"):
        find_mesh("bunny")


def test_without_the_library_that_reads_meshes(tmp_path, monkeypatch):
    monkeypatch.setattr(mesh, "find_spec", lambda name: None)
    (tmp_path / "square.obj").write_text(OBJ)
    with pytest.raises(UserError, match="needs trimesh: python -m pip install trimesh"):
        read_mesh(tmp_path / "square.obj")
