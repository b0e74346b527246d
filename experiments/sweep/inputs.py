"""The matrix of a cell, with values of the width that is multiplied, and its digest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from experiments.sweep.suites import PREFIX, load_member
from vecsim.data import load, value_bytes, values_as
from vecsim.data.metrics import locality
from vecsim.digests import matrix_sha256


@dataclass(frozen=True, eq=False)
class Input:
    """A matrix as it is multiplied.

    Attributes
    ----------
    name
        What reports call it.
    csr
        SciPy CSR array with values of the sweep's width; None where the digest will do.
    digest
        Of this array; see `vecsim.digests.matrix_sha256`.
    """

    name: str
    csr: Any
    digest: str
    warnings: tuple[str, ...] = ()
    """What reading it and the width of its values changed."""


@dataclass(frozen=True)
class Facts:
    """What a table says of a matrix; without entries it has no locality (`vecsim.data.metrics`)."""

    name: str
    shape: tuple[int, int]
    nnz: int
    locality: float | None


@lru_cache(maxsize=4)
def load_input(name: str, value_bits: int) -> Input:
    """Load a matrix; the last few are at hand, as they were when the sweep began.

    Raises
    ------
    UserError
        It is not found, or cannot be read.
    """
    read: tuple[str, ...] = ()
    if name.startswith(PREFIX):
        own_name, found = load_member(name)
    else:
        matrix = load(name, show_progress=False)
        own_name, found, read = matrix.name, matrix.csr, matrix.warnings
    csr, lost = values_as(found, value_bytes(value_bits))
    told = (*read, *(f"{own_name}: {line}" for line in lost))
    return Input(own_name, csr, matrix_sha256(csr), told)


@lru_cache(maxsize=4)
def facts(matrix: Input) -> Facts:
    """Give what a table says of a matrix."""
    shape, nnz = (int(matrix.csr.shape[0]), int(matrix.csr.shape[1])), int(matrix.csr.nnz)
    return Facts(matrix.name, shape, nnz, locality(matrix.csr) if nnz else None)
