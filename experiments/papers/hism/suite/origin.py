"""What an origin in suite.csv means: how a matrix is read or made."""

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from experiments.papers.hism.suite.makers import MESH_ARGUMENT, arguments_of, make
from vecsim.data import load_builtin, read
from vecsim.data.finite_elements import can_read_meshes, find_mesh, mesh_folders
from vecsim.data.loading import find_download
from vecsim.data.search_path import find_file, matrix_folders
from vecsim.support.errors import UserError

FILE, RECONSTRUCTED, BUILTIN = "file", "reconstructed", "builtin"


def fetch(origin: str) -> Any:
    """Return the matrix of an origin as csr_array of float64.

    Parameters
    ----------
    origin
        ``file NAME``, in the folders of matrices or downloaded before; ``reconstructed NAME``, below these
        folders, with ``diagonal=I,J,...`` where entries of the diagonal are to be restored; ``builtin
        NAME``; or a maker of `makers` and what it is given.

    Raises
    ------
    UserError
        If a file or mesh is missing or cannot be read.
    """
    kind, _, rest = origin.partition(" ")
    if kind == BUILTIN:
        return load_builtin(rest).csr
    if kind not in (FILE, RECONSTRUCTED):
        return make(origin, mesh_folders())
    csr = read(file_of(origin)).csr
    restored = arguments_of(origin).get("diagonal")
    return _with_diagonal(csr, [int(place) for place in restored.split(",")]) if restored else csr


def is_available(origin: str) -> bool:
    """Return whether all that an origin needs is on this machine; no matrix is read, nothing downloaded."""
    try:
        if origin.split()[0] in (FILE, RECONSTRUCTED):
            file_of(origin)
        mesh = arguments_of(origin).get(MESH_ARGUMENT)
        if mesh is None:
            return True
        find_mesh(mesh, mesh_folders())
    except UserError:
        return False
    return can_read_meshes()


def sources_of(origin: str) -> tuple[Path, ...]:
    """Return the files that :func:`fetch` reads.

    Raises
    ------
    UserError
        One is missing.
    """
    result = [file_of(origin)] if origin.split()[0] in (FILE, RECONSTRUCTED) else []
    mesh = arguments_of(origin).get(MESH_ARGUMENT)
    return (*result, *([] if mesh is None else [find_mesh(mesh, mesh_folders())]))


def needs_no_file(origin: str) -> bool:
    """Return whether an origin can be had on every machine: it is made, and on no mesh."""
    return origin.split()[0] not in (FILE, RECONSTRUCTED) and MESH_ARGUMENT not in arguments_of(origin)


def file_of(origin: str) -> Path:
    """Return the file of an origin that begins with ``file`` or ``reconstructed``.

    Raises
    ------
    UserError
        If it is in none of the folders, nor among the downloads.
    """
    kind, name = origin.split()[:2]
    folders = matrix_folders()
    if kind == RECONSTRUCTED:
        folders = [folder / RECONSTRUCTED for folder in folders]
    path = find_file(name, folders)
    if path is None and kind == FILE:
        path = find_download(name)
    if path is None:
        where = " or ".join(map(str, folders)) or "any folder: none is given"
        raise UserError(
            f"the matrix '{name}' is not in {where}; set VECSIM_MATRICES to the folder that has it"
            + (f", or let `vecsim formats {name}` download it" if kind == FILE else "")
        )
    return path


def _with_diagonal(csr: Any, places: list[int]) -> Any:
    coo = csr.tocoo()
    values = np.concatenate([coo.data, np.ones(len(places))])
    rows, columns = (np.concatenate([index, places]) for index in coo.coords)
    restored = scipy.sparse.coo_array((values, (rows, columns)), shape=csr.shape).tocsr()
    restored.sum_duplicates()
    return restored
