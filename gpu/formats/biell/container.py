"""BiELL and BiJAD: the rows of a warp sorted by length and cut in groups, longer ones by more threads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from gpu.formats.sliced.slicing import NO_ROW, WARP
from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import StoredAsArrays
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.invariants import check_pointers, require
from vecsim.formats.pointers import pointers_of, sizes_of
from vecsim.formats.representable import ALWAYS_MADE_BYTES, MAX_GROWTH, too_large

GROUPS = 6


GROUPS = 6
PADDING = 2**32 - 1

UIntArray = NDArray[np.uint32]


@dataclass(frozen=True, eq=False, repr=False)
class BiELL(StoredAsArrays):
    """A matrix in warps of 32 rows, each in six groups of its 32, 16, 8, 4, 2 and 1 longest rows.

    Our reading of Zheng, Gu, Gu, Liu (Journal of Parallel and Distributed Computing 74, 2014); the PELLR
    paper gives no listing of it. The rows of a warp are sorted by falling length. Group 0 holds the entries
    of all 32 up to its cut length, that of the longest row of the shorter half; group g holds what the
    32 / 2^g longest rows have beyond the earlier groups, up to the length of the longest of their shorter
    half (group 5: of the longest row). 2^g threads share a row of group g, so a warp takes
    sum_g ceil((cut_g - cut_(g-1)) / 2^g) steps; a row's partial sums are then added.

    A step holds 32 entries, one a thread: thread t of group g has row t / 2^g of the sorted warp and of its
    entries beyond the earlier groups number 2^g step + t mod 2^g.

    Attributes
    ----------
    shape
        Rows M and columns N.
    sorted_globally
        False: rows are sorted within each warp (BiELL); True: all rows are, then cut in warps (BiJAD).
    group_ptr
        uint32 of 6 W + 1, W the warps: the step at which each group begins, then their number.
    perm
        uint32 of 32 W: the row at each place of each warp, 2^32 - 1 where there is none.
    columns
        uint32; 2^32 - 1 marks padding.
    values
        float32 or float64, as many as columns; 0 in padding.
    """

    shape: Shape
    sorted_globally: bool
    group_ptr: UIntArray
    perm: UIntArray
    columns: UIntArray
    values: FloatArray

    @classmethod
    def from_scipy(cls, matrix: Any, *, sorted_globally: bool = False) -> Self:
        """Convert a SciPy sparse matrix, in compiled loops over all cores.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.
        sorted_globally
            Whether all rows are sorted (BiJAD), not those of each warp (BiELL).

        Raises
        ------
        UserError
            If it is not a real matrix of two dimensions, or too large.
        NotRepresentableError
            If padding would make it larger than four times CRS (and a MiB).
        """
        from gpu.formats.sliced.filling import sorted_by_falling_length

        csr = canonical_csr(matrix)
        rows = int(csr.shape[0])
        lengths = np.diff(csr.indptr).astype(np.int64)
        window = max(1, rows) if sorted_globally else WARP
        order = sorted_by_falling_length(lengths, window)
        warps = -(-rows // WARP)
        cuts = cut_lengths(order, lengths, warps)
        begun = np.concatenate((np.zeros((warps, 1), np.int64), cuts[:, :-1]), axis=1)
        steps = -((begun - cuts) // 2 ** np.arange(GROUPS))
        group_ptr = pointers_of(steps.ravel())
        entries = int(group_ptr[-1]) * WARP
        _refuse_growth(csr, entries)
        columns, values = np.empty(entries, np.uint32), np.empty(entries, csr.data.dtype)
        fill(order, lengths, csr.indptr, csr.indices, csr.data, cuts, group_ptr, columns, values)
        perm = np.full(warps * WARP, NO_ROW, np.uint32)
        perm[:rows] = order
        return cls(
            shape=(rows, int(csr.shape[1])),
            sorted_globally=sorted_globally,
            group_ptr=group_ptr.astype(np.uint32),
            perm=perm,
            columns=columns,
            values=values,
        )

    @property
    def warps(self) -> int:
        """W, the warps of 32 rows."""
        return len(self.perm) // WARP

    @property
    def iterations(self) -> int:
        """Steps that all warps take together."""
        return len(self.values) // WARP

    @property
    def most_iterations(self) -> int:
        """Steps that the longest warp takes."""
        return int(sizes_of(self.group_ptr[::GROUPS]).max(initial=0))

    @property
    def nnz(self) -> int:
        """Stored entries of the matrix, explicit zeros included, padding not."""
        return int(np.count_nonzero(self.columns != PADDING))

    def structure(self) -> Mapping[str, int]:
        """Return the warps, and the places for entries, padding included."""
        return {"warps": self.warps, "places": len(self.values)}

    def triplets(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return row, column (int64) and value of each entry, in storage order, without padding."""
        real = np.flatnonzero(self.columns != PADDING)
        step, thread = np.divmod(real, WARP)
        rows = self.perm[self._places(step, thread)].astype(np.int64)
        return rows, self.columns[real].astype(np.int64), self.values[real]

    def _places(self, step: Any, thread: Any) -> IntArray:
        """Return the place in `perm` that a thread works for in a step."""
        of_step = np.repeat(np.arange(self.warps * GROUPS), sizes_of(self.group_ptr))
        warp, group = np.divmod(of_step[step], GROUPS)
        places: IntArray = warp * WARP + (thread >> group)
        return places

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        rows = self.shape[0]
        require(len(self.perm) == -(-rows // WARP) * WARP, "perm must have 32 elements a warp")
        require(len(self.columns) == len(self.values), "columns and values must be equally long")
        require(len(self.values) % WARP == 0, "values must fill whole steps of 32")
        check_pointers("group_ptr", self.group_ptr.astype(np.int64), self.warps * GROUPS, self.iterations)
        named = np.sort(self.perm[self.perm != NO_ROW].astype(np.int64))
        require(np.array_equal(named, np.arange(rows)), "perm must name each row once")
        if not self.sorted_globally:
            warp_of_row = self.perm.reshape(-1, WARP) // WARP
            at_home = (warp_of_row == np.arange(self.warps)[:, None]) | (
                self.perm.reshape(-1, WARP) == NO_ROW
            )
            require(at_home.all(), "rows must stay in their warp")
        require(not self.values[self.columns == PADDING].any(), "padding must have the value 0")
        self.check_coordinates()
        self._check_order(np.bincount(self.coordinates()[0], minlength=rows))

    def _check_order(self, lengths: Any) -> None:
        """Check that lengths fall within a warp and that the entries of a row stand in order."""
        # Where there is no row, the 0 after them.
        of_place = np.append(lengths, 0)[np.minimum(self.perm, self.shape[0])]
        falling = np.diff(of_place.reshape(-1, WARP), axis=1) <= 0
        require(falling.all(), "lengths must not rise within a warp")
        rows, columns = self.coordinates()
        by_row = np.argsort(rows, kind="stable")
        same_row = np.diff(rows[by_row]) == 0
        require((np.diff(columns[by_row])[same_row] > 0).all(), "columns must rise within a row")


def cut_lengths(order: IntArray, lengths: IntArray, warps: int) -> IntArray:
    """Return the length up to which each group of each warp holds entries, (warps, 6).

    Group g has the 32 / 2^g longest rows; it ends where the longest row of their shorter half ends.
    """
    padded = np.zeros(warps * WARP, np.int64)
    padded[: len(order)] = lengths[order]
    cuts: IntArray = padded.reshape(warps, WARP)[:, WARP >> np.arange(GROUPS) >> 1]
    return cuts


def _refuse_growth(csr: Any, entries: int) -> None:
    needed = entries * (csr.data.itemsize + 4)
    crs = csr.nnz * (csr.data.itemsize + 4) + 4 * (csr.shape[0] + 1)
    if needed > max(ALWAYS_MADE_BYTES, MAX_GROWTH * crs) or entries // WARP > PADDING:
        raise too_large("padding", needed, crs, MAX_GROWTH, "use a format that pads less")


@njit(parallel=True, cache=True)
def fill(
    order: Any,
    lengths: Any,
    pointers: Any,
    indices: Any,
    data: Any,
    cuts: Any,
    group_ptr: Any,
    columns: Any,
    values: Any,
) -> None:
    """Write `columns` and `values`, padding included. Each entry is read once and written once.

    Parameters
    ----------
    order
        (M,) int64: the rows, warp after warp.
    lengths
        (M,) int64: entries of each row, by its number.
    pointers, indices, data
        The matrix, sorted CSR without duplicates.
    cuts
        (W, 6) int64: as `cut_lengths` returns them.
    group_ptr
        (6 W + 1,) int64: the step at which each group begins.
    columns, values
        (32 steps,) uint32 and floats: what is written.
    """
    padding = ~columns.dtype.type(0)
    for warp in prange(len(cuts)):
        begun = 0
        for group in range(GROUPS):
            cut = cuts[warp, group]
            for step in range(group_ptr[warp * GROUPS + group], group_ptr[warp * GROUPS + group + 1]):
                for thread in range(WARP):
                    place = warp * WARP + (thread >> group)
                    row = order[place] if place < len(order) else -1
                    entry = begun + ((step - group_ptr[warp * GROUPS + group]) << group)
                    entry += thread & ((1 << group) - 1)
                    at = step * WARP + thread
                    if row >= 0 and entry < min(cut, lengths[row]):
                        columns[at] = indices[pointers[row] + entry]
                        values[at] = data[pointers[row] + entry]
                    else:
                        columns[at] = padding
                        values[at] = 0
            begun = cut
