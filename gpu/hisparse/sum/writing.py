"""Parts of nodes that one thread of a kernel writes: head, padding, and how entries are addressed."""

from typing import Any

import numpy as np

from gpu.hisparse.node_layout import DENSE, FIRST_COORDINATE
from gpu.hisparse.node_shapes import first_slots, units
from gpu.runtime.cuda import device_function


def heads(width: int, node_size: int) -> Any:
    """Make ``begin(words, halves, reference, shape, last)``: all of a node but its entries, by one thread.

    Parameters
    ----------
    width
        Bytes of a slot.
    node_size
        d.
    """
    first_slot, unit_count = first_slots(width), units(width, node_size)

    @device_function
    def begin(words: Any, halves: Any, reference: Any, shape: Any) -> None:
        at = np.int64(reference) & ~3
        count = np.int32(shape >> 2)
        words[at] = np.uint32(count)
        words[at + 1] = np.uint32(1)
        if shape & 3 == DENSE:
            words[at + 2] = np.uint32(0)
            words[at + 3] = np.uint32(0)
        else:
            padded = np.int32(count if count < 3 else (count + 3) & ~3)
            slots = np.int64(first_slot(count) // 2)
            half = FIRST_COORDINATE // 2 + np.int64(padded)
            while half < slots:
                halves[2 * at + half] = np.uint16(0)
                half += 1
            half = slots + np.int64(count) * (width // 2)
            while half < np.int64(unit_count(shape)) * 8:
                halves[2 * at + half] = np.uint16(0)
                half += 1

    return begin
