"""Sliced diagonals: the entries of a slice along its diagonals, without column indices."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpu.formats.sliced.slicing import WARP
from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import StoredAsArrays
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.invariants import require
from vecsim.formats.pattern import Pattern
from vecsim.formats.pointers import pointers_of
from vecsim.formats.representable import ALWAYS_MADE_BYTES, NotRepresentableError

STEP_BYTES = 8
"""What a step may take: as much as 16-bit column offsets would."""
SHORT_BYTES = 2


@dataclass(frozen=True, eq=False, repr=False)
class SlicedDiagonals(StoredAsArrays):
    """A matrix in slices of 32 rows, each stored along the diagonals (column minus row) that occur in it.

    After CRSD (Sun et al., Optimizing SpMV for diagonal sparse matrices on GPU, ICPP 2011), with two changes.
    A step is one diagonal of a slice and a mask of the rows that have an entry on it; only these have a
    value, so nothing is padded. Slices with the same steps share them, which leaves stencils next to no
    indices at all.

    Attributes
    ----------
    shape
        Rows M and columns N.
    first_step, last_step
        uint32 of S: which of `steps` are those of each slice, `last_step` excluded.
    value_ptr
        uint32 of S + 1: where the values of each slice begin, then their number.
    steps
        int32 of K x 2: column minus row, rising within a slice, and the rows that have it, bit i for row i of
        the slice. Never without a row.
    values
        float32 or float64 of nnz: those of a step by row, those of a slice by step.
    """

    shape: Shape
    first_step: NDArray[np.uint32]
    last_step: NDArray[np.uint32]
    value_ptr: NDArray[np.uint32]
    steps: NDArray[np.int32]
    values: FloatArray

    @classmethod
    def from_scipy(cls, matrix: Any) -> Self:
        """Convert a SciPy sparse matrix, in compiled loops over all cores.

        Parameters
        ----------
        matrix
            As `canonical_csr` takes it.

        Raises
        ------
        UserError
            As `canonical_csr` raises it.
        NotRepresentableError
            If the diagonals would take more than 16-bit columns (and a MiB): fewer than four entries a step.
        """
        from gpu.formats.sliced_diagonals import filling

        csr = canonical_csr(matrix)
        # A slice has at least the diagonals of its longest row.
        _refuse(csr.nnz, STEP_BYTES * Pattern.of(csr).longest)
        counts, hashes = filling.counted(csr.indptr, csr.indices)
        _, of_pattern, pattern = np.unique(hashes, return_index=True, return_inverse=True)
        _refuse(csr.nnz, STEP_BYTES * int(counts[of_pattern].sum()))
        first, last, steps = _steps(csr, counts, of_pattern, pattern)
        values = np.empty_like(csr.data)
        fits = filling.placed(csr.indptr, csr.indices, csr.data, first, last, steps, values)
        if not fits.all():  # two patterns of one hash: each slice gets its own steps
            every = np.arange(len(counts))
            first, last, steps = _steps(csr, counts, every, every)
            filling.placed(csr.indptr, csr.indices, csr.data, first, last, steps, values)
        return cls(
            shape=(int(csr.shape[0]), int(csr.shape[1])),
            first_step=first.astype(np.uint32),
            last_step=last.astype(np.uint32),
            value_ptr=np.append(csr.indptr[:-1][::WARP], csr.nnz).astype(np.uint32),
            steps=steps,
            values=values,
        )

    @property
    def slices(self) -> int:
        """S, the number of slices."""
        return len(self.first_step)

    @property
    def nnz(self) -> int:
        """Stored entries, explicit zeros included."""
        return len(self.values)

    def structure(self) -> Mapping[str, int]:
        """Return the slices, and the steps that they have or share."""
        return {"slices": self.slices, "steps": len(self.steps)}

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, in storage order."""
        counts = self.last_step.astype(np.int64) - self.first_step
        ends = np.cumsum(counts)
        slice_of = np.repeat(np.arange(self.slices), counts)
        step = np.arange(len(slice_of)) - np.repeat(ends - counts, counts) + self.first_step[slice_of]
        has = (self.steps[step, 1].view(np.uint32)[:, None] >> np.arange(WARP, dtype=np.uint32)) & 1
        which, lane = np.nonzero(has)
        rows = slice_of[which] * WARP + lane
        return rows, rows + self.steps[step[which], 0]

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        require(self.slices == -(-self.shape[0] // WARP), f"there must be a slice for each {WARP} rows")
        require(len(self.last_step) == self.slices, "first_step and last_step must be equally long")
        require(
            (self.first_step <= self.last_step).all(), "the steps of a slice must not end before they begin"
        )
        require(int(self.last_step.max(initial=0)) <= len(self.steps), "last_step must be within steps")
        require(bool((self.steps[:, 1] != 0).all()), "each step must have a row")
        for first, last in zip(self.first_step, self.last_step, strict=True):
            require((np.diff(self.steps[first:last, 0]) > 0).all(), "diagonals must rise within a slice")
        rows, _ = self.coordinates()
        require(len(rows) == self.nnz, "each row of a step must have a value")
        expected = np.searchsorted(rows // WARP, np.arange(self.slices + 1))
        require(
            np.array_equal(self.value_ptr, expected),
            "value_ptr must say where the values of each slice begin",
        )
        self.check_coordinates()


def _steps(
    csr: Any, counts: IntArray, of_pattern: IntArray, pattern: IntArray
) -> tuple[IntArray, IntArray, Any]:
    """Return first and last step of each slice, and the steps of the patterns one after the other."""
    from gpu.formats.sliced_diagonals import filling

    pattern_ptr = pointers_of(counts[of_pattern])
    steps = np.empty((int(pattern_ptr[-1]), 2), dtype=np.int32)
    filling.filled(csr.indptr, csr.indices, of_pattern, pattern_ptr, steps)
    return pattern_ptr[pattern], pattern_ptr[pattern + 1], steps


def too_many(nnz: int, stored_steps: int) -> bool:
    """Return whether the steps take more bytes than 16-bit columns would, and over a MiB."""
    return stored_steps > max(ALWAYS_MADE_BYTES, SHORT_BYTES * nnz)


def _refuse(nnz: int, stored_steps: int) -> None:
    if too_many(nnz, stored_steps):
        raise NotRepresentableError(
            f"the diagonals of the slices would take at least {stored_steps:,} bytes, 16-bit columns take "
            f"{SHORT_BYTES * nnz:,}",
            "use a sliced format with columns",
        )
