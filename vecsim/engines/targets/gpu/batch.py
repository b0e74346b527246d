"""Machines and traces as blocks of threads, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from vecsim.engines.many.batch import Group, Times, start_of
from vecsim.engines.targets.gpu.cuda import SIMULATED, cuda, is_out_of_memory, require_gpu, this_gpu
from vecsim.engines.targets.gpu.kernel import BLOCK, CAUSES, MACHINES, Block, time_blocks
from vecsim.engines.trace_timing.places import LAST_CYCLE, TOTAL

Ints = npt.NDArray[np.int32]
SHARE_OF_MEMORY = 0.6
"""Of the memory that the device has free, what the memories of machines may take at once."""
MOST_BLOCKS = 64 if SIMULATED else 1 << 14
"""Blocks of a launch: more bring nothing."""


def time_groups(groups: Sequence[Group]) -> list[Times]:
    """Time groups of machines on the GPU of this process, all at once; return what each comes to.

    Where the device has too little free memory, they are timed in smaller parts.

    Raises
    ------
    UserError
        There is no GPU, it fails, or the smallest part is too large.
    """
    require_gpu()
    with this_gpu():
        return _in_parts(groups)


def _in_parts(groups: Sequence[Group]) -> list[Times]:
    try:
        return _each_timed(groups)
    except Exception as error:
        if len(groups) == 1 or not is_out_of_memory(error):
            raise
    half = len(groups) // 2
    return _in_parts(groups[:half]) + _in_parts(groups[half:])


def _each_timed(groups: Sequence[Group]) -> list[Times]:
    """Time groups, those whose memory is banks alone by another kernel than the others."""
    times: list[Times | None] = [None] * len(groups)
    for with_memory in (False, True):
        chosen = [at for at, group in enumerate(groups) if (group.sizes.memory is not None) == with_memory]
        if chosen:
            for at, one in zip(chosen, _timed([groups[at] for at in chosen], with_memory), strict=True):
                times[at] = one
    return [one for one in times if one is not None]


def _timed(groups: Sequence[Group], with_memory: bool) -> list[Times]:
    tables, blocks, result = _Tables(), [], 0
    for group in groups:
        sizes, shape = group.sizes, np.array(group.sizes.places(), np.int32)
        places = (
            tables.place("events", id(group.events), group.events),
            tables.place("rows", (id(group.events), sizes), group.rows.ravel()),
            tables.place("shapes", sizes, shape),
            tables.place("starts", sizes, start_of(sizes)),
        )
        for first in range(0, group.count, MACHINES):
            count, at = min(MACHINES, group.count - first), result + first
            blocks.append((len(group.events), int(shape[TOTAL]), Block(*places, at, count, at)))
        result += group.count
    numbers = np.concatenate([each.first_times() for each in groups], axis=1)
    cycles, by_cause = _launch(time_blocks(with_memory=with_memory), tables, blocks, numbers, result)
    cycles[cycles >= LAST_CYCLE] = -1
    ends = np.cumsum([each.count for each in groups])[:-1]
    return [
        Times(one.astype(np.int64), causes.T.astype(np.int64))
        for one, causes in zip(np.split(cycles, ends), np.split(by_cause, ends, axis=1), strict=True)
    ]


class _Tables:
    """Arrays one after the other, each kind in one, and what stands where."""

    def __init__(self) -> None:
        self._parts: dict[str, list[npt.NDArray[Any]]] = {}
        self._places: dict[tuple[str, object], int] = {}
        self._ends: dict[str, int] = {}

    def place(self, kind: str, key: object, part: npt.NDArray[Any]) -> int:
        """Return where the array of a key is, which is put at the end if it is new."""
        if (kind, key) not in self._places:
            at = self._ends.get(kind, 0)
            self._places[kind, key] = at
            self._ends[kind] = at + len(part)
            self._parts.setdefault(kind, []).append(part)
        return self._places[kind, key]

    def on_device(self, kind: str) -> Any:
        """Return the arrays of a kind on the device."""
        return cuda.to_device(np.concatenate(self._parts[kind]))


def _launch(
    kernel: Any, tables: _Tables, blocks: list[tuple[int, int, Block]], numbers: Ints, results: int
) -> tuple[Ints, Ints]:
    """Launch all blocks, the longest first; return cycles and cycles by cause.

    Parameters
    ----------
    kernel, tables
        What times blocks; what they name places in.
    blocks
        Of each its events, the places of a machine's memory, and what it does.
    numbers
        (n, M) of all machines.
    results
        How many results there are.
    """
    blocks.sort(key=lambda each: -each[0])
    room = max(each[1] for each in blocks) * MACHINES
    cycles, by_cause = cuda.device_array(results, np.int32), cuda.device_array((CAUSES, results), np.int32)
    what = cuda.to_device(np.array([each[2] for each in blocks], np.int64))
    arrays = [tables.on_device(kind) for kind in ("events", "rows", "shapes", "starts")]
    on_device = cuda.to_device(np.ascontiguousarray(numbers))
    memory = _memory(room, min(len(blocks), MOST_BLOCKS))
    at_once = len(memory) // room
    for first in range(0, len(blocks), at_once):
        count = min(at_once, len(blocks) - first)
        kernel[count, BLOCK](what, first, *arrays, on_device, memory, room, cycles, by_cause)
    return cycles.copy_to_host(), by_cause.copy_to_host()


def _memory(room: int, blocks: int) -> Any:
    """Allocate the memories of the machines of as many blocks as the device has room for now.

    Parameters
    ----------
    room
        Integers for a block.
    blocks
        At most.
    """
    blocks = max(1, min(blocks, _free_integers() // room))
    while True:
        try:
            return cuda.device_array(blocks * room, np.int32)
        except Exception as error:  # another process was faster
            if blocks == 1 or not is_out_of_memory(error):
                raise
        blocks //= 2


def _free_integers() -> int:
    """Return how many 32-bit integers the memories of machines may take."""
    if SIMULATED:
        return 1 << 24
    free, _ = cuda.current_context().get_memory_info()
    return int(SHARE_OF_MEMORY * free) // 4
