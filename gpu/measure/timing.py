"""Fair times of operations on a GPU.

Every operation is captured into a CUDA graph and the graph is replayed, so that neither Python nor the
launching library is measured. A time is *warm* (the same buffers again, as in an iterative solver) or *cold*
(buffers in rotation over at least four times the L2 cache). Candidates are compared by replaying them in
turn, so that clocks and temperature are the same for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Literal

import numpy as np

from gpu.runtime import cuda_driver
from gpu.runtime.cuda_driver import Enqueue, Event, Graph, Stream
from vecsim.support.errors import UserError

Cache = Literal["warm", "cold"]

MOST_SECONDS = 0.3
"""The longest that one measurement may take."""
SECONDS = 0.1
"""How long a measurement takes if the caller does not say."""
REPLAY_US = 500.0
"""The least length of a replay: the gap between two replays, about 1 us, is then no part of the result."""
MOST_OPERATIONS = 2000
"""The most operations in a graph, whole rotations apart: capturing them takes time, too."""
MOST_REPLAYS = 101
WARM_UP_SHARE = 0.2
"""The part of a measurement that goes before it, for clocks and caches."""
TIMES_L2 = 4
"""Cold buffers cover this many times the L2 cache."""
MOST_COPIES = 4096
"""The most sets of buffers in rotation."""


@dataclass(frozen=True)
class Timing:
    """The time of one operation.

    Attributes
    ----------
    median_us
        Median over the replays, microseconds an operation.
    spread
        Interquartile range of the replays as a share of the median.
    replays
        How many replays were timed.
    operations
        Operations in one replay.
    """

    median_us: float
    spread: float
    replays: int
    operations: int


@dataclass(frozen=True)
class Comparison:
    """Two candidates timed in turn.

    Attributes
    ----------
    first, second
        The time of each.
    ratio
        How many times faster the first is: the median over the pairs of replays of second / first.
    spread
        Interquartile range of the pairs' ratios as a share of the ratio.
    """

    first: Timing
    second: Timing
    ratio: float
    spread: float


@dataclass(frozen=True)
class Plan:
    """How often an operation is repeated.

    Attributes
    ----------
    rotations
        Rotations through all sets of buffers in one replay.
    warm_up, replays
        Replays before the measurement and in it.
    """

    rotations: int
    warm_up: int
    replays: int


def copies_for(cache: Cache, nbytes: int, l2_bytes: int) -> int:
    """Return the number of sets of buffers to rotate over.

    Parameters
    ----------
    cache
        warm or cold.
    nbytes
        The bytes that one operation touches: matrix, x and y.
    l2_bytes
        The size of the L2 cache.

    Returns
    -------
    int
        1 if warm, or if one set already is four times the cache; otherwise as many as cover that.

    Raises
    ------
    UserError
        So small an operation would need more than 4096 sets.
    """
    if cache == "warm":
        return 1
    copies = max(1, ceil(TIMES_L2 * l2_bytes / max(nbytes, 1)))
    if copies > MOST_COPIES:
        raise UserError(
            f"an operation on {nbytes} bytes cannot be timed cold: {copies} copies of its buffers would be "
            f"needed, at most {MOST_COPIES} are made"
        )
    return copies


def plan(operation_us: float, copies: int, seconds: float) -> Plan:
    """Return how often to repeat an operation of about ``operation_us``, in ``seconds`` in all."""
    if not 0 < seconds <= MOST_SECONDS:
        raise ValueError(f"a measurement takes more than 0 and at most {MOST_SECONDS} s, not {seconds}")
    rotation_us = max(operation_us, 0.1) * copies
    rotations = min(ceil(REPLAY_US / rotation_us), max(1, MOST_OPERATIONS // copies))
    fitting = seconds * 1e6 / (rotations * rotation_us)
    warm_up = max(1, int(min(fitting, MOST_REPLAYS) * WARM_UP_SHARE))
    return Plan(rotations, warm_up, min(MOST_REPLAYS, max(1, int(fitting) - warm_up)))


def statistics(replays_us: Sequence[float], operations: int) -> Timing:
    """Return median and spread of the replays' times, each of ``operations`` operations."""
    low, median, high = np.percentile(replays_us, (25, 50, 75))
    spread = (high - low) / median if median else 0.0
    return Timing(float(median) / operations, float(spread), len(replays_us), operations)


def measure(operations: Sequence[Enqueue], seconds: float = SECONDS) -> Timing:
    """Time an operation.

    Parameters
    ----------
    operations
        The same operation on each set of buffers in rotation; one set is a warm measurement. Each is run
        once before the capture, so that kernels are compiled and loaded.
    seconds
        About how long it may take, at most 0.3, capturing apart.

    Returns
    -------
    Timing
        Per operation.
    """
    with ExitStack() as open_:
        stream = open_.enter_context(Stream())
        graph, plan_ = _prepare(operations, seconds, stream, open_)
        for _ in range(plan_.warm_up):
            graph.launch(stream)
        times = _replay([graph], plan_.replays, stream, open_)[0]
        return statistics(times, plan_.rotations * len(operations))


def compare(first: Sequence[Enqueue], second: Sequence[Enqueue], seconds: float = SECONDS) -> Comparison:
    """Time two operations in turn, replay by replay; ``seconds`` for each of them.

    Parameters
    ----------
    first, second
        As for `measure`; either with their own rotation.
    seconds
        About how long each may take, at most 0.3, capturing apart.

    Returns
    -------
    Comparison
        Both times and how many times faster the first is.
    """
    with ExitStack() as open_:
        stream = open_.enter_context(Stream())
        prepared = [_prepare(each, seconds, stream, open_) for each in (first, second)]
        graphs = [graph for graph, _ in prepared]
        for _ in range(min(plan_.warm_up for _, plan_ in prepared)):
            for graph in graphs:
                graph.launch(stream)
        times = _replay(graphs, min(plan_.replays for _, plan_ in prepared), stream, open_)
        counts = [
            plan_.rotations * len(each) for (_, plan_), each in zip(prepared, (first, second), strict=True)
        ]
        ratios = [b / counts[1] / (a / counts[0]) for a, b in zip(*times, strict=True)]
        of_pairs = statistics(ratios, 1)
        timings = [statistics(each, count) for each, count in zip(times, counts, strict=True)]
        return Comparison(timings[0], timings[1], of_pairs.median_us, of_pairs.spread)


class _Uncaptured:
    """An operation that is enqueued itself where others replay a graph of theirs."""

    def __init__(self, enqueue: Enqueue) -> None:
        self._enqueue = enqueue

    def launch(self, stream: Stream) -> None:
        """Put it on a stream."""
        self._enqueue(stream)


UNCAPTURED = 5
"""How often an operation is timed that cannot be captured into a graph."""


def measure_in_turn(
    candidates: Sequence[Sequence[Enqueue]], seconds: float = SECONDS, uncaptured: Sequence[Enqueue] = ()
) -> list[Timing]:
    """Time any number of operations in turn, a replay of each after a replay of the one before.

    Before each replay its operation runs once, untimed: what the candidate before has left in the caches does
    not count.

    Parameters
    ----------
    candidates
        Each as for `measure`, with its own rotation.
    seconds
        About how long each may take, at most 0.3, capturing apart.
    uncaptured
        Operations that no graph can have, to be enqueued one at a time in the same turns.

    Returns
    -------
    list of Timing
        In the order of the candidates, those of `uncaptured` after them.
    """
    with ExitStack() as open_:
        stream = open_.enter_context(Stream())
        prepared: list[tuple[Graph | _Uncaptured, Plan]]
        prepared = [_prepare(each, seconds, stream, open_) for each in candidates]
        once: list[Graph | _Uncaptured]
        once = [open_.enter_context(_captured(each, 1, stream)) for each in candidates]
        calls = [_Uncaptured(each) for each in uncaptured]
        prepared += [(each, Plan(1, 1, UNCAPTURED)) for each in calls]
        once += calls
        candidates = [*candidates, *([each] for each in uncaptured)]
        times = _replay_warmed(prepared, once, stream, open_)
        counts = [plan_.rotations * len(each) for (_, plan_), each in zip(prepared, candidates, strict=True)]
        return [statistics(each, count) for each, count in zip(times, counts, strict=True)]


def _prepare(
    operations: Sequence[Enqueue], seconds: float, stream: Stream, open_: ExitStack
) -> tuple[Graph, Plan]:
    """Capture the graph to be replayed, after one that tells how long the operation takes."""
    for operation in operations:
        operation(stream)
    cuda_driver.synchronize()
    with _captured(operations, 1, stream) as once, ExitStack() as trial:
        once.launch(stream)
        shortest = min(_replay([once], 3, stream, trial)[0])
    plan_ = plan(shortest / len(operations), len(operations), seconds)
    return open_.enter_context(_captured(operations, plan_.rotations, stream)), plan_


def _captured(operations: Sequence[Enqueue], rotations: int, stream: Stream) -> Graph:
    return stream.capture(lambda into: _enqueue(operations, rotations, into))


def _enqueue(operations: Sequence[Enqueue], rotations: int, stream: Stream) -> None:
    for _ in range(rotations):
        for operation in operations:
            operation(stream)


def _replay(graphs: Sequence[Graph], replays: int, stream: Stream, open_: ExitStack) -> list[list[float]]:
    """Replay graphs in turn and return the times of each, microseconds.

    All replays are enqueued at once, an event between any two: the device never waits for the host.
    """
    events = [open_.enter_context(Event()) for _ in range(replays * len(graphs) + 1)]
    events[0].record(stream)
    for index, event in enumerate(events[1:]):
        graphs[index % len(graphs)].launch(stream)
        event.record(stream)
    times = [later.microseconds_since(earlier) for earlier, later in pairwise(events)]
    return [times[index :: len(graphs)] for index in range(len(graphs))]


def _replay_warmed(
    prepared: Sequence[tuple[Graph | _Uncaptured, Plan]],
    once: Sequence[Graph | _Uncaptured],
    stream: Stream,
    open_: ExitStack,
) -> list[list[float]]:
    """Replay graphs in turn, each as often as its plan says, and return the times of each, microseconds."""
    ends: list[list[tuple[Event, Event]]] = [[] for _ in prepared]
    for turn in range(max((plan_.warm_up + plan_.replays for _, plan_ in prepared), default=0)):
        for (graph, plan_), warm, pairs in zip(prepared, once, ends, strict=True):
            if turn >= plan_.warm_up + plan_.replays:
                continue
            warm.launch(stream)
            begin, end = (open_.enter_context(Event()) for _ in range(2))
            begin.record(stream)
            graph.launch(stream)
            end.record(stream)
            pairs.append((begin, end))
    stream.synchronize()
    return [
        [end.microseconds_since(begin) for begin, end in pairs[plan_.warm_up :]]
        for pairs, (_, plan_) in zip(ends, prepared, strict=True)
    ]
