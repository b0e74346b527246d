"""The matrices: files, meshes and generated ones, by the entries that they have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.compound import COMPLEX, QUATERNION, CompoundMatrix
from gpu.compound.entry_type import EntryType
from gpu.compound.standard_types import blocks

DAMPING = 0.1
"""Imaginary part of a stiffness that loses energy, as a share of the real one."""
SEED = 1
"""Of the half-densities of surfaces, a random function of the faces (Crane et al. 2011)."""


@dataclass(frozen=True)
class Subject:
    """A matrix to be made.

    Attributes
    ----------
    name
        Its name, that of its kind before a slash.
    entry
        What its entries are.
    note
        What it is.
    make
        Makes it in float64. UserError where a file is missing.
    stands_for
        The paper's name of the same matrix, or of one of the same kind; empty for none.
    """

    name: str
    entry: EntryType
    note: str
    make: Callable[[], CompoundMatrix]
    stands_for: str = ""


def dirac(mesh: Any) -> CompoundMatrix:
    """Return the squared Dirac operator of a mesh, a quaternion an entry, with random half-densities."""
    from vecsim.data.finite_elements import squared_dirac

    density = np.random.default_rng(SEED).normal(size=len(mesh.triangles))
    indptr, indices, quaternions = squared_dirac(mesh, density)
    size = len(mesh.vertices)
    return CompoundMatrix.from_arrays(QUATERNION, (size, size), indptr, indices, [*quaternions.T])


def _mesh(file: str, times: int) -> Callable[[], CompoundMatrix]:
    def make() -> CompoundMatrix:
        from vecsim.data.finite_elements import find_mesh, read_mesh, subdivided

        return dirac(subdivided(read_mesh(find_mesh(file)), times).reordered())

    return make


def _torus(around: int, across: int) -> Callable[[], CompoundMatrix]:
    def make() -> CompoundMatrix:
        from vecsim.data.finite_elements import rippled_torus

        return dirac(rippled_torus(around, across))

    return make


def _helmholtz(points: int, dimensions: int) -> Callable[[], CompoundMatrix]:
    def make() -> CompoundMatrix:
        from vecsim.data.synthetic.helmholtz import helmholtz

        return CompoundMatrix.from_complex(helmholtz(points, dimensions))

    return make


def _triangles(tile: int, repeats: int) -> Callable[[], CompoundMatrix]:
    def make() -> CompoundMatrix:
        from vecsim.data.synthetic.unstructured_meshes import triangle_diffusion

        stiffness = triangle_diffusion(tile, repeats)
        return CompoundMatrix.from_complex((stiffness * (1 + DAMPING * 1j)).tocsr())

    return make


def _hexahedra(nodes: int) -> Callable[[], CompoundMatrix]:
    def make() -> CompoundMatrix:
        from vecsim.data.synthetic.stencils import hexahedral_elasticity

        return CompoundMatrix.from_blocks(hexahedral_elasticity((nodes, nodes, nodes)), 3)

    return make


def _membrane(around: int, across: int) -> Callable[[], CompoundMatrix]:
    def make() -> CompoundMatrix:
        from vecsim.data.finite_elements import membrane, rippled_torus

        return CompoundMatrix.from_blocks(membrane(rippled_torus(around, across)), 3)

    return make


def _tetrahedra(tile: int, repeats: int) -> Callable[[], CompoundMatrix]:
    def make() -> CompoundMatrix:
        from vecsim.data.synthetic.unstructured_meshes import tetrahedral_elasticity

        return CompoundMatrix.from_blocks(tetrahedral_elasticity(tile, repeats), 3)

    return make


def _file(name: str) -> Callable[[], CompoundMatrix]:
    def make() -> CompoundMatrix:
        from vecsim.data import load

        return CompoundMatrix.from_complex(load(name, complex=True).csr)

    return make


SUBJECTS = (
    Subject("helmholtz 3D", COMPLEX, "Helmholtz equation, 100^3 points", _helmholtz(100, 3), "mono_500Hz"),
    Subject("fem/tetrahedra", blocks(3), "elastic tetrahedra, 63^3 nodes", _tetrahedra(21, 3), "bunny2.4M"),
    Subject(
        "surface/torus",
        QUATERNION,
        "rippled torus, 1200 x 1000 vertices",
        _torus(1200, 1000),
        "dragon",
    ),
    Subject(
        "surface/armadillo",
        QUATERNION,
        "armadillo, subdivided twice",
        _mesh("libigl_armadillo", 2),
        "armadillo",
    ),
    Subject("surface/bunny", QUATERNION, "bunny, subdivided twice", _mesh("stanford-bunny", 2), "bunny"),
    Subject("helmholtz 2D", COMPLEX, "Helmholtz equation, 1100^2 points", _helmholtz(1100, 2), "fem_filter"),
    Subject("fem/hexahedra", blocks(3), "elastic hexahedra, 42^3 nodes", _hexahedra(42)),
    Subject("damped triangles", COMPLEX, "damped vibration, 1000^2 nodes of triangles", _triangles(25, 40)),
    Subject("fem/membrane", blocks(3), "elastic membrane, a torus of 600 x 500 nodes", _membrane(600, 500)),
    Subject("mhd1280b", COMPLEX, "magnetohydrodynamics, Hermitian", _file("mhd1280b"), "mhd1280b"),
    Subject("fem/tetrahedra, small", blocks(3), "the same, 27^3 nodes", _tetrahedra(9, 3), "nut_37k"),
)
"""The first three have every kind of entry: a run that is cut short has something for each table."""
