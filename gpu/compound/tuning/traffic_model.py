"""The model that prunes: bytes of a variant, from row lengths alone, and the loads that it has running."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.outer_layout import slicing_of
from gpu.compound.product_kernel import entries_at_once
from gpu.compound.schedule import WARP, Schedule
from gpu.compound.tuning.variants import DeviceLimits, Variant, registers_needed
from gpu.formats.sliced.slicing import Slicing

KEPT_FACTOR = 1.5
"""A variant with more bytes than this many times the least is not tried."""
KEPT_THREADS = 0.5
"""Nor one whose blocks have fewer threads on a multiprocessor than this share of what its registers allow."""


class TrafficModel:
    """Bytes and occupancy of variants for one matrix, without arranging it.

    Parameters
    ----------
    matrix
        The matrix.
    limits
        Of the device.
    """

    def __init__(self, matrix: CompoundMatrix, limits: DeviceLimits | None = None) -> None:
        self.matrix, self.limits = matrix, limits or DeviceLimits()
        self._lengths = np.diff(matrix.indptr).astype(np.int64)
        self._places: dict[Any, int] = {}

    def stored_bytes(self, variant: Variant) -> int:
        """Return the bytes of entries and columns, padding included."""
        outer, sharing = variant.layout.outer, variant.schedule.threads_per_row
        return self.places(outer, sharing) * self._of_entry(slicing_of(outer, sharing))

    def places(self, outer: str | Slicing, threads_per_row: int = 1) -> int:
        """Return the places for entries of an outer layout, padding included."""
        slicing = slicing_of(outer, threads_per_row)
        if slicing not in self._places:
            self._places[slicing] = self._count(slicing)
        return self._places[slicing]

    def read_bytes(self, variant: Variant) -> int:
        """Return the bytes of entries and columns that a product reads: rows may end before their padding."""
        slicing = slicing_of(variant.layout.outer, variant.schedule.threads_per_row)
        if slicing is not None and slicing.row_lengths:
            return int(self._lengths.sum()) * self._of_entry(slicing)
        return self.stored_bytes(variant)

    def under_way(self, variant: Variant) -> int:
        """Return the bytes of entries whose loads a multiprocessor has in flight at once."""
        schedule, limits, matrix = variant.schedule, self.limits, self.matrix
        needed = registers_needed(matrix.entry, matrix.dtype, schedule)
        by_registers = limits.registers // (needed * schedule.threads_per_block)
        most = min(by_registers, limits.threads // schedule.threads_per_block, limits.blocks)
        blocks = min(most, schedule.blocks_per_sm) if schedule.blocks_per_sm else most
        at_once = entries_at_once(matrix.entry, matrix.dtype, schedule)
        return blocks * schedule.threads_per_block * at_once * matrix.entry.entry_bytes(matrix.dtype)

    def fills(self, variant: Variant) -> bool:
        """Return whether a schedule puts enough threads on a multiprocessor."""
        schedule, limits, matrix = variant.schedule, self.limits, self.matrix
        if not schedule.blocks_per_sm:
            return True
        needed = registers_needed(matrix.entry, matrix.dtype, schedule)
        most = min(limits.threads, limits.registers // needed)
        return schedule.blocks_per_sm * schedule.threads_per_block >= KEPT_THREADS * most

    def ordered(self, variants: Iterable[Variant], *, pruned: bool = True) -> list[Variant]:
        """Return the variants that may be best, the likeliest first: fewest bytes, then most loads in flight.

        Of as many bytes the plain schedule of a layout comes first.

        Parameters
        ----------
        variants
            What there is.
        pruned
            Whether those that read too much (`KEPT_FACTOR`) or have too few threads (`KEPT_THREADS`) are left
            out.
        """
        tried = [variant for variant in variants if not pruned or self.fills(variant)]
        factor = KEPT_FACTOR if pruned else float("inf")
        reads = [self.read_bytes(variant) for variant in tried]
        least = min(reads, default=0)
        most = factor * least if least else 0  # no bytes are no more than any times none
        retained = [(read, variant) for read, variant in zip(reads, tried, strict=True) if read <= most]
        plain = Schedule()
        retained.sort(key=lambda pair: (pair[0], pair[1].schedule != plain, -self.under_way(pair[1])))
        return [variant for _, variant in retained]

    def _of_entry(self, slicing: Any) -> int:
        index = 2 if slicing is not None and slicing.index_bits == 16 else 4
        return int(self.matrix.entry.entry_bytes(self.matrix.dtype) + index)

    def _count(self, slicing: Any) -> int:
        """Count the places for entries of an arrangement."""
        lengths = self._lengths
        if slicing is None or not len(lengths):
            return int(lengths.sum())
        sharing = slicing.threads_per_row or 1
        steps = -(-lengths // sharing)
        if slicing.slice_height is None:
            rows = -(-len(steps) // WARP) * WARP
            return int(steps.max()) * sharing * rows
        window = slicing.sorting_window or 1
        if window > 1:
            steps = -np.sort(-_divided(steps, window), axis=1).ravel()
        slices = _divided(steps, slicing.slice_height)
        return int(slices.max(axis=1).sum()) * int(slicing.slice_height) * sharing


def _divided(numbers: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Divide into rows of a length, with zeros after the last."""
    missing = -len(numbers) % length
    return np.concatenate((numbers, np.zeros(missing, np.int64))).reshape(-1, length)
