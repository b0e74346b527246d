"""HBP of a matrix that is on the device in CRS: counting, ordering, filling."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gpu.hbp.building.counted_order import (
    BY_COUNTING,
    ORDER_THREADS,
    REGISTERS,
    counted_order_kernel,
    cut_kernel,
    repeat_kernel,
    warps_that_count,
    warps_that_cut,
)
from gpu.hbp.building.filling import fill_groups_kernel, weigh_groups_kernel
from gpu.hbp.building.probed_order import PROBING, probing_grid, probing_kernel
from gpu.hbp.building.row_counts import (
    BLOCKS_OF_THREAD,
    FOUND,
    SHIFTS,
    lengths_kernel,
    over_kernel,
    row_counts_kernel,
)
from gpu.hbp.building.row_hash import divides_by_product, numbers_of
from gpu.hbp.container import BLOCK_COLUMNS, BLOCK_ROWS, HBP, require_block
from gpu.hbp.hashing import CLASSES, OUTSIDE, RowHash
from gpu.hbp.ordering import METHODS
from gpu.runtime.cuda import WARP
from gpu.runtime.launches import enqueue, launch
from gpu.runtime.memory import all_or_nothing, empty, upload
from gpu.sorting.prefix_sums import prefix_sums
from gpu.sums.device_csr import DeviceCsr
from vecsim.support.errors import UserError

OVER_BLOCKS = 512
"""Blocks of threads that count rows for the choice of a hash, at most."""
ON_THE_DEVICE = (*METHODS, *PROBING)
"""Orders of the rows of blocks."""
HASHED = ("hash", *PROBING)
"""Those that need a hash."""
NO_HASH = RowHash(0, 1, 1, 1)
"""The hash of orders that use none, and of a matrix that was ordered without a hash."""


def hash_of_counts(
    counts: Any, number: int, block_rows: int, stream: Any = 0, scratch: Any = None
) -> RowHash:
    """Choose the hash as `RowHash.sampled` does, of all counts above 0.

    Parameters
    ----------
    counts
        int32 device array.
    number
        How many there are.
    block_rows
        Rows of a block.
    stream
        0, or an object of Numba or cuda.core.
    scratch
        int32 device array that may be written, 32 elements for each 256 counts that are begun; None: memory
        is asked for.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory.
    """
    blocks = max(1, min(OVER_BLOCKS, -(-number // ORDER_THREADS)))
    result = all_or_nothing(lambda: empty(blocks * FOUND, np.int32)) if scratch is None else scratch
    enqueue(over_kernel, (blocks, ORDER_THREADS), (counts, number, CLASSES, result), stream)
    if stream:
        stream.synchronize()
    *over, filled = result[: blocks * FOUND].copy_to_host().reshape(blocks, FOUND).sum(axis=0).tolist()
    a = next(a for a in range(SHIFTS) if over[a] <= OUTSIDE * filled)
    return RowHash.of(a, block_rows)


class BlockedRows:
    """The rows of all blocks of a matrix, counted, and what puts them in order.

    Parameters
    ----------
    matrix
        The matrix.
    block_rows
        A multiple of 32.
    block_columns
        1 or more.
    stream
        0, or an object of Numba or cuda.core.

    Raises
    ------
    UserError
        A block is not possible.
    OutOfDeviceMemoryError
        The device has too little memory.
    """

    def __init__(
        self,
        matrix: DeviceCsr,
        block_rows: int = BLOCK_ROWS,
        block_columns: int = BLOCK_COLUMNS,
        stream: Any = 0,
    ) -> None:
        require_block(block_rows, block_columns)
        self.matrix, self.block_rows, self.block_columns = matrix, block_rows, block_columns
        self.across = -(-matrix.shape[1] // block_columns)
        self.down = -(-matrix.shape[0] // block_rows)
        self.slots = self.down * self.across * block_rows
        self.stream = stream
        self.starts, self.counts, self.order = all_or_nothing(
            lambda: tuple(empty(self.slots, np.int32) for _ in range(3))
        )

    @functools.cached_property
    def begins(self) -> Any:
        """uint8, one a slot: whether a group begins there; written where groups have other sizes than 32."""
        return all_or_nothing(lambda: empty(self.slots, np.uint8))

    @functools.cached_property
    def _own(self) -> Any:
        """int32, one a row: its number within its block. Kept while kernels may read it."""
        return upload(np.tile(np.arange(self.block_rows, dtype=np.int32), self.down))

    @functools.cached_property
    def _of_rows(self) -> tuple[Any, Any]:
        """Two int32 device arrays, one element a row."""
        rows = self.down * self.block_rows
        return all_or_nothing(lambda: (empty(rows, np.int32), empty(rows, np.int32)))

    def count(self) -> None:
        """Count the entries of each row of each block."""
        sizes = (self.matrix.shape[0], self.across, self.block_rows, self.block_columns, self.slots)
        arrays = (self.matrix.pointers, self.matrix.columns)
        threads = self.down * self.block_rows * -(-self.across // BLOCKS_OF_THREAD)
        launch(row_counts_kernel, threads, (*arrays, *sizes, self.starts, self.counts), self.stream)

    def chosen_hash(self) -> RowHash:
        """Choose the hash as `RowHash.sampled` does, of all rows with entries; the order is lost."""
        # There is no order yet: its memory takes what is counted, where there is any.
        scratch = self.order if self.slots else None
        return hash_of_counts(self.counts, self.slots, self.block_rows, self.stream, scratch)

    def put_in_order(self, method: str, row_hash: RowHash | None = None) -> None:
        """Put the rows of blocks in order, as `gpu.hbp.ordering.ordered` does.

        Parameters
        ----------
        method
            One of `ON_THE_DEVICE`.
        row_hash
            Of those in `HASHED`; None: `chosen_hash`.

        Raises
        ------
        UserError
            There is no such method, or a block of the rows of one needs more shared memory than there is.
        OutOfDeviceMemoryError
            The device has too little memory for what some orders need next to.
        """
        if method not in ON_THE_DEVICE:
            raise UserError(f"order {method} is not possible: use {', '.join(ON_THE_DEVICE)}")
        if not _warps(method, self.block_rows):
            most = next(rows for rows in range(self.block_rows, 0, -WARP) if _warps(method, rows))
            raise UserError(f"order {method} of {self.block_rows} rows is not possible: use {most} or fewer")
        blocks = self.down * self.across
        if method == "own":
            self._repeat(self._own)
        elif method == "sell":
            self._by_whole_rows()
        elif method == "dynamic":
            self._by_count(self.counts, blocks, self.order, "sort")
            arrays = (self.counts, self.order, self.begins)
            enqueue(cut_kernel(self.block_rows), (blocks, WARP), arrays, self.stream)
        elif method in PROBING:
            chosen = row_hash or self.chosen_hash()
            kernel = probing_kernel(self.block_rows, method, self._divides(chosen))
            grid = probing_grid(self.block_rows, blocks, method)
            enqueue(kernel, grid, (self.counts, blocks, *numbers_of(chosen), self.order), self.stream)
        else:
            chosen = (row_hash or self.chosen_hash()) if method == "hash" else NO_HASH
            self._by_count(self.counts, blocks, self.order, method, chosen)

    def _divides(self, row_hash: RowHash) -> bool:
        return divides_by_product(row_hash, self.block_rows, min(self.block_columns, self.matrix.shape[1]))

    def _by_count(
        self, counts: Any, blocks: int, order: Any, method: str, row_hash: RowHash = NO_HASH
    ) -> None:
        warps = warps_that_count(self.block_rows, method)
        divides = method == "hash" and self._divides(row_hash)
        kernel = counted_order_kernel(self.block_rows, method, divides)
        grid = (-(-blocks // warps), warps * WARP)
        arguments = (counts, blocks, *numbers_of(row_hash), order)
        enqueue(kernel, grid, arguments, self.stream, REGISTERS[method])

    def _by_whole_rows(self) -> None:
        rows, (lengths, order) = self.down * self.block_rows, self._of_rows
        launch(lengths_kernel, rows, (self.matrix.pointers, self.matrix.shape[0], rows, lengths), self.stream)
        self._by_count(lengths, self.down, order, "sort")
        self._repeat(order)

    def _repeat(self, rows_order: Any) -> None:
        arguments = (rows_order, self.across, self.block_rows, self.slots, self.order)
        launch(repeat_kernel, self.slots, arguments, self.stream)

    def weigh(self, zero_row: Any, totals: Any) -> None:
        """Mark the places of each group without entries, and count its entries.

        Parameters
        ----------
        zero_row, totals
            int32, to be written: one a slot, and one a group of 32.
        """
        groups = self.slots // WARP
        arguments = (self.counts, self.order, self.block_rows, groups, zero_row, totals)
        launch(weigh_groups_kernel, self.slots, arguments, self.stream)

    def fill(self, begins: Any, columns: Any, values: Any, add_sign: Any) -> None:
        """Put all entries at their places.

        Parameters
        ----------
        begins
            int32: where the entries of each group begin.
        columns, values, add_sign
            Of `gpu.hbp.container.HBP`, to be written.
        """
        launch(
            fill_groups_kernel,
            self.slots,
            (
                *(self.matrix.columns, self.matrix.values, self.starts, self.counts, self.order),
                *(self.block_rows, self.slots // WARP, begins, columns, values, add_sign),
            ),
            self.stream,
        )

    def filled(self, row_hash: RowHash) -> HBP:
        """Return the matrix in HBP, its arrays on the device, with rows in the order that they were put in.

        Parameters
        ----------
        row_hash
            What the format says that put them in order.

        Raises
        ------
        OutOfDeviceMemoryError
            The device has too little memory.
        """
        matrix, groups = self.matrix, self.slots // WARP
        zero_row, totals = all_or_nothing(lambda: (empty(self.slots, np.int32), empty(groups, np.int32)))
        self.weigh(zero_row, totals)
        begins, entries = prefix_sums(totals, groups, self.stream)
        columns, values, add_sign = all_or_nothing(
            lambda: tuple(empty(entries, dtype) for dtype in (np.int32, matrix.values.dtype, np.int32))
        )
        self.fill(begins, columns, values, add_sign)
        return HBP(
            matrix.shape,
            self.block_rows,
            self.block_columns,
            row_hash,
            columns,
            values,
            add_sign,
            zero_row,
            self.order,
            begins,
        )


def _warps(method: str, block_rows: int) -> int:
    """Return the warps of a block of threads that put rows in order; 0 where these are too many."""
    if method in PROBING:
        return probing_grid(block_rows, 1, method)[1] // WARP
    counting = warps_that_count(block_rows, method if method in BY_COUNTING else "sort")
    of_method = {"own": 1, "dynamic": min(counting, warps_that_cut(block_rows))}
    return of_method.get(method, counting)


def hbp_on_device(
    matrix: DeviceCsr,
    *,
    block_rows: int = BLOCK_ROWS,
    block_columns: int = BLOCK_COLUMNS,
    row_hash: RowHash | None = None,
    method: str = "hash",
    stream: Any = 0,
) -> HBP:
    """Convert a matrix on the device.

    Parameters
    ----------
    matrix
        In CRS, with at least one entry.
    block_rows, block_columns, row_hash, method, stream
        As of `BlockedRows` and its `put_in_order`.

    Returns
    -------
    HBP
        Its arrays on the device; `gpu.hbp.product.HBPProduct` takes it as it is. Its hash is `NO_HASH` where
        the method is another.

    Raises
    ------
    UserError
        A block, or the method, is not possible.
    OutOfDeviceMemoryError
        The device has too little memory.
    """
    rows = BlockedRows(matrix, block_rows, block_columns, stream)
    rows.count()
    chosen = (row_hash or rows.chosen_hash()) if method in HASHED else NO_HASH
    rows.put_in_order(method, chosen)
    return rows.filled(chosen)
