"""The programs on real matrices, on two engines or more: a line a matrix."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

from programs.measurement import multiplicand, prepare
from programs.registry import PROGRAMS
from vecsim.data import read, values_as
from vecsim.data.search_path import MATRIX_MARKET_SUFFIXES, files_in, matrix_folders
from vecsim.engines.running import MAX_CYCLES
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

from . import report as reports
from .cases import Case
from .comparison import difference, outcome
from .report import Report
from .workers import Beat, Died, Pool

WITH_TIMELINE = 4000
"""Entries up to which the timeline is compared too."""
HANGS_SECONDS = 1800.0
"""For one program on one matrix."""


@dataclass(frozen=True)
class Product:
    """A matrix, a machine and engines."""

    file: Path
    machine: str
    section_size: int
    value_bytes: Literal[4, 8]
    engines: tuple[str, ...]

    @property
    def key(self) -> str:
        """What it is called in the report."""
        return f"{self.file.name} {self.machine} s={self.section_size} {8 * self.value_bytes}-bit"


@dataclass(frozen=True)
class Row:
    """What came of it: cycles by program, and differences, each with its program."""

    entries: int
    cycles: dict[str, int]
    differences: list[str]


def folders() -> list[Path]:
    """Where real matrices are looked for: what VECSIM_MATRICES names."""
    return matrix_folders()


def choose(count: int, most_entries: int) -> list[Path]:
    """Return ``count`` files with at most this many entries, spread evenly over the sizes, small ones first.

    Only Matrix Market files are taken: their heads tell the number of entries.
    """
    actual = [file for folder in folders() for _, file in files_in(folder)]
    files = [file for file in actual if file.name.lower().endswith(MATRIX_MARKET_SUFFIXES)]
    sized = sorted((size, str(file)) for file in files if 0 < (size := stored_entries(file)) <= most_entries)
    if len(sized) > count:
        sized = [sized[i * len(sized) // count] for i in range(count)]
    return [Path(name) for _, name in sized]


def stored_entries(file: Path) -> int:
    """Entries that the head of a Matrix Market file promises; 0 for what is no such file."""
    with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="latin-1") as lines:
        for line in lines:
            if line.strip() and not line.startswith("%"):
                size = line.split()
                return int(size[2]) if len(size) == 3 else 0
    return 0


def run_product(task: Product, beat: Beat) -> Row:
    """Run all programs on the engines."""
    matrix, _ = values_as(read(task.file).csr, task.value_bytes)
    machine = load_machine(task.machine, [f"section_size={task.section_size}"])
    x = multiplicand(matrix.shape[1], 0, matrix.dtype)
    row = Row(int(matrix.nnz), {}, [])
    for number, name in enumerate(PROGRAMS):
        beat(number)
        prepared = prepare(name, matrix, machine, x)
        timeline = matrix.nnz <= WITH_TIMELINE
        case = Case(prepared.program, prepared.loaded.memory, machine, timeline, MAX_CYCLES)
        first, *others = (outcome(case, engine) for engine in task.engines)
        row.cycles[name] = first.facts.get("cycles", -1)
        for engine, other in zip(task.engines[1:], others, strict=True):
            actual = difference(case.program, first, other, (task.engines[0], engine))
            if actual is not None:
                row.differences.append(f"{name}: {actual}")
    return row


@dataclass
class Comparison:
    """Matrices, machines, engines, and the report that knows what has been run."""

    tasks: list[Product]
    engines: tuple[str, ...]
    jobs: int
    report: Report
    say: Callable[[str], None] = print

    def run(self) -> int:
        """Run what is missing; return the number of products on which the engines differ."""
        sources = reports.source_hash("isa", "vecsim", "programs")
        entry = self.report.entry("matrices", sources, " ".join(self.engines))
        known = [task for task in self.tasks if task.key in entry]
        self.say(f"{'matrix':<28} {'entries':>8} {''.join(f'{name:>10}' for name in PROGRAMS)}")
        for task, row in self._results([task for task in self.tasks if task.key not in entry]):
            self.say(_line(task, row))
            entry[task.key] = {"entries": row.entries, "cycles": row.cycles, "differences": row.differences}
            self.report.save()
        bad = [task.key for task in self.tasks if entry[task.key]["differences"]]
        self.say(
            f"{' and '.join(self.engines)}: {len(self.tasks)} matrices ({len(known)} known from before), "
            f"{len(PROGRAMS) * len(self.tasks)} products; mismatches on {len(bad)} {' '.join(bad)}".rstrip()
        )
        return len(bad)

    def _results(self, tasks: list[Product]) -> Iterator[tuple[Product, Row]]:
        for task, result in Pool(_run_guarded, self.jobs, HANGS_SECONDS).run(tasks):
            if isinstance(result, Died):
                result = Row(0, {}, [f"{list(PROGRAMS)[result.at]}: {result.reason}"])
            yield task, result


def _run_guarded(task: Product, beat: Beat) -> Any:
    try:
        return run_product(task, beat)
    except UserError as error:  # a file that cannot be read, or too large for a program
        return Row(0, {}, [str(error)])


def _line(task: Product, row: Row) -> str:
    numbers = "".join(f"{row.cycles.get(name, -1):>10}" for name in PROGRAMS)
    verdict = "same" if not row.differences else "DIFFERENT\n    " + "\n    ".join(row.differences)
    return f"{task.file.name:<28} {row.entries:>8} {numbers}  {verdict}"


def products(
    files: list[Path],
    machines: list[str],
    section_sizes: list[int],
    value_bytes: list[Literal[4, 8]],
    engines: tuple[str, ...],
) -> list[Product]:
    """Return every matrix on every machine."""
    return [
        Product(file, machine, s, width, engines)
        for machine, s, width, file in product(machines, section_sizes, value_bytes, files)
    ]
