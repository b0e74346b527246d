"""Exhaustive searches: the order in which variants are timed, and the record that pruning is tested with."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.tuning.search import Timing, tune
from gpu.compound.tuning.traffic_model import TrafficModel
from gpu.compound.tuning.variants import DeviceLimits, Variant, joint_variants
from vecsim.errors import UserError
from vecsim.formats import NotRepresentableError


def all_variants(matrix: CompoundMatrix, limits: DeviceLimits | None = None) -> list[Variant]:
    """Give all variants of a matrix, those that are placed alike one behind the other, fewest bytes first.

    Parameters
    ----------
    matrix
        The matrix.
    limits
        Of the device.
    """
    offered = joint_variants(matrix.entry, matrix.dtype.type, limits)
    ordered = TrafficModel(matrix, limits).ordered(offered, pruned=False)
    groups: dict[Any, list[Variant]] = {}
    for variant in ordered:
        groups.setdefault((variant.layout, variant.schedule.threads_per_row), []).append(variant)
    return [variant for group in groups.values() for variant in group]


def pruned_names(
    matrix: CompoundMatrix, times: Mapping[str, Timing | None], limits: DeviceLimits | None = None
) -> list[str]:
    """Give the variants that a pruned search measures, by looking times up instead of measuring.

    Parameters
    ----------
    matrix
        The matrix.
    times
        Of all variants, by name; None where the matrix has no such form.
    limits
        Of the device.
    """

    def looked_up(variant: Variant) -> Timing:
        timing = times[variant.name]
        if timing is None:
            raise NotRepresentableError(f"{variant.name}: the matrix has no such form")
        return timing

    offered = joint_variants(matrix.entry, matrix.dtype.type, limits)
    found = tune(TrafficModel(matrix, limits).ordered(offered), looked_up, seconds=math.inf)
    return [*found.timings]


def record_of(
    matrix: CompoundMatrix, times: Mapping[str, Timing | None], limits: DeviceLimits | None = None
) -> dict[str, float | None]:
    """Give the record of an exhaustive search: microseconds by variant.

    Parameters
    ----------
    matrix, times, limits
        As of `pruned_names`.

    Returns
    -------
    dict
        The time of each variant by its name, None where the matrix has no such form.

    Raises
    ------
    UserError
        If some variants are not timed yet.
    """
    missing = still_missing(all_variants(matrix, limits), times)
    if missing:
        raise UserError(f"{len(missing)} variants are not timed yet, the first is {missing[0].name}")
    return {name: None if timing is None else round(timing.us, 3) for name, timing in sorted(times.items())}


def still_missing(variants: Sequence[Variant], times: Mapping[str, Timing | None]) -> list[Variant]:
    """Give the variants that have no time yet, in their order."""
    return [variant for variant in variants if variant.name not in times]
