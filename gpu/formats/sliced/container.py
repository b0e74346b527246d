"""One sliced container: ELL, ELLPACK-R, Sliced ELL, SELL-C-sigma, PELLR, and these with short indices."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpu.formats.sliced.layout import (
    check_named,
    elements,
    first_steps,
    pattern_of_blocks,
    refuse_growth,
    refuse_steps,
    row_order,
    single_slice_height,
    virtual_rows,
    with_index_bits,
)
from gpu.formats.sliced.slicing import NO_ROW, SLICED_ELL, Slicing
from vecsim.formats.array_types import FloatArray, IntArray, Shape, UIntArray
from vecsim.formats.base import StoredAsArrays
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.invariants import check_pointers, check_range, require
from vecsim.formats.pointers import sizes_of


@dataclass(frozen=True, eq=False, repr=False)
class Sliced(StoredAsArrays):
    """A matrix in slices of C rows, each slice as wide as its longest row.

    A slice is a sequence of steps. A step holds the next G entries of each of its C rows, row after row,
    where G = threads a row x wide: entry j of row i of slice s stands at
    ``((slice_ptr[s] + j // G) * C + i) * G + j % G``. So the threads of a warp, several of
    them a row, read neighbouring addresses, `wide` entries each.

    Rows here are virtual rows: where `Slicing.row_cap` cuts a row in pieces, each piece is one, and a
    product sums the pieces in their order.

    With `Slicing.block` b > 1 an entry is a block of b x b elements, and what is said of rows and columns
    holds for those of blocks. The elements of column k of the blocks stand together: element (r, k) of entry
    j at ``(((slice_ptr[s] + j // G) * b + k) * C * b + i * b + r) * G + j % G``.

    Attributes
    ----------
    shape
        Rows M and columns N.
    slicing
        How the matrix is arranged, with the `threads_per_row` and `index_bits` that were chosen.
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
    masks
        uint16: the elements that each block has, bit r b + k for element (r, k). Empty where blocks have all
        elements of the rows that there are, and without blocks.
    values
        float32 or float64, b^2 times as many as columns; 0 in padding.
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
    masks: NDArray[np.uint16]
    values: FloatArray
    split_rows: UIntArray
    split_ptr: UIntArray

    @classmethod
    def from_scipy(cls, matrix: Any, *, slicing: Slicing = SLICED_ELL, most_bytes: int | None = None) -> Self:
        """Convert a SciPy sparse matrix, in compiled loops over all cores.

        Parameters
        ----------
        matrix
            As `canonical_csr` takes it.
        slicing
            The arrangement.
        most_bytes
            Bytes that places for entries may take; the default is four times CRS, at least a MiB.

        Raises
        ------
        UserError
            As `canonical_csr` raises it.
        NotRepresentableError
            If places would take more than `most_bytes`, or blocks more than CRS; an
            offset exceeds 16 bits; or it has more than 2^31 - 1 steps.
        """
        from gpu.formats.sliced import filling

        csr = canonical_csr(matrix)
        shape = (int(csr.shape[0]), int(csr.shape[1]))
        block = slicing.block
        pointers, indices = pattern_of_blocks(csr.indptr, csr.indices, block)
        slicing = slicing.with_threads_per_row(len(pointers) - 1, len(indices) / max(1, len(pointers) - 1))
        starts, lengths, targets, split_rows, split_ptr = virtual_rows(pointers, slicing.row_cap)
        order, in_order = row_order(lengths, slicing.sorting_window)

        height = slicing.slice_height or single_slice_height(len(lengths))
        slices = -(-len(lengths) // height)
        first_step = first_steps(lengths[order], slices, height, slicing.group)
        refuse_steps(int(first_step[-1]))
        entries = int(first_step[-1]) * height * slicing.group
        slicing, step_base, bases = with_index_bits(
            slicing, order, starts, lengths, indices, first_step, height
        )
        masked = block > 1 and elements(lengths, shape[0], block) != csr.nnz
        refuse_growth(csr, entries, slicing, masked, most_bytes)

        columns = np.empty(entries, dtype=f"uint{slicing.index_bits}")
        masks = np.empty(entries if masked else 0, dtype=np.uint16)
        values = np.empty(entries * block**2, dtype=csr.data.dtype)
        layout = (first_step, step_base, height, slicing.group)
        if block > 1:
            filling.fill_blocks(
                order,
                pointers,
                indices,
                csr.indptr,
                csr.indices,
                csr.data,
                *layout,
                block,
                columns,
                masks,
                values,
            )
        else:
            filling.fill(order, starts, lengths, indices, csr.data, *layout, columns, values)
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
            masks=masks,
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
        return len(self.columns)

    @property
    def nnz(self) -> int:
        """Stored entries of the matrix, explicit zeros included, padding not."""
        if self.slicing.block == 1:
            return int(np.count_nonzero(self.columns != self.padding))
        return len(self._stored()[0])

    @property
    def padding(self) -> int:
        """The column that marks padding: 65535 or 2^32 - 1."""
        return int(np.iinfo(self.columns.dtype).max)

    def structure(self) -> Mapping[str, int]:
        """Return the slices, and the places for entries, padding included."""
        return {"slices": self.slices, "places": self.entries}

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, in storage order, without padding."""
        return self._stored()[:2]

    def triplets(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return row, column (int64) and value of each entry, in storage order, without padding."""
        rows, columns, place = self._stored()
        return rows, columns, self.values[place]

    def _entries(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return where each entry stands, its row and its column, without padding; of blocks if it is one."""
        real = np.flatnonzero(self.columns != self.padding)
        step, within = np.divmod(real, self.slice_height * self.slicing.group)
        slice_of_step = np.repeat(np.arange(self.slices), sizes_of(self.slice_ptr))
        position = slice_of_step[step] * self.slice_height + within // self.slicing.group
        rows = self.perm[position].astype(np.int64) if len(self.perm) else position
        pieces = np.repeat(self.split_rows, sizes_of(self.split_ptr)).astype(np.int64)
        in_pieces = rows >= self._rows
        rows[in_pieces] = pieces[rows[in_pieces] - self._rows]
        columns = self.columns[real].astype(np.int64)
        if len(self.bases):
            columns += self.bases[step if self.slicing.base_per_step else slice_of_step[step]]
        return real, rows, columns

    @property
    def _rows(self) -> int:
        """Rows, or rows of blocks."""
        return -(-self.shape[0] // self.slicing.block)

    def _stored(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return row and column of each element that the matrix has, and where its value stands."""
        real, rows, columns = self._entries()
        block, group = self.slicing.block, self.slicing.group
        if block == 1:
            return rows, columns, real
        step, within = np.divmod(real, self.slice_height * group)
        row, lane = np.divmod(within, group)
        r, k = np.arange(block)[:, None], np.arange(block)
        in_step, planes = step[:, None, None] * block + k, row[:, None, None] * block + r
        place = (in_step * self.slice_height * block + planes) * group + lane[:, None, None]
        of_rows, of_columns = np.broadcast_arrays(
            rows[:, None, None] * block + r, columns[:, None, None] * block + k
        )
        has = of_rows < self.shape[0]
        if len(self.masks):
            has &= (self.masks[real][:, None, None] >> (r * block + k)) & 1 == 1
        return of_rows[has], of_columns[has], place[has]

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        step = self.slice_height * self.slicing.group
        require(self.entries % step == 0, f"columns must fill whole steps of {step}")
        check_pointers("slice_ptr", self.slice_ptr.astype(np.int64), self.slices, self.entries // step)
        values = self.entries * self.slicing.block**2
        require(len(self.values) == values, f"values must have {values} elements for these columns")
        require(len(self.masks) in (0, self.entries), "masks must be as many as columns, or none")
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
        check_range("split_rows", self.split_rows, self._rows)
        if len(self.perm):
            check_named(self.perm, self._rows, self.split_rows, pieces)
        self._check_entries()
        self._check_rows()

    def _check_entries(self) -> None:
        """Check that entries lie within the matrix, and that all values but theirs are 0."""
        self.check_coordinates()
        padding = np.ones(len(self.values), dtype=bool)
        padding[self._stored()[2]] = False
        require(not self.values[padding].any(), "padding must have the value 0")

    def _check_rows(self) -> None:
        """Check that the padding of a row stands after its entries, and how many these are."""
        widths = sizes_of(self.slice_ptr) * self.slicing.group
        height, group = self.slice_height, self.slicing.group
        for s in range(self.slices):
            part = slice(int(self.slice_ptr[s]) * height * group, int(self.slice_ptr[s + 1]) * height * group)
            rows = self.columns[part].reshape(-1, height, group).transpose(1, 0, 2).reshape(height, widths[s])
            stored = rows != self.padding
            require((stored[:, :-1] >= stored[:, 1:]).all(), "padding must stand after the entries of a row")
            if len(self.lengths):
                lengths = self.lengths[s * height : (s + 1) * height]
                require((stored.sum(axis=1) == lengths).all(), "lengths must count the entries of each row")


def _padded(values: Any, positions: int, padding: int) -> UIntArray:
    if len(values) == 0:
        return np.zeros(0, dtype=np.uint32)
    padded = np.full(positions, padding, dtype=np.uint32)
    padded[: len(values)] = values
    return padded
