"""``vecsim exec``: run any program and show what became of the machine."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import options
from vecsim.cli.printing.execution import (
    counters_document,
    show_counters,
    show_pieces,
    show_registers,
    show_timeline,
)
from vecsim.cli.printing.hart import show_execution, show_hart
from vecsim.cli.printing.hot import hot_table
from vecsim.cli.printing.output import Output
from vecsim.cli.program_file import Asked, read_program_file
from vecsim.cli.tracing import TraceOption, WindowOption, read_tracing
from vecsim.engines import AUTO
from vecsim.support.errors import UserError
from vecsim.support.progress import Measure, Progress

if TYPE_CHECKING:
    from vecsim.engines.first_use import Watch
    from vecsim.engines.result import Run

NOT_RIGHT = 1
"""Exit code when memory is not as expected."""
ROWS = 200
"""Rows of the timeline, at most, if the user does not say."""


def execute(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Assembly text or a program file.")],
    machine: options.MachineOption = "vs2003",
    set_: options.SetOption = None,
    extend: options.ExtendOption = None,
    engine: options.AutoEngineOption = AUTO,
    memory: options.MemoryOption = "1M",
    define: options.DefineOption = None,
    value_bits: options.ValueBitsOption = 32,
    dump: Annotated[
        list[str] | None,
        typer.Option(
            "--dump",
            metavar="PLACE:COUNT[:TYPE]",
            help="Show memory after the run: PLACE is an address or a symbol, TYPE one of word, float, "
            "double, byte. Repeatable.",
        ),
    ] = None,
    load: options.LoadOption = None,
    save: Annotated[
        list[str] | None,
        typer.Option(
            "--save",
            metavar="PLACE:COUNT[:TYPE]=FILE.npy",
            help="Write memory after the run as a NumPy array. Repeatable.",
        ),
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            "--expect",
            metavar="PLACE[:TYPE]=FILE.npy|FILE.mtx",
            help="Compare memory after the run with an array; exit code 1 if an element differs. Repeatable.",
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            "--tolerance",
            parser=options.finite("--tolerance"),
            help="Allowed error of a real number, relative to the expected one, or to 1 if that "
            "is smaller; default 1e-5.",
        ),
    ] = None,
    registers: Annotated[bool, typer.Option("--registers", help="Show the registers after the run.")] = False,
    timeline: Annotated[bool, typer.Option("--timeline", help="Show when each instruction ran.")] = False,
    rows: Annotated[
        int | None,
        typer.Option("--rows", min=1, help=f"Rows of the timeline, at most; default {ROWS}."),
    ] = None,
    trace: TraceOption = None,
    window: WindowOption = None,
    max_cycles: Annotated[
        int,
        typer.Option("--max-cycles", min=1, help="Cycles after which the run counts as an infinite loop."),
    ] = 10_000_000,
    hot: options.HotOption = None,
    listing: options.ListingOption = False,
    isa: options.IsaOption = None,
    argument: options.ArgumentOption = None,
    json: options.JsonOption = None,
) -> None:
    """Run a program on a machine and show its cycles and chosen memory.

    With --expect, exit code 1 means that memory differs.
    """
    from vecsim.data.memory_files import read_piece
    from vecsim.engines.first_use import chosen_engine
    from vecsim.engines.running import run
    from vecsim.engines.timeline import TimelineRequest
    from vecsim.machine.recorded import machine_files

    if rows is not None and not timeline:
        raise UserError(f"--rows {rows}: rows need --timeline; add it")
    if trace is not None and timeline:
        raise UserError(f"--trace {trace}: it has all that --timeline shows; ask for one of them")
    symbols, width = options.definitions(define), options.value_bytes(value_bits)
    described = options.chosen_machine(machine, set_, extend)
    output, tracing = Output(json, inputs=[file]), read_tracing(trace, window, [file])
    asked = Asked(isa, argument or (), symbols, width, options.byte_count(memory), max_cycles)
    asked = replace(asked, load=load, save=save, expect=expect, tolerance=tolerance)
    given = read_program_file(file, described, asked)
    dumps = [read_piece(text, given.names, asked.memory_bytes) for text in dump or ()]
    program, content, on = given.source.on(described)

    def simulated(engine: str, watch: Watch | None) -> Run:
        wanted = TimelineRequest(last_age=rows or ROWS) if timeline else None

        def one(request: TimelineRequest | None) -> Run:
            how: dict[str, Any] = {"timeline": request, "max_cycles": max_cycles, "progress": watch}
            return run(program, content, on, engine=engine, **how)

        if tracing is None:
            return one(wanted)
        return tracing.of(program, on, one, lambda done: done.cycles)

    chosen = chosen_engine(engine, on, cycle_by_cycle=tracing is not None)
    with chosen as choice, Progress(Measure.CYCLES) as progress:
        result = choice.run(simulated, progress.simulating(file, 0, 1))
    result = replace(result, machine=described)  # the registers of a RISC-V program are its own
    engine, timed = choice.name, given.timed(described)
    document: dict[str, Any] = given.settings | counters_document(file, engine, program, result)
    document["files"] = [each.to_dict() for each in (*machine_files(described), *given.inputs)]
    if timed is not None and given.riscv is not None:
        document["riscv"] = show_execution(output, given.riscv.program, timed)
    show_counters(output, file, result, engine, value_bits)
    if hot is not None or listing:
        output.table(hot_table(result.lines, hot, listing))
        document["lines"] = [asdict(line) for line in result.lines]
    after = given.memory_after(result)
    if dumps:
        document["memory"] = show_pieces(output, dumps, after)
    given.data.save(output, after, document)
    if registers and timed is not None:
        document["registers"] = show_hart(output, timed.result.hart)
    elif registers:
        document["registers"] = show_registers(output, result.state, described, width)
    if timeline:
        document |= show_timeline(output, program, result)
    right = given.data.compare(output, after, document)
    output.finish("vecsim exec", document)
    if not right:
        raise typer.Exit(NOT_RIGHT)
