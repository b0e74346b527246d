"""What the searches may try: all layouts and schedules, or those of the paper alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from experiments.papers.layouts.printed import OUTER
from experiments.papers.layouts.results import Search

if TYPE_CHECKING:
    from gpu.compound.entry_type import EntryType
    from gpu.compound.tuning.search import Timing
    from gpu.compound.tuning.variants import DeviceLimits, Variant

FINALISTS = 3
"""Of each search: what is timed again, in turn with cuSPARSE. The least of many times is often too short."""
VECTORS = ("AoS", "SoA")
"""Layouts of vectors that are tried. Groups of 32 elements are left out: with them, the kernels of a run take
more than nine minutes to compile."""
PAPERS_OUTER = {name for names in OUTER.values() for name in names}
PAPERS_COMPONENTS = ("AoS", "SoA")
PAPERS_ASSIGNMENTS = ("static", "dynamic")


def offered(entry: EntryType, real: Any, limits: DeviceLimits) -> dict[Search, list[Variant]]:
    """Return what each search may try.

    Parameters
    ----------
    entry, real
        What an entry is, and the type of its components.
    limits
        Of the device.
    """
    from gpu.compound.tuning.variants import joint_variants, natural_variants

    joint = [each for each in joint_variants(entry, real, limits) if each.layout.vector.name in VECTORS]
    natural = natural_variants(entry, real, limits)
    return {
        "joint": joint,
        "schedule": natural,
        "paper": [each for each in joint if is_of_the_paper(each)],
        "paper schedule": [each for each in natural if is_of_the_paper(each)],
    }


def finalists(timings: Mapping[str, Timing]) -> list[str]:
    """Return the names of the best few variants of a search."""
    return sorted(timings, key=lambda name: timings[name].us)[:FINALISTS]


def least_by_layout(timings: Mapping[str, Timing]) -> dict[str, float]:
    """Return the least microseconds of each layout, by its name."""
    least: dict[str, float] = {}
    for name, timing in timings.items():
        layout = name.partition(" | ")[0]
        least[layout] = min(timing.us, least.get(layout, timing.us))
    return least


def is_of_the_paper(variant: Variant) -> bool:
    """Return whether the paper tried a variant: its layouts; blocks and grids of constant size."""
    layout, schedule = variant.layout, variant.schedule
    alone = (schedule.threads_per_row, schedule.rows_per_thread, schedule.at_once) == (1, 1, None)
    return (
        alone
        and schedule.assignment in PAPERS_ASSIGNMENTS
        and layout.outer in PAPERS_OUTER
        and {layout.inner.name, layout.vector.name} <= set(PAPERS_COMPONENTS)
    )
