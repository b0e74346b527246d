"""``vecsim course rvv``: kernels in C for RISC-V Vector, run, checked and timed."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vecsim.cli.printing.console import fill, table
from vecsim.cli.printing.hot import hot_table, source_table
from vecsim.cli.printing.output import Output, OutputFile
from vecsim.cli.printing.report import machine_line
from vecsim.support.errors import UserError
from vecsim.support.input_files import SOURCE, read_input
from vecsim.support.progress import Measure, Progress
from vecsim.support.shown_text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table

    from programs.rvv.measurement import KernelRun
    from programs.rvv.registry import Kernel
    from vecsim.engines.first_use import Watch
    from vecsim.machine import Machine

NOT_RIGHT = 1
"""Exit code when a result is wrong."""


def run_kernels(name: str | None, machine: Machine, engine: str, hot: int | None, json: str | None) -> None:
    """Run all kernels, or one, and show what they took.

    Parameters
    ----------
    name
        Of the kernel; None: all of them.
    machine
        On what they are timed.
    engine
        As the user named it.
    hot
        How many of the costliest instructions of the function to show, of one kernel.
    json
        Where to write the results as JSON.

    Raises
    ------
    UserError
        There is no such kernel, or the machine cannot run it.
    typer.Exit
        A result is wrong.
    """
    from programs.rvv.registry import KERNELS, find
    from vecsim.engines.first_use import chosen_engine

    if hot is not None and name is None:
        raise UserError(f"--hot {hot}: name a kernel, as in vecsim course rvv axpy --hot {hot}")
    kernels = [*KERNELS.values()] if name is None else [find(name)]
    output = Output(json)
    runs: list[KernelRun] = []
    with chosen_engine(engine, machine) as choice, Progress(Measure.CYCLES) as progress:
        for number, kernel in enumerate(kernels):
            timed = partial(_timed, kernel, machine)
            runs.append(choice.run(timed, progress.simulating(kernel.name, number, len(kernels))))
    how = f"VLEN {machine.riscv.vlen}, DLEN {machine.riscv.group_bits}; {machine_line(machine)}"
    how = f"{how}; engine {choice.name}"
    if name is None:
        output.text(f"{len(runs)} kernels; {how}")
        output.table(_table_of(runs))
    else:
        _show(output, runs[0], how, hot)
    output.finish("vecsim course", _document(runs, machine, choice.name))
    if not all(each.right for each in runs):
        raise typer.Exit(NOT_RIGHT)


def _timed(kernel: Kernel, machine: Machine, engine: str, watch: Watch | None) -> KernelRun:
    from programs.rvv.measurement import run_kernel

    return run_kernel(kernel, machine, engine=engine, progress=watch)


def _table_of(runs: Iterable[KernelRun]) -> Table:
    heads = ["instructions", "of vectors", "cycles", "in kernel", "share", "cycles for each"]
    result = table(["kernel", "in"], heads, last="result")
    rows = (
        (
            each.kernel.name,
            each.kernel.written_as,
            each.instructions,
            each.vector_instructions,
            each.run.cycles,
            each.kernel_cycles,
            f"{each.share:.1%}",
            f"{each.cycles_per_unit:.3g} {each.kernel.unit}",
            _verdict(each),
        )
        for each in runs
    )
    return fill(result, rows)


def _show(output: Output, result: KernelRun, how: str, hot: int | None) -> None:
    kernel = result.kernel
    output.text(f"{kernel.name}: {kernel.title}, {kernel.written_as}; {how}")
    rows = [
        ("cycles", f"{result.run.cycles:,}"),
        ("cycles in kernel", f"{result.kernel_cycles:,}"),
        (f"work in units of a {kernel.unit}", f"{result.work:,}"),
        (f"cycles for each {kernel.unit}", f"{result.cycles_per_unit:.3g}"),
        ("instructions", f"{result.instructions:,}"),
        ("instructions in kernel", f"{result.kernel_instructions:,}"),
        ("instructions of vectors", f"{result.vector_instructions:,}"),
        ("result", _verdict(result)),
    ]
    output.table(fill(table(["of this run"], [""]), rows))
    if hot is not None:
        if (lines := source_table(result.kernel_lines, hot)) is not None:
            output.table(lines)
        output.table(hot_table(result.kernel_lines, hot, listing=False))


def _verdict(result: KernelRun) -> str:
    return "right" if result.right else f"wrong from element {result.exit_code} on"


def _document(runs: Iterable[KernelRun], machine: Machine, engine: str) -> dict[str, Any]:
    kernels = [
        {
            "kernel": each.kernel.name,
            "written_as": each.kernel.written_as,
            "exit_code": each.exit_code,
            "instructions": each.instructions,
            "vector_instructions": each.vector_instructions,
            "cycles": each.run.cycles,
            "kernel_instructions": each.kernel_instructions,
            "kernel_cycles": each.kernel_cycles,
            "work": each.work,
            "unit": each.kernel.unit,
            "lines": [asdict(line) for line in each.kernel_lines],
        }
        for each in runs
    ]
    return {"machine": machine.to_dict(), "engine": engine, "kernels": kernels}


def list_kernels(output: Output) -> list[dict[str, str]]:
    """Show the kernels and what they are about; return that as plain data."""
    from programs.rvv.registry import KERNELS

    rows = [(each.name, each.title, each.written_as, each.summary) for each in KERNELS.values()]
    output.table(fill(table(["kernel", "what it does", "in", "what it shows"]), rows))
    names = ("name", "title", "written_as", "summary")
    return [dict(zip(names, row, strict=True)) for row in rows]


def write_kernel(name: str | None, target: str, json: str | None) -> None:
    """Write a kernel as a user's program: the built file, and what it is built from.

    Parameters
    ----------
    name
        Of the kernel.
    target
        The name of the built file; its source is next to it.
    json
        What the user gave as ``--json``.

    Raises
    ------
    UserError
        There is no such kernel, or a file has another content.
    """
    from programs.rvv.registry import find

    if name is None:
        raise UserError(f"--write {target}: name a kernel, such as axpy")
    if json is not None:
        raise UserError("--write and --json do not go together: nothing is run")
    kernel, path = find(name), Path(target)
    if path.suffix != ".elf":
        raise UserError(f"--write {target}: write a file name such as {name}.elf")
    contents = {
        path if file == kernel.elf.name else path.with_name(file): content
        for file, content in kernel.contents.items()
    }
    there = [place for place in contents if place.exists()]
    for place in there:
        if read_input(place, SOURCE) != contents[place]:
            raise UserError(f"{place}: already exists; name another folder")
    files = {place: OutputFile(str(place), "--write") for place in contents if place not in there}
    for place, file in files.items():
        file.write(contents[place])
    if files:
        typer.echo(printable(f"{', '.join(each.name for each in files.values())} written"))
    typer.echo(printable(f"vecsim exec {target}"))
