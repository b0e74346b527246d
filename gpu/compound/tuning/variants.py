"""What a search may try: layouts times schedules, what of a device bounds them, variants by their names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from gpu.compound.component_layout import AOS, SOA, ComponentLayout
from gpu.compound.device_compound import NATURAL, Layout
from gpu.compound.entry_type import EntryType
from gpu.compound.outer_layout import OUTER_LAYOUTS
from gpu.compound.product_kernel import entries_at_once
from gpu.compound.schedule import ASSIGNMENTS, AT_ONCE, Assignment, Schedule, grids
from vecsim.support.errors import UserError

MOST_REGISTERS = 255
"""Of one thread, on every device that CUDA knows today."""
REGISTERS_BESIDE = 24
"""Addresses, counters and the state of the loop, next to entries and elements that are running."""
WHOLE_BLOCKS = (64, 128, 256, 512, 1024)
SHARED_ROWS = (2, 4, 8, 16)
VECTOR_GROUP = 32


@dataclass(frozen=True)
class DeviceLimits:
    """What one multiprocessor takes at once.

    Attributes
    ----------
    threads, blocks, registers
        The most of each; registers are of 32 bits.
    """

    threads: int = 2048
    blocks: int = 32
    registers: int = 65536


@dataclass(frozen=True)
class Variant:
    """A layout with a schedule.

    Attributes
    ----------
    layout, schedule
        Of `gpu.compound.device_compound` and `gpu.compound.schedule`.
    """

    layout: Layout
    schedule: Schedule

    @property
    def name(self) -> str:
        """The name under which results are stored."""
        return f"{self.layout.name} | {self.schedule.name}"


def registers_needed(entry: EntryType, real: Any, schedule: Schedule) -> int:
    """Estimate the registers of a thread: entries and elements running, the sum, and the loop."""
    words = int(np.dtype(real).itemsize) // 4
    of_step = entry.entry_bytes(real) // 4 + len(entry.vector) * words
    return entries_at_once(entry, real, schedule) * of_step + len(entry.vector) * words + REGISTERS_BESIDE


def registers_left(schedule: Schedule, limits: DeviceLimits) -> int:
    """Return the registers that the threads of a schedule that run at once leave each of them."""
    threads = schedule.threads_per_block * max(1, schedule.blocks_per_sm)
    return min(MOST_REGISTERS, limits.registers // threads)


def schedules(limits: DeviceLimits) -> Iterator[Schedule]:
    """Yield the schedules of the paper (4.3), then those with several threads a row, or entries at once."""
    for threads in WHOLE_BLOCKS:
        yield Schedule("whole", threads)
    for threads, blocks in grids(limits.threads, limits.blocks):
        yield Schedule("static", threads, blocks)
        yield Schedule("dynamic", threads, blocks)
    for sharing in SHARED_ROWS:
        yield Schedule("whole", 256, threads_per_row=sharing)
    yield Schedule("whole", 256, rows_per_thread=2)
    for at_once in AT_ONCE:
        yield Schedule("whole", 256, at_once=at_once)


def layouts(entry: EntryType, real: Any) -> list[Layout]:
    """Return every outer layout with every inner and vector layout that an entry type allows.

    Parameters
    ----------
    entry
        What an entry is.
    real
        np.float32 or np.float64: 128 bits hold four or two components.
    """
    widest = 16 // int(np.dtype(real).itemsize)
    inner = [AOS, SOA]
    inner += [ComponentLayout(None, width) for width in (2, 4) if width <= min(widest, len(entry.reals))]
    vectors = (AOS, SOA, ComponentLayout(VECTOR_GROUP))
    return [Layout(outer, each, vector) for outer in OUTER_LAYOUTS for each in inner for vector in vectors]


def joint_variants(entry: EntryType, real: Any, limits: DeviceLimits | None = None) -> list[Variant]:
    """Return all variants of an entry type whose schedules leave the registers that they need.

    Parameters
    ----------
    entry, real
        As of `layouts`.
    limits
        Of the device.
    """
    tried = _possible(entry, real, limits or DeviceLimits())
    return [Variant(layout, schedule) for layout in layouts(entry, real) for schedule in tried]


def natural_variants(entry: EntryType, real: Any, limits: DeviceLimits | None = None) -> list[Variant]:
    """Return the schedules in the natural layout, the paper's baseline; as `joint_variants` otherwise."""
    return [Variant(NATURAL, schedule) for schedule in _possible(entry, real, limits or DeviceLimits())]


def _possible(entry: EntryType, real: Any, limits: DeviceLimits) -> list[Schedule]:
    return [
        schedule
        for schedule in schedules(limits)
        if registers_needed(entry, real, schedule) <= registers_left(schedule, limits)
    ]


_COMPONENTS = r"(AoS|SoA|AoSoA-\d+)(?:/(\d))?"
_NAME = re.compile(
    rf"({'|'.join(sorted(OUTER_LAYOUTS, key=len, reverse=True))})-{_COMPONENTS}-{_COMPONENTS}"
    rf" \| ({'|'.join(ASSIGNMENTS)}) (\d+)(?: x (\d+))?"
    r"(?:, (\d+) threads a row)?(?:, (\d+) rows a thread)?(?:, (\d+) at once)?"
)


@cache
def variant_named(name: str) -> Variant:
    """Return the variant whose name this is.

    Parameters
    ----------
    name
        Such as ``csr-AoS-SoA/4 | static 256 x 8``.

    Raises
    ------
    UserError
        If it is the name of none.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise UserError(f"{name!r} is not a variant; write LAYOUT | SCHEDULE")
    outer, inner, inner_together, vector, vector_together, assignment, *numbers = match.groups()
    threads, blocks, sharing, rows, at_once = (None if each is None else int(each) for each in numbers)
    return Variant(
        Layout(outer, _components(inner, inner_together), _components(vector, vector_together)),
        Schedule(_assignment(assignment), int(threads or 0), blocks or 0, sharing or 1, rows or 1, at_once),
    )


def _components(stem: str, together: str | None) -> ComponentLayout:
    elements = {"AoS": 1, "SoA": None}[stem] if stem in ("AoS", "SoA") else int(stem.rpartition("-")[2])
    return ComponentLayout(elements, int(together or 1))


def _assignment(name: str) -> Assignment:
    return next(each for each in ASSIGNMENTS if each == name)
