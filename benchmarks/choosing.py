"""What choosing a format for the GPU costs beside converting into it. No GPU is needed.

    python -m benchmarks.choosing [NAME...] [--threads 1] [--readme FILE]

Over the suite of the GPU benchmark, as far as its files are found, and a matrix with one full row and one
full column. All is CPU time of this process with compiled code that is warm, the least of several runs.
Choosing is all that `gpu.prepare` does to find the format, conversions that a format refused included;
converting is from sorted CSR into the format that was taken. Where that is CRS, nothing is converted: its
arrays are looked over once. For scale there is a copy of the three arrays of CRS: no upload does less.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
import scipy.sparse

from benchmarks.markdown import replace_between, table
from experiments.gpu_bench.suite import suite
from gpu.choice.cost_model import ranking
from gpu.registry import KERNELS
from vecsim.errors import UserError
from vecsim.formats import NotRepresentableError

TABLE = "choosing"
ARROW, ARROW_ROWS = "arrow-3M", 3_000_000
SECONDS, FEWEST, MOST = 0.5, 3, 50
"""Each run is repeated for so long, so many times."""


@dataclass(frozen=True)
class Cost:
    """What was measured of a matrix, in seconds of CPU time.

    Attributes
    ----------
    matrix, dtype, format
        Its name, the type of its values, and what was chosen.
    entries
        Of the matrix.
    choosing, converting, copying
        Finding the format; converting into it; a copy of the arrays of CRS.
    """

    matrix: str
    dtype: str
    format: str
    entries: int
    choosing: float
    converting: float
    copying: float


def arrow(rows: int) -> Any:
    """Make a matrix with a full first row and column and two diagonals: four entries a row, float64."""
    every = np.arange(rows, dtype=np.int32)
    first = np.zeros(rows, dtype=np.int32)
    row = np.concatenate((every, every[:-1], first, every))
    column = np.concatenate((every, every[1:], every, first))
    made = scipy.sparse.csr_array((np.ones(len(row)), (row, column)), shape=(rows, rows))
    made.sum_duplicates()
    return made


def subjects(names: Sequence[str]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Give name and maker of each matrix wanted, of all without names.

    Raises
    ------
    UserError
        If there is none of a name.
    """
    known = {each.name: each.make for each in suite()} | {ARROW: lambda: arrow(ARROW_ROWS)}
    for name in names:
        if name not in known:
            raise UserError(f"{name}: is no matrix of the suite; there are {', '.join(known)}")
    for name in names or known:
        yield name, known[name]


def measured(name: str, matrix: Any) -> Cost:
    """Measure one matrix, sorted CSR of float32 or float64."""
    runs = [chosen_and_converted(matrix)]  # compiles, and is not counted
    runs.clear()
    began = time.perf_counter()
    while len(runs) < FEWEST or (len(runs) < MOST and time.perf_counter() - began < SECONDS):
        runs.append(chosen_and_converted(matrix))
    arrays = (matrix.data, matrix.indices, matrix.indptr)
    copying = min(_seconds_to_copy(arrays) for _ in range(FEWEST))
    return Cost(
        name,
        matrix.dtype.name,
        runs[0][0],
        matrix.nnz,
        min(choosing for _, choosing, _ in runs),
        min(converting for _, _, converting in runs),
        copying,
    )


def chosen_and_converted(matrix: Any) -> tuple[str, float, float]:
    """Choose and convert as `gpu.prepare` does; give the format and the CPU seconds of both."""
    choosing, began = 0.0, time.process_time()
    for name in ranking(matrix):
        chosen = time.process_time()
        choosing += chosen - began
        try:
            KERNELS[name].convert(matrix)
        except NotRepresentableError:
            choosing += time.process_time() - chosen
        else:
            return name, choosing, time.process_time() - chosen
        began = time.process_time()
    raise NotRepresentableError("no format can hold this matrix")


def _seconds_to_copy(arrays: Sequence[Any]) -> float:
    began = time.process_time()
    for array in arrays:
        array.copy()
    return time.process_time() - began


def render(costs: Sequence[Cost]) -> str:
    """Give the table as Markdown."""
    names = (
        "matrix",
        "million entries",
        "type",
        "format",
        "choosing, ms",
        "converting, ms",
        "% of converting",
        "a copy of CRS, ms",
    )
    rows = (
        (
            cost.matrix,
            f"{cost.entries / 1e6:.3g}",
            cost.dtype,
            cost.format,
            f"{1e3 * cost.choosing:.3g}",
            f"{1e3 * cost.converting:.3g}",
            f"{100 * cost.choosing / cost.converting:.2g}",
            f"{1e3 * cost.copying:.2g}",
        )
        for cost in costs
    )
    return table(names, rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write; 2 if there is no matrix of a name or no place for the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.choosing",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--threads", type=int, default=1, help="of compiled loops (1)")
    parser.add_argument("--readme", type=Path, metavar="FILE", help="write the table there, too")
    given = parser.parse_args(arguments)
    costs: list[Cost] = []
    try:
        wanted = list(subjects(given.names))
        numba.set_num_threads(min(max(1, given.threads), numba.config.NUMBA_NUM_THREADS))
        for name, make in wanted:
            try:
                made = make()
            except UserError as error:  # a file that is not here
                print(f"{name}: left out: {error}", file=sys.stderr)
                continue
            for dtype in (np.float64, np.float32):
                costs.append(measured(name, made.astype(dtype)))
                print(render(costs[-1:]).splitlines()[-1], flush=True)
        if given.readme:
            replace_between(given.readme, TABLE, render(costs))
    except UserError as error:
        print(f"choosing: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
