"""The six matrices that Tables 1 and 3 of the HiSM paper have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from experiments.report.comparison import Comparison

SECTION_SIZE = 64
"""The section size of both tables."""


@dataclass(frozen=True)
class TableMatrix:
    """A matrix as the tables print it.

    Attributes
    ----------
    name
        What its file is called.
    label
        The paper's row label.
    dimension
        Rows, and columns.
    size
        Entries, explicit zeros included.
    """

    name: str
    label: str
    dimension: int
    size: int


MATRICES = (
    TableMatrix("cavity16", "cavity16", 4562, 138187),
    TableMatrix("gre_185", "gre 185", 185, 1005),
    TableMatrix("memplus", "memplus", 17758, 126150),
    TableMatrix("fs_183_3", "fs 183 3", 183, 1069),
    TableMatrix("mbeause", "mbeause", 496, 41063),
    TableMatrix("tols90", "tols90", 90, 1746),
)
"""In the order of the tables."""

NO_REMARKS: Mapping[str, str] = MappingProxyType({})
"""Nothing to be said of any matrix."""

QUANTITIES = ("vs JD", "vs CRS", "vs BBCS")
"""The compared formats, as the columns of both tables are called here."""


def remark_on(matrix: TableMatrix, csr: Any, remarks: Mapping[str, str]) -> str:
    """Return remarks on a matrix: those given, and how it differs from the print.

    Parameters
    ----------
    remarks
        By the name of the matrix.
    """
    return "; ".join(filter(None, (remarks.get(matrix.name), _difference_from_print(matrix, csr))))


def _difference_from_print(matrix: TableMatrix, csr: Any) -> str:
    printed = (matrix.dimension, matrix.dimension, matrix.size)
    result = (*csr.shape, csr.nnz)
    if result == printed:
        return ""
    return f"the matrix found is {_size(result)}, the paper's {_size(printed)}: explicit zeros may be missing"


def missing_rows(
    matrix: TableMatrix, printed: Sequence[str], expected: Mapping[str, str]
) -> list[Comparison]:
    """Return the rows of a matrix that is missing.

    Parameters
    ----------
    printed
        The paper's numbers, in the order of `QUANTITIES`.
    expected
        What follows from them for some of the quantities.
    """
    return [
        Comparison(
            matrix.label,
            quantity,
            paper,
            None,
            "; ".join(filter(None, (why_missing(matrix), expected.get(quantity)))),
        )
        for quantity, paper in zip(QUANTITIES, printed, strict=True)
    ]


def why_missing(matrix: TableMatrix) -> str:
    """Return that a matrix is missing, and what would help."""
    return (
        f"{matrix.name} is not found: `vecsim formats {matrix.name}` downloads it, or put its file into a "
        "folder that VECSIM_MATRICES names"
    )


def _size(size: tuple[int, int, int]) -> str:
    return f"{size[0]} x {size[1]} with {size[2]} entries"
