"""Sliced ELL for skewed matrices: lanes by row length, near columns in 16 bits, far ones in 32."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from isa.errors import UserError

from . import mixed_sliced_filling as filling
from .coordinates import (
    FloatArray,
    IntArray,
    Shape,
    canonical_csr,
    check_pointers,
    check_range,
    require,
)
from .mixed_sliced_filling import NEAR_COLUMNS
from .sliced import ALWAYS_MADE_BYTES, MAX_GROWTH, NO_ROW, NotRepresentableError, UIntArray
from .slicing import WARP, WIDTHS
from .stored_arrays import StoredArrays
from .structure import Structure, Work

# Steps of a thread: enough entries for a matrix to fill a large GPU (8,192 warps, twice), and not so many
# that the last warps run alone.
ENTRIES_OF_A_STEP = WARP * 2**14
FEWEST_STEPS, MOST_STEPS = 4, 64
# A length of a lane has 8 bits.
MOST_LANE_STEPS = 255
# Up to so many entries a second kernel costs more than a warp that works longer than the others.
SMALL = 2**20


@dataclass(frozen=True)
class MixedSlicing:
    """The parameters of `MixedSliced`.

    Attributes
    ----------
    hubs
        Whether near columns are the 65,535 with most entries, wherever they are; else those at the base of
        a window of rows.
    sorting_window
        Rows are sorted by falling number of entries within each run of so many rows; None sorts all.
    steps
        Steps that one thread takes for a row, about: longer rows get more lanes, up to a warp, and beyond
        that are cut in pieces. None takes what fills a large GPU; in a small matrix it cuts no row of up to
        2,048 entries, so that one kernel does all.
    wide
        Entries of a row that a thread loads at once: 1, 2 or 4.
    lane_lengths
        Whether the steps of each lane are kept, so that padding is not read. Rows sorted in short windows
        keep their neighbourhood in x and are padded much.

    Raises
    ------
    UserError
        If a value is not possible.
    """

    hubs: bool = False
    sorting_window: int | None = 512
    steps: int | None = None
    wide: int = 1
    lane_lengths: bool = True

    def __post_init__(self) -> None:
        for name in ("sorting_window", "steps"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UserError(f"{name} {value} is not possible: use 1 or more, or None")
        if self.steps is not None and self.steps > MOST_LANE_STEPS:
            raise UserError(f"steps {self.steps} is not possible: use at most {MOST_LANE_STEPS}, or None")
        if self.wide not in WIDTHS:
            raise UserError(f"wide {self.wide} is not possible: use one of 1, 2, 4")

    def steps_for(self, entries: int, longest: int) -> tuple[int, int]:
        """Give the steps of a thread, and of a warp that has a row to itself before the row is cut.

        Parameters
        ----------
        entries
            All entries of the matrix.
        longest
            Those of its longest row.
        """
        steps = self.steps or min(MOST_STEPS, max(FEWEST_STEPS, entries // ENTRIES_OF_A_STEP))
        whole = -(-longest // WARP)
        if self.steps is None and entries <= SMALL and whole <= MOST_STEPS:
            return steps, max(steps, whole)
        return steps, steps


MIXED_SLICINGS: dict[str, MixedSlicing] = {
    "sell-near": MixedSlicing(),
    "sell-near-wide": MixedSlicing(wide=2),
    "sell-hubs": MixedSlicing(hubs=True, sorting_window=None, wide=2, lane_lengths=False),
}


@dataclass(frozen=True, eq=False)
class MixedSliced(StoredArrays):
    """A matrix in slices of a warp, each with as many lanes a row as its rows are long.

    Rows are sorted by length (SELL-C-sigma: Kreutzer et al. 2014). Where a row would take more than
    `MixedSlicing.steps` steps of one thread, the slice has 2, 4 .. 32 lanes a row and so fewer rows, and all
    threads of a product have about the same work in one kernel. Rows too long even for a warp are cut in
    pieces, whose sums are added in their order.

    Most entries of skewed matrices stand in few columns, so most columns fit 16 bits. A slice stores the near
    entries of its rows first, then the far ones. With `MixedSlicing.hubs`, near columns are numbered by
    falling count, and a product copies their elements of x into that order: often-read ones stand side by
    side and stay in the L1 cache.

    Entry j of the near (or far) entries of a row with L lanes, the first of them l, is entry ``j // L`` of
    lane ``l + j % L``. Entry t of a lane stands at ``((t // wide) * 32 + lane) * wide + t % wide`` within the
    near (far) entries of the slice. The columns of near and far entries are arrays of their own.

    Attributes
    ----------
    shape
        Rows M and columns N.
    slicing
        How the matrix is arranged.
    step_ptr
        uint32 of S + 1: the step at which each slice begins, then their number. A step holds 32 entries.
    near_ptr
        uint32 of S + 1: the near steps before each slice, then their number; far ones are the other steps.
    lanes
        uint8 of S: lanes a row, a power of two.
    bases
        uint32 of S: the first near column of each slice; empty with hubs.
    hubs
        uint32: columns by falling count, at most 65,535; empty without hubs.
    perm
        uint32 of 32 S: the row of which each lane is the first; M + p for piece p of the rows in pieces;
        2^32 - 1 where there is none.
    near_lengths, far_lengths
        uint8 of 32 S: the near and the far steps in which each lane has an entry; empty without
        `MixedSlicing.lane_lengths`.
    near_columns
        uint16: 1 + the column's number in `hubs`, or its offset from the base; 0 is padding.
    far_columns
        uint32: 1 + the column; 0 is padding.
    values
        float32 or float64, for each slice those of its near steps, then of its far steps; 0 in padding.
    split_rows
        uint32: the rows that are in pieces, rising.
    split_ptr
        uint32, one more: where the pieces of each begin, then their number.
    """

    shape: Shape
    slicing: MixedSlicing
    step_ptr: UIntArray
    near_ptr: UIntArray
    lanes: NDArray[np.uint8]
    bases: UIntArray
    hubs: UIntArray
    perm: UIntArray
    near_lengths: NDArray[np.uint8]
    far_lengths: NDArray[np.uint8]
    near_columns: NDArray[np.uint16]
    far_columns: UIntArray
    values: FloatArray
    split_rows: UIntArray
    split_ptr: UIntArray

    @classmethod
    def from_scipy(cls, matrix: Any, *, slicing: MixedSlicing | str = "sell-near") -> Self:
        """Convert a SciPy sparse matrix, in compiled loops over all cores.

        Parameters
        ----------
        matrix
            Any sparse matrix or array; duplicates are summed, explicit zeros kept.
        slicing
            The arrangement, or the name of one of `MIXED_SLICINGS`.

        Raises
        ------
        UserError
            If it is not a real matrix of two dimensions, or too large; or the arrangement is unknown.
        NotRepresentableError
            If padding would make it larger than four times CRS (and a MiB).
        """
        slicing = _slicing(slicing)
        csr = canonical_csr(matrix)
        plan = _Plan.of(Structure.of(csr), slicing)
        if not plan.structure.allows(plan.stored_bytes):
            raise NotRepresentableError(
                f"padding would make {plan.stored_bytes} bytes of a matrix that takes "
                f"{plan.structure.crs_bytes} in CRS, over {MAX_GROWTH} times as many and "
                f"{ALWAYS_MADE_BYTES}: use a larger sorting_window, or CRS"
            )
        codes, ordered = np.empty(csr.nnz, dtype=np.uint32), np.empty_like(csr.data)
        filling.near_first(
            csr.indptr,
            csr.indices,
            csr.data,
            plan.near_of_row,
            plan.window_bases,
            plan.window,
            plan.ranks,
            codes,
            ordered,
        )
        near_entries = int(plan.near_ptr[-1]) * WARP
        entries = int(plan.step_ptr[-1]) * WARP
        near_columns = np.zeros(near_entries, dtype=np.uint16)
        far_columns = np.zeros(entries - near_entries, dtype=np.uint32)
        values = np.zeros(entries, dtype=csr.data.dtype)
        filling.fill(
            plan.starts,
            plan.near,
            plan.far,
            codes,
            ordered,
            plan.first,
            plan.last,
            plan.lanes,
            plan.step_ptr,
            plan.near_ptr,
            slicing.wide,
            near_columns,
            far_columns,
            values,
        )
        return cls(
            shape=plan.structure.shape,
            slicing=slicing,
            step_ptr=plan.step_ptr.astype(np.uint32),
            near_ptr=plan.near_ptr.astype(np.uint32),
            lanes=plan.lanes.astype(np.uint8),
            bases=plan.bases.astype(np.uint32),
            hubs=plan.hubs.astype(np.uint32),
            perm=plan.perm,
            near_lengths=plan.lane_lengths(plan.near),
            far_lengths=plan.lane_lengths(plan.far),
            near_columns=near_columns,
            far_columns=far_columns,
            values=values,
            split_rows=plan.split_rows.astype(np.uint32),
            split_ptr=plan.split_ptr.astype(np.uint32),
        )

    @property
    def slices(self) -> int:
        """S, the number of slices."""
        return len(self.lanes)

    @property
    def nnz(self) -> int:
        """Stored entries of the matrix, explicit zeros included, padding not."""
        return int(np.count_nonzero(self.near_columns) + np.count_nonzero(self.far_columns))

    @cached_property
    def _entries(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Row, column and value of each entry, without padding, by rows as a product takes them."""
        parts = []
        for near in (True, False):
            columns = self.near_columns if near else self.far_columns
            steps = _parts(self.near_ptr) if near else _parts(self.step_ptr) - _parts(self.near_ptr)
            begin = self.step_ptr[:-1].astype(np.int64) + (0 if near else _parts(self.near_ptr))
            slice_of = np.repeat(np.arange(self.slices), steps * WARP)
            within = np.arange(len(columns)) - np.repeat((np.cumsum(steps) - steps) * WARP, steps * WARP)
            group, place = np.divmod(within, WARP * self.slicing.wide)
            lane, step = place // self.slicing.wide, group * self.slicing.wide + place % self.slicing.wide
            lanes = self.lanes[slice_of].astype(np.int64)
            row = self.perm[slice_of * WARP + lane // lanes * lanes].astype(np.int64)
            j = step * lanes + lane % lanes
            column = columns.astype(np.int64) - 1
            if near and not self.slicing.hubs:
                column += self.bases[slice_of]
            elif near and len(self.hubs):
                column = self.hubs[np.maximum(column, 0)].astype(np.int64)
            value = self.values[begin[slice_of] * WARP + within]
            parts.append((row, np.full(len(row), 1 - near), j, column, value, columns > 0))
        row, far, j, column, value, stored = (np.concatenate(each) for each in zip(*parts, strict=True))
        piece = np.maximum(0, row - self.shape[0]) * (row >= self.shape[0])
        whole = np.repeat(self.split_rows, _parts(self.split_ptr)).astype(np.int64)
        in_pieces = (row >= self.shape[0]) & stored
        row[in_pieces] = whole[piece[in_pieces]]
        order = np.lexsort((j, far, piece, row))
        order = order[stored[order]]
        return row[order], column[order], value[order]

    def coordinates(self) -> tuple[IntArray, IntArray]:
        """Return row and column of each entry, int64, without padding: by rows, those of a row in order."""
        return self._entries[0], self._entries[1]

    def entry_values(self) -> FloatArray:
        """Return the values that belong to `coordinates`."""
        return self._entries[2]

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        require(len(self.values) % WARP == 0, f"values must fill whole steps of {WARP}")
        for name, pointers, entries in (
            ("step_ptr", self.step_ptr, len(self.values)),
            ("near_ptr", self.near_ptr, len(self.near_columns)),
        ):
            check_pointers(name, pointers.astype(np.int64), self.slices, entries // WARP)
            require(not (pointers % self.slicing.wide).any(), f"{name} must be multiples of wide")
        require(
            len(self.near_columns) + len(self.far_columns) == len(self.values),
            "near and far columns must be as many as values",
        )
        require((_parts(self.step_ptr) >= _parts(self.near_ptr)).all(), "near steps must be within all steps")
        require(np.isin(self.lanes, (1, 2, 4, 8, 16, 32)).all(), "lanes must be powers of two up to 32")
        require(len(self.bases) == (0 if self.slicing.hubs else self.slices), "each slice must have a base")
        require(self.slicing.hubs or not len(self.hubs), "hubs must be empty where columns are near by place")
        check_range("hubs", self.hubs, self.shape[1])
        require(len(np.unique(self.hubs)) == len(self.hubs), "hubs must name each column once")
        if self.slicing.hubs:
            check_range("near_columns", self.near_columns, len(self.hubs) + 1)
        pieces = int(self.split_ptr[-1])
        check_pointers("split_ptr", self.split_ptr.astype(np.int64), len(self.split_rows), pieces)
        check_range("split_rows", self.split_rows, self.shape[0])
        require(len(self.perm) == WARP * self.slices, f"perm must have {WARP} elements a slice")
        lengths = WARP * self.slices if self.slicing.lane_lengths else 0
        require(len(self.near_lengths) == lengths, f"near_lengths must have {lengths} elements")
        require(len(self.far_lengths) == lengths, f"far_lengths must have {lengths} elements")
        if lengths:
            counted = [int(each.sum(dtype=np.int64)) for each in (self.near_lengths, self.far_lengths)]
            stored = [int(np.count_nonzero(each)) for each in (self.near_columns, self.far_columns)]
            require(counted == stored, "near_lengths and far_lengths must count all entries")
        first_lanes = np.arange(WARP)[None, :] % self.lanes.astype(np.int64)[:, None] == 0
        require((self.perm.reshape(-1, WARP)[~first_lanes] == NO_ROW).all(), "only first lanes have a row")
        named = np.sort(self.perm[self.perm != NO_ROW].astype(np.int64))
        whole_rows = np.setdiff1d(np.arange(self.shape[0]), self.split_rows)
        expected = np.concatenate((whole_rows, self.shape[0] + np.arange(pieces)))
        require(np.array_equal(named, expected), "perm must name each whole row and each piece once")
        rows, columns = self.coordinates()
        check_range("the rows that the entries stand at", rows, self.shape[0])
        check_range("columns", columns, self.shape[1])
        require(
            np.count_nonzero(self.values) == np.count_nonzero(self._entries[2]),
            "padding must have the value 0",
        )


def work(structure: Structure, slicing: MixedSlicing | str) -> Work | None:
    """Count what a product does, from the pattern alone; None where the format refuses the matrix.

    The slices are laid out as in a conversion, but nothing is filled: one pass over the columns (two with
    hubs), then over the rows. The sectors are those that a thread a row asks for; with hubs, the near entries
    of a warp lie within few sectors, which is counted as one sector for two of them.
    """
    plan = _Plan.of(structure, _slicing(slicing))
    if not structure.allows(plan.stored_bytes):
        return None
    entry_bytes = plan.stored_bytes
    if plan.slicing.lane_lengths:
        # Padding is made, but not read.
        near_entries = int(plan.near_of_row.sum())
        entry_bytes = (
            structure.nnz * structure.value_bytes + 2 * near_entries + 4 * (structure.nnz - near_entries)
        )
    stored = (
        entry_bytes
        + (6 if plan.slicing.lane_lengths else 4) * len(plan.perm)
        + 12 * len(plan.lanes)
        + 4 * len(plan.hubs)
    )
    stored += 2 * structure.value_bytes * (len(plan.hubs) + int(plan.split_ptr[-1]))
    sectors = structure.sectors_down
    if plan.slicing.hubs and structure.nnz:
        near = float(plan.near_of_row.sum())
        sectors = near / 2 + (structure.nnz - near) * sectors / structure.nnz
    steps = np.diff(plan.step_ptr)
    launches = 1 + bool(len(plan.hubs)) + bool(len(plan.split_rows))
    return Work(stored, float(steps.max(initial=0)), sectors, launches)


@dataclass(frozen=True, eq=False)
class _Plan:
    """Where everything goes, before any entry is moved; see `MixedSliced` for what it becomes."""

    structure: Structure
    slicing: MixedSlicing
    window: int
    hubs: IntArray
    ranks: NDArray[np.uint16]
    window_bases: IntArray
    near_of_row: IntArray
    starts: IntArray
    near: IntArray
    far: IntArray
    first: IntArray
    last: IntArray
    lanes: IntArray
    bases: IntArray
    step_ptr: IntArray
    near_ptr: IntArray
    perm: UIntArray
    split_rows: IntArray
    split_ptr: IntArray

    @classmethod
    def of(cls, structure: Structure, slicing: MixedSlicing) -> Self:
        """Lay out a pattern."""
        rows, columns = structure.shape
        indptr, indices = structure.indptr, structure.indices
        window = max(1, rows) if slicing.sorting_window is None else slicing.sorting_window
        hubs, ranks = _hubs(indices, columns) if slicing.hubs else _no_hubs()
        window_bases = np.zeros(0, dtype=np.int64)
        if not slicing.hubs:
            window_bases = filling.window_bases(indptr, indices, window, columns)
        near_of_row = filling.count_near(indptr, indices, window_bases, window, ranks)

        steps, uncut_steps = slicing.steps_for(structure.nnz, structure.longest)
        cap = WARP * uncut_steps
        row, piece, pieces_of = _pieces(structure.lengths, cap)
        begin = piece * cap
        length = np.minimum(cap, structure.lengths[row] - begin)
        near = np.clip(near_of_row[row] - begin, 0, length)
        far = length - near
        split_rows = np.flatnonzero(pieces_of > 1)
        split_ptr = np.concatenate(([0], np.cumsum(pieces_of[split_rows])))
        target = row.copy()
        target[pieces_of[row] > 1] = rows + np.arange(split_ptr[-1])

        virtual_before = np.concatenate(([0], np.cumsum(pieces_of)))
        window_ptr = virtual_before[np.minimum(rows, np.arange(0, rows + window, window))]
        order = filling.sorted_in_windows(near, far, window_ptr, steps)
        near, far = near[order], far[order]
        first, window_of, lanes, near_steps, far_steps = filling.cut_slices(near, far, window_ptr, steps).T
        last = np.append(first[1:], len(order))[: len(first)]
        wide = slicing.wide
        near_steps, far_steps = (-(-each // wide) * wide for each in (near_steps, far_steps))
        perm = np.full(WARP * len(first), NO_ROW, dtype=np.uint32)
        slice_of = np.repeat(np.arange(len(first)), last - first)
        perm[slice_of * WARP + (np.arange(len(order)) - first[slice_of]) * lanes[slice_of]] = target[order]
        return cls(
            structure=structure,
            slicing=slicing,
            window=window,
            hubs=hubs,
            ranks=ranks,
            window_bases=window_bases,
            near_of_row=near_of_row,
            starts=(structure.indptr[:-1].astype(np.int64)[row] + begin)[order],
            near=near,
            far=far,
            first=np.ascontiguousarray(first),
            last=last,
            lanes=np.ascontiguousarray(lanes),
            bases=window_bases[window_of] if not slicing.hubs else window_bases,
            step_ptr=np.concatenate(([0], np.cumsum(near_steps + far_steps))),
            near_ptr=np.concatenate(([0], np.cumsum(near_steps))),
            perm=perm,
            split_rows=split_rows,
            split_ptr=split_ptr,
        )

    def lane_lengths(self, entries: IntArray) -> NDArray[np.uint8]:
        """Give the steps of each lane, of near or of far entries; none if they are not kept."""
        if not self.slicing.lane_lengths:
            return np.zeros(0, dtype=np.uint8)
        lengths: NDArray[np.uint8] = filling.steps_of_lanes(entries, self.first, self.last, self.lanes)
        return lengths

    @property
    def stored_bytes(self) -> int:
        """Bytes of values and columns, padding included."""
        steps, near = int(self.step_ptr[-1]), int(self.near_ptr[-1])
        return WARP * (steps * self.structure.value_bytes + 2 * near + 4 * (steps - near))


def _hubs(indices: Any, columns: int) -> tuple[IntArray, NDArray[np.uint16]]:
    """Give the columns with most entries, at most 65,535, and 1 + its place among them for each column."""
    counts = np.bincount(indices, minlength=columns)
    hubs = np.argsort(-counts, kind="stable")[:NEAR_COLUMNS]
    hubs = hubs[counts[hubs] > 0]
    ranks = np.zeros(columns, dtype=np.uint16)
    ranks[hubs] = np.arange(1, len(hubs) + 1)
    return hubs, ranks


def _no_hubs() -> tuple[IntArray, NDArray[np.uint16]]:
    return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint16)


def _pieces(lengths: IntArray, cap: int) -> tuple[IntArray, IntArray, IntArray]:
    """Cut rows: row and number of each piece, and how many pieces each row has, one if it is whole."""
    pieces_of = np.maximum(1, -(-lengths // cap))
    row = np.repeat(np.arange(len(lengths)), pieces_of)
    piece = np.arange(len(row)) - np.repeat(np.cumsum(pieces_of) - pieces_of, pieces_of)
    return row, piece, pieces_of


def _parts(pointers: UIntArray) -> IntArray:
    """Give how many lie between each pointer and the next."""
    parts: IntArray = pointers[1:].astype(np.int64) - pointers[:-1].astype(np.int64)
    return parts


def _slicing(slicing: MixedSlicing | str) -> MixedSlicing:
    if isinstance(slicing, MixedSlicing):
        return slicing
    if slicing not in MIXED_SLICINGS:
        raise UserError(f"unknown sliced format {slicing!r}: use one of {', '.join(MIXED_SLICINGS)}")
    return MIXED_SLICINGS[slicing]
