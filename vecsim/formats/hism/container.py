"""Hierarchical Sparse Matrix: s x s blocks of entries, s x s blocks of pointers to them, and so on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vecsim.formats import storage
from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import FormatBase
from vecsim.formats.canonical_csr import canonical_csr, rows_of_csr
from vecsim.formats.hism.image import default_position_bytes, hism_image
from vecsim.formats.hism.insertion import INSERTION
from vecsim.formats.hism.level import Level
from vecsim.formats.image import Image, Layout
from vecsim.formats.insertion import Insertion, Steps
from vecsim.formats.invariants import check_pointers, check_range, require
from vecsim.formats.section_size import is_section_size, section_bits
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

Order = Literal["row", "column"]

DEFAULT_ORDER: tuple[Order, ...] = ("row", "column", "row")
"""The paper stores level 0 row-wise and level 1 column-wise (section 2); above that it leaves it open."""


@dataclass(frozen=True, eq=False, repr=False)
class HiSM(FormatBase):
    """A matrix in the Hierarchical Sparse Matrix format (HiSM paper, section 2).

    Everything is sorted by one key that runs from the top level down, so entry e of level l + 1,
    counted over all its arrays, points to array e of level l, and no pointers are stored.

    Attributes
    ----------
    shape
        Rows M and columns N.
    section_size
        s, the side of a block.
    order
        For each level, level 0 first, whether the entries of an array run by "row" or by "column".
    levels
        Level 0 first; as many as s x s blocks need to cover the matrix, so one for a matrix up to s x s.
        The top level has one array, which alone may be empty (in a matrix without entries).
    values
        float32 or float64, one an entry of level 0.
    """

    accountings: ClassVar[tuple[str, ...]] = storage.ACCOUNTINGS

    shape: Shape
    section_size: int
    order: tuple[Order, ...]
    levels: tuple[Level, ...]
    values: FloatArray

    @classmethod
    def from_scipy(cls, matrix: Any, *, section_size: int, order: Sequence[Order] = DEFAULT_ORDER) -> Self:
        """Convert a SciPy sparse matrix.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.
        section_size
            s, a power of two from 4 to 4096.
        order
            "row" or "column" for each level, level 0 first; the last one given repeats upwards.

        Raises
        ------
        UserError
            If the section size or the order is not possible, or the matrix not real, not of two
            dimensions or too large.
        """
        bits = section_bits(section_size)
        if not order or not set(order) <= {"row", "column"}:
            raise UserError(f"order {tuple(order)} is not possible: name 'row' or 'column' for each level")
        csr = canonical_csr(matrix)
        shape = (int(csr.shape[0]), int(csr.shape[1]))
        count = level_count(shape, section_size)
        orders = tuple(order[min(level, len(order) - 1)] for level in range(count))

        fields = _key_fields(shape, bits, orders)
        key = _keys(rows_of_csr(csr.indptr), csr.indices.astype(np.int64), bits, fields)
        by_key = np.argsort(key)
        levels = _levels_from_keys(key[by_key], fields)
        return cls(shape, int(section_size), orders, levels, csr.data[by_key])

    @property
    def level_entries(self) -> tuple[int, ...]:
        """Entries of each level, level 0 (non-zeros) first, then pointers."""
        return tuple(level.entries for level in self.levels)

    @property
    def level_arrays(self) -> tuple[int, ...]:
        """Block arrays of each level, level 0 first."""
        return tuple(level.arrays for level in self.levels)

    def structure(self) -> Mapping[str, tuple[int, ...]]:
        """Return block arrays and entries of each level, level 0 first."""
        return {"level_arrays": self.level_arrays, "level_entries": self.level_entries}

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry of level 0, int64, in storage order."""
        rows = np.zeros(1, dtype=np.int64)
        columns = np.zeros(1, dtype=np.int64)
        for level in reversed(self.levels):
            lengths = np.diff(level.array_ptr)
            rows = np.repeat(rows * self.section_size, lengths) + level.row
            columns = np.repeat(columns * self.section_size, lengths) + level.column
        return rows, columns

    def insert(self, row: int, column: int, value: float) -> "Insertion[HiSM]":
        """Insert an element, or replace its value where the position is stored already.

        Only the block arrays on the path from the top to the element's block are touched. The lowest of
        them that exists takes up one entry; below it, each level gets a new array of one entry. Levels
        above keep their very arrays.

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

    def insertion_steps(self, rows: ArrayLike, columns: ArrayLike) -> tuple[Steps[IntArray], ...]:
        """Count the steps of inserting single elements, each into this very matrix.

        On each level that has a block array on the path, compared are the positions of its entries from
        the first, up to one that does not lie before the element. In the array that takes up an entry,
        the later ones are displaced, pointers with their lengths, and its length is updated. New arrays
        are written, which counts nothing. A position that is stored costs its comparisons alone.

        What a comparison, a displacement and an update are stands in `vecsim.formats.insertion`.

        Parameters
        ----------
        rows, columns
            Positions, counted from 0: vectors of integers, equally long.

        Returns
        -------
        tuple of Steps
            One part a level, level 0 first; each count is int64, one a position.

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
        count = level_count(self.shape, self.section_size)
        require(
            len(self.levels) == count, f"the matrix needs {counted(count, 'level')}, has {len(self.levels)}"
        )
        require(len(self.order) == count, "order must name every level")
        for number in reversed(range(count)):
            top = number == count - 1
            arrays = 1 if top else self.levels[number + 1].entries
            _check_level(
                f"level {number}", self.levels[number], arrays, self.order[number], self.section_size
            )
            lengths = np.diff(self.levels[number].array_ptr)
            empty_matrix = top and self.nnz == 0
            require(empty_matrix or (lengths > 0).all(), f"level {number} must have no empty block array")
        require(self.levels[0].entries == self.nnz, "values must have one element an entry of level 0")
        self.check_coordinates()

    def image(self, layout: Layout, position_bytes: int | None = None) -> Image:
        """Build the memory image.

        An entry is a value (at level 0) or a 4-byte pointer, then column and row in the block,
        `position_bytes` each. Levels lie in order from level 0 up, every block array aligned; from
        level 1 up an array is followed, aligned, by the int32 lengths (in entries) of the arrays it
        points to.

        Symbols: ROWS, COLS, NNZ, LEVELS, POSITION_BYTES, ROOT (address of the top array) and
        ROOT_LENGTH (its entries).

        Parameters
        ----------
        layout
            Where the image starts, the type of the values and the alignment.
        position_bytes
            1, for section sizes up to 256, or 2; None takes the narrower one that is possible.

        Raises
        ------
        UserError
            If the image does not fit the address space or the positions do not fit their bytes.
        """
        image = hism_image(layout, self.section_size, self.levels, self.values, position_bytes)
        sizes = {"ROWS": self.shape[0], "COLS": self.shape[1], "NNZ": self.nnz}
        return Image(image.base, image.data, {**sizes, **image.symbols})

    def storage(self, accounting: str) -> int:
        """Return the bytes the matrix takes by a named accounting of `vecsim.formats.storage`."""
        return storage.hism_bytes(
            accounting,
            level_entries=self.level_entries,
            position_bytes=default_position_bytes(self.section_size),
            value_bytes=self.values.dtype.itemsize,
        )


def level_count(shape: Shape, section_size: int) -> int:
    """Return how many levels a matrix has: max(ceil(log_s M), ceil(log_s N)) as in the paper, at least 1."""
    levels = 1
    while section_size**levels < max(shape):
        levels += 1
    return levels


@dataclass(frozen=True)
class _Field:
    """The bits of one level in the sort key: `major` above `minor`, from bit `shift` up."""

    order: Order
    row_bits: int
    column_bits: int
    shift: int

    @property
    def end(self) -> int:
        return self.shift + self.row_bits + self.column_bits


def _key_fields(shape: Shape, bits: int, orders: Sequence[Order]) -> list[_Field]:
    # A level takes only the bits that its positions can have, so a key never has more than
    # the 31 + 31 bits of a row and a column.
    fields: list[_Field] = []
    for level, order in enumerate(orders):
        left = [max(max(extent - 1, 0).bit_length() - level * bits, 0) for extent in shape]
        shift = fields[-1].end if fields else 0
        fields.append(_Field(order, min(left[0], bits), min(left[1], bits), shift))
    return fields


def _keys(rows: IntArray, columns: IntArray, bits: int, fields: Sequence[_Field]) -> IntArray:
    key = np.zeros(len(rows), dtype=np.int64)
    for level, field in enumerate(fields):
        row = (rows >> level * bits) & ((1 << field.row_bits) - 1)
        column = (columns >> level * bits) & ((1 << field.column_bits) - 1)
        if field.order == "row":
            key |= ((row << field.column_bits) | column) << field.shift
        else:
            key |= ((column << field.row_bits) | row) << field.shift
    return key


def _levels_from_keys(key: IntArray, fields: Sequence[_Field]) -> tuple[Level, ...]:
    levels = []
    for field in fields:
        parents = key >> field.end
        first = np.flatnonzero(np.concatenate(([True], parents[1:] != parents[:-1]))[: len(key)])
        starts = first if len(key) or field is not fields[-1] else np.zeros(1, dtype=np.int64)
        row, column = _positions(key >> field.shift, field)
        levels.append(Level(np.append(starts, len(key)), row, column))
        # Its arrays are the entries of the next level; that level's bits are in the key of any entry.
        key = key[first]
    return tuple(levels)


def _positions(key: IntArray, field: _Field) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    by_row = field.order == "row"
    minor_bits = field.column_bits if by_row else field.row_bits
    major_bits = field.row_bits if by_row else field.column_bits
    minor = (key & ((1 << minor_bits) - 1)).astype(np.uint16)
    major = ((key >> minor_bits) & ((1 << major_bits) - 1)).astype(np.uint16)
    return (major, minor) if by_row else (minor, major)


def _check_level(name: str, level: Level, arrays: int, order: Order, section_size: int) -> None:
    require(len(level.row) == len(level.column), f"{name}: row and column must be equally long")
    check_pointers(f"{name}: array_ptr", level.array_ptr, arrays, level.entries)
    check_range(f"{name}: row", level.row, section_size)
    check_range(f"{name}: column", level.column, section_size)
    major, minor = (level.row, level.column) if order == "row" else (level.column, level.row)
    rank = major.astype(np.int64) * section_size + minor
    starts_array = np.zeros(level.entries + 1, dtype=np.bool_)
    starts_array[level.array_ptr] = True
    rising = (np.diff(rank) > 0) | starts_array[1:-1]
    require(rising.all(), f"{name}: entries of an array must run by {order}, each position once")
