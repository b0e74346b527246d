"""``vecsim exec``: run any program and show what became of the machine."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import options
from vecsim.cli.commands.assemble import read_program
from vecsim.cli.commands.execute_riscv import (
    RiscvOptions,
    execute_riscv,
    inputs_of,
    is_riscv,
    prepared,
    read_riscv,
)
from vecsim.cli.data_files import DataFiles
from vecsim.cli.printing.execution import (
    counters_document,
    show_counters,
    show_pieces,
    show_registers,
    show_timeline,
)
from vecsim.cli.printing.hot import hot_table
from vecsim.cli.printing.output import Output
from vecsim.cli.tracing import TraceOption, WindowOption, read_tracing
from vecsim.engines import AUTO
from vecsim.results.file_digests import input_files, recorded_files
from vecsim.support.errors import UserError
from vecsim.support.progress import Measure, Progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vecsim.engines.first_use import Watch
    from vecsim.engines.result import Run
    from vecsim.machine import Machine

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
    isa: Annotated[
        str | None,
        typer.Option(
            "--isa",
            metavar="rv64gcv[_xhism]",
            help="The text is RISC-V with vectors, and custom extensions; an ELF file says so itself.",
        ),
    ] = None,
    json: options.JsonOption = None,
) -> None:
    """Run a program on a machine and show its cycles and chosen memory.

    With --expect, exit code 1 means that memory differs.
    """
    from vecsim.data.memory_files import read_piece
    from vecsim.engines.first_use import chosen_engine
    from vecsim.engines.running import run
    from vecsim.engines.timeline import TimelineRequest
    from vecsim.machine import instruction_set_of
    from vecsim.machine.recorded import machine_files

    if rows is not None and not timeline:
        raise UserError(f"--rows {rows}: rows need --timeline; add it")
    if trace is not None and timeline:
        raise UserError(f"--trace {trace}: it has all that --timeline shows; ask for one of them")
    if is_riscv(file, isa):
        if trace is not None or registers:
            what = "--trace" if trace is not None else "--registers"
            raise UserError(f"{what}: not supported for RISC-V programs; leave it out")
        asked = RiscvOptions(
            options.byte_count(memory),
            engine,
            max_cycles,
            (rows or ROWS) if timeline else 0,
            hot,
            listing,
            value_bits,
            isa,
        )
        _execute_riscv(
            file,
            asked,
            options.chosen_machine(machine, set_, extend),
            options.definitions(define),
            Output(json, inputs=[file]),
            (dump, load, save, expect, tolerance),
        )
        return
    width, symbols = options.value_bytes(value_bits), options.definitions(define)
    size = options.byte_count(memory)
    described = options.chosen_machine(machine, set_, extend)
    output = Output(json, inputs=[file])
    tracing = read_tracing(trace, window, [file])
    program = read_program(file, symbols, width, instruction_set_of(described.extensions))
    texts = recorded_files("program", Path(file).parent, program.inputs)
    inputs = (*machine_files(described), *(texts or input_files("program", [Path(file)])))
    dumps = [read_piece(text, program, size) for text in dump or ()]
    files = DataFiles(program, size, width, load, save, expect, tolerance, file)
    started, content = files.memory()

    def simulated(engine: str, watch: Watch | None) -> Run:
        wanted = TimelineRequest(last_age=rows or ROWS) if timeline else None

        def one(asked: TimelineRequest | None) -> Run:
            how: dict[str, Any] = {"timeline": asked, "max_cycles": max_cycles, "progress": watch}
            return run(started, content, described, engine=engine, **how)

        if tracing is None:
            return one(wanted)
        return tracing.of(program, described, one, lambda done: done.cycles)

    chosen = chosen_engine(engine, described, cycle_by_cycle=tracing is not None)
    with chosen as choice, Progress(Measure.CYCLES) as progress:
        result = choice.run(simulated, progress.simulating(file, 0, 1))
    engine = choice.name
    how = {"define": symbols, "value_bits": value_bits, "memory_bytes": size, "max_cycles": max_cycles}
    document: dict[str, Any] = how | counters_document(file, engine, program, result)
    document["files"] = [each.to_dict() for each in (*inputs, *files.inputs)]
    show_counters(output, file, result, engine, value_bits)
    if hot is not None or listing:
        output.table(hot_table(result.lines, hot, listing))
        document["lines"] = [asdict(line) for line in result.lines]
    if dumps:
        document["memory"] = show_pieces(output, dumps, result.state.memory)
    files.save(output, result.state.memory, document)
    if registers:
        document["registers"] = show_registers(output, result.state, described, width)
    if timeline:
        document |= show_timeline(output, program, result)
    right = files.compare(output, result.state.memory, document)
    output.finish("vecsim exec", document)
    if not right:
        raise typer.Exit(NOT_RIGHT)


def _execute_riscv(
    file: str,
    asked: RiscvOptions,
    machine: Machine,
    symbols: Mapping[str, int],
    output: Output,
    data: tuple[
        Sequence[str] | None, Sequence[str] | None, Sequence[str] | None, Sequence[str] | None, float | None
    ],
) -> None:
    """Run a RISC-V program; the last of the parameters are --dump, --load, --save, --expect, --tolerance."""
    from vecsim.data.memory_files import read_piece
    from vecsim.machine.recorded import machine_files

    dump, load, save, expect, tolerance = data
    program = read_riscv(file, symbols, asked.isa)
    inputs = (*machine_files(machine), *input_files("program", inputs_of(file, program)))
    execution, memory = prepared(program, machine, asked)
    size, width = len(execution.hart.memory), options.value_bytes(asked.value_bits)
    dumps = [read_piece(text, memory, size) for text in dump or ()]
    files = DataFiles(memory, size, width, load, save, expect, tolerance, file)
    files.fill(execution.hart.memory)
    document, right = execute_riscv(output, file, execution, machine, asked, files, dumps)
    document |= {"define": dict(symbols), "value_bits": asked.value_bits}
    document |= {"memory_bytes": size, "max_cycles": asked.max_cycles}
    document["files"] = [each.to_dict() for each in (*inputs, *files.inputs)]
    output.finish("vecsim exec", document)
    if not right:
        raise typer.Exit(NOT_RIGHT)
