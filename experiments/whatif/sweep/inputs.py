"""The matrix of a cell, with values of the width that is multiplied, or its arrays, and their digest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from experiments.whatif.sweep import family_ranges
from vecsim.data import Matrix, load, value_bytes, values_as
from vecsim.data.conversion import OBJECT
from vecsim.data.memory_files import Array
from vecsim.data.metrics import locality
from vecsim.data.precision import rounding
from vecsim.results.digests import matrix_sha256
from vecsim.results.file_digests import InputFile, changed
from vecsim.support.errors import UserError
from vecsim.support.input_files import is_regular

PREFIX = "suite:"
HISM = "hism"
"""The suite of the HiSM paper's experiments, `experiments.papers.hism.suite`."""
_FORM = re.compile(rf"{PREFIX}(\w+)(?:/(.+?)|:(\d+))?")


def expanded(names: Iterable[str | Matrix]) -> tuple[str | Matrix, ...]:
    """Put the members of suites and of families in their places; other names stay.

    Suites have the matrices that can be had here, families those of the values in a name (`family_ranges`).
    A matrix stays as it is.

    Raises
    ------
    UserError
        There is no such suite, or none of its matrices can be had; values that no matrix has.
    """
    matches: list[str | Matrix] = []
    for name in names:
        if isinstance(name, Matrix):
            matches.append(name)
        else:
            matches += _members(name) if name.startswith(PREFIX) else family_ranges.members(name)
    return tuple(matches)


def called(matrix: str | Matrix) -> str:
    """Return what a specification calls a matrix: its name, or of a loaded one the place of its file."""
    if isinstance(matrix, str):
        return matrix
    return matrix.source if is_regular(matrix.source) or "://" in matrix.source else matrix.name


def _members(name: str) -> list[str]:
    from experiments.papers.hism.suite import members, missing

    match = _FORM.fullmatch(name)
    if match is None or match[1] != HISM:
        raise UserError(f"{name}: unknown suite; write {PREFIX}{HISM} or {PREFIX}{HISM}:MOST_ENTRIES")
    if match[2]:
        return [name]
    lost = {member.name for member in missing()}
    chosen = [m for m in members() if match[3] is None or m.size <= int(match[3])]
    there = [f"{PREFIX}{HISM}/{m.name}" for m in chosen if m.name not in lost]
    if not there:
        raise UserError(f"{name}: no matrix of it is available; see docs/reproducing.md")
    return there


def load_member(name: str) -> tuple[str, Any]:
    """Return a member's own name and its matrix, a SciPy CSR array.

    Raises
    ------
    UserError
        There is no such member, or it cannot be had here.
    """
    from experiments.papers.hism.suite import load, member

    own = name.removeprefix(f"{PREFIX}{HISM}/")
    try:
        return own, load(member(own))
    except KeyError as error:
        raise UserError(f"{name}: {error.args[0]}") from None


@dataclass(frozen=True, eq=False)
class Input:
    """A matrix as it is multiplied, or the arrays of a text.

    Attributes
    ----------
    name
        What reports call it; empty for arrays.
    csr
        SciPy CSR array with values of the sweep's width; None for arrays and where the digest will do.
    digest
        Of this array, see `vecsim.results.digests.matrix_sha256`, or of the arrays.
    source
        The path of its file, the address it was downloaded from, "built-in", "Python", or its name in a
        suite.
    files
        The file that it was read from, if it was from one, or those of the arrays.
    arrays
        What is put into the memory of a text before a run.
    """

    name: str
    csr: Any
    digest: str
    source: str = ""
    files: tuple[InputFile, ...] = ()
    arrays: tuple[Array, ...] = ()
    warnings: tuple[str, ...] = ()
    """What reading it and the width of its values changed."""


@dataclass(frozen=True)
class Facts:
    """What a table says of a matrix; without entries it has no locality (`vecsim.data.metrics`)."""

    name: str
    shape: tuple[int, int]
    nnz: int
    locality: float | None
    source: str
    sha256: str

    def to_dict(self) -> dict[str, Any]:
        """Return what a results file says of it, as `vecsim.Matrix.to_dict` does."""
        rows, columns = self.shape
        where = str(Path(self.source).absolute()) if is_regular(self.source) else self.source
        return {
            "name": self.name,
            "source": where,
            "sha256": self.sha256,
            "rows": rows,
            "cols": columns,
            "nnz": self.nnz,
        }


def load_input(name: str | Matrix, value_bits: int) -> Input:
    """Load a matrix, or take one that is loaded. The last few are at hand, unless their files changed.

    Raises
    ------
    UserError
        It is not found, or cannot be read.
    """
    if isinstance(name, Matrix):
        return _taken(name, value_bits)
    where = Path(name).absolute()  # a relative path is another file in another folder
    matches = _loaded(name, value_bits, where)
    if changed(matches.files):
        _loaded.cache_clear()
        matches = _loaded(name, value_bits, where)
    return matches


@lru_cache(maxsize=4)
def _loaded(name: str, value_bits: int, where: Path) -> Input:
    member = name.startswith(PREFIX)
    matrix = Matrix(*load_member(name), name) if member else load(name, show_progress=False)
    return _input(matrix, value_bits)


@lru_cache(maxsize=4)
def _taken(matrix: Matrix, value_bits: int) -> Input:
    return _input(matrix, value_bits)


def _input(matrix: Matrix, value_bits: int) -> Input:
    csr, lost = values_as(matrix.csr, value_bytes(value_bits))
    if matrix.source == OBJECT:
        lost = (*lost, *rounding(matrix.csr, csr))
    message = (*matrix.warnings, *(f"{matrix.name}: {line}" for line in lost))
    return Input(matrix.name, csr, matrix_sha256(csr), matrix.source, matrix.files, warnings=message)


def forget_loaded() -> None:
    """Let every matrix be read again: of generators, suites and objects no file tells that they changed."""
    _loaded.cache_clear()
    _taken.cache_clear()


@lru_cache(maxsize=4)
def facts(matrix: Input) -> Facts:
    """Return what a table says of a matrix."""
    shape, nnz = (int(matrix.csr.shape[0]), int(matrix.csr.shape[1])), int(matrix.csr.nnz)
    near = locality(matrix.csr) if nnz else None
    return Facts(matrix.name, shape, nnz, near, matrix.source, matrix.digest)
