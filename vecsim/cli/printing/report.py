"""What ``vecsim run`` says of its measurements: a header, a table, a JSON object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import geometric_mean
from typing import TYPE_CHECKING, Any

from vecsim.cli.printing.console import fill, table
from vecsim.results.file_digests import InputFile

if TYPE_CHECKING:
    from rich.table import Table

    from programs.measurement import Measurement
    from vecsim.data import Matrix
    from vecsim.machine import Machine

COLUMNS = (
    "cycles",
    "cycles /\nnon-zero",
    "instructions",
    "speed\nvs CRS",
    "bytes\nmoved",
    "peak\nshare",
    "relative\nerror",
)


def header(matrix: Matrix, machine: Machine, engine: str, value_bits: int) -> str:
    """Return a line with the program, matrix and machine of a run.

    Parameters
    ----------
    matrix, machine
        What was multiplied, and on which machine.
    engine
        Name of the engine.
    value_bits
        Bits of a value, 32 or 64.
    """
    rows, columns = matrix.csr.shape
    parts = [
        f"{matrix.name}: {rows:,} x {columns:,}, {matrix.csr.nnz:,} non-zeros",
        machine_line(machine),
        f"engine {engine}",
        f"{value_bits}-bit values",
    ]
    return "; ".join(parts)


def machine_line(machine: Machine) -> str:
    """Name a machine by its file, its preset and how it differs from that."""
    return f"machine {machine.label_with_digest}"


def results_table(measurements: Sequence[Measurement]) -> Table:
    """Show the measurements, a row each; with jitter the least and the most cycles of all placements."""
    from vecsim.engines.physical import HEADS

    speeds, jittered = speedups(measurements), any(m.jittered for m in measurements)
    in_units = [m.physical.texts() if m.physical else () for m in measurements]
    rows = (
        (
            m.program,
            m.options.get("schedule"),
            m.cycles,
            *((min(m.cycles, *m.jittered), max(m.cycles, *m.jittered)) if jittered else ()),
            f"{m.cycles_per_nnz:.2f}",
            m.instructions,
            None if speed is None else f"{speed:.2f}",
            m.bytes_moved,
            f"{m.peak_share:.1%}",
            f"{m.relative_error:.1e}",
            *texts,
        )
        for m, speed, texts in zip(measurements, speeds, in_units, strict=True)
    )
    columns = (COLUMNS[0], "least", "most", *COLUMNS[1:]) if jittered else COLUMNS
    heads = (*columns, *(HEADS if any(in_units) else ()))
    return fill(table(["program", "schedule"], heads), rows)


def memory_table(counted: Sequence[tuple[str, Mapping[str, int]]]) -> Table:
    """Show what merging, caches and main memory counted: a row a counter that is not 0, a column a program.

    Parameters
    ----------
    counted
        Names of programs, and their counters by name, the same ones of all.
    """
    names = [name for name in counted[0][1] if any(counters[name] for _, counters in counted)]
    rows = ((name.replace("_", " "), *(counters[name] for _, counters in counted)) for name in names)
    return fill(table(["memory"], [program for program, _ in counted]), rows)


def summary_table(measured: Sequence[Sequence[Measurement]]) -> Table:
    """Show the cycles for each non-zero, a row a matrix and a column a program, and their geometric means."""
    rows: list[list[object]] = [
        [each[0].matrix, each[0].nnz, *(f"{m.cycles_per_nnz:.2f}" for m in each)] for each in measured
    ]
    by_program = zip(*([m.cycles_per_nnz for m in each] for each in measured), strict=True)
    rows.append(["geometric mean", None, *(f"{geometric_mean(values):.2f}" for values in by_program)])
    heads = [f"{m.program}\ncycles /\nnon-zero" for m in measured[0]]
    return fill(table(["matrix"], ["non-zeros", *heads]), rows)


def speedups(measurements: Sequence[Measurement]) -> list[float | None]:
    """Return how many times faster than CRS each is; None if CRS is not among them."""
    crs = next((m.cycles for m in measurements if m.program == "crs"), None)
    return [None if crs is None else crs / m.cycles for m in measurements]


def document(
    matrices: Sequence[Matrix],
    machine: Machine,
    engine: str,
    seed: int,
    value_bits: int,
    max_cycles: int,
    measured: Sequence[Sequence[Measurement]],
    *,
    files: Sequence[InputFile] = (),
    lines: bool = False,
) -> dict[str, Any]:
    """Return everything as one JSON object: what was run, in full, so that it can be run again; the results.

    Parameters
    ----------
    matrices
        With the values that were multiplied, of 32 or 64 bits. If there is one, it stands in ``matrix``, too.
    machine, engine, seed, value_bits, max_cycles
        As `programs.measurement.measure` took them.
    measured
        What it gave: for each matrix, a program each. The results stand in one list, matrix by matrix.
    files
        The files that the results depend on.
    lines
        Whether each result has the instructions of its program with what they came to.
    """
    return {
        **({"matrix": matrices[0].to_dict()} if len(matrices) == 1 else {}),
        "matrices": [matrix.to_dict() for matrix in matrices],
        "files": [file.to_dict() for file in files],
        "machine": machine.to_dict(),
        "engine": engine,
        "seed": seed,
        "value_bits": value_bits,
        "max_cycles": max_cycles,
        "results": [
            _result(measurement, speedup, lines)
            for measurements in measured
            for measurement, speedup in zip(measurements, speedups(measurements), strict=True)
        ],
    }


def _result(measurement: Measurement, speedup: float | None, lines: bool) -> dict[str, Any]:
    """Return a measurement as plain data; the machine stands in the document, once."""
    matches = measurement.to_dict() | {"speedup_over_crs": speedup}
    del matches["machine"]
    if lines:
        matches["lines"] = [asdict(line) for line in measurement.run.lines]
    return matches
