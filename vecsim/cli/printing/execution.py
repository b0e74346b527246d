"""What a run of a program came to: what it counted, its registers, when each instruction ran."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from vecsim.cli.printing.console import fill, table
from vecsim.cli.printing.output import Output
from vecsim.cli.printing.report import machine_line
from vecsim.engines.cause import Cause, label
from vecsim.results.digests import program_sha256
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from isa.program import Program
    from isa.state import State
    from vecsim.data.memory_files import Piece
    from vecsim.engines.result import Run
    from vecsim.machine import Machine

A_LINE = 8
"""Values that stand in a line."""
TIMES = ("issue", "start", "first", "last", "retire")


def counters_document(file: str, engine: str, program: Program, run: Run) -> dict[str, Any]:
    """Return what a run of a program counted as plain data.

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
    how = f"{machine_line(run.machine)}; engine {engine}; {value_bits}-bit values"
    in_units = f"; {run.physical.in_words()}" if run.physical else ""
    output.text(f"{file}: {how}; {counted(run.cycles, 'cycle')}{in_units}")
    numbers = [(name.replace("_", " "), count) for name, count in run.counters.items()]
    output.table(fill(table(["counter"], ["count"]), [*numbers, ("bytes moved", run.bytes_moved)]))
    causes = table(["cycles by cause"], ["cycles", "share", "waited by\ninstructions"])
    output.table(fill(causes, _causes(run)))
    units = ((name, cycles, _share(cycles, run.cycles)) for name, cycles in run.busy.items())
    output.table(fill(table(["unit"], ["busy\ncycles", "share"]), units))


def _causes(run: Run) -> list[Sequence[object]]:
    return [
        (label(name), cycles, _share(cycles, run.cycles), run.waited.get(name))
        for name, cycles in run.cycles_by_cause.items()
        if cycles or run.waited.get(name)
    ]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def show_registers(output: Output, state: State, machine: Machine, width: Literal[4, 8]) -> dict[str, Any]:
    """Show the registers that are not zero, the vector mask among them, and return them as plain data.

    Vector registers are given twice, their elements read as integers and as floats.

    Parameters
    ----------
    output
        Where to show them.
    state, machine
        The registers after the run, and the machine that has them.
    width
        Bytes of a float, 4 or 8.
    """
    from isa.declaration import SPECIAL_REGISTERS

    kind = "float" if width == 4 else "double"
    floats = state.fs[::2] if width == 4 else state.fd
    scalar = {f"x{number}": int(value) for number, value in enumerate(state.x) if value}
    real = {f"f{number}": float(floats[number]) for number, value in enumerate(state.f) if value}
    special = dict(zip(SPECIAL_REGISTERS, state.special.tolist(), strict=True))
    vectors = _vectors(state, machine, width)
    mask = state.mask.tolist()

    output.text("registers that are not zero")
    for group in (scalar, special):
        for name, value in group.items():
            output.text(f"  {name:<8} {value}")
    if any(mask):
        output.text(f"  {'mask':<8} {_bits(mask)}  {sum(mask)} of {counted(len(mask), 'element')}")
    for name, number in real.items():
        output.text(f"  {name:<8} {written(number, kind)}")
    for name, views in vectors.items():
        for view, values in views.items():
            shown = "  ".join(written(value, view) for value in values[:A_LINE])
            more = f"  ... {counted(len(values), 'element')}" if len(values) > A_LINE else ""
            output.text(f"  {name:<8} {view:<7} {shown}{more}")
    return {"x": scalar, "f": real, "special": special, "mask": mask, "v": vectors}


def _bits(mask: list[int]) -> str:
    """Write a mask in groups of eight elements, element 0 first, up to the last group that has a one."""
    used = len(mask) - mask[::-1].index(1)
    groups = ("".join(map(str, mask[start : start + A_LINE])) for start in range(0, used, A_LINE))
    return " ".join(groups)


def _vectors(state: State, machine: Machine, width: Literal[4, 8]) -> dict[str, dict[str, list[Any]]]:
    s = machine.section_size
    if width == 4:
        views: dict[str, Any] = {"word": state.vw[::2], "float": state.vs[::2]}
    else:
        views = {"word": state.v, "double": state.vd}
    matches = {}
    for number in range(machine.vector_registers):
        elements = slice(number * s, (number + 1) * s)
        if state.v[elements].any():
            matches[f"v{number}"] = {view: values[elements].tolist() for view, values in views.items()}
    return matches


def show_timeline(output: Output, program: Program, run: Run) -> dict[str, Any]:
    """Show the timeline that a run kept and return it as plain data, a list for each column."""
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

    if program.texts:
        return program.texts[pc]
    return instruction_text(program.instruction(pc), program.fields[pc].tolist(), pc)


def _longest_wait(columns: dict[str, list[Any]], row: int) -> str | None:
    waits = {name: values[row] for name, values in columns.items() if name.startswith("wait_")}
    cause = max(waits, key=lambda name: int(waits[name]))
    if not waits[cause]:
        return None
    return f"{Cause[cause.removeprefix('wait_').upper()].label} {waits[cause]:,}"


def show_pieces(
    output: Output, pieces: Sequence[Piece], memory: npt.NDArray[np.uint8]
) -> list[dict[str, Any]]:
    """Show pieces of memory and return them as plain data."""
    matches = []
    for piece in pieces:
        values = piece.values(memory)
        size = (piece.end - piece.address) // piece.count
        output.text(f"{piece.name}: {piece.count} x {piece.type}")
        for start in range(0, piece.count, A_LINE):
            line = "  ".join(written(value, piece.type) for value in values[start : start + A_LINE])
            output.text(f"  {piece.address + start * size:>10}  {line}")
        matches.append({"place": piece.name, "address": piece.address, "type": piece.type, "values": values})
    return matches


def written(value: float, kind: str) -> str:
    """Write a value of memory or a register, in as many digits as its type holds."""
    return f"{value:.9g}" if kind == "float" else f"{value:.17g}" if kind == "double" else str(value)
