"""The search itself: layouts, then schedules in the best of them, then layouts under the best schedule.

Schedules of the natural layout are among them, so that a search of both is not after one of schedules alone.
Layouts come twice since their order depends on the schedule: with several threads a row, or more entries
loaded at once, another layout may be best.
"""

import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpu.compound.device_compound import NATURAL, Layout
from gpu.compound.tuning.variants import Variant
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError

BEST_LAYOUTS = 2
"""Layouts whose schedules are tried."""
LAYOUTS_SHARE, SCHEDULES_SHARE = 0.45, 0.75
"""Of the time: after so much of it the next begins, schedules, and layouts under the best of them."""


@dataclass(frozen=True)
class Timing:
    """What was measured of a variant: microseconds a product, and bytes of the matrix with its padding."""

    us: float
    nbytes: int


@dataclass(frozen=True)
class Progress:
    """Where a search stands: variants done and to do at most, and seconds left, estimated."""

    done: int
    total: int
    left_s: float


@dataclass(frozen=True)
class Found:
    """What a search has found.

    Attributes
    ----------
    best
        The variant of the least score.
    timing
        Its time and bytes.
    timings
        Of every variant that was measured, by name.
    complete
        Whether all was tried before the time was spent.
    """

    best: Variant
    timing: Timing
    timings: dict[str, Timing]
    complete: bool


Tuning = Generator[list[Variant], None, Found]
"""A search that stops before variants are measured, and names them."""


class _Run:
    """The variants measured so far."""

    def __init__(
        self,
        measure: Callable[[Variant], Timing],
        known: Mapping[str, Timing | None],
        keep: Callable[[str, Timing | None], None],
        clock: Callable[[], float],
    ) -> None:
        self._measure, self._known, self._keep = measure, known, keep
        self._clock, self._began = clock, clock()
        self.timings: dict[Variant, Timing] = {}
        self.complete = True
        self._done: set[Variant] = set()
        self._fresh = 0

    def take(
        self, variants: Sequence[Variant], total: int, seconds: float, report: Callable[[Progress], None]
    ) -> None:
        """Measure what is not known yet.

        Parameters
        ----------
        variants
            What to measure, the first first.
        total
            Variants of the whole search at most.
        seconds
            So long after the beginning nothing more is measured.
        report
            Takes the progress after each.
        """
        deadline = self._began + seconds
        for variant in variants:
            if variant in self._done:
                continue
            if variant.name not in self._known and self._clock() >= deadline:
                self.complete = False
                continue
            timing = self._timed(variant)
            self._done.add(variant)
            if timing is not None:
                self.timings[variant] = timing
            report(Progress(len(self._done), total, self._left(total, deadline)))

    def _timed(self, variant: Variant) -> Timing | None:
        if variant.name in self._known:
            return self._known[variant.name]
        timing: Timing | None
        try:
            timing = self._measure(variant)
        except NotRepresentableError:
            timing = None
        self._fresh += 1
        self._keep(variant.name, timing)
        return timing

    def _left(self, total: int, deadline: float) -> float:
        now = self._clock()
        each = (now - self._began) / max(1, self._fresh)
        return max(0.0, min(each * (total - len(self._done)), deadline - now))


def tune(
    variants: Iterable[Variant],
    measure: Callable[[Variant], Timing],
    *,
    prepare: Callable[[Sequence[Variant]], object] = lambda variants: None,
    **how: Any,
) -> Found:
    """Find the best variant, as `tuning` does; raise as it does.

    Parameters
    ----------
    variants, measure, how
        As of `tuning`.
    prepare
        Takes the variants that are measured next, all at once: to compile their kernels.
    """
    return driven(tuning(variants, measure, **how), prepare)


def driven(search: Tuning, prepare: Callable[[Sequence[Variant]], object]) -> Found:
    """Go through a search, and prepare the variants that it names.

    Parameters
    ----------
    search
        What `tuning` returns.
    prepare
        As of `tune`.
    """
    while True:
        try:
            prepare(next(search))
        except StopIteration as end:
            result: Found = end.value
            return result


def tuning(
    variants: Iterable[Variant],
    measure: Callable[[Variant], Timing],
    *,
    known: Mapping[str, Timing | None] | None = None,
    keep: Callable[[str, Timing | None], None] = lambda name, timing: None,
    memory_weight: float = 0.0,
    seconds: float = 110.0,
    exhaustive: bool = False,
    report: Callable[[Progress], None] = lambda progress: None,
    clock: Callable[[], float] = time.monotonic,
) -> Tuning:
    """Find the best variant; stop before variants are measured, and name them, so that they can be prepared.

    Each layout is measured with its likeliest schedule, then all schedules in the best layouts and in the
    natural one, then all layouts under the best schedule.

    Parameters
    ----------
    variants
        The likeliest first (`TrafficModel.ordered`).
    measure
        Compiles and times a variant; raises `NotRepresentableError` where the matrix has no such form.
    known
        What an earlier search has measured, by name; it is not measured again.
    keep
        Takes each new result at once, so that a search goes on after a kill.
    memory_weight
        How much memory counts next to time: the score is time x (bytes / fewest bytes) ^ weight.
    seconds
        After this many nothing more is begun.
    exhaustive
        Whether all variants are measured, none left out.
    report
        Takes the progress after each.
    clock
        Seconds.

    Raises
    ------
    UserError
        If nothing could be measured, or `memory_weight` is negative.
    """
    if memory_weight < 0:
        raise UserError(f"memory_weight {memory_weight} is not possible: use 0 or more")
    tried = list(dict.fromkeys(variants))
    known = known or {}
    run = _Run(measure, known, keep, clock)

    def unknown(next_: Sequence[Variant]) -> list[Variant]:
        return [variant for variant in next_ if variant.name not in known]

    if exhaustive:
        yield unknown(tried)
        run.take(tried, len(tried), seconds, report)
    else:
        firsts = first_of_layouts(tried)
        yield unknown(firsts)
        run.take(firsts, most_measured(tried), seconds * LAYOUTS_SHARE, report)
        rest = rest_of_the_best(tried, run.timings, memory_weight)
        yield unknown(rest)
        run.take(rest, 2 * len(firsts) + len(rest), seconds * SCHEDULES_SHARE, report)
        under_best = under_the_best(tried, run.timings, memory_weight)
        yield unknown(under_best)
        run.take(under_best, len({*firsts, *rest, *under_best}), seconds, report)
    if not run.timings:
        raise UserError("no variant could be measured: more seconds, or other layouts, are needed")
    first = _ranked(run.timings, memory_weight)[0]
    timings = {variant.name: timing for variant, timing in run.timings.items()}
    return Found(first, run.timings[first], timings, run.complete)


def first_of_layouts(variants: Sequence[Variant]) -> list[Variant]:
    """Return what a search measures first: the likeliest variant of each layout.

    Parameters
    ----------
    variants
        The likeliest first.
    """
    return [group[0] for group in _by_layout(variants).values()]


def most_measured(variants: Sequence[Variant]) -> int:
    """Count the variants that a search measures at most.

    Parameters
    ----------
    variants
        What it may try.
    """
    groups = _by_layout(variants).values()
    longest = sorted((len(group) - 1 for group in groups), reverse=True)
    return 2 * len(groups) + sum(longest[: BEST_LAYOUTS + 1])


def rest_of_the_best(
    variants: Sequence[Variant], timings: Mapping[Variant, Timing], memory_weight: float = 0.0
) -> list[Variant]:
    """Return what a search measures then: all other variants of the best layouts and of the natural one.

    Parameters
    ----------
    variants
        The likeliest first.
    timings
        Of those that `first_of_layouts` returns.
    memory_weight
        As of `tune`.
    """
    groups = _by_layout(variants)
    best = [first.layout for first in _ranked(timings, memory_weight)[:BEST_LAYOUTS]]
    return [variant for layout in dict.fromkeys((*best, NATURAL)) for variant in groups.get(layout, [])[1:]]


def under_the_best(
    variants: Sequence[Variant], timings: Mapping[Variant, Timing], memory_weight: float = 0.0
) -> list[Variant]:
    """Return what a search measures last: all layouts under the schedule of the best variant so far.

    Parameters
    ----------
    variants
        The likeliest first.
    timings
        Of those that `first_of_layouts` and `rest_of_the_best` return.
    memory_weight
        As of `tune`.
    """
    schedules = {best.schedule for best in _ranked(timings, memory_weight)[:1]}
    return [variant for variant in variants if variant.schedule in schedules]


def _by_layout(variants: Iterable[Variant]) -> dict[Layout, list[Variant]]:
    groups: dict[Layout, list[Variant]] = {}
    for variant in variants:
        groups.setdefault(variant.layout, []).append(variant)
    return groups


def _ranked(timings: Mapping[Variant, Timing], memory_weight: float) -> list[Variant]:
    """Order variants by score."""
    fewest = max(1, min((timing.nbytes for timing in timings.values()), default=1))
    return sorted(
        timings, key=lambda each: timings[each].us * (timings[each].nbytes / fewest) ** memory_weight
    )
