"""The matrices of benchmarks.compound_products: made by name, and kept as arrays for other processes.

Meshes come as NAME.npz (vertices, triangles) of a folder; `python -m benchmarks.compound_matrices FOLDER`
writes them of the files in VECSIM_MESHES, so that the machine with the GPU needs nothing that reads meshes.
With `--statistics` it prints row lengths and bandwidths of all matrices.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from experiments.layouts import recording
from experiments.layouts.subjects import dirac
from gpu.compound import CompoundMatrix

Matrices = dict[str, Callable[[Path], CompoundMatrix]]


def _surface(name: str, times: int) -> Callable[[Path], CompoundMatrix]:
    """Give what makes the Dirac matrix of a mesh, subdivided so often and numbered by Cuthill-McKee."""

    def make(meshes: Path) -> CompoundMatrix:
        from vecsim.data.finite_elements import TriangleMesh, subdivided

        with np.load(meshes / f"{name}.npz") as kept:
            mesh = TriangleMesh(name, kept["vertices"].astype(float), kept["triangles"].astype(np.int64))
        return dirac(subdivided(mesh, times).reordered())

    return make


def _torus(around: int, across: int) -> Callable[[Path], CompoundMatrix]:
    def make(meshes: Path) -> CompoundMatrix:
        from vecsim.data.finite_elements import rippled_torus

        return dirac(rippled_torus(around, across))

    return make


def _helmholtz(points: int, dimensions: int) -> Callable[[Path], CompoundMatrix]:
    def make(meshes: Path) -> CompoundMatrix:
        from vecsim.data.helmholtz import helmholtz

        return CompoundMatrix.from_complex(helmholtz(points, dimensions))

    return make


def _tetrahedra(tile: int, repeats: int) -> Callable[[Path], CompoundMatrix]:
    def make(meshes: Path) -> CompoundMatrix:
        from vecsim.data.unstructured_meshes import tetrahedral_elasticity

        return CompoundMatrix.from_blocks(tetrahedral_elasticity(tile, repeats), 3)

    return make


MATRICES: Matrices = {
    "surface/armadillo, twice subdivided": _surface("libigl_armadillo", 2),
    "fem/tetrahedra 63^3": _tetrahedra(21, 3),
    "helmholtz 100^3": _helmholtz(100, 3),
    "surface/torus 1200 x 1000": _torus(1200, 1000),
    "helmholtz 1100^2": _helmholtz(1100, 2),
    "surface/bunny, twice subdivided": _surface("stanford-bunny", 2),
}
"""All matrices by name; each has over a million entries."""


def keep(name: str, meshes: Path, folder: Path) -> Path:
    """Make a matrix, x and the exact product, and keep them in a folder.

    Parameters
    ----------
    name
        Of the matrix.
    meshes
        Where the meshes lie.
    folder
        Where the file goes.
    """
    path = folder / f"{[*MATRICES].index(name)}.npz"
    recording.keep(MATRICES[name](meshes), path)
    return path


def statistics_table(meshes: Path) -> str:
    """Give a table of what Figures 3 and 4 of the paper show: five numbers of row lengths and bandwidths.

    Parameters
    ----------
    meshes
        Folder of the meshes as arrays.
    """
    from benchmarks.markdown import table
    from gpu.compound.pattern_statistics import FiveNumbers, pattern_statistics

    def shown(found: FiveNumbers, share: float, places: int) -> str:
        numbers = (found.least, found.lower, found.median, found.upper, found.greatest)
        return ", ".join(f"{share * number:.{places}f}" for number in numbers)

    rows = []
    for name, make in MATRICES.items():
        matrix = make(meshes)
        found = pattern_statistics(matrix)
        lengths, reach = shown(found.row_lengths, 1, 0), shown(found.bandwidths, 100 / matrix.shape[1], 3)
        rows.append([name, f"{matrix.shape[0]:,}", f"{matrix.nnz:,}", lengths, reach])
    return table(["matrix", "rows", "entries", "row lengths", "bandwidths, % of the columns"], rows)


def main() -> int:
    """Write the meshes of the surfaces as arrays, or print the statistics of all matrices."""
    from vecsim.data.finite_elements import find_mesh, read_mesh

    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    if "--statistics" in sys.argv[2:]:
        print(statistics_table(folder))
        return 0
    for name in ("libigl_armadillo", "stanford-bunny"):
        mesh = read_mesh(find_mesh(name))
        vertices, triangles = mesh.vertices.astype(np.float32), mesh.triangles.astype(np.int32)
        np.savez_compressed(folder / f"{name}.npz", vertices=vertices, triangles=triangles)
        print(f"{name}: {len(vertices):,} vertices, {len(triangles):,} triangles")
    return 0


if __name__ == "__main__":
    sys.exit(main())
