"""The measurement: searches and cuSPARSE for each matrix and type, on the GPU of this machine."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.papers.kit.in_turn import TurnTimer
from experiments.papers.kit.measurement import WORKERS, Run, measuring_device
from experiments.papers.kit.request import Watch
from experiments.papers.kit.results import Record
from experiments.papers.layouts.case import Case
from experiments.papers.layouts.compiling import Compiling
from experiments.papers.layouts.recording import described, read_recorded, recorded_file
from experiments.papers.layouts.results import MatrixRecord, Results, SearchRecord
from experiments.papers.layouts.searches import VECTORS
from experiments.papers.layouts.subjects import SUBJECTS, Subject
from experiments.papers.layouts.texts import VECTORS as VECTORS_FACT
from gpu.compound.tuning.compilation import Compilers
from gpu.runtime.kernel_cache import kept_for_later
from vecsim.support.worker_processes import WorkerContext

if TYPE_CHECKING:
    from gpu.compound.tuning.on_device import Patterns, Timer

LIMIT_SECONDS = 470.0
"""After so long no other matrix is begun: a run is to end within nine minutes."""
REALS = ("float32", "float64")


def measure(watch: Watch, limit: float = LIMIT_SECONDS) -> Results:
    """Measure on the GPU of this machine.

    Parameters
    ----------
    watch
        Called with what is measured next, and the share that is done, 0 to 1.
    limit
        Seconds after which no other matrix is begun.

    Raises
    ------
    UserError
        There is no GPU.
    """
    from experiments.gpu_bench.ceilings import measure_bandwidths

    name, facts = measuring_device()
    bandwidths = measure_bandwidths()
    facts["copy, GB/s"] = f"{bandwidths.copy_gb_per_s:.0f}"
    facts[VECTORS_FACT] = " and ".join(VECTORS)
    with kept_for_later():
        return measure_matrices(SUBJECTS, (name, facts), bandwidths, watch, Run(limit))


def measure_matrices(
    subjects: Sequence[Subject],
    device: tuple[str, dict[str, str]],
    bandwidths: Any,
    watch: Watch,
    run: Run,
    timer: Timer | None = None,
    turn_timer: TurnTimer | None = None,
) -> Results:
    """Measure some matrices; what fails is recorded with its reason, and the run goes on.

    Parameters
    ----------
    subjects
        The matrices.
    device, bandwidths
        What measures; the last one says what plain reads take (`experiments.gpu_bench.ceilings`).
    watch
        As of `measure`.
    run
        Where the time goes, and how long it may take.
    timer
        Returns the microseconds of what a function puts on a stream; None: by events of a GPU.
    turn_timer
        Times the finalists, and what they are compared with unless it is given, in turn; None: on a GPU.
    """
    matrices: list[MatrixRecord] = []
    searches: list[SearchRecord] = []
    library: list[Record] = []
    with Compilers(max(1, (os.cpu_count() or 1) - 1)) as compilers, supplied(subjects) as waiting:
        compiling = Compiling(compilers, subjects, REALS)
        compiling.begin_next()
        built = (future.result() for future in waiting)
        for subject, made_of, late in run.each(subjects, built, watch):
            if made_of is None or isinstance(made_of, str):
                matrices.append(described(subject, None, made_of or late))
                continue
            matrix, x, exact = read_recorded(made_of, subject.entry)
            made_of.unlink()
            matrices.append(described(subject, matrix))
            patterns: Patterns = {}
            for dtype in REALS:
                typed = matrix.astype(np.dtype(dtype).type)
                timers = (timer, turn_timer)
                with ExitStack() as open_:
                    case = Case(subject.name, typed, (x, exact), patterns, bandwidths, timers, run, open_)
                    matches, compared = case.measured(compiling)
                searches += matches
                library += compared
    return run.results(Results, device, matrices=matrices, records=library, searches=searches)


@contextmanager
def supplied(subjects: Sequence[Subject]) -> Iterator[list[Future[Any]]]:
    """Make matrices in other processes: yield their files, or in a line why one could not be made.

    Parameters
    ----------
    subjects
        The matrices.
    """
    workers = max(1, min(WORKERS, (os.cpu_count() or 1) - 1))
    with (
        tempfile.TemporaryDirectory(prefix="compound-") as folder,
        ProcessPoolExecutor(workers, mp_context=WorkerContext()) as pool,
    ):
        yield [pool.submit(recorded_file, SUBJECTS.index(each), Path(folder)) for each in subjects]
