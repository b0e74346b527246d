"""HYB storage: the first entries of each row in ELL, the rest as coordinates (Bell and Garland 2008)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from gpu.formats.coo.container import COO
from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.slicing import Slicing
from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import StoredAsArrays
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.invariants import require
from vecsim.formats.pointers import pointers_of
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

SPLITS = ("bytes", "third", "mean")
COO_BYTE_COST = 1.2
"""By the H200 (docs/gpu.md): an entry as coordinates takes 1.2 to 1.6 times as long as one in slices, with
1.33 times (float64) or 1.5 times (float32) its bytes."""
COO_LAUNCH_BYTES = 56e6
"""What a rest costs however small it is, 14 us on the H200, in bytes that the memory would have moved
meanwhile: two kernels more, and warps that sum 512 entries one turn after the other."""


@dataclass(frozen=True, eq=False, repr=False)
class HYB(StoredAsArrays):
    """A matrix cut at a width: the first entries of each row stand in ELL, what is longer in COO.

    Attributes
    ----------
    shape
        Rows M and columns N.
    width
        Entries of a row that ELL has room for.
    ell
        The first entries of each row, one slice.
    rest
        The others, by row and column.
    """

    shape: Shape
    width: int
    ell: Sliced
    rest: COO

    @classmethod
    def from_scipy(cls, matrix: Any, *, split: str | int = "bytes") -> Self:
        """Convert a SciPy sparse matrix.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.
        split
            The width, or the rule that gives it; see `split_width`.

        Raises
        ------
        UserError
            If it is not a real matrix of two dimensions, or too large; or the rule is unknown.
        NotRepresentableError
            If a width given as a number would make it larger than four times CRS (and a MiB).
        """
        csr = canonical_csr(matrix)
        lengths = np.diff(csr.indptr)
        width = split if isinstance(split, int) else split_width(lengths, split, csr.data.itemsize)
        if width < 0:
            raise UserError(f"a width of {width} is not possible: use 0 or more")
        shape = (int(csr.shape[0]), int(csr.shape[1]))
        rows = np.repeat(np.arange(shape[0], dtype=np.int32), lengths)
        kept = np.arange(csr.nnz) - np.repeat(csr.indptr[:-1], lengths) < width
        kept_ptr = pointers_of(np.minimum(lengths, width))
        rest = rows[~kept], csr.indices[~kept].astype(np.int32), csr.data[~kept]
        first = scipy.sparse.csr_array((csr.data[kept], csr.indices[kept], kept_ptr), shape=shape)
        return cls(
            shape=shape,
            width=width,
            ell=Sliced.from_scipy(first, slicing=Slicing(slice_height=None)),
            rest=COO(shape, *rest),
        )

    @property
    def nnz(self) -> int:
        """Stored entries, explicit zeros included, padding not."""
        return self.ell.nnz + self.rest.nnz

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values: float32 or float64."""
        return self.rest.dtype

    def structure(self) -> Mapping[str, int]:
        """Return the width of ELL, and the entries of the rest."""
        return {"width": self.width, "rest_entries": self.rest.nnz}

    def triplets(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return row, column (int64) and value of each entry: those of ELL, then the rest."""
        parts = zip(self.ell.triplets(), self.rest.triplets(), strict=True)
        rows, columns, values = (np.concatenate(part) for part in parts)
        return rows, columns, values

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        require(self.ell.shape == self.shape == self.rest.shape, "both parts must have the matrix's shape")
        require(self.ell.values.dtype == self.rest.values.dtype, "both parts must have one type of values")
        self.ell.check()
        self.rest.check()
        rows = self.shape[0]
        in_ell = np.bincount(self.ell.coordinates()[0], minlength=rows)
        require((in_ell <= self.width).all(), f"ELL must hold at most {counted(self.width, 'entry')} a row")
        longer = np.bincount(self.rest.rows, minlength=rows) > 0
        require((in_ell[longer] == self.width).all(), "only rows that fill ELL may have a rest")


def split_width(lengths: NDArray[np.integer[Any]], rule: str, value_bytes: int) -> int:
    """Return the width of the ELL part by a rule.

    Parameters
    ----------
    lengths
        Entries of each row.
    rule
        ``third``: column K belongs to ELL if at least a third of the rows have K or more entries (the
        default of cuSPARSE's HYB, after Bell and Garland). ``mean``: the mean length of the rows, to the
        nearest integer. ``bytes``: ours, the width at which the product should take the least time: by the
        bytes that ELL moves, padding included, and those of the rest, each weighed with the rate of its
        kernel, and the launches that a rest costs; so that a matrix that pads well has no rest at all.
    value_bytes
        4 or 8.

    Raises
    ------
    UserError
        If there is no such rule.
    """
    if rule not in SPLITS:
        raise UserError(f"unknown split {rule!r}: use one of {', '.join(SPLITS)}, or a width")
    rows = len(lengths)
    entries = int(lengths.sum())
    if not entries:
        return 0
    if rule == "mean":
        return max(1, round(entries / rows))
    # Rows with at least 1, 2, ... entries: the entries of each column of ELL.
    at_least = np.cumsum(np.bincount(lengths)[::-1])[::-1][1:]
    if rule == "third":
        return int(np.count_nonzero(3 * at_least >= rows))
    rest = entries - pointers_of(at_least)
    cost = np.arange(len(rest)) * float(rows) * (value_bytes + 4)
    cost += rest * (value_bytes + 8) * COO_BYTE_COST + (rest > 0) * COO_LAUNCH_BYTES
    # At most three times the entries, so that the padding stays in bounds whatever a rest costs.
    fitting = np.arange(len(rest)) * rows <= max(3 * entries, 2**16)
    return int(np.argmin(np.where(fitting, cost, np.inf)))
