"""The cells of one program on one input: simulated into a store, or looked up there."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path

from experiments.code_fingerprint import code_fingerprint
from experiments.whatif.sweep.cell import Cell
from experiments.whatif.sweep.inputs import Input, called, load_input
from experiments.whatif.sweep.specification import Point, Sweep
from experiments.whatif.sweep.store import Keeper, Store
from experiments.whatif.sweep.texts import NO_MATRIX, load_arrays
from experiments.whatif.sweep.work import UNKNOWN, Work
from programs.measurement import Prepared
from programs.registry import ProgramLike
from vecsim.data import Matrix
from vecsim.results.file_digests import InputFile
from vecsim.support.errors import UserError

REPORT_SECONDS = 0.2
"""Seconds between two reports of how many cells are done."""


@dataclass(frozen=True)
class Task:
    """All points of a sweep for one program on one matrix, or with the arrays of the sweep.

    Attributes
    ----------
    sweep, points, matrix, program
        What is simulated; the matrix is `NO_MATRIX` for a text.
    store
        Where cells are kept.
    code, machine, input_sha256
        Digests of the code, of the machine that is varied and of the matrix or the arrays, as the sweep began
        with them: who finds others in their place simulates nothing.
    on_gpu
        Whether machines that are timed together are timed on the GPU.
    """

    sweep: Sweep
    points: tuple[Point, ...]
    matrix: str | Matrix
    program: ProgramLike
    store: Path
    code: str
    machine: str
    input_sha256: str
    on_gpu: bool = False


@dataclass(frozen=True)
class Outcome:
    """What a task came to.

    Attributes
    ----------
    keys
        For each point what its cell is filed under; empty where it has none.
    faults
        For each point why it has no cell; empty where it has one.
    left
        The points whose cell has to be computed.
    computed
        How many cells were simulated.
    engine_seconds
        Processors' time of the engine.
    damaged
        How many cells are damaged in the store.
    files
        The files that assembling the program read, for the points that are kept.
    cells
        Those that were found in the store, by key.
    """

    keys: tuple[str, ...]
    faults: tuple[str, ...]
    left: tuple[int, ...] = ()
    computed: int = 0
    engine_seconds: float = 0.0
    damaged: int = 0
    files: tuple[InputFile, ...] = ()
    cells: Mapping[str, Cell] = field(default_factory=dict)


def simulate(task: Task, report: Callable[[int], None] = lambda done: None) -> Outcome:
    """Do a task.

    Parameters
    ----------
    task
        What to do.
    report
        Called now and then with how many more cells are done.

    Raises
    ------
    UserError
        There is no such matrix, or the store cannot be written. What is wrong with single points stands in
        the outcome.
    """
    with Store(task.store) as store:
        work = begin(task, task.points, input_of(task.sweep, task.matrix), store)
        work.find_keys()
        recorded = store.stored_keys(work.keys)
        report(sum(key in recorded or not key for key in work.keys))
        last, reported = time.monotonic(), 0

        def tell() -> None:
            nonlocal last, reported
            if time.monotonic() - last >= REPORT_SECONDS:
                report(work.computed - reported)
                last, reported = time.monotonic(), work.computed

        work.compute(work.missing(recorded), tell)
        report(work.computed - reported)
    return Outcome(
        tuple(work.keys), tuple(work.faults), computed=work.computed, engine_seconds=work.engine_seconds
    )


def look_up(task: Task) -> Outcome:
    """Find what of a task is kept; nothing is loaded or simulated.

    Raises
    ------
    UserError
        The store cannot be read, or something has changed since the sweep began.
    """
    with Store(task.store) as store:
        work = begin(task, task.points, Input(called(task.matrix), None, task.input_sha256), store)
        work.find_keys(make_images=False)
        cells = store.cells(key for key in work.keys if key and key != UNKNOWN)
        left, damaged = tuple(work.missing(cells)), len(store.damaged & set(work.keys))
    keys, faults, files = tuple(work.keys), tuple(work.faults), tuple(work.files)
    return Outcome(keys, faults, left, damaged=damaged, files=files, cells=cells)


def input_of(what: Sweep, matrix: str | Matrix) -> Input:
    """Return a matrix of a sweep as it is there, or for `NO_MATRIX` the arrays of the sweep.

    Raises
    ------
    UserError
        It cannot be read.
    """
    if matrix == NO_MATRIX:
        return load_arrays(what.load, what.value_bits)
    return load_input(matrix, what.value_bits)


def begin(
    task: Task,
    points: tuple[Point, ...],
    given: Input,
    keeper: Keeper,
    images: MutableMapping[str, Prepared] | None = None,
) -> Work:
    """Begin the work on some points of a task.

    Parameters
    ----------
    task
        What the sweep gave to this process.
    points, given, keeper, images
        As of `Work`.

    Raises
    ------
    UserError
        This process has other code, another machine or another input than the sweep began with.
    """
    work = Work(task.sweep, points, task.program, given, keeper, images, on_gpu=task.on_gpu)
    of = f"matrix {called(task.matrix)}" if task.matrix != NO_MATRIX else "the arrays"
    for name, now, then in (
        ("the code of vecsim", code_fingerprint(), task.code),
        (f"machine {task.sweep.machine}", work.machine.sha256, task.machine),
        (of, given.digest, task.input_sha256),
    ):
        if now != then:
            raise UserError(f"sweep: {name} is not as the sweep began with it: run it again")
    return work
