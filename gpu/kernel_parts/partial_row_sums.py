"""Products of formats that store a matrix by blocks: sums of the parts of rows, then sums of the rows.

A block column of BBCS or a leaf of HiSM holds parts of rows. A warp takes 128 entries in storage order,
whatever blocks they belong to, four neighbours a thread, and sums each part by a segmented scan. The sums
stand in storage order; a second kernel (`gpu.kernel_parts.gathered_row_sums`) gathers those of a row in that
order, so results are deterministic without atomics.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from gpu.kernel_parts.gathered_row_sums import row_sums, threads_per_row_for
from gpu.kernel_parts.loads import EARLY_IF, LOADS_IF, VECTOR_IF
from gpu.runtime.cuda import EVERY_LANE, WARP, cuda
from gpu.runtime.kernel_sequence import let_next_begin, wait_for_previous
from gpu.runtime.launches import ALPHA, BETA, Launch, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import real_type, upload

PER_THREAD = 4
"""Neighbouring entries of a thread: their positions come in one load each, their values in one or two."""
RUN = PER_THREAD * WARP
WORDS = 8
"""Words that tell of a run; two of them are not used, so that a run is two loads."""

_one_if, _four_if, _x_if = LOADS_IF[1], EARLY_IF[4], VECTOR_IF[1]

Decode = tuple[Callable[..., Any], ...]


@dataclass(frozen=True)
class RowParts:
    """Where the parts of rows lie, of entries in storage order.

    Attributes
    ----------
    runs
        uint32 of 8 a run of 128 entries. Word j < 4: a bit for each lane whose entry j begins a block; word
        4: how many blocks begin before the run; word 5: how many parts end before it.
    by_row
        uint32, the parts of each row in storage order, row after row.
    row_ptr
        uint32 of M + 1: where the parts of each row begin in `by_row`, then their number.
    """

    runs: NDArray[np.uint32]
    by_row: NDArray[np.uint32]
    row_ptr: NDArray[np.uint32]


def row_parts(
    rows: NDArray[np.int64],
    row_ends: NDArray[np.bool_],
    stored: NDArray[np.bool_],
    block_starts: NDArray[np.int64],
    row_count: int,
) -> RowParts:
    """Find the parts of rows: pieces of a row within a block and within a run of 128 entries.

    Parameters
    ----------
    rows
        Row of each entry, in storage order.
    row_ends
        Whether an entry is the last of its row in its block.
    stored
        Whether an entry is one of the matrix.
    block_starts
        The first entry of each block; none is empty.
    row_count
        M.
    """
    entries = len(rows)
    run_starts = np.arange(0, entries, RUN)
    ends = row_ends.copy()
    ends[RUN - 1 :: RUN] = True
    ends[-1:] = True
    ends &= stored
    part_rows = rows[ends]
    parts = len(part_rows)

    runs = np.zeros((len(run_starts), WORDS), dtype=np.uint32)
    starts = np.zeros((len(run_starts), WARP, PER_THREAD), dtype=np.bool_)
    starts.reshape(-1)[block_starts] = True
    # Lane 0 is the lowest bit.
    bits = np.packbits(starts.transpose(0, 2, 1), axis=2, bitorder="little")
    runs[:, :PER_THREAD] = np.ascontiguousarray(bits).view("<u4")[..., 0]
    runs[:, PER_THREAD] = np.searchsorted(block_starts, run_starts)
    runs[:, PER_THREAD + 1] = np.concatenate(([0], np.cumsum(ends)))[run_starts]

    # Sorting by row in linear time, parts of a row in storage order: each part is its own column.
    number = np.arange(parts)
    by_row = scipy.sparse.coo_array(
        (np.ones(parts, dtype=np.int8), (part_rows, number)), shape=(row_count, max(1, parts))
    ).tocsr()
    return RowParts(runs.ravel(), by_row.indices.astype(np.uint32), by_row.indptr.astype(np.uint32))


@functools.cache
def part_sums(
    real: Any,
    decode: Decode,
    first_words: int,
    second_words: int,
    threads: int,
) -> Any:
    """Make the kernel that sums the parts of rows, a sum a part in storage order.

    Parameters
    ----------
    real
        The type of values and sums.
    decode
        Device functions of the format, one for each entry of a thread: from the words of its two arrays for
        these entries and the second array's word of the next lane, the column within the block, whether a
        part ends there for certain, and whether it is an entry of the matrix.
    first_words, second_words
        32-bit words of four positions: 1 or 2, or 0 where the format has one array.
    threads
        Of a block.
    """
    decode0, decode1, decode2, decode3 = decode
    load_first, load_second = EARLY_IF[first_words], EARLY_IF[max(1, second_words)]
    has_second = second_words > 0
    room = PER_THREAD * threads

    @cuda.jit
    def kernel(values, first, second, runs, block_columns, entries, x, sums):
        """Sum the parts of 128 entries a warp.

        Parameters
        ----------
        values
            real of nnz, and up to 3 zeros.
        first, second
            uint32: four entries' positions in `first_words` and `second_words` words.
        runs
            uint32 of 8 a run, `RowParts.runs`.
        block_columns
            uint32, one a block: its first column.
        entries
            nnz.
        x
            real of N.
        sums
            real, one a part.
        """
        staging = cuda.shared.array(room, real)
        thread = cuda.grid(1)
        lane = thread % WARP
        run = thread // WARP
        at = thread * PER_THREAD
        zero = real(0)
        let_next_begin()
        live = at < entries
        value = _four_if(values, at, live)
        word = load_first(first, thread * first_words, live)
        other = load_second(second, thread * second_words, live and has_second)
        in_run = run * RUN < entries
        starts = _four_if(runs, run * WORDS, in_run)
        before = _four_if(runs, run * WORDS + PER_THREAD, in_run)
        following = np.uint32(cuda.shfl_down_sync(EVERY_LANE, np.int32(other[0]), 1))
        column0, end0, stored0 = decode0(word, other, following)
        column1, end1, stored1 = decode1(word, other, following)
        column2, end2, stored2 = decode2(word, other, following)
        column3, end3, stored3 = decode3(word, other, following)
        stored0 = stored0 and live
        stored1 = stored1 and at + 1 < entries
        stored2 = stored2 and at + 2 < entries
        stored3 = stored3 and at + 3 < entries

        # Which block an entry is of: blocks begun in the run before this lane, then in it.
        below = np.uint32((1 << lane) - 1)
        own0 = np.int64(starts[0] >> np.uint32(lane)) & 1
        own1 = np.int64(starts[1] >> np.uint32(lane)) & 1
        own2 = np.int64(starts[2] >> np.uint32(lane)) & 1
        own3 = np.int64(starts[3] >> np.uint32(lane)) & 1
        begun = cuda.popc(np.uint32(starts[0] & below)) + cuda.popc(np.uint32(starts[1] & below))
        begun += cuda.popc(np.uint32(starts[2] & below)) + cuda.popc(np.uint32(starts[3] & below))
        block0 = np.int64(before[0]) + begun + own0 - 1
        block1 = block0 + own1
        block2 = block1 + own2
        block3 = block2 + own3
        place0 = _one_if(block_columns, block0, stored0)[0] + column0
        place1 = _one_if(block_columns, block1, stored1)[0] + column1
        place2 = _one_if(block_columns, block2, stored2)[0] + column2
        place3 = _one_if(block_columns, block3, stored3)[0] + column3

        # Where parts end: there for certain, before a block, and with the run.
        next_lane = np.int64(starts[0] >> np.uint32((lane + 1) % WARP)) & 1
        end0 = stored0 and (end0 or own1 != 0 or at + 1 == entries)
        end1 = stored1 and (end1 or own2 != 0 or at + 2 == entries)
        end2 = stored2 and (end2 or own3 != 0 or at + 3 == entries)
        end3 = stored3 and (end3 or next_lane != 0 or at + 4 == entries or lane == WARP - 1)
        ends0 = np.uint32(cuda.ballot_sync(EVERY_LANE, end0))
        ends1 = np.uint32(cuda.ballot_sync(EVERY_LANE, end1))
        ends2 = np.uint32(cuda.ballot_sync(EVERY_LANE, end2))
        ends3 = np.uint32(cuda.ballot_sync(EVERY_LANE, end3))
        stage = (cuda.threadIdx.x // WARP) * RUN
        place = stage + cuda.popc(ends0 & below) + cuda.popc(ends1 & below)
        place += cuda.popc(ends2 & below) + cuda.popc(ends3 & below)
        ended_first = place

        wait_for_previous()
        factor0 = _x_if(x, place0, stored0)[0]
        factor1 = _x_if(x, place1, stored1)[0]
        factor2 = _x_if(x, place2, stored2)[0]
        factor3 = _x_if(x, place3, stored3)[0]

        # The sums side by side, so that they leave for memory together.
        tail = value[0] * factor0
        if end0:
            staging[place] = tail
            place, tail = place + 1, zero
        tail += value[1] * factor1
        if end1:
            staging[place] = tail
            place, tail = place + 1, zero
        tail += value[2] * factor2
        if end2:
            staging[place] = tail
            place, tail = place + 1, zero
        tail += value[3] * factor3
        if end3:
            staging[place] = tail
            place, tail = place + 1, zero

        # What lanes before have left of the part that this lane ends first: a segmented scan.
        carried = cuda.shfl_up_sync(EVERY_LANE, tail, 1)
        if lane == 0:
            carried = zero
        begin = WARP - cuda.clz(np.uint32((ends0 | ends1 | ends2 | ends3) & below))
        distance = 1
        while distance < WARP and cuda.any_sync(EVERY_LANE, lane - distance >= begin):
            earlier = cuda.shfl_up_sync(EVERY_LANE, carried, distance)
            if lane - distance >= begin:
                carried += earlier
            distance *= 2
        if place > ended_first:
            staging[ended_first] += carried
        cuda.syncwarp()
        first_part = np.int64(before[1])
        parts = np.int64(cuda.popc(ends0) + cuda.popc(ends1) + cuda.popc(ends2) + cuda.popc(ends3))
        number = lane
        while number < parts:
            sums[np.uint64(first_part + number)] = staging[stage + number]
            number += WARP

    return kernel


class RowPartsProduct(LaunchedInTurn):
    """A matrix stored by blocks on the device, and the launches of its product.

    Parameters
    ----------
    values
        One an entry, in storage order.
    first, second
        The format's arrays that tell of an entry what `decode` gives, one or two bytes an entry; `second` may
        be empty.
    decode
        See `part_sums`.
    block_columns
        The first column of each block that is not empty.
    parts
        Where the parts of rows lie.
    threads_per_block
        A multiple of 32.
    """

    def __init__(
        self,
        values: NDArray[Any],
        first: NDArray[Any],
        second: NDArray[Any],
        decode: Decode,
        block_columns: NDArray[Any],
        parts: RowParts,
        threads_per_block: int,
    ) -> None:
        self.real = real_type(values)
        self.rows = len(parts.row_ptr) - 1
        self.threads_per_row = threads_per_row_for(parts.row_ptr)
        positions = (first, second)
        self.arrays = [
            upload(_filled(values)),
            *(upload(_filled(array).view(np.uint32)) for array in positions),
            *(upload(array) for array in (parts.runs, block_columns.astype(np.uint32))),
        ]
        self.sums = upload(np.zeros(len(parts.by_row), dtype=self.real))
        self.by_row, self.row_ptr = upload(parts.by_row), upload(parts.row_ptr)
        self.launches = []
        if len(values):
            blocks = -(-len(values) // (PER_THREAD * threads_per_block))
            words = (array.itemsize if len(array) else 0 for array in positions)
            arguments = [*self.arrays, len(values), X, self.sums]
            kernel = part_sums(self.real, decode, *words, threads_per_block)
            self.launches.append(Launch(kernel, blocks, threads_per_block, arguments, self.real))
        blocks = -(-self.rows * self.threads_per_row // threads_per_block)
        arguments = [self.sums, self.by_row, self.row_ptr, self.rows, Y, ALPHA, BETA]
        kernel = row_sums(self.real, self.threads_per_row)
        self.launches += launches_of(kernel, blocks, threads_per_block, arguments, self.real)
        self.device_arrays = [*self.arrays, self.sums, self.by_row, self.row_ptr]


def _filled(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array with zeros after its end, so that the last load of four is whole."""
    missing = -len(array) % PER_THREAD
    return np.concatenate((array, np.zeros(missing, dtype=array.dtype))) if missing else np.array(array)
