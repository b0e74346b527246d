"""What a run counted, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vecsim.cli.printing.console import fill, table
from vecsim.results.digests import program_sha256
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from isa.program import Program
    from vecsim.cli.printing.output import Output
    from vecsim.engines.protocol import Run


def counters_document(file: str, engine: str, program: Program, run: Run) -> dict[str, Any]:
    """Give what a run of a program counted as plain data.

    Parameters
    ----------
    file, program
        What was run, by name and as it was assembled.
    engine
        Name of the engine.
    run
        What it gave.
    """
    return {
        "file": file,
        "program_sha256": program_sha256(program),
        "engine": engine,
        **run.to_dict(),
    }


def show_counters(output: Output, file: str, run: Run, engine: str, value_bits: int) -> None:
    """Show what a run counted.

    Parameters
    ----------
    output
        Where to show it.
    file, engine
        Names of what was run and of what simulated it.
    run
        What it gave.
    value_bits
        Of a floating-point value.
    """
    from vecsim.cli.printing.report import machine_line

    how = f"{machine_line(run.machine)}; engine {engine}; {value_bits}-bit values"
    output.text(f"{file}: {how}; {counted(run.cycles, 'cycle')}")
    numbers = [(name.replace("_", " "), count) for name, count in run.counters.items()]
    output.table(fill(table(["counter"], ["count"]), [*numbers, ("bytes moved", run.bytes_moved)]))
    causes = table(["cycles by cause"], ["cycles", "share", "waited by\ninstructions"])
    output.table(fill(causes, _causes(run)))
    units = ((name, cycles, _share(cycles, run.cycles)) for name, cycles in run.busy.items())
    output.table(fill(table(["unit"], ["busy\ncycles", "share"]), units))


def _causes(run: Run) -> list[Sequence[object]]:
    from vecsim.engines.cause import label

    return [
        (label(name), cycles, _share(cycles, run.cycles), run.waited.get(name))
        for name, cycles in run.charged.items()
        if cycles or run.waited.get(name)
    ]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"
