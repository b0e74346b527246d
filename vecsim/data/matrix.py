"""A matrix with its name and where it came from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from vecsim.results.digests import matrix_sha256
from vecsim.results.file_digests import InputFile, input_files
from vecsim.support.arguments import text
from vecsim.support.errors import UserError
from vecsim.support.input_files import is_regular
from vecsim.support.overview import Overview
from vecsim.support.shown_text import one_line
from vecsim.support.suggestions import amount, counted

MAX_DIMENSION = 2**27
"""With x and y of this length in 64-bit values, 2**31 bytes of simulated memory are full."""


@dataclass(frozen=True, eq=False, repr=False)
class Matrix(Overview):
    """A named sparse matrix.

    Attributes
    ----------
    name
        What reports call it: the file's name without suffixes, or the built-in's. Letters that cannot be
        shown are escaped in it.
    csr
        scipy.sparse.csr_array of float64: sorted, duplicates summed, explicit zeros kept. float32 where the
        caller's own values are, complex128 where `load` or `read` was asked to keep complex values.
    source
        Path of the file, the address it was downloaded from, "built-in", or "Python".
    warnings
        What reading it changed, one line each.
    """

    name: str
    csr: Any
    source: str
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Find out whether this is a matrix, and make its name one that reports and pictures can show.

        Raises
        ------
        UserError
            The array is no CSR matrix of SciPy with floating-point values; name or source is no text.
        """
        object.__setattr__(self, "name", one_line(text("Matrix: name", self.name)))
        text("Matrix: source", self.source)
        csr = self.csr
        if (
            not scipy.sparse.issparse(csr)
            or csr.format != "csr"
            or csr.ndim != 2
            or csr.dtype.kind not in "fc"
        ):
            kind = f"{csr.format} of {csr.dtype}" if scipy.sparse.issparse(csr) else type(csr).__name__
            raise UserError(
                f"Matrix: csr: a scipy.sparse.csr_array of float32 or float64 is needed, not {kind}; "
                "vecsim.measure takes arrays and SciPy matrices as they are"
            )

    def overview(self) -> dict[str, object]:
        """Return name, size and source."""
        return {"name": self.name, "shape": self.shape, "nnz": self.nnz, "source": self.source}

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.csr.shape[0]), int(self.csr.shape[1])

    @property
    def nnz(self) -> int:
        """Stored entries, explicit zeros among them."""
        return int(self.csr.nnz)

    @property
    def files(self) -> tuple[InputFile, ...]:
        """The file that it was read from, with its digest; none of a matrix that is from elsewhere."""
        return input_files(f"matrix {self.name}", [Path(self.source)] if is_regular(self.source) else ())

    def to_dict(self) -> dict[str, Any]:
        """Return name, source, digest and size as plain data, as all ``--json`` do (docs/provenance.md)."""
        rows, columns = self.shape
        return {
            "name": self.name,
            "source": str(Path(self.source).absolute()) if is_regular(self.source) else self.source,
            "sha256": matrix_sha256(self.csr),
            "rows": rows,
            "cols": columns,
            "nnz": self.nnz,
        }


def named_apart(names: Sequence[str], given: Sequence[str]) -> tuple[str, ...]:
    """Return names of matrices; in place of one that several have, what each of them was given as."""
    counts = Counter(names)
    return tuple(text if counts[name] > 1 else name for name, text in zip(names, given, strict=True))


def check_size(source: str, rows: int, columns: int, entries: int) -> None:
    """Refuse sizes that no run can use, before anything of that size is allocated.

    Parameters
    ----------
    source
        What the sizes are of, for messages.
    rows, columns, entries
        The sizes.

    Raises
    ------
    UserError
        If the matrix is empty, has more entries than places, or rows or columns beyond `MAX_DIMENSION`.
    """
    sizes = f"{counted(rows, 'row')}, {counted(columns, 'column')} and {counted(entries, 'entry')}"
    size = f"{source}: the matrix has {sizes}"
    if min(rows, columns, entries) < 0:
        raise UserError(f"{size}: must not be negative")
    if min(rows, columns, entries) == 0:
        raise UserError(f"{size}: an empty matrix has no product to run, at least one entry is needed")
    if max(rows, columns) > MAX_DIMENSION:
        raise UserError(
            f"{size}: at most {MAX_DIMENSION} rows and columns fit the simulated address space of 2**31 bytes"
        )


def assemble(
    name: str, source: str, coo: Any, warnings: tuple[str, ...] = (), *, keep_complex: bool = False
) -> Matrix:
    """Make a `Matrix` of coordinates: finite, sorted, duplicates summed.

    Parameters
    ----------
    name, source
        As in `Matrix`.
    coo
        SciPy COO matrix of any numeric type.
    warnings
        What has been changed already.
    keep_complex
        Whether complex values stay complex128; otherwise their real part is taken, with a warning.

    Raises
    ------
    UserError
        If the matrix is empty or a value is NaN or infinite.
    """
    check_size(source, coo.shape[0], coo.shape[1], coo.nnz)
    notes = list(warnings)
    _require_finite(source, coo)
    is_complex = coo.dtype.kind == "c"
    if is_complex and not keep_complex:
        notes += _imaginary_parts(source, coo)
        coo = coo.real
    csr = coo.astype(np.complex128 if is_complex and keep_complex else np.float64).tocsr()
    csr.sum_duplicates()
    if csr.nnz < coo.nnz:
        notes.append(f"{source}: {counted(coo.nnz - csr.nnz, 'duplicate entry')} summed into others")
        _require_finite(source, csr.tocoo())
    return Matrix(name, csr, source, tuple(notes))


def _imaginary_parts(source: str, coo: Any) -> list[str]:
    """Return a line about the imaginary parts that are not used, if one is not zero."""
    lost = np.flatnonzero(coo.data.imag)
    if not lost.size:
        return []
    first, parts = int(lost[0]), amount(lost.size, "imaginary part")
    where = f"row {coo.row[first] + 1}, column {coo.col[first] + 1}"
    return [f"{source}: complex values, only their real part is used; {parts} lost, the first in {where}"]


def _require_finite(source: str, coo: Any) -> None:
    finite = np.isfinite(coo.data)
    if not finite.all():
        bad = int(np.argmin(finite))
        raise UserError(
            f"{source}: the entry in row {coo.row[bad] + 1}, column {coo.col[bad] + 1} is {coo.data[bad]}: "
            "values must be finite 64-bit numbers"
        )
