"""Runs of neighbouring keys that are equal but for some low bits: the nodes of a level below one parent."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.runtime.cuda import cuda
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import enqueue, launch
from gpu.runtime.memory import all_or_nothing, empty, upload
from gpu.sorting.prefix_sums import SCAN_THREADS, offsets_kernel

RUN = 16
"""Keys that a thread counts."""


@cuda.jit
def count_parents_kernel(keys, number, level, bits, runs, totals):
    """Count those of a run of nodes that are the first of a parent, a run a thread.

    Parameters
    ----------
    keys
        int64, rising.
    number, level
        int32, one a level, and the level of the nodes: how many there are.
    bits
        Of the place in a parent.
    runs
        How many there are.
    totals
        int32, one a run.
    """
    run = np.int64(cuda.grid(1))
    begin_in_sequence()
    if run < runs:
        result = np.int32(0)
        for at in range(run * RUN, min((run + 1) * RUN, np.int64(number[level]))):
            if at == 0 or keys[at] >> bits != keys[max(at - 1, 0)] >> bits:
                result = np.int32(result + 1)
        totals[run] = result


@cuda.jit
def parents_kernel(keys, number, level, bits, offsets, runs, parent_keys, firsts, parents):
    """List the parents of nodes, a run of nodes a thread; parameters not here are of `count_parents_kernel`.

    Parameters
    ----------
    keys, number, level, bits
        As there.
    offsets
        int32 of runs + 1: parents that begin before each run.
    runs
        As there.
    parent_keys
        int64: what is written.
    firsts
        int32 of one more: the first child of each, then the number of children.
    parents
        int32 of 1: their number.
    """
    run = np.int64(cuda.grid(1))
    begin_in_sequence()
    if run < runs:
        parent = np.int64(offsets[run])
        for at in range(run * RUN, min((run + 1) * RUN, np.int64(number[level]))):
            key = keys[at] >> bits
            if at == 0 or key != keys[max(at - 1, 0)] >> bits:
                parent_keys[parent] = key
                firsts[parent] = np.int32(at)
                parent += 1
    if run == 0:
        firsts[offsets[runs]] = number[level]
        parents[0] = offsets[runs]


def runs_of_equal(keys: Any, number: int, bits: int, stream: Any) -> tuple[Any, Any, int]:
    """List the keys, without this many low bits, that neighbouring keys have in common.

    Parameters
    ----------
    keys
        int64 device array, rising.
    number
        How many there are.
    bits
        Which may differ.
    stream
        0, or an object of Numba or cuda.core.

    Returns
    -------
    tuple
        The different keys (int64), the first place of each and after them `number` (int32), their number.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory.
    """
    runs = -(-number // RUN)
    counted = upload(np.array([number], np.int32))
    totals, offsets, result = all_or_nothing(
        lambda: (empty(runs, np.int32), empty(runs + 1, np.int32), empty(1, np.int32))
    )
    launch(count_parents_kernel, runs, (keys, counted, 0, bits, runs, totals), stream)
    enqueue(offsets_kernel, (1, SCAN_THREADS), (totals, runs, offsets), stream)
    if stream:
        stream.synchronize()
    most = int(offsets[runs : runs + 1].copy_to_host()[0])
    own, firsts = all_or_nothing(lambda: (empty(most, np.int64), empty(most + 1, np.int32)))
    launch(parents_kernel, runs, (keys, counted, 0, bits, offsets, runs, own, firsts, result), stream)
    return own, firsts, most
