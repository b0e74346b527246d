"""When each instruction ran: a row each, with what it waited for most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vecsim.cli.printing.console import fill, table
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from isa.program import Program
    from vecsim.cli.printing.output import Output
    from vecsim.engines.protocol import Run

TIMES = ("issue", "start", "first", "last", "retire")


def show_timeline(output: Output, program: Program, run: Run) -> dict[str, Any]:
    """Show the timeline that a run kept and give it as plain data, a list for each column."""
    from isa.declaration import Unit

    assert run.timeline is not None
    columns: dict[str, list[Any]] = {name: values.tolist() for name, values in run.timeline.items()}
    columns["text"] = [_text(program, pc) for pc in columns["pc"]]
    columns["unit"] = [Unit(unit).name.lower() for unit in columns["unit"]]
    shown_columns = [[str(pc) for pc in columns["pc"]]]
    shown_columns += [columns[name] for name in ("text", "unit", "vl", *TIMES)]
    waits = [_longest_wait(columns, row) for row in range(len(columns["pc"]))]
    rows = list(zip(*shown_columns, waits, strict=True))
    shown = table(["pc", "instruction", "unit"], ["vl", *TIMES], last="longest wait")
    output.table(fill(shown, rows))
    left_out = run.instructions - len(rows)
    if left_out > 0:
        output.text(f"left out: {counted(left_out, 'more instruction')} (--rows)")
    return {"timeline": columns, "timeline_rows_left_out": left_out}


def _text(program: Program, pc: int) -> str:
    from isa.disassembler import instruction_text

    return instruction_text(program.instruction(pc), program.fields[pc].tolist(), pc)


def _longest_wait(columns: dict[str, list[Any]], row: int) -> str | None:
    from vecsim.engines.cause import Cause

    waits = {name: values[row] for name, values in columns.items() if name.startswith("wait_")}
    cause = max(waits, key=lambda name: int(waits[name]))
    if not waits[cause]:
        return None
    return f"{Cause[cause.removeprefix('wait_').upper()].label} {waits[cause]:,}"
