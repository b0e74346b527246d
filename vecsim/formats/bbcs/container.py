"""Block Based Compression Storage: block columns as wide as a section, stored by row without row numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isa.semantics.sparse import descriptor_bytes
from vecsim.formats import storage
from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import FormatBase
from vecsim.formats.bbcs.insertion import INSERTION
from vecsim.formats.canonical_csr import canonical_csr, rows_of_csr
from vecsim.formats.image import Image, Layout, allocate, blank, int32, value_field, write_fields
from vecsim.formats.insertion import Insertion, Steps
from vecsim.formats.invariants import check_pointers, check_range, require
from vecsim.formats.pointers import pointers_of
from vecsim.formats.section_size import blocks_along, is_section_size, section_bits


@dataclass(frozen=True, eq=False, repr=False)
class BBCS(FormatBase):
    """A matrix in Block Based Compression Storage (HiSM paper, section 3).

    An entry is a non-zero or a zero-row entry. A zero-row entry says how many empty rows of its block
    column follow at that point; it stands before the next non-empty row, so neither after the last
    one nor in an empty block column. The paper's text names only the end-of-row flag; counting empty
    rows in entries follows the format's first description (Euro-Par 1999).

    Attributes
    ----------
    shape
        Rows M and columns N.
    section_size
        s, the width of a block column.
    block_ptr
        int64 of NB + 1: where the entries of each block column begin, then their number.
    values
        float32 or float64, one an entry; 0 in zero-row entries.
    column
        uint16, column within the block; 0 in zero-row entries.
    end_of_row
        bool, whether the entry is the last of its row in the block column.
    zero_rows
        int32, how many empty rows a zero-row entry stands for; 0 marks a non-zero.
    """

    accountings: ClassVar[tuple[str, ...]] = storage.ACCOUNTINGS

    shape: Shape
    section_size: int
    block_ptr: IntArray
    values: FloatArray
    column: NDArray[np.uint16]
    end_of_row: NDArray[np.bool_]
    zero_rows: NDArray[np.int32]

    @classmethod
    def from_scipy(cls, matrix: Any, *, section_size: int) -> Self:
        """Convert a SciPy sparse matrix.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.
        section_size
            s, a power of two from 4 to 4096.

        Raises
        ------
        UserError
            If the section size is not possible, or the matrix not real, not of two dimensions or too large.
        """
        bits = section_bits(section_size)
        csr = canonical_csr(matrix)
        shape = (int(csr.shape[0]), int(csr.shape[1]))
        blocks = blocks_along(shape[1], section_size)
        block = csr.indices >> bits
        # CSR already runs by row and column, so a stable sort by block column is the whole order;
        # 16-bit keys sort in linear time.
        by_block = np.argsort(block.astype(np.uint16) if blocks <= 2**16 else block, kind="stable")
        block = block[by_block]
        row = rows_of_csr(csr.indptr)[by_block]

        same_block = block[1:] == block[:-1]
        same_row = same_block & (row[1:] == row[:-1])
        # Empty rows before each non-zero: after the one before it, or from the top of its block column.
        above = np.concatenate(([-1], np.where(same_block, row[:-1], -1))) if csr.nnz else row
        gap = np.maximum(row - above - 1, 0)
        place = np.arange(csr.nnz) + np.cumsum(gap > 0)
        entries = csr.nnz + int(np.count_nonzero(gap))

        zero_rows = np.zeros(entries, dtype=np.int32)
        zero_rows[place[gap > 0] - 1] = gap[gap > 0]
        values = np.zeros(entries, dtype=csr.data.dtype)
        values[place] = csr.data[by_block]
        column = np.zeros(entries, dtype=np.uint16)
        column[place] = csr.indices[by_block] & (section_size - 1)
        end_of_row = np.zeros(entries, dtype=np.bool_)
        end_of_row[place] = np.concatenate((~same_row, [True])) if csr.nnz else False
        lengths = np.bincount(block, minlength=blocks) + np.bincount(block[gap > 0], minlength=blocks)
        block_ptr = pointers_of(lengths)
        return cls(shape, int(section_size), block_ptr, values, column, end_of_row, zero_rows)

    @property
    def nnz(self) -> int:
        """Stored entries of the matrix, explicit zeros included, zero-row entries not."""
        return self.entries - self.zero_row_entries

    @property
    def entries(self) -> int:
        """All entries, zero-row entries included."""
        return len(self.values)

    @property
    def zero_row_entries(self) -> int:
        """Entries that stand for empty rows."""
        return int(np.count_nonzero(self.zero_rows))

    @property
    def blocks(self) -> int:
        """NB, the number of block columns, empty ones included."""
        return len(self.block_ptr) - 1

    @property
    def descriptor_bytes(self) -> int:
        """Bytes of a descriptor in memory: log2(s) + 2 bits, rounded up."""
        return descriptor_bytes(self.section_size)

    def entry_rows(self) -> IntArray:
        """Return the row of each entry, int64; of a zero-row entry, the first row that it stands for."""
        # The rows ended and skipped before it in its block column.
        passed = np.zeros(self.entries + 1, dtype=np.int64)
        np.cumsum(self.end_of_row + self.zero_rows, out=passed[1:])
        rows: IntArray = passed[:-1] - np.repeat(passed[self.block_ptr[:-1]], np.diff(self.block_ptr))
        return rows

    def structure(self) -> Mapping[str, int]:
        """Return the numbers of block columns, of all entries, and of those that stand for empty rows."""
        return {
            "block_columns": self.blocks,
            "entries": self.entries,
            "zero_row_entries": self.zero_row_entries,
        }

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each non-zero, int64, in storage order, without zero-row entries."""
        block = np.repeat(np.arange(self.blocks), np.diff(self.block_ptr))
        columns = block * self.section_size + self.column
        real = self.zero_rows == 0
        return self.entry_rows()[real], columns[real]

    def triplets(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return row, column (int64) and value of each non-zero, in storage order."""
        return *self.coordinates(), self.values[self.zero_rows == 0]

    def insert(self, row: int, column: int, value: float) -> "Insertion[BBCS]":
        """Insert an element, or replace its value where the position is stored already.

        The entry joins its block column; the flag of the entry before it, the zero-row entry in whose run
        it falls, and the length of the block column change with it. Other block columns stay.

        Parameters
        ----------
        row, column
            The position, counted from 0.
        value
            A finite real number; it is rounded to the type of the matrix.

        Returns
        -------
        Insertion
            The new matrix and the steps it took, counted as `insertion_steps` says. This matrix is left as
            it was; the two share the arrays that did not change.

        Raises
        ------
        UserError
            If the position lies outside the matrix or the value cannot be stored.
        """
        return INSERTION.insert(self, row, column, value)

    def insertion_steps(self, rows: ArrayLike, columns: ArrayLike) -> tuple[Steps[IntArray]]:
        """Count the steps of inserting single elements, each into this very matrix.

        Compared are the entries of the block column, zero-row entries among them, from its first: only
        they tell which row is reached. The search ends at the element's place, or after the entry that
        ends the element's row. Displaced are the later entries of the block column; where a zero-row
        entry splits in two they move by two places and count once, and the first half stays in place.
        Updated are the length of the block column, the flag of the entry that ended the row so far, and
        the count of a zero-row entry. A zero-row entry for the element's row alone is overwritten, which
        moves nothing. A position that is stored costs its comparisons alone.

        What a comparison, a displacement and an update are stands in `vecsim.formats.insertion`.

        Parameters
        ----------
        rows, columns
            Positions, counted from 0: vectors of integers, equally long.

        Returns
        -------
        tuple of Steps
            One part; each count is int64, one a position.

        Raises
        ------
        UserError
            If the vectors are no such positions.
        """
        return INSERTION.count(self, rows, columns)

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        require(is_section_size(self.section_size), "section_size must be a power of two from 4 to 4096")
        blocks = blocks_along(self.shape[1], self.section_size)
        check_pointers("block_ptr", self.block_ptr, blocks, self.entries)
        for name, array in (
            ("column", self.column),
            ("end_of_row", self.end_of_row),
            ("zero_rows", self.zero_rows),
        ):
            require(len(array) == self.entries, f"{name} and values must be equally long")
        check_range("column", self.column, self.section_size)
        require((self.zero_rows >= 0).all(), "zero_rows must not be negative")

        zero_row = self.zero_rows > 0
        require(not (zero_row & self.end_of_row).any(), "a zero-row entry must not end a row")
        plain = (self.values == 0) & (self.column == 0)
        require(plain[zero_row].all(), "a zero-row entry must have value 0 and column 0")

        non_empty = np.diff(self.block_ptr) > 0
        last = self.block_ptr[1:][non_empty] - 1
        require(self.end_of_row[last].all(), "the last entry of a block column must end a row")
        in_row = ~self.end_of_row[:-1] & ~zero_row[:-1]
        require(not (in_row & zero_row[1:]).any(), "a zero-row entry must not stand within a row")
        require(not (zero_row[:-1] & zero_row[1:]).any(), "zero-row entries must not follow one another")
        rising = self.column[1:] > self.column[:-1]
        require(rising[in_row].all(), "column must rise within a row of a block column")

        self.check_coordinates()

    def image(self, layout: Layout) -> Image:
        """Build the memory image.

        An entry is a value and a descriptor of `descriptor_bytes`: the column in the low log2(s) bits,
        then one bit for the end of a row and one for a zero-row entry. A zero-row entry's value begins
        with its int32 count. The entries of each block column start aligned.

        Symbols: ROWS, COLS, NNZ, BLOCKS, DESCRIPTOR_BYTES; the addresses ENTRIES (the first block
        column), BLOCKPTR (int32, address of each block column) and BLOCKLEN (int32, its entries).

        Raises
        ------
        UserError
            If it does not fit the address space.
        """
        record = layout.value_bytes + self.descriptor_bytes
        lengths = np.diff(self.block_ptr)
        starts, entries_end = allocate(layout, layout.base, lengths * record)
        tables, end = allocate(layout, entries_end, np.full(2, 4 * self.blocks, dtype=np.int64))
        data = blank(layout, end)

        ordinal = np.arange(self.entries) - np.repeat(self.block_ptr[:-1], lengths)
        offsets = np.repeat(starts - layout.base, lengths) + ordinal * record
        write_fields(
            data, offsets, [(0, value_field(layout, self.values)), (layout.value_bytes, self.descriptors())]
        )
        counted = np.flatnonzero(self.zero_rows)
        write_fields(data, offsets[counted], [(0, int32(self.zero_rows[counted]))])
        for table, contents in zip(tables.tolist(), (starts, lengths), strict=True):
            data[table - layout.base :][: 4 * self.blocks] = int32(contents).view(np.uint8)
        symbols = {
            "ROWS": self.shape[0],
            "COLS": self.shape[1],
            "NNZ": self.nnz,
            "BLOCKS": self.blocks,
            "DESCRIPTOR_BYTES": self.descriptor_bytes,
            "ENTRIES": layout.align(layout.base),
            "BLOCKPTR": int(tables[0]),
            "BLOCKLEN": int(tables[1]),
        }
        return Image(layout.base, data, symbols)

    def descriptors(self) -> NDArray[Any]:
        """Return the descriptors of the memory image, one an entry, of `descriptor_bytes` each."""
        bits = section_bits(self.section_size)
        descriptor = self.column | (self.end_of_row.astype(np.uint16) << bits)
        descriptor |= (self.zero_rows > 0).astype(np.uint16) << (bits + 1)
        return descriptor.astype(f"<u{self.descriptor_bytes}")

    def storage(self, accounting: str) -> int:
        """Return the bytes the matrix takes by a named accounting of `vecsim.formats.storage`."""
        return storage.bbcs_bytes(
            accounting,
            nnz=self.nnz,
            entries=self.entries,
            blocks=self.blocks,
            descriptor_bytes=self.descriptor_bytes,
            value_bytes=self.values.dtype.itemsize,
        )
