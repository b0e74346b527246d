"""Speed of the simulator next to SciPy's product: five programs on the matrices of a fixed list.

Only the engine's run counts, from the first instruction of a program that is decoded and has its memory
filled to the last retirement, without a timeline; a run on a tiny matrix goes before all, so that no
compilation counts. The product ``A @ x`` in float32 on one thread is measured between the engine's runs, so
that a slow moment of the host falls on both. On small matrices the SimPy engine runs once, for comparison.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console

from benchmarks.simulator_matrices import LISTED, SMALL, Subject, subject
from benchmarks.simulator_report import (
    Record,
    host_facts,
    peak,
    restart_peak,
    summarize,
    tables,
    write_json,
)
from programs.loading import ALLOWED_ERROR
from programs.measurement import Prepared, multiplicand, prepare
from programs.registry import PROGRAMS
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.protocol import Engine
from vecsim.engines.result import Run
from vecsim.engines.running import ENGINES, MAX_CYCLES, start
from vecsim.formats.accuracy import relative_error
from vecsim.machine import Machine, load_machine
from vecsim.support.errors import UserError

BATCHES = 5
BATCH_SECONDS = 1e-3
SHORT_SECONDS, SHORT_REPEATS = 0.25, 60
"""Runs are repeated until they have taken so long together, at most so often: the first ones are cold."""
REPEATS = 3
LONG_SECONDS = 10.0
"""No repeat of the engine's run begins after so long: a run over 5 s has two, one over 10 s stands alone."""

SIMPY_NNZ = 30_000
"""SimPy takes some 25 us an instruction: it runs on matrices with fewer entries than this."""

TABLE_WIDTH = 140
"""What the table needs in a file or a pipe, where there is no screen to fit."""


@dataclass(frozen=True)
class Timing:
    """What the engine and SciPy took on one program and matrix.

    Attributes
    ----------
    seconds, scipy_seconds
        The best run and the best time of a product.
    run
        The first run's result.
    memory_growth
        Growth of peak resident memory during the first run, in bytes per byte of the image.
    """

    seconds: float
    scipy_seconds: float
    run: Run
    memory_growth: float | None


def run_to_end(prepared: Prepared, machine: Machine, engine: str) -> tuple[float, Engine]:
    """Run a program once; return the seconds from its first instruction to its end, and the engine."""
    running = start(prepared.program, prepared.loaded.memory, machine, engine=engine)
    begin = time.perf_counter()
    running.advance(cycle=MAX_CYCLES)
    seconds = time.perf_counter() - begin
    if not running.finished:
        raise RuntimeError(f"{prepared.name}: has not ended after {MAX_CYCLES} cycles; a benchmark must end")
    return seconds, running


def observe_first_run(prepared: Prepared, machine: Machine, engine: str) -> tuple[float, Run, float | None]:
    """Run once as :func:`run_to_end` does; return seconds, result and the growth of peak memory."""
    before = restart_peak()
    seconds, running = run_to_end(prepared, machine, engine)
    after = peak()
    growth = None if before is None or after is None else (after - before) / len(prepared.loaded.memory)
    return seconds, running.result(), growth


class Product:
    """SciPy's ``matrix @ x``, timed in batches of about a millisecond or more."""

    def __init__(self, matrix: Any, x: npt.NDArray[np.floating]) -> None:
        self._matrix, self._x = matrix, x
        self._count = 1
        self._count = math.ceil(BATCH_SECONDS / min(self.batch() for _ in range(3)))

    def batch(self) -> float:
        """Seconds for a product, the mean of one batch."""
        matrix, x = self._matrix, self._x
        matrix @ x  # the engine's run has had the caches since the last batch
        begin = time.perf_counter()
        for _ in range(self._count):
            matrix @ x
        return (time.perf_counter() - begin) / self._count


def alternate(prepared: Prepared, machine: Machine, engine: str, product: Product) -> Timing:
    """Measure the engine and SciPy in turn.

    Parameters
    ----------
    prepared
        The program with its matrix in memory.
    machine, engine
        What runs it.
    product
        The same product by SciPy.
    """
    best, run, growth = observe_first_run(prepared, machine, engine)
    spent = best
    scipy_best = product.batch()
    for turn in range(1, SHORT_REPEATS):
        if (turn < REPEATS and spent < LONG_SECONDS) or spent < SHORT_SECONDS:
            seconds, _ = run_to_end(prepared, machine, engine)
            best, spent = min(best, seconds), spent + seconds
        elif turn >= BATCHES:
            break
        scipy_best = min(scipy_best, product.batch())
    return Timing(best, scipy_best, run, growth)


def check_product(where: str, matrix: Any, x: npt.NDArray[np.floating], y: npt.NDArray[np.floating]) -> None:
    """Raise RuntimeError unless y is the product of matrix and x.

    Parameters
    ----------
    where
        Begins the message.
    matrix, x, y
        A, x of N and y of M.
    """
    error = relative_error(matrix, x, y)
    if not error <= ALLOWED_ERROR:
        raise RuntimeError(f"{where}: wrong product, relative error {error:.2g}, allowed {ALLOWED_ERROR}")


def simpy_seconds(where: str, prepared: Prepared, machine: Machine, run: Run) -> float:
    """Time one run of the SimPy engine; raise RuntimeError unless it counts what ``run`` counted.

    Parameters
    ----------
    where
        Begins the message.
    prepared, machine
        The program with its matrix in memory, and what runs it.
    run
        What the other engine counted.
    """
    seconds, running = run_to_end(prepared, machine, "simpy")
    simpy = running.result()
    if (simpy.cycles, simpy.counters) != (run.cycles, run.counters):
        raise RuntimeError(
            f"{where}: the engines must agree, but jit has {run.cycles} cycles, {run.counters}, "
            f"and SimPy {simpy.cycles} cycles, {simpy.counters}"
        )
    return seconds


def measure(chosen: Subject, program: str, machine: Machine, engine: str) -> Record:
    """Measure one program on one matrix.

    Parameters
    ----------
    chosen
        The matrix.
    program
        Name of the product.
    machine, engine
        What runs it.

    Raises
    ------
    RuntimeError
        The product is wrong, or the SimPy engine counts otherwise.
    """
    matrix, where = chosen.csr, f"{program} on {chosen.name}, engine {engine}"
    x = multiplicand(matrix.shape[1], 0, matrix.dtype)
    prepared = prepare(program, matrix, machine, x)
    timing = alternate(prepared, machine, engine, Product(matrix, x))
    run = timing.run
    check_product(where, matrix, x, prepared.loaded.result(run.state.memory))
    compared = engine != "simpy" and matrix.nnz < SIMPY_NNZ
    return Record(
        matrix=chosen.name,
        stand_in=chosen.stand_in,
        rows=matrix.shape[0],
        nnz=int(matrix.nnz),
        program=program,
        engine=engine,
        seconds=timing.seconds,
        cycles=run.cycles,
        instructions=run.instructions,
        element_operations=run.counters["element_operations"],
        scipy_seconds=timing.scipy_seconds,
        simpy_seconds=simpy_seconds(where, prepared, machine, run) if compared else None,
        memory_growth=timing.memory_growth,
        image_bytes=len(prepared.loaded.memory),
    )


def warm_up(programs: list[str], machine: Machine, engine: str) -> None:
    """Run each program on a tiny matrix: the engine is imported and compiled after that."""
    matrix = subject("laplace2d-9").csr
    x = multiplicand(matrix.shape[1], 0, matrix.dtype)
    for program in programs:
        _, running = run_to_end(prepare(program, matrix, machine, x), machine, engine)
        running.result()


def measure_all(
    matrices: list[str], programs: list[str], machine: Machine, engine: str, console: Console
) -> list[Record]:
    """Measure every program on every matrix, and say on the console which is running.

    Parameters
    ----------
    matrices, programs
        Names.
    machine, engine
        What runs them.
    console
        Shows what is running.
    """
    records = []
    with console.status("warming up") as status:
        warm_up(programs, machine, engine)
        for name in matrices:
            status.update(name)
            chosen = subject(name)
            for program in programs:
                status.update(f"{program} on {chosen.name}")
                records.append(measure(chosen, program, machine, engine))
    return records


def arguments_of(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Declare and read the command line."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all records and their means there")
    parser.add_argument("--engine", choices=ENGINES, default=DEFAULT_ENGINE)
    parser.add_argument(
        "--matrix",
        nargs="+",
        metavar="NAME",
        help=f"built-ins or files; unless given {', '.join(LISTED)}, for engine simpy the first {len(SMALL)}",
    )
    parser.add_argument("--program", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--machine", default="vs2003")
    return parser.parse_args()


def main() -> None:
    """Measure, print tables, and write JSON if asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulator", description=__doc__)
    given = arguments_of(parser)
    if given.json and not given.json.parent.is_dir():
        parser.error(f"{given.json.parent}: no such folder")  # known before minutes have passed
    matrices = given.matrix or list(SMALL if given.engine == "simpy" else LISTED)
    try:
        machine = load_machine(given.machine)
        records = measure_all(matrices, given.program, machine, given.engine, Console(stderr=True))
    except UserError as error:
        parser.error(str(error))
    host, summary = host_facts(machine), summarize(records)
    if given.json:
        write_json(given.json, records, summary, host)
    console = Console(width=max(Console().width, TABLE_WIDTH))
    for table in tables(records, summary, host):
        console.print(table)


if __name__ == "__main__":
    main()
