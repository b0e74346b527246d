"""What the simulator's benchmark reports: records, their means, the host, peaks of memory."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import math
import os
import platform
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from vecsim.machine import Machine
from vecsim.results.atomic_files import write_file
from vecsim.results.provenance import provenance

DERIVED = (
    *("element_ops_per_s", "instructions_per_s", "nnz_per_s", "cycles_per_s"),
    *("slowdown", "host_ns_per_nnz", "speedup_over_simpy"),
)
"""What a record is written with next to its fields."""


@dataclass(frozen=True)
class Record:
    """One program on one matrix. Rates are per second of host time.

    Attributes
    ----------
    matrix, stand_in
        A generated matrix in place of a file says so in its name too.
    seconds, scipy_seconds, simpy_seconds
        The engine's best run, the best product by SciPy, the SimPy engine's run on the same; the last is
        None on large matrices.
    image_bytes
        The simulated memory: matrix, vectors, stack.
    memory_growth
        Growth of peak memory during a run, in bytes per byte of the image; None where the system does not
        report it. Below some megabytes of image the engine's fixed tables prevail.
    """

    matrix: str
    stand_in: bool
    rows: int
    nnz: int
    program: str
    engine: str
    seconds: float
    cycles: int
    instructions: int
    element_operations: int
    scipy_seconds: float
    simpy_seconds: float | None
    memory_growth: float | None
    image_bytes: int

    @property
    def element_ops_per_s(self) -> float:
        """Element operations a second."""
        return self.element_operations / self.seconds

    @property
    def instructions_per_s(self) -> float:
        """Instructions a second."""
        return self.instructions / self.seconds

    @property
    def nnz_per_s(self) -> float:
        """Entries a second."""
        return self.nnz / self.seconds

    @property
    def cycles_per_s(self) -> float:
        """Cycles a second."""
        return self.cycles / self.seconds

    @property
    def slowdown(self) -> float:
        """The engine's seconds by SciPy's."""
        return self.seconds / self.scipy_seconds

    @property
    def host_ns_per_nnz(self) -> float:
        """Nanoseconds of the host an entry."""
        return 1e9 * self.seconds / self.nnz

    @property
    def speedup_over_simpy(self) -> float | None:
        """SimPy's seconds by the engine's."""
        return None if self.simpy_seconds is None else self.simpy_seconds / self.seconds

    def document(self) -> dict[str, Any]:
        """Return it as plain data, with its rates and ratios."""
        return asdict(self) | {name: getattr(self, name) for name in DERIVED}


def geometric_mean(numbers: Iterable[float]) -> float | None:
    """The geometric mean of positive numbers; None of none."""
    logarithms = [math.log(number) for number in numbers]
    return math.exp(math.fsum(logarithms) / len(logarithms)) if logarithms else None


def summarize(records: list[Record]) -> dict[str, Any]:
    """Geometric means over all records, the slowdown's for each program, SimPy's where it ran."""
    programs = dict.fromkeys(record.program for record in records)
    beside_simpy = [(r, r.simpy_seconds) for r in records if r.simpy_seconds is not None]
    return {
        "slowdown": {
            program: geometric_mean(r.slowdown for r in records if r.program == program)
            for program in programs
        },
        "speedup_over_simpy": geometric_mean(seconds / r.seconds for r, seconds in beside_simpy),
        "element_ops_per_s": geometric_mean(r.element_ops_per_s for r in records),
        "simpy_element_ops_per_s": geometric_mean(r.element_operations / s for r, s in beside_simpy),
        "instructions_per_s": geometric_mean(r.instructions_per_s for r in records),
        "cycles_per_s": geometric_mean(r.cycles_per_s for r in records),
    }


def host_facts(machine: Machine) -> dict[str, Any]:
    """What the numbers were measured on, and what measured them (docs/provenance.md)."""
    return {
        "cpu": _cpu_model(),
        "cpus": os.cpu_count(),
        "system": platform.platform(),
        **provenance().to_dict(),
        "machine": machine.to_dict(),
    }


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())


def tables(records: list[Record], summary: dict[str, Any], host: dict[str, Any]) -> tuple[Table, Table]:
    """All records, and their means."""
    return _record_table(records, host), _summary_table(summary)


_COLUMNS: tuple[tuple[str, Callable[[Record], str]], ...] = (
    ("nnz", lambda r: f"{r.nnz:,}"),
    ("seconds", lambda r: f"{r.seconds:.4f}"),
    ("Mop/s", lambda r: f"{r.element_ops_per_s / 1e6:.2f}"),
    ("Minstr/s", lambda r: f"{r.instructions_per_s / 1e6:.3f}"),
    ("Mnnz/s", lambda r: f"{r.nnz_per_s / 1e6:.3f}"),
    ("Mcycle/s", lambda r: f"{r.cycles_per_s / 1e6:.2f}"),
    ("ns/nnz", lambda r: f"{r.host_ns_per_nnz:,.0f}"),
    ("SciPy ms", lambda r: f"{1e3 * r.scipy_seconds:.4f}"),
    ("slowdown", lambda r: f"{r.slowdown:,.0f}"),
    ("SimPy x", lambda r: _or_dash(r.speedup_over_simpy, ".1f")),
    ("memory", lambda r: _or_dash(r.memory_growth, ".2f")),
)


def _record_table(records: list[Record], host: dict[str, Any]) -> Table:
    engines = ", ".join(dict.fromkeys(record.engine for record in records))
    versions = host["versions"]
    caption = (
        "op: element operations; slowdown: of SciPy's product; SimPy x: speedup over the SimPy engine; "
        f"memory: growth by image. {host['cpu']}, Python {versions['python']}, "
        f"NumPy {versions['numpy']}, SciPy {versions['scipy']}, Numba {versions['numba']}, {host['date']}"
    )
    table = Table(title=f"engine {engines}, machine {host['machine']['label']}", caption=caption)
    table.add_column("matrix", no_wrap=True)
    table.add_column("program")
    for heading, _ in _COLUMNS:
        table.add_column(heading, justify="right", no_wrap=True)
    for i, record in enumerate(records):
        last = i + 1 == len(records) or records[i + 1].matrix != record.matrix
        cells = (show(record) for _, show in _COLUMNS)
        table.add_row(record.matrix, record.program, *cells, end_section=last)
    return table


def _summary_table(summary: dict[str, Any]) -> Table:
    table = Table("mean", title="geometric means")
    table.add_column("", justify="right")
    for program, slowdown in summary["slowdown"].items():
        table.add_row(f"slowdown, {program}", f"{slowdown:,.1f}")
    table.add_row("speedup over SimPy", _or_dash(summary["speedup_over_simpy"], ",.1f"))
    for heading in ("element_ops", "simpy_element_ops", "instructions", "cycles"):
        words = heading.replace("_", " ").replace("simpy", "SimPy's").replace("ops", "operations")
        table.add_row(f"{words}/s", _or_dash(summary[f"{heading}_per_s"], ",.0f"))
    return table


def _or_dash(number: float | None, how: str) -> str:
    return "-" if number is None else format(number, how)


def write_json(path: Path, records: list[Record], summary: dict[str, Any], host: dict[str, Any]) -> None:
    """Write all in one piece: a reader sees the whole file or the one before it.

    Parameters
    ----------
    path
        The file.
    records, summary
        What was measured, and its means.
    host
        What it ran on.
    """
    content = {"host": host, "summary": summary, "records": [record.document() for record in records]}
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    write_file(path, text.encode())


def restart_peak() -> int | None:
    """Let the peak begin again at what is resident now, and return that in bytes; None where it cannot.

    What Python and the C library keep for later use goes back to the system first: a run that took its
    memory from there would not be seen.
    """
    gc.collect()
    # Under another C library the reported growth may be too small.
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return None
    return peak()


def peak() -> int | None:
    """Bytes that were resident at most since :func:`restart_peak`; None where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    match = re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE)
    return int(match[1]) * 1024 if match else None
