"""The results of a sweep, as a table: a row for each matrix, program and point."""

from __future__ import annotations

import hashlib
import io
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from experiments.whatif.sweep.answer import Answer, answer, ratios_of
from experiments.whatif.sweep.cell import Cell
from experiments.whatif.sweep.inputs import Facts
from experiments.whatif.sweep.matrix_parameters import matrix_parameters
from experiments.whatif.sweep.question import read_question
from experiments.whatif.sweep.simulation import Outcome
from experiments.whatif.sweep.specification import ARGUMENT, DEFINE, OPTION, Point, Sweep
from experiments.whatif.sweep.store import Store
from vecsim.data.conversion import OBJECT
from vecsim.engines.cause import Cause
from vecsim.engines.physical import physical
from vecsim.engines.state.counters import Counter
from vecsim.machine import Machine
from vecsim.results.file_digests import InputFile
from vecsim.results.provenance import provenance
from vecsim.results.result_folder import write_folder
from vecsim.support.arguments import path as path_of
from vecsim.support.errors import MatrixWarning, UserError
from vecsim.support.overview import Overview
from vecsim.support.shown_text import csv_text, to_json, unicode_text, utf8

CAUSES = tuple(cause.name.lower() for cause in Cause)
UNITS = {
    "rows": "elements",
    "cols": "elements",
    "nnz": "elements",
    "cycles": "cycles",
    "cycles_least": "cycles",
    "cycles_most": "cycles",
    "cycles_per_nnz": "cycles/element",
    "instructions": "instructions",
    "bytes_moved": "bytes",
    "seconds": "s",
    "gflops": "GFLOP/s",
    "gigabytes_per_second": "GB/s",
    "storage_bytes": "bytes",
}
"""The units of columns of results; those that are missing here are shares and names."""
WORDS = ("cycles", "words", "elements", "entries", "instructions")
"""The description of a number of the machine begins with its unit, if it has one of these."""


@dataclass(frozen=True, repr=False)
class SweepTable(Overview):
    """The cells of a sweep.

    Attributes
    ----------
    sweep
        What was asked for.
    columns
        By name: ``matrix``, the numbers in which generated matrices of one family differ (``matrix.S``; see
        `meanings`), ``rows``, ``cols``, ``nnz``, ``locality``, ``program``, what was varied (numbers
        of the machine by their names, ``option.NAME``, ``define.NAME``, ``argument.N``; None where it is not
        varied),
        then results: ``cycles``, with jitter ``cycles_least`` and ``cycles_most`` of all placements,
        ``cycles_per_nnz``; where the machine states its clock ``seconds``, ``gflops`` (of products: two
        operations for each stored entry) and ``gigabytes_per_second``; ``instructions``,
        ``bytes_moved``, ``peak_share``, ``storage_bytes``, ``relative_error``, ``cause_CAUSE`` in cycles,
        ``counted_EXTENSION.NAME`` where the machine has extensions that count, ``counted_NAME`` of caches
        and main memory where a cell has them (None where not), and ``fault``: why a row has no numbers.
        Texts have none of the columns of matrices and results.
    computed, engine_seconds
        How many cells were simulated now, and the engine's processors' time, over all processes.
    matrices, files
        What the cells depend on: each matrix with its source and digest, and the files of the machine, its
        extensions, the programs and the matrices with theirs.
    """

    sweep: Sweep
    columns: dict[str, list[Any]]
    computed: int
    engine_seconds: float
    matrices: tuple[Facts, ...] = ()
    files: tuple[InputFile, ...] = ()

    def __len__(self) -> int:
        return len(self.columns["program"])

    def overview(self) -> dict[str, object]:
        """Return its size and what was varied."""
        return {
            "rows": len(self),
            "matrices": len(self.sweep.matrices),
            "programs": self.sweep.program_names,
            "varied": tuple(self.sweep.factors),
            "faults": sum(bool(fault) for fault in self.columns["fault"]),
        }

    @property
    def units(self) -> dict[str, str]:
        """The units of the columns that have one, by name: cycles, bytes, words, elements, bits."""
        units = {name: UNITS[name] for name in UNITS if name in self.columns}
        units |= {name: "cycles" for name in self.columns if name.startswith(("cause_", "latency."))}
        for name in self.sweep.set:
            field = Machine.model_fields.get(name)
            first = ((field.description or "") if field else "").partition(" ")[0]
            if first in WORDS:
                units[name] = first
        return units

    @property
    def meanings(self) -> dict[str, str]:
        """What the numbers of generated matrices mean, by the name of their column."""
        return _parameters(self.matrices)[1]

    def answer(self) -> Answer:
        """Return where the answer to the sweep's question is yes.

        Raises
        ------
        UserError
            The sweep has no question, or combinations are missing and scikit-learn is not installed.
        """
        if not self.sweep.question:
            raise UserError("the sweep has no question; give it one, such as question='jd<hism'")
        question = read_question(self.sweep.question, self.sweep.program_names)
        factors = self.sweep.factors
        return answer(question, factors, ratios_of(self.columns, list(factors), question))

    def frame(self) -> Any:
        """Return a pandas DataFrame, or an Arrow table where pandas is not installed.

        The units of columns are in ``frame.attrs["units"]`` of pandas, the meanings of matrices' numbers in
        ``frame.attrs["meanings"]``; both are in metadata of Arrow's fields.

        Raises
        ------
        UserError
            Neither pandas nor pyarrow is installed.
        """
        if find_spec("pandas") is not None:
            frame = import_module("pandas").DataFrame(self.columns)
            frame.attrs |= {"units": self.units, "meanings": self.meanings}
            return frame
        return self.arrow()

    def arrow(self) -> Any:
        """Return an Arrow table (`pyarrow.Table`), which pandas, Polars and DuckDB take.

        Fields have their ``unit`` and their ``meaning`` in their metadata.

        Raises
        ------
        UserError
            pyarrow is not installed.
        """
        if find_spec("pyarrow") is None:
            raise UserError(
                "a data frame needs pandas or pyarrow: pip install 'vecsim[tables]'; `columns` and `csv()` "
                "need neither"
            )
        columns = {
            name: [unicode_text(value) if isinstance(value, str) else value for value in values]
            for name, values in self.columns.items()
        }
        pyarrow = import_module("pyarrow")
        table, described = pyarrow.table(columns), {"unit": self.units, "meaning": self.meanings}
        fields = []
        for field in table.schema:
            about = {what: of[field.name] for what, of in described.items() if field.name in of}
            fields.append(field.with_metadata(about) if about else field)
        return table.cast(pyarrow.schema(fields))

    def parquet(self) -> bytes:
        """Write it as a Parquet file.

        Raises
        ------
        UserError
            pyarrow is not installed.
        """
        table, target = self.arrow(), io.BytesIO()
        import_module("pyarrow.parquet").write_table(table, target)
        return target.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Return what was asked for and what the cells depend on as plain data, without the cells."""
        return self._described(self.csv_bytes())

    def _described(self, table: bytes) -> dict[str, Any]:
        return {
            "sweep": self.sweep.to_dict(),
            "machine": self.sweep.base.to_dict(),
            "matrices": [each.to_dict() for each in self.matrices],
            "files": [each.to_dict() for each in self.files],
            "load": self._arrays(),
            "cells": len(self),
            "computed": self.computed,
            "table_sha256": hashlib.sha256(table).hexdigest(),
        }

    def _arrays(self) -> list[dict[str, str]]:
        """Return how each array was asked for, with its file and the digest of that."""
        files = [each for each in self.files if each.what.startswith("array ")]
        return [
            {"text": text, "file": each.file, "sha256": each.sha256}
            for text, each in zip(self.sweep.load, files, strict=True)
        ]

    def folder_files(self) -> dict[str, bytes]:
        """Return the files of its folder, by name, as ``vecsim sweep --out`` writes them."""
        table = self.csv_bytes()
        content = to_json({"kind": "vecsim sweep", **provenance().to_dict(), **self._described(table)})
        return {"table.csv": table, "sweep.json": content.encode()}

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write it into a folder, as ``vecsim sweep --out`` does, and return its path.

        A `MatrixWarning` names what was given in Python, which `vecsim.rerun` leaves out.

        Raises
        ------
        UserError
            The folder cannot be written.
        """
        target = path_of("save", folder)
        lost = [each.name for each in self.matrices if each.source == OBJECT]
        lost += [each.name for each in self.sweep.objects]
        if lost:
            warnings.warn(
                f"{target}: {', '.join(lost)}: given in Python, so that this result cannot be repeated "
                "from its files; write matrices by scipy.io.mmwrite and formats to FILE.py, and sweep those",
                MatrixWarning,
                stacklevel=2,
            )
        write_folder(target, self.folder_files())
        return target

    def csv(self) -> str:
        """Write it as CSV with a head."""
        return csv_text([self.columns, *zip(*self.columns.values(), strict=True)])

    def csv_bytes(self) -> bytes:
        """Return the CSV in UTF-8, with escapes for bytes of file names that are not."""
        return utf8(self.csv())


def columns_of(
    sweep: Sweep,
    points: Sequence[Point],
    matrices: Sequence[Facts],
    outcomes: Sequence[Outcome],
    store: Store,
) -> dict[str, list[Any]] | None:
    """Return the columns of what tasks came to; None if a cell is missing in the store.

    Parameters
    ----------
    sweep
        What was asked for.
    points
        Its points, the placements of each after each other.
    matrices
        Those of the sweep, in its order; none for texts.
    outcomes
        Of each matrix and program, in this order.
    store
        In which their cells are.
    """
    columns: dict[str, list[Any]] = {}
    numbers = _parameters(matrices)[0]
    of_matrix: dict[Facts | None, dict[str, float]] = {
        each: {name: column[at] for name, column in numbers.items()} for at, each in enumerate(matrices)
    }
    tasks = [(matrix, program) for matrix in matrices or (None,) for program in sweep.program_names]
    rows, base = [], sweep.base
    for (matrix, program), outcome in zip(tasks, outcomes, strict=True):
        there = _cells(outcome, store)
        if there is None:
            return None
        rows += [
            (matrix, program, points[at], _spread(there[at : at + sweep.placements]))
            for at in range(0, len(points), sweep.placements)
        ]
    counted = tuple(dict.fromkeys((*base.counter_names, *_memory_counters(rows))))
    for matrix, program, point, spread in rows:
        own = of_matrix.get(matrix, {})
        for name, value in _row(sweep, matrix, own, program, point, spread, base, counted).items():
            columns.setdefault(name, []).append(value)
    return columns


def _cells(outcome: Outcome, store: Store) -> list[Cell] | None:
    """Return the cell of each point of a task; None if one is missing in the store."""
    known = outcome.cells
    stored = {**known, **store.cells(key for key in outcome.keys if key and key not in known)}
    cells = [
        Cell(fault=fault) if fault else stored.get(key)
        for key, fault in zip(outcome.keys, outcome.faults, strict=True)
    ]
    there = [cell for cell in cells if cell is not None]
    return there if len(there) == len(cells) else None


@dataclass(frozen=True)
class _Spread:
    """A cell, and the least and the most cycles of all placements of its arrays."""

    cell: Cell
    least: int
    most: int


def _spread(placements: Sequence[Cell]) -> _Spread:
    """Return what the placements of a cell came to, the one that is not perturbed first."""
    cycles = [each.cycles for each in placements]
    faulty = next((each for each in placements if each.fault), placements[0])
    return _Spread(faulty, min(cycles), max(cycles))


def _memory_counters(rows: Sequence[tuple[Facts | None, str, Point, _Spread]]) -> list[str]:
    """Return the names of what caches and main memory counted in any cell, in the order of `Counter`."""
    there = {name for *_, spread in rows for name in spread.cell.counters}
    return [each.name.lower() for each in Counter if each.name.lower() in there]


def _parameters(matrices: Sequence[Facts]) -> tuple[dict[str, tuple[float, ...]], dict[str, str]]:
    return matrix_parameters([each.name for each in matrices], [each.source for each in matrices])


def _row(
    sweep: Sweep,
    matrix: Facts | None,
    numbers_of_matrix: Mapping[str, float],
    program: str,
    point: Point,
    spread: _Spread,
    base: Machine,
    counted: Sequence[str],
) -> dict[str, Any]:
    cell = spread.cell
    cycles_by_cause = cell.cycles_by_cause or {}
    whole = not cell.fault
    numbers = {
        "cycles": cell.cycles,
        **({"cycles_least": spread.least, "cycles_most": spread.most} if sweep.jitter else {}),
        **({} if matrix is None else {"cycles_per_nnz": cell.cycles / matrix.nnz if matrix.nnz else None}),
        **_in_units("clock_mhz" in sweep.set, matrix, point, cell, base),
        "instructions": cell.instructions,
        "bytes_moved": cell.bytes_moved,
        "peak_share": cell.peak_share,
        **({} if matrix is None else {"storage_bytes": cell.storage_bytes}),
        **({} if matrix is None else {"relative_error": cell.relative_error}),
        **{f"cause_{cause}": cycles_by_cause.get(cause, 0) for cause in CAUSES},
        **{f"counted_{name}": cell.counters.get(name) for name in counted},
    }
    return {
        **({} if matrix is None else _columns_of_matrix(matrix, numbers_of_matrix)),
        "program": program,
        **{name: point.machine.get(name) for name in sweep.set},
        **{
            f"{OPTION}{name}": next((each for each in values if str(each) == point.options.get(name)), None)
            for name, values in sweep.option.items()
        },
        **{f"{DEFINE}{name}": point.symbols.get(name) for name in sweep.define},
        **{
            f"{ARGUMENT}{place}": next(each for each in values if str(each) == point.arguments[place])
            for place, values in sweep.argument.items()
        },
        **{name: value if whole else None for name, value in numbers.items()},
        "fault": cell.fault,
    }


def _in_units(
    is_varied: bool, matrix: Facts | None, point: Point, cell: Cell, base: Machine
) -> dict[str, float | None]:
    """Return a cell in physical units, if the machine of any cell of the sweep may state its clock."""
    if not base.clock_mhz and not is_varied:
        return {}
    clock = int(point.machine.get("clock_mhz", base.clock_mhz))
    numbers = physical(clock, cell.cycles, 2 * matrix.nnz if matrix else 0, cell.bytes_moved)
    names = ("seconds", *(("gflops",) if matrix else ()), "gigabytes_per_second")
    return {name: getattr(numbers, name) if numbers else None for name in names}


def _columns_of_matrix(matrix: Facts, numbers: Mapping[str, float]) -> dict[str, Any]:
    return {
        "matrix": matrix.name,
        **numbers,
        "rows": matrix.shape[0],
        "cols": matrix.shape[1],
        "nnz": matrix.nnz,
        "locality": matrix.locality,
    }
