"""The rows of a program as the timing of many machines reads them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isa.declaration import Timing
from isa.program import Program
from vecsim.engines.attribution import work_of
from vecsim.engines.decoded import Decoded
from vecsim.engines.trace_timing import events, places

Words = npt.NDArray[np.int32]


def rows_of(program: Program, decoded: Decoded) -> Words:
    """Return the (n, ROW) rows of a program of n instructions.

    Parameters
    ----------
    decoded
        The same program resolved for a machine with the sizes of those that are timed.
    """
    rows = np.zeros((len(decoded.unit), events.ROW), np.int32)
    rows[:, events.UNIT], rows[:, events.STORE] = decoded.unit, np.maximum(decoded.store, 0)
    rows[:, events.MASKED] = np.maximum(decoded.masked, 0)
    rows[:, events.RECORD_BYTES] = np.maximum(decoded.record_bytes, 0)
    rows[:, events.ELEMENT_WORDS] = np.maximum(decoded.value_bytes, 0) + 3 >> 2
    for pc, opcode in enumerate(program.opcode.tolist()):
        instruction = program.instruction_set.by_opcode[opcode]
        number = places.ONE
        if instruction.timing == Timing.SCALAR_LOAD:
            number = places.NUMBERS.index("scalar_load_latency")
        elif instruction.latency:
            number = places.NUMBERS.index(f"latency.{instruction.latency}")
        elif instruction.timing == Timing.SPARSE:
            number = places.NUMBERS.index("sparse_unit.latency")
        rows[pc, events.LATENCY] = number
        rows[pc, events.RATE] = (
            places.ENTRIES_PER_CYCLE if instruction.timing == Timing.SPARSE else places.LANES_PER_CYCLE
        )
        rows[pc, events.INTERVAL] = places.DIVIDE_INTERVAL if instruction.latency == "divide" else 0
        rows[pc, events.TREE] = instruction.timing == Timing.REDUCTION
        rows[pc, events.WORK], rows[pc, events.REST] = work_of(instruction)
    for name in events.LISTS:
        values = getattr(decoded, name)
        at = events.LIST_PLACES[name]
        rows[:, at] = (values >= 0).sum(axis=1)
        rows[:, at + 1 : at + 1 + values.shape[1]] = np.maximum(values, 0)
    lists = (events.WHOLE_READS, events.WHOLE_WRITES, events.ACCUMULATORS, events.LATE)
    rows[:, events.WAITS] = rows[:, lists].any(axis=1)
    return rows
