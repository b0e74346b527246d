"""Sums before each of many counts on the device."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.addition.hisparse.directory_kernels import RUN
from gpu.addition.merge_kernels import SCAN_THREADS, offsets_kernel
from gpu.conversion.tree_building import enqueue, launch, room
from gpu.runtime.cuda import cuda
from gpu.runtime.launches import let_next_begin, wait_for_previous
from gpu.runtime.memory import all_or_nothing

ONE_BLOCK = 1 << 15
"""Of so many runs one block of threads sums the totals; of more they are summed as counts are."""


@cuda.jit
def totals_kernel(counts, number, runs, totals):
    """Add up each run of counts, a run a thread.

    Parameters
    ----------
    counts
        int32.
    number
        How many there are.
    runs
        How many runs there are.
    totals
        int32, one a run.
    """
    run = np.int64(cuda.grid(1))
    let_next_begin()
    wait_for_previous()
    if run < runs:
        total = np.int32(0)
        for at in range(run * RUN, min((run + 1) * RUN, number)):
            total = np.int32(total + counts[at])
        totals[run] = total


@cuda.jit
def places_kernel(counts, number, offsets, runs, places):
    """Give the sum before each count; parameters not here are of `totals_kernel`.

    Parameters
    ----------
    counts, number, runs
        As there.
    offsets
        int32: the sum before each run.
    places
        int32, one a count.
    """
    run = np.int64(cuda.grid(1))
    let_next_begin()
    wait_for_previous()
    if run < runs:
        place = offsets[run]
        for at in range(run * RUN, min((run + 1) * RUN, number)):
            places[at] = place
            place = np.int32(place + counts[at])


def prefix_sums(counts: Any, number: int, stream: Any) -> tuple[Any, int]:
    """Give the sum before each count, and that of all.

    Parameters
    ----------
    counts
        int32 device array, not negative.
    number
        How many there are.
    stream
        0, or an object of Numba or cuda.core.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory.
    """
    runs = -(-number // RUN)
    totals, places = all_or_nothing(lambda: (room(runs, np.int32), room(number, np.int32)))
    launch(totals_kernel, runs, (counts, number, runs, totals), stream)
    if runs > ONE_BLOCK:
        offsets, whole = prefix_sums(totals, runs, stream)
        launch(places_kernel, runs, (counts, number, offsets, runs, places), stream)
        if stream:
            stream.synchronize()
        return places, whole
    offsets = all_or_nothing(lambda: room(runs + 1, np.int32))
    enqueue(offsets_kernel, (1, SCAN_THREADS), (totals, runs, offsets), stream)
    launch(places_kernel, runs, (counts, number, offsets, runs, places), stream)
    if stream:
        stream.synchronize()
    return places, int(offsets[runs : runs + 1].copy_to_host()[0])


def prefix_sums_and_whole(counts: Any, number: int, stream: Any) -> tuple[Any, int]:
    """Give the sum before each count with that of all behind them, and that of all.

    Parameters
    ----------
    counts, number, stream
        As of `prefix_sums`.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory.
    """
    places, whole = prefix_sums(counts, number, stream)
    made = all_or_nothing(lambda: room(number + 1, np.int32))
    if number:
        made[:number].copy_to_device(places)
    made[number:].copy_to_device(np.array([whole], np.int32))
    if stream:
        cuda.synchronize()  # the copies are not on that stream
    return made, whole
