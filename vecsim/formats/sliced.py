"""One sliced container: ELL, ELLPACK-R, Sliced ELL, SELL-C-sigma, PELLR, and these with short indices."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isa.errors import UserError

from .coordinates import (
    FloatArray,
    IntArray,
    Shape,
    canonical_csr,
    check_pointers,
    check_range,
    csr_from_coordinates,
    product,
    require,
)
from .slicing import SLICINGS, WARP, Slicing

NO_ROW = 2**32 - 1
# A matrix that padding makes larger than this many times CRS is refused, small ones apart.
MAX_GROWTH = 4
ALWAYS_MADE_BYTES = 2**20

UIntArray = NDArray[np.uint32]


class NotRepresentableError(UserError):
    """A format cannot hold this matrix in reasonable space, or with indices this short."""


@dataclass(frozen=True, eq=False)
class Sliced:
    """A matrix in slices of C rows, each slice as wide as its longest row.

    A slice is a sequence of steps. A step holds the next G entries of each of its C rows, row after row,
    where G = lanes x wide: entry j of row i of slice s stands at
    ``((slice_ptr[s] + j // G) * C + i) * G + j % G``. So the threads of a warp, `lanes` of them a row, read
    neighbouring addresses, `wide` entries each.

    Rows here are virtual rows: where `Slicing.row_cap` cuts a row in pieces, each piece is one, and a
    product sums the pieces in their order.

    Attributes
    ----------
    shape
        Rows M and columns N.
    slicing
        How the matrix is arranged.
    slice_height
        C; the rows of a single slice are M rounded up to a warp.
    slice_ptr
        uint32 of S + 1: the step at which each slice begins, then their number.
    perm
        uint32 of S C: the row whose sum each row of a slice is; M + p for piece p of the rows in pieces;
        2^32 - 1 where there is none. Empty where rows are in order and whole.
    lengths
        uint32 of S C: entries of each; empty where `slicing.row_lengths` is not set.
    columns
        uint32, or uint16 offsets from a base; the highest value of the type marks padding.
    bases
        uint32: the base column of each slice or step; empty with 32-bit columns.
    values
        float32 or float64, as many as columns; 0 in padding.
    split_rows
        uint32: the rows that are in pieces, rising.
    split_ptr
        uint32, one more: where the pieces of each begin, then their number.
    """

    shape: Shape
    slicing: Slicing
    slice_height: int
    slice_ptr: UIntArray
    perm: UIntArray
    lengths: UIntArray
    columns: NDArray[np.uint16] | UIntArray
    bases: UIntArray
    values: FloatArray
    split_rows: UIntArray
    split_ptr: UIntArray

    @classmethod
    def from_scipy(cls, matrix: Any, *, slicing: Slicing | str = "sliced-ell") -> Self:
        """Convert a SciPy sparse matrix, in compiled loops over all cores.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.
        slicing
            The arrangement, or the name of one of `SLICINGS`.

        Raises
        ------
        UserError
            If it is not a real matrix of two dimensions, or too large; or the arrangement is unknown.
        NotRepresentableError
            If padding would make it larger than four times CRS (and a MiB), or an offset exceeds 16 bits.
        """
        from . import sliced_filling

        slicing = _slicing(slicing)
        csr = canonical_csr(matrix)
        shape = (int(csr.shape[0]), int(csr.shape[1]))
        starts, lengths, targets, split_rows, split_ptr = _virtual_rows(csr.indptr, slicing.row_cap)
        virtual_rows = len(lengths)
        window = virtual_rows if slicing.sorting_window is None else slicing.sorting_window
        in_order = min(window, virtual_rows) <= 1
        order = (
            np.arange(virtual_rows)
            if in_order
            else sliced_filling.sorted_by_falling_length(lengths, min(window, virtual_rows))
        )

        height = slicing.slice_height or max(WARP, -(-virtual_rows // WARP) * WARP)
        slices = -(-virtual_rows // height)
        first_step = _first_steps(lengths[order], slices, height, slicing.group)
        entries = int(first_step[-1]) * height * slicing.group
        _refuse_growth(csr, entries, slicing)

        step_base, bases = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32)
        if slicing.index_bits == 16:
            lowest, highest = sliced_filling.column_bounds(
                order, starts, lengths, csr.indices, first_step, height, slicing.group
            )
            step_base, bases = _bases(lowest, highest, first_step, slicing.base_per_step)
        columns = (
            np.empty(entries, dtype=np.uint16)
            if slicing.index_bits == 16
            else np.empty(entries, dtype=np.uint32)
        )
        values = np.empty(entries, dtype=csr.data.dtype)
        sliced_filling.fill(
            order,
            starts,
            lengths,
            csr.indices,
            csr.data,
            first_step,
            step_base,
            height,
            slicing.group,
            columns,
            values,
        )
        positions = slices * height
        return cls(
            shape=shape,
            slicing=slicing,
            slice_height=height,
            slice_ptr=first_step.astype(np.uint32),
            perm=_padded([] if in_order and not len(split_rows) else targets[order], positions, NO_ROW),
            lengths=_padded(lengths[order] if slicing.row_lengths else [], positions, 0),
            columns=columns,
            bases=bases,
            values=values,
            split_rows=split_rows.astype(np.uint32),
            split_ptr=split_ptr.astype(np.uint32),
        )

    @property
    def slices(self) -> int:
        """S, the number of slices."""
        return len(self.slice_ptr) - 1

    @property
    def entries(self) -> int:
        """Places for entries, padding included."""
        return len(self.values)

    @property
    def nnz(self) -> int:
        """Stored entries of the matrix, explicit zeros included, padding not."""
        return int(np.count_nonzero(self.columns != self.padding))

    @property
    def padding(self) -> int:
        """The column that marks padding: 65535 or 2^32 - 1."""
        return int(np.iinfo(self.columns.dtype).max)

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, in storage order, without padding."""
        real = np.flatnonzero(self.columns != self.padding)
        step, within = np.divmod(real, self.slice_height * self.slicing.group)
        slice_of_step = np.repeat(np.arange(self.slices), _parts(self.slice_ptr))
        position = slice_of_step[step] * self.slice_height + within // self.slicing.group
        rows = self.perm[position].astype(np.int64) if len(self.perm) else position
        pieces = np.repeat(self.split_rows, _parts(self.split_ptr)).astype(np.int64)
        in_pieces = rows >= self.shape[0]
        rows[in_pieces] = pieces[rows[in_pieces] - self.shape[0]]
        columns = self.columns[real].astype(np.int64)
        if len(self.bases):
            columns += self.bases[step if self.slicing.base_per_step else slice_of_step[step]]
        return rows, columns

    def to_scipy(self) -> Any:
        """Return the matrix as scipy.sparse.csr_array, with the same values, zeros and type."""
        return csr_from_coordinates(self.shape, *self.coordinates(), self._stored_values())

    def matvec(self, x: ArrayLike) -> FloatArray:
        """Return the product with the vector `x` of N elements, in the type of the values.

        Raises
        ------
        ValueError
            If `x` has another length.
        """
        return product(self.shape, *self.coordinates(), self._stored_values(), x)

    def _stored_values(self) -> FloatArray:
        stored: FloatArray = self.values[self.columns != self.padding]
        return stored

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        step = self.slice_height * self.slicing.group
        require(self.entries % step == 0, f"values must fill whole steps of {step}")
        check_pointers("slice_ptr", self.slice_ptr.astype(np.int64), self.slices, self.entries // step)
        require(len(self.columns) == self.entries, "columns and values must be equally long")
        positions = self.slices * self.slice_height
        for name, array in (("perm", self.perm), ("lengths", self.lengths)):
            require(len(array) in (0, positions), f"{name} must have {positions} elements or none")
        require(
            bool(len(self.lengths)) == (self.slicing.row_lengths and positions > 0),
            "lengths must be kept exactly where row_lengths says so",
        )
        bases = 0 if self.slicing.index_bits == 32 else self.slices
        if self.slicing.base_per_step:
            bases = self.entries // step
        require(len(self.bases) == bases, f"bases must have {bases} elements, has {len(self.bases)}")
        pieces = int(self.split_ptr[-1])
        check_pointers("split_ptr", self.split_ptr.astype(np.int64), len(self.split_rows), pieces)
        check_range("split_rows", self.split_rows, self.shape[0])
        if len(self.perm):
            named = np.sort(self.perm[self.perm != NO_ROW].astype(np.int64))
            whole = np.setdiff1d(np.arange(self.shape[0]), self.split_rows)
            expected = np.concatenate((whole, self.shape[0] + np.arange(pieces)))
            require(np.array_equal(named, expected), "perm must name each whole row and each piece once")
        require(not self.values[self.columns == self.padding].any(), "padding must have the value 0")
        rows, columns = self.coordinates()
        check_range("the rows that the entries stand at", rows, self.shape[0])
        check_range("columns", columns, self.shape[1])
        self._check_rows()

    def _check_rows(self) -> None:
        """Check that the padding of a row stands behind its entries, and how many these are."""
        widths = _parts(self.slice_ptr) * self.slicing.group
        height, group = self.slice_height, self.slicing.group
        for s in range(self.slices):
            part = slice(int(self.slice_ptr[s]) * height * group, int(self.slice_ptr[s + 1]) * height * group)
            rows = self.columns[part].reshape(-1, height, group).transpose(1, 0, 2).reshape(height, widths[s])
            stored = rows != self.padding
            require((stored[:, :-1] >= stored[:, 1:]).all(), "padding must stand behind the entries of a row")
            if len(self.lengths):
                lengths = self.lengths[s * height : (s + 1) * height]
                require((stored.sum(axis=1) == lengths).all(), "lengths must count the entries of each row")

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = (
            self.slice_ptr,
            self.perm,
            self.lengths,
            self.columns,
            self.bases,
            self.values,
            self.split_rows,
            self.split_ptr,
        )
        return sum(array.nbytes for array in arrays)

    def storage(self, accounting: str) -> int:
        """Return the bytes the matrix takes: the ``image`` accounting, the sum of its arrays.

        Raises
        ------
        UserError
            If another accounting is asked for: the HiSM paper has no such format.
        """
        if accounting != "image":
            raise UserError(f"storage accounting {accounting!r} does not know sliced formats: use image")
        return self.nbytes


def _parts(pointers: UIntArray) -> IntArray:
    """Give how many elements lie between each pointer and the next."""
    sizes: IntArray = pointers[1:].astype(np.int64) - pointers[:-1].astype(np.int64)
    return sizes


def _slicing(slicing: Slicing | str) -> Slicing:
    if isinstance(slicing, Slicing):
        return slicing
    if slicing not in SLICINGS:
        raise UserError(f"unknown sliced format {slicing!r}: use one of {', '.join(SLICINGS)}")
    return SLICINGS[slicing]


def _virtual_rows(indptr: Any, cap: int | None) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray]:
    """Give first entry, length and target of each virtual row; rows in pieces; where their pieces begin."""
    starts = indptr[:-1].astype(np.int64)
    lengths = np.diff(indptr).astype(np.int64)
    rows = len(lengths)
    if cap is None or lengths.max(initial=0) <= cap:
        return starts, lengths, np.arange(rows), np.zeros(0, np.int64), np.zeros(1, np.int64)
    pieces = np.maximum(1, -(-lengths // cap))
    row = np.repeat(np.arange(rows), pieces)
    piece = np.arange(len(row)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    split_rows = np.flatnonzero(pieces > 1)
    split_ptr = np.concatenate(([0], np.cumsum(pieces[split_rows])))
    targets = row.copy()
    targets[pieces[row] > 1] = rows + np.arange(split_ptr[-1])
    return (
        starts[row] + piece * cap,
        np.minimum(cap, lengths[row] - piece * cap),
        targets,
        split_rows,
        split_ptr,
    )


def _first_steps(lengths: IntArray, slices: int, height: int, group: int) -> IntArray:
    padded = np.zeros(slices * height, dtype=np.int64)
    padded[: len(lengths)] = lengths
    widths = padded.reshape(slices, height).max(axis=1, initial=0)
    return np.concatenate(([0], np.cumsum(-(-widths // group))))


def _refuse_growth(csr: Any, entries: int, slicing: Slicing) -> None:
    made = entries * (csr.data.dtype.itemsize + slicing.index_bits // 8)
    crs = csr.nnz * (csr.data.dtype.itemsize + 4) + 4 * (csr.shape[0] + 1)
    if made > max(ALWAYS_MADE_BYTES, MAX_GROWTH * crs):
        raise NotRepresentableError(
            f"padding would make {made} bytes of a matrix that takes {crs} in CRS, over {MAX_GROWTH} times "
            "as many: use a smaller slice_height, a larger sorting_window, a row_cap, or CRS"
        )


def _bases(
    lowest: IntArray, highest: IntArray, first_step: IntArray, per_step: bool
) -> tuple[IntArray, UIntArray]:
    """Give the base column of each step, and the stored bases."""
    steps_of_slice = np.diff(first_step)
    if not per_step and len(lowest):
        filled = np.flatnonzero(steps_of_slice)
        slice_low, slice_high = (
            np.zeros(len(steps_of_slice), np.int64),
            np.zeros(len(steps_of_slice), np.int64),
        )
        slice_low[filled] = np.minimum.reduceat(lowest, first_step[filled])
        slice_high[filled] = np.maximum.reduceat(highest, first_step[filled])
        lowest = np.repeat(slice_low, steps_of_slice)
        highest = np.repeat(slice_high, steps_of_slice)
    spread = int((highest - lowest).max(initial=0))
    # 65535 marks padding.
    if spread >= 2**16 - 1:
        raise NotRepresentableError(
            f"columns of one {'step' if per_step else 'slice'} lie up to {spread} apart, 16-bit offsets "
            f"reach 65534: use {'' if per_step else 'base_per_step or '}index_bits 32"
        )
    if per_step:
        return lowest, lowest.astype(np.uint32)
    return lowest, slice_low.astype(np.uint32) if len(lowest) else np.zeros(len(steps_of_slice), np.uint32)


def _padded(values: Any, positions: int, padding: int) -> UIntArray:
    if len(values) == 0:
        return np.zeros(0, dtype=np.uint32)
    padded = np.full(positions, padding, dtype=np.uint32)
    padded[: len(values)] = values
    return padded
