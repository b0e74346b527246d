"""A stable radix sort of keys with what goes with them, on the device: each pass sorts by one digit.

The bound of a pass is 32 bytes a key: it is read twice and written once, its payload read and written once.

A block takes a tile of neighbouring keys. The first kernel counts the digits of each tile, from which follows
where the keys of each tile and digit begin; the second one takes each key to its place. Within a tile
keys go in rounds of one key a thread: a warp finds the lanes with the same digit by `match_any_sync`, so that
no atomic decides an order, and the sort is stable.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import Launch, run
from gpu.runtime.memory import all_or_nothing
from gpu.sorting.prefix_sums import SCAN_THREADS, offsets_kernel

DIGIT_BITS = 8
DIGITS = 1 << DIGIT_BITS
SORT_THREADS = 32 if SIMULATED else 256
ROUNDS = 2 if SIMULATED else 32
TILE = SORT_THREADS * ROUNDS
"""Keys of a block."""
WARPS = SORT_THREADS // WARP
CELLS = DIGITS * WARPS


@cuda.jit
def count_digits_kernel(keys, number, shift, counts):
    """Count the digits of each tile, a tile a block.

    Parameters
    ----------
    keys
        int64, not negative.
    number
        How many there are.
    shift
        Where the digit begins, in bits.
    counts
        int32 of 256 times the number of blocks: of each digit, the count in each tile.
    """
    result = cuda.shared.array(DIGITS, np.int32)
    begin_in_sequence()
    thread, block = np.int32(cuda.threadIdx.x), np.int64(cuda.blockIdx.x)
    digit = thread
    while digit < DIGITS:
        result[np.uint32(digit)] = np.int32(0)
        digit = np.int32(digit + SORT_THREADS)
    cuda.syncthreads()
    at = block * TILE + thread
    for _ in range(ROUNDS):
        if at < number:
            cuda.atomic.add(result, np.uint32((keys[np.uint64(at)] >> shift) & (DIGITS - 1)), 1)
        at += SORT_THREADS
    cuda.syncthreads()
    digit = thread
    while digit < DIGITS:
        counts[np.int64(digit) * cuda.gridDim.x + block] = result[np.uint32(digit)]
        digit = np.int32(digit + SORT_THREADS)


@cuda.jit
def move_kernel(keys, payload, number, shift, offsets, moved_keys, moved_payload):
    """Take each key, and what goes with it, to its place; parameters not here are of `count_digits_kernel`.

    Parameters
    ----------
    keys, number, shift
        As there.
    payload
        int32, one a key.
    offsets
        int32: the sums before each of its counts.
    moved_keys, moved_payload
        What is written.
    """
    begins = cuda.shared.array(DIGITS, np.int32)
    counts = cuda.shared.array(CELLS, np.int32)
    begin_in_sequence()
    thread, block = np.int32(cuda.threadIdx.x), np.int64(cuda.blockIdx.x)
    lane, warp = np.int32(thread % WARP), np.int32(thread // WARP)
    below = np.uint32((np.uint32(1) << np.uint32(lane)) - np.uint32(1))
    digit = thread
    while digit < DIGITS:
        begins[np.uint32(digit)] = offsets[np.int64(digit) * cuda.gridDim.x + block]
        for each in range(WARPS):
            counts[np.uint32(digit + each * DIGITS)] = np.int32(0)
        digit = np.int32(digit + SORT_THREADS)
    cuda.syncthreads()
    at = block * TILE + thread
    rounds = min(np.int64(ROUNDS), (number - block * TILE + SORT_THREADS - 1) // SORT_THREADS)
    for _ in range(rounds):
        here = at < number
        key = keys[np.uint64(at)] if here else np.int64(0)
        own = np.int32((key >> shift) & (DIGITS - 1)) if here else np.int32(DIGITS)
        same = np.uint32(cuda.match_any_sync(EVERY_LANE, own))
        before = np.int32(cuda.popc(same & below))
        if here and before == 0:
            counts[np.uint32(own + warp * DIGITS)] = np.int32(cuda.popc(same))
        cuda.syncthreads()
        digit = thread
        while digit < DIGITS:
            begin = begins[np.uint32(digit)]
            for each in range(WARPS):
                count = counts[np.uint32(digit + each * DIGITS)]
                if count > 0:
                    counts[np.uint32(digit + each * DIGITS)] = begin
                    begin = np.int32(begin + count)
            begins[np.uint32(digit)] = begin
            digit = np.int32(digit + SORT_THREADS)
        cuda.syncthreads()
        if here:
            place = np.uint64(counts[np.uint32(own + warp * DIGITS)] + before)
            moved_keys[place] = key
            moved_payload[place] = payload[np.uint64(at)]
        cuda.syncwarp()
        if here and before == 0:
            counts[np.uint32(own + warp * DIGITS)] = np.int32(0)
        cuda.syncwarp()  # another lane may be the first with this digit in the next round
        at += SORT_THREADS


def digit_shifts(used: int) -> Iterator[int]:
    """Yield where the digits begin that a sort has to look at.

    Parameters
    ----------
    used
        The bits that a key may have set.
    """
    shift = 0
    while used >> shift:
        shift += (used >> shift & -(used >> shift)).bit_length() - 1
        yield shift
        shift += DIGIT_BITS


def sorting(keys: Any, payload: Any, number: int, used: int) -> tuple[list[Launch], Any, Any]:
    """Return the launches of a sort, and the arrays that have keys and payload in order then.

    Parameters
    ----------
    keys, payload, number, used
        As of `sort_pairs`.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory.
    """
    blocks = -(-number // TILE)
    shifts = list(digit_shifts(used)) if number > 1 else []
    if not shifts:
        return [], keys, payload
    counts, offsets, *other = all_or_nothing(
        lambda: (
            cuda.device_array(DIGITS * blocks, np.int32),
            cuda.device_array(DIGITS * blocks + 1, np.int32),
            cuda.device_array(number, np.int64),
            cuda.device_array(number, np.int32),
        )
    )
    given, taken = (keys, payload), (other[0], other[1])
    launches = []
    for shift in shifts:
        for kernel, grid, arguments in (
            (count_digits_kernel, (blocks, SORT_THREADS), (given[0], number, shift, counts)),
            (offsets_kernel, (1, SCAN_THREADS), (counts, DIGITS * blocks, offsets)),
            (move_kernel, (blocks, SORT_THREADS), (*given, number, shift, offsets, *taken)),
        ):
            launches.append(Launch(kernel, *grid, arguments, np.float64))
        given, taken = taken, given
    return launches, *given


def sort_pairs(keys: Any, payload: Any, number: int, used: int, stream: Any = 0) -> tuple[Any, Any]:
    """Sort keys by rising value; those that are equal stay in their order.

    Parameters
    ----------
    keys
        int64 device array, not negative; its content is lost.
    payload
        int32 device array, one a key, likewise.
    number
        How many there are.
    used
        The bits that a key may have set.
    stream
        0, or an object of Numba or cuda.core.

    Returns
    -------
    tuple
        Keys and payload in order, in these arrays or in others.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory.
    """
    launches, *result = sorting(keys, payload, number, used)
    run(launches, stream)
    return result[0], result[1]
