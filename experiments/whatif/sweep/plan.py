"""A sweep before it runs: how many cells it has, which are stored, and how long the others take.

Nothing is simulated or written; matrices are loaded, since cells are filed under their digests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from experiments.report.environment import processors
from experiments.whatif.sweep.inputs import Input, called
from experiments.whatif.sweep.simulation import Task, begin
from experiments.whatif.sweep.specification import Sweep
from experiments.whatif.sweep.store_snapshot import Snapshot
from experiments.whatif.sweep.work import UNKNOWN
from programs.registry import ProgramLike
from vecsim.data import Matrix

CELL_SECONDS, NONZERO_SECONDS = 2e-3, 1.5e-7
"""Processors' time of a cell, and for each of its non-zeros in addition, where no time is stored: about that
of the five programs on laplace2d-30, laplace2d-100 and randomwalk-100, on a core of an AMD EPYC in 2026."""
IMAGE_NONZERO_SECONDS = 5e-7
"""The same of a program's image of a matrix, for each non-zero."""


@dataclass(frozen=True)
class Plan:
    """What a sweep would do.

    Attributes
    ----------
    sweep
        The sweep.
    cells
        How many it has: one for each matrix, program and point.
    stored, impossible
        How many of them are in the store, and how many can have no result, such as those of a machine that
        cannot be.
    left
        How many runs would be simulated for the others. Cells share one where they differ in an option that
        the program does not have. There may be fewer: which options give the same program is known when its
        image has been made.
    seconds
        Estimate of the processors' time of these, in seconds. That of a text is not known before a cell of
        it is stored.
    timed
        How many of `left` the estimate takes from times of stored cells of the same program; the others from
        their non-zeros alone.
    processes
        How many processes would share the work.
    """

    sweep: Sweep
    cells: int
    stored: int
    impossible: int
    left: int
    seconds: float
    timed: int
    processes: int


@dataclass(frozen=True)
class _Part:
    """The cells of one program on one matrix."""

    program: ProgramLike
    nnz: int
    points: int
    impossible: int
    stored: int
    left: int
    images: int
    times: tuple[float, ...]


def planned(
    what: Sweep, tasks: list[Task], nnz: Mapping[str | Matrix, int], store: Path | None, jobs: int | None
) -> Plan:
    """Look up what a sweep would do.

    Parameters
    ----------
    what, tasks
        The sweep and its tasks.
    nnz
        The non-zeros of its matrices, as they are in the sweep; nothing for texts.
    store
        The store; None if cells are not stored.
    jobs
        Processes, as of `experiments.whatif.sweep.running.sweep`.
    """
    with Snapshot(store) as opened:
        parts = [_part(task, nnz.get(task.matrix, 0), opened) for task in tasks]
    rates: dict[ProgramLike, list[float]] = {}
    for part in parts:
        rates.setdefault(part.program, []).extend(_share(time, part.nnz) for time in part.times)
    seconds, timed = 0.0, 0
    for part in parts:
        known = rates[part.program]
        share = fmean(part.times) if part.times else _usual(part.nnz) * (fmean(known) if known else 1.0)
        seconds += share * part.left + IMAGE_NONZERO_SECONDS * part.nnz * part.images
        timed += part.left if known else 0
    cells, left = sum(part.points for part in parts), sum(part.left for part in parts)
    impossible = sum(part.impossible for part in parts)
    stored = sum(part.stored for part in parts)
    most = min(jobs or processors(), sum(part.left > 0 for part in parts))
    return Plan(what, cells, stored, impossible, left, seconds, timed, max(most, 1))


def _part(task: Task, nnz: int, opened: Snapshot) -> _Part:
    work = begin(task, task.points, Input(called(task.matrix), None, task.input_sha256), opened)
    work.find_keys(make_images=False)
    cells = opened.cells({key for key in work.keys if key not in ("", UNKNOWN)})
    impossible = sum(not key for key in work.keys)
    left = {
        key if key != UNKNOWN else (image, tuple(point.machine.items())): image
        for key, image, point in zip(work.keys, work.image_keys, task.points, strict=True)
        if key and key not in cells
    }
    stored, images = sum(key in cells for key in work.keys), len(set(left.values()))
    times = tuple(cell.seconds for cell in cells.values() if cell.seconds > 0)
    return _Part(task.program, nnz, len(work.keys), impossible, stored, len(left), images, times)


def _usual(nnz: int) -> float:
    return CELL_SECONDS + NONZERO_SECONDS * nnz


def _share(seconds: float, nnz: int) -> float:
    """Return a time as a multiple of what is usual for as many non-zeros."""
    return seconds / _usual(nnz)
