"""Matrices with compound entries from files: arrays of NumPy, meshes, and sparse matrices of numbers."""

import io
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.entry_type import EntryType
from gpu.compound.standard_types import COMPLEX, DUAL, QUATERNION, UNIT_QUATERNION, blocks
from vecsim.data.source_bytes import read_bytes
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

ARRAYS = ".npz"
EDGES = (2, 3, 4, 5, 6)
ENTRIES: dict[str, EntryType] = {
    "complex": COMPLEX,
    "quaternion": QUATERNION,
    "unit-quaternion": UNIT_QUATERNION,
    "dual": DUAL,
    **{f"block-{edge}": blocks(edge) for edge in EDGES},
}
"""Entry types by the names that commands take."""


def entry_named(name: str) -> EntryType:
    """Return an entry type.

    Raises
    ------
    UserError
        There is none of that name.
    """
    if name not in ENTRIES:
        raise UserError(f"unknown entries {name!r}; use one of {', '.join(ENTRIES)}{nearest(name, ENTRIES)}")
    return ENTRIES[name]


def read_compound(source: str, entry: EntryType, real: Any) -> CompoundMatrix:
    """Read a matrix.

    Parameters
    ----------
    source
        A file of arrays (``.npz`` with shape, indptr, indices and components, a row each); a mesh of
        triangles, from which the squared Dirac operator is built; or a sparse matrix of numbers, as
        `vecsim.data.load` takes it.
    entry
        What its entries are.
    real
        np.float32 or np.float64, of the components.

    Raises
    ------
    UserError
        If there is no such matrix, or it has no such entries.
    """
    from vecsim.data.finite_elements.mesh import FORMATS

    path = Path(source)
    if path.suffix == ARRAYS:
        return _of_arrays(path, entry).astype(real)
    if path.name.removesuffix(".gz").endswith(FORMATS) and path.is_file():
        return _of_mesh(path, entry).astype(real)
    from vecsim.data import load

    if entry is COMPLEX:
        return CompoundMatrix.from_complex(load(source, complex=True).csr).astype(real)
    edges = {blocks(edge).name: edge for edge in EDGES}
    if entry.name not in edges:
        raise UserError(
            f"{source}: a sparse matrix of numbers has no {entry.name} entries; use a file of arrays (.npz)"
        )
    return CompoundMatrix.from_blocks(load(source).csr, edges[entry.name]).astype(real)


def _of_arrays(path: Path, entry: EntryType) -> CompoundMatrix:
    try:
        with np.load(io.BytesIO(read_bytes(path)), allow_pickle=False) as recorded:
            arrays = [recorded[name] for name in ("shape", "indptr", "indices", "components")]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise UserError(f"{path}: shape, indptr, indices and components are needed: {error}") from None
    shape, indptr, indices, components = arrays
    return CompoundMatrix.from_arrays(entry, tuple(shape.tolist()), indptr, indices, [*components])


def _of_mesh(path: Path, entry: EntryType) -> CompoundMatrix:
    from vecsim.data.finite_elements import read_mesh, squared_dirac

    if entry is not QUATERNION:
        raise UserError(
            f"{path}: a mesh gives quaternions (Dirac operator), not {entry.name} entries: "
            "use entry quaternion"
        )
    mesh = read_mesh(path).reordered()
    indptr, indices, quaternions = squared_dirac(mesh)
    size = len(mesh.vertices)
    return CompoundMatrix.from_arrays(QUATERNION, (size, size), indptr, indices, [*quaternions.T])
