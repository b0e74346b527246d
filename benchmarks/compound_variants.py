"""The layouts and schedules that benchmarks.compound_products tries."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.compound.component_layout import AOS, SOA, ComponentLayout
from gpu.compound.device_compound import Layout
from gpu.compound.entry_type import EntryType
from gpu.compound.schedule import Schedule

SCHEDULES = (
    Schedule("whole", 256),
    Schedule("whole", 128),
    Schedule("whole", 512),
    Schedule("whole", 256, at_once=1),
    Schedule("whole", 256, at_once=2),
    Schedule("whole", 256, at_once=8),
    Schedule("whole", 256, 6),
    Schedule("whole", 256, rows_per_thread=2),
    Schedule("static", 256, 4),
    Schedule("static", 256, 8),
    Schedule("static", 128, 12),
    Schedule("dynamic", 256, 4),
    Schedule("dynamic", 128, 12),
    Schedule("whole", 256, threads_per_row=2),
    Schedule("whole", 256, threads_per_row=4),
)

"""The first with all layouts, all of them with the best ones."""
MOST_REGISTERS = 72
"""Of entries whose loads are under way at once."""


def schedules(entry: EntryType, real: Any) -> list[Schedule]:
    """Give the schedules of the best layouts, without those that need too many registers.

    The first of all has been measured with all layouts.

    Parameters
    ----------
    entry, real
        As of `layouts`.
    """
    registers = entry.entry_bytes(real) // 4
    return [each for each in SCHEDULES[1:] if (each.at_once or 1) * registers <= MOST_REGISTERS]


def natural_schedules() -> list[Schedule]:
    """Give the schedules of the natural layout: those of the paper, and several threads a row."""
    fewer = [each for each in SCHEDULES if each.threads_per_row == 1 and each.rows_per_thread == 1]
    return fewer + [Schedule("whole", 256, threads_per_row=sharing) for sharing in (2, 4, 8, 16)]


def layouts(entry: EntryType, real: Any) -> list[Layout]:
    """Give the layouts of an entry type, the likeliest last.

    Parameters
    ----------
    entry
        What an entry is.
    real
        np.float32 or np.float64: 128 bits hold four or two.
    """
    together = min(4 if real is np.float32 else 2, 2 if len(entry.reals) == 2 else 4)
    parts, groups = ComponentLayout(None, together), ComponentLayout(32, together)
    found = [
        Layout("csr", SOA),
        Layout("csr", AOS, SOA),
        Layout("ellpack-r", AOS),
        Layout("ellpack-r", parts),
        Layout("sliced-16", parts),
        Layout("sliced-32", AOS),
        Layout("sliced-32", SOA),
        Layout("sliced-32", SOA, SOA),
        Layout("sliced-32", parts, ComponentLayout(32)),
        Layout("sliced-32", groups),
        Layout("sorted-32", parts),
        Layout("sliced-32-short", parts),
        Layout("sorted-32-short", groups),
        Layout("sorted-32-short", parts),
        Layout("sliced-32", parts),
    ]
    return [Layout(), *found]
