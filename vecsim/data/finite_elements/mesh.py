"""Triangle meshes: as arrays, and from OBJ, OFF and PLY files, or files of arrays."""

import io
import os
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import reverse_cuthill_mckee

from vecsim.data.source_bytes import read_bytes
from vecsim.support.errors import UserError

FORMATS = (".obj", ".off", ".ply")
ARRAYS = ".npz"
"""A file of NumPy with the arrays `vertices` and `triangles`: it is read without trimesh."""
FOLDERS_VARIABLE = "VECSIM_MESHES"
"""Folders with meshes, separated as in PATH."""


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Triangles in space that share vertices.

    Attributes
    ----------
    name
        What reports call it: the file's name without suffixes.
    vertices
        float64 of (V, 3).
    triangles
        int64 of (T, 3), numbers of vertices.
    """

    name: str
    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]

    @cached_property
    def areas(self) -> NDArray[np.float64]:
        """Area of each triangle, float64 of (T,)."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        areas: NDArray[np.float64] = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
        return areas

    def adjacency(self) -> Any:
        """Return the graph of the vertices as csr_array of (V, V): 1 where two are in one triangle."""
        i = self.triangles.repeat(3, axis=1).ravel()
        j = np.tile(self.triangles, 3).ravel()
        graph = scipy.sparse.coo_array((np.ones(len(i)), (i, j)), shape=(len(self.vertices),) * 2).tocsr()
        graph.data[:] = 1
        return graph

    def reordered(self) -> "TriangleMesh":
        """Return the same mesh with its vertices numbered by reverse Cuthill-McKee (as SciPy does it)."""
        order = reverse_cuthill_mckee(scipy.sparse.csr_matrix(self.adjacency()), symmetric_mode=True)
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.arange(len(order))
        return TriangleMesh(self.name, self.vertices[order], number[self.triangles])


def mesh_folders() -> tuple[Path, ...]:
    """Return the folders that the environment variable VECSIM_MESHES names."""
    return tuple(Path(folder) for folder in os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep) if folder)


def find_mesh(name: str, folders: tuple[Path, ...] | None = None) -> Path:
    """Return the file of a mesh.

    Parameters
    ----------
    name
        The file's name without suffixes.
    folders
        Where to look, first match wins; None for `mesh_folders()`.

    Raises
    ------
    UserError
        If no folder has it, naming the folders and how to give one.
    """
    folders = mesh_folders() if folders is None else folders
    for folder in folders:
        for suffix in FORMATS:
            for path in (folder / f"{name}{suffix}", folder / f"{name}{suffix}.gz"):
                if path.is_file():
                    return path
        if (arrays := folder / f"{name}{ARRAYS}").is_file():
            return arrays
    where = " or ".join(map(str, folders)) or "any folder: none is given"
    raise UserError(
        f"the mesh '{name}' ({', '.join(FORMATS)}, gzipped or not) is not in {where}; "
        f"set {FOLDERS_VARIABLE} to the folder that has it"
    )


def can_read_meshes() -> bool:
    """Return whether the library that reads mesh files is installed."""
    return find_spec("trimesh") is not None


def read_mesh(path: str | os.PathLike[str]) -> TriangleMesh:
    """Read a mesh file, gzipped or not; its vertices keep their order, quadrilaterals are halved.

    Vertices that belong to no triangle and triangles without area are left out.

    Raises
    ------
    UserError
        In one line that names the file: missing, damaged, of another kind, without triangles, or if the
        library that reads it is not installed.
    """
    path = Path(path)
    if path.suffix == ARRAYS:
        return _of_arrays(path)
    plain = Path(path.name.removesuffix(".gz"))
    if plain.suffix.lower() not in FORMATS:
        raise UserError(f"{path}: not a mesh that can be read, one of {', '.join(FORMATS)} is needed")
    data = read_bytes(path)
    if not can_read_meshes():
        raise UserError(f"{path}: reading a mesh needs trimesh: python -m pip install trimesh")
    import trimesh

    try:
        loaded = trimesh.load_mesh(
            io.BytesIO(data), file_type=plain.suffix[1:].lower(), process=False, maintain_order=True
        )
        vertices = np.asarray(loaded.vertices, dtype=np.float64)
        triangles = np.asarray(loaded.faces, dtype=np.int64)
    except Exception as error:  # the library raises whatever its parsers stumble upon
        reason = str(error).partition("\n")[0]
        raise UserError(f"{path}: must be a readable {plain.suffix} mesh ({reason})") from None
    return _checked(str(path), TriangleMesh(plain.stem, vertices, triangles))


def _of_arrays(path: Path) -> TriangleMesh:
    try:
        with np.load(io.BytesIO(read_bytes(path))) as recorded:
            vertices = np.asarray(recorded["vertices"], dtype=np.float64)
            triangles = np.asarray(recorded["triangles"], dtype=np.int64)
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise UserError(f"{path}: must be a mesh file with vertices and triangles: {error}") from None
    return _checked(str(path), TriangleMesh(path.stem, vertices, triangles))


def _checked(source: str, mesh: TriangleMesh) -> TriangleMesh:
    if mesh.triangles.size == 0:
        raise UserError(
            f"{source}: the mesh has no triangles (triangle strips are not read); use one with triangles"
        )
    if not np.isfinite(mesh.vertices).all():
        raise UserError(f"{source}: a coordinate of a vertex is not finite; all must be finite numbers")
    if mesh.triangles.min() < 0 or mesh.triangles.max() >= len(mesh.vertices):
        raise UserError(
            f"{source}: a triangle names a missing vertex; vertices must be 0 to {len(mesh.vertices) - 1}"
        )
    triangles = mesh.triangles[mesh.areas > 0]
    if not len(triangles):
        raise UserError(f"{source}: no triangle of the mesh has an area; at least one must have")
    used, numbered = np.unique(triangles, return_inverse=True)
    return TriangleMesh(mesh.name, mesh.vertices[used], numbered.reshape(-1, 3))
