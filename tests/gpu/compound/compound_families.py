"""Matrices with compound entries in families, generated without files: to learn from, and to time whole.

The names begin with the family, which is left out as a whole, and end with the entries. Some
families define the values of their entries (waves, surfaces, solids). Elsewhere the values are random, since
times depend on the pattern alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gpu.compound import QUATERNION, CompoundMatrix
from gpu.compound.compound_files import entry_named

Maker = Callable[[], CompoundMatrix]


def _waves(points: int, dimensions: int) -> CompoundMatrix:
    from vecsim.data.synthetic.helmholtz import helmholtz

    return CompoundMatrix.from_complex(helmholtz(points, dimensions))


def _torus(around: int, across: int) -> CompoundMatrix:
    from vecsim.data.finite_elements import rippled_torus, squared_dirac

    mesh = rippled_torus(around, across)
    indptr, indices, quaternions = squared_dirac(mesh)
    size = len(mesh.vertices)
    return CompoundMatrix.from_arrays(QUATERNION, (size, size), indptr, indices, [*quaternions.T])


def _solid(tile: int, repeats: int) -> CompoundMatrix:
    from vecsim.data.synthetic.unstructured_meshes import tetrahedral_elasticity

    return CompoundMatrix.from_blocks(tetrahedral_elasticity(tile, repeats), 3)


def _triangles(tile: int, repeats: int) -> Any:
    from vecsim.data.synthetic.unstructured_meshes import triangle_diffusion

    return triangle_diffusion(tile, repeats)


def _band(rows: int, width: int, per_row: int) -> Any:
    from vecsim.data.synthetic.random_patterns import band

    return band(rows, width, per_row)


def _graph(kind: str, *numbers: int) -> Any:
    from vecsim.data.synthetic import random_graphs

    return getattr(random_graphs, kind)(*numbers)


def drawn_entries(pattern: Callable[[], Any], entry: str) -> CompoundMatrix:
    """Return a matrix with random entries, float64, where a SciPy matrix has entries.

    Parameters
    ----------
    pattern
        Makes the SciPy matrix.
    entry
        A name of `gpu.compound.compound_files.ENTRIES`.
    """
    kind, csr = entry_named(entry), pattern().tocsr()
    csr.sum_duplicates()
    sampled = np.random.default_rng(19)
    components = [sampled.uniform(-1, 1, csr.nnz) for _ in kind.entry]
    return CompoundMatrix.from_arrays(kind, csr.shape, csr.indptr, csr.indices, components)


_PATTERNS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "triangles/256^2": (partial(_triangles, 64, 4), ("complex", "quaternion", "block-2", "block-4")),
    "triangles/512^2": (partial(_triangles, 64, 8), ("complex", "block-2")),
    "band/60k, 20 a row": (partial(_band, 60_000, 400, 20), ("complex", "block-2", "block-6")),
    "band/15k, 80 a row": (partial(_band, 15_000, 2_000, 80), ("complex", "quaternion", "block-4")),
    "uniform/60k, 16 a row": (partial(_graph, "uniform", 60_000, 16), ("complex", "quaternion", "block-4")),
    "uniform/250k, 4 a row": (partial(_graph, "uniform", 250_000, 4), ("complex", "block-2", "block-3")),
    "kronecker/2^15": (partial(_graph, "kronecker", 15, 16), ("complex", "quaternion", "block-3")),
    "circuit/120k": (partial(_graph, "circuit", 120_000), ("complex", "block-2", "block-6")),
    "web/80k": (partial(_graph, "web", 80_000), ("complex", "block-3", "block-4")),
    "road/600^2": (partial(_graph, "road", 600, 600), ("quaternion", "block-6")),
}
MATRICES: dict[str, Maker] = {
    "waves/40^3, complex": partial(_waves, 40, 3),
    "waves/64^3, complex": partial(_waves, 64, 3),
    "waves/300^2, complex": partial(_waves, 300, 2),
    "waves/700^2, complex": partial(_waves, 700, 2),
    "torus/200 x 150, quaternion": partial(_torus, 200, 150),
    "torus/400 x 250, quaternion": partial(_torus, 400, 250),
    "torus/700 x 500, quaternion": partial(_torus, 700, 500),
    "solid/24^3, block-3": partial(_solid, 12, 2),
    "solid/36^3, block-3": partial(_solid, 12, 3),
    "solid/48^3, block-3": partial(_solid, 12, 4),
    **{
        f"{stem}, {entry}": partial(drawn_entries, pattern, entry)
        for stem, (pattern, entries) in _PATTERNS.items()
        for entry in entries
    },
}
"""All matrices by name."""
EXHAUSTIVE = (
    "waves/64^3, complex",
    "torus/400 x 250, quaternion",
    "triangles/256^2, block-2",
    "solid/36^3, block-3",
    "web/80k, block-4",
    "band/60k, 20 a row, block-6",
)
"""One for each entry type; every variant is timed on it."""
