"""The makers of members that are no files: each named in suite.csv with what it is given."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.papers.hism.suite.coupled_grid import coupled_grid
from experiments.papers.hism.suite.lattice import wilson_hopping
from experiments.papers.hism.suite.migration import migration
from vecsim.data.finite_elements import (
    TriangleMesh,
    cylindrical_shell,
    driven_cavity,
    elastic_brick,
    find_mesh,
    laplace_beltrami,
    membrane,
    read_mesh,
    shell,
)

MESH_ARGUMENT = "mesh"

_ON_MESHES: dict[str, Callable[[TriangleMesh], Any]] = {
    "laplace_beltrami": laplace_beltrami,
    "membrane": membrane,
    "shell": shell,
}
"""Given a mesh, and whether its vertices are numbered again."""
_MAKERS: dict[str, Callable[..., Any]] = {
    "coupled_grid": coupled_grid,
    "cylindrical_shell": cylindrical_shell,
    "driven_cavity": driven_cavity,
    "elastic_brick": elastic_brick,
    "migration": migration,
    "wilson_hopping": wilson_hopping,
}


def make(definition: str, folders: tuple[Path, ...]) -> Any:
    """Make a matrix.

    Parameters
    ----------
    definition
        ``maker name=value ...``; a value is an integer, integers joined by x, or a word. Makers on meshes
        take ``mesh=NAME`` and ``numbering=file`` or ``numbering=rcm`` (reverse Cuthill-McKee).
    folders
        Where meshes are sought.

    Returns
    -------
    scipy.sparse.csr_array

    Raises
    ------
    KeyError
        If there is no such maker.
    UserError
        If a mesh is missing.
    """
    maker = definition.split()[0]
    arguments = arguments_of(definition)
    if maker not in _ON_MESHES:
        return _MAKERS[maker](**{name: _value(text) for name, text in arguments.items()})
    mesh = read_mesh(find_mesh(arguments[MESH_ARGUMENT], folders))
    return _ON_MESHES[maker](mesh.reordered() if arguments["numbering"] == "rcm" else mesh)


def arguments_of(definition: str) -> dict[str, str]:
    """Return what a definition gives by name."""
    pairs = (part.partition("=") for part in definition.split())
    return {name: text for name, equals, text in pairs if equals}


def _value(text: str) -> Any:
    parts = text.split("x")
    if not all(part.isdecimal() for part in parts):
        return text
    return int(text) if len(parts) == 1 else tuple(int(part) for part in parts)
