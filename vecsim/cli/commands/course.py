"""``vecsim course``: the programs of a course, each with its arrays, run and compared with NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import completion, options
from vecsim.cli.commands.course_riscv import list_kernels, run_kernels, write_kernel
from vecsim.cli.printing.console import fill, table
from vecsim.cli.printing.hot import hot_table
from vecsim.cli.printing.output import Output, OutputFile
from vecsim.cli.printing.report import machine_line
from vecsim.cli.products import load_matrix, matrix_values
from vecsim.engines import AUTO
from vecsim.support.errors import UserError
from vecsim.support.shown_text import printable

if TYPE_CHECKING:
    from programs.course.measurement import CourseRun, Ready

RVV = "rvv"
"""What stands for all kernels for RISC-V Vector."""
STANDARD_MEMORY = 1 << 20
"""Bytes of memory of `vecsim exec` if the user does not say."""


def course(
    program: Annotated[
        str | None,
        typer.Argument(
            metavar="PROGRAM",
            help="The program; without it all are listed. rvv: the kernels for RISC-V Vector.",
            autocompletion=completion.course,
        ),
    ] = None,
    matrix: Annotated[
        str | None,
        options.matrix_argument(
            before="Of programs on a sparse matrix. ",
            after=" After rvv the name of a kernel; without it all are run.",
            metavar="MATRIX|KERNEL",
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(
            "--size", min=0, metavar="N", help="Number of elements, or rows, of programs that take no matrix."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the random numbers.")] = 0,
    machine: options.MachineOption = "vs2003",
    set_: options.SetOption = None,
    extend: options.ExtendOption = None,
    engine: options.AutoEngineOption = AUTO,
    value_bits: options.ValueBitsOption = 32,
    write: Annotated[
        str | None,
        typer.Option(
            "--write",
            metavar="FILE.s|FILE.elf",
            help="Write the text and its data for exec, debug and view, or a kernel and its source; "
            "nothing is run.",
        ),
    ] = None,
    hot: options.HotOption = None,
    json: options.JsonOption = None,
) -> None:
    """Run a program of the course and compare its cycles with the least that it must move and compute."""
    if program is None:
        _list(Output(json))
        return
    if program == RVV:
        _check_for_kernels(size, seed, value_bits)
        if write is not None:
            write_kernel(matrix, write, json)
        else:
            run_kernels(matrix, options.chosen_machine(machine, set_, extend), engine, hot, json)
        return
    from programs.course.measurement import prepare_course, run_course
    from programs.course.registry import find
    from vecsim.engines.first_use import chosen_engine

    described, width = options.chosen_machine(machine, set_, extend), options.value_bytes(value_bits)
    csr: Any = None
    if matrix is not None or find(program).takes_matrix:
        csr = matrix_values(load_matrix(matrix), width)
    ready = prepare_course(program, described, matrix=csr, size=size, value_bytes=width, seed=seed)
    if write is not None:
        _write(ready, write, value_bits, json)
        return
    output = Output(json)
    with chosen_engine(engine, described) as choice:
        result = choice.run(lambda name, watch: run_course(ready, described, engine=name))
    _show(output, result, choice.name, value_bits, hot)


def _check_for_kernels(size: int | None, seed: int, value_bits: int) -> None:
    """Refuse options of other programs."""
    given = {"--size": size is not None, "--seed": seed != 0, "--value-bits": value_bits != 32}
    for option in (each for each, is_given in given.items() if is_given):
        raise UserError(f"{option}: kernels for RISC-V Vector have fixed data; leave it out")


def _list(output: Output) -> None:
    from programs.course.registry import COURSE

    rows = [
        (each.name, each.title, "a matrix" if each.takes_matrix else f"--size {each.size}", each.summary)
        for each in COURSE.values()
    ]
    output.table(fill(table(["program", "what it does", "on", "what it shows"]), rows))
    names = ("name", "title", "on", "summary")
    programs = [dict(zip(names, row, strict=True)) for row in rows]
    output.text(f"Kernels in C for RISC-V Vector, which vecsim course {RVV} runs:")
    output.finish("vecsim course", {"programs": programs, "kernels": list_kernels(output)})


def _show(output: Output, result: CourseRun, engine: str, value_bits: int, hot: int | None) -> None:
    name, problem = result.ready.course.name, result.ready.placed.problem
    cycles = result.run.cycles
    how = f"{machine_line(result.run.machine)}; engine {engine}; {value_bits}-bit values"
    output.text(f"{name}: {result.ready.course.title}; {how}")
    rows = [
        ("cycles", f"{cycles:,}"),
        ("at least", f"{result.bound:,}"),
        ("cycles over that", f"{cycles / result.bound:.2f}" if result.bound else "-"),
        (problem.units, f"{problem.work:,}"),
        (f"cycles for each {problem.unit}", f"{result.cycles_per_unit:.3g}"),
        ("instructions", f"{result.run.instructions:,}"),
        ("result", "as by NumPy"),
    ]
    output.table(fill(table(["of this run"], [""]), rows))
    if hot is not None:
        output.table(hot_table(result.run.lines, hot, listing=False))
    document = {
        "program": name,
        "machine": result.run.machine.to_dict(),
        "engine": engine,
        "value_bits": value_bits,
        "cycles": cycles,
        "bound": result.bound,
        "work": problem.work,
        "unit": problem.unit,
        "instructions": result.run.instructions,
        "counters": dict(result.run.counters),
    }
    output.finish("vecsim course", document)


def _write(ready: Ready, target: str, value_bits: int, json: str | None) -> None:
    from programs.course.standalone import standalone

    path = Path(target)
    if path.suffix != ".s":
        raise UserError(f"--write {target}: write a file name such as {ready.course.name}.s")
    if json is not None:
        raise UserError("--write and --json do not go together: nothing is run")
    files = standalone(ready, path.stem)
    targets = {name: OutputFile(str(path.with_name(name)), "--write") for name in files}
    for each in targets.values():
        if each.path.exists():
            raise UserError(f"{each.name}: already exists; name another text")
    for name, content in files.items():
        targets[name].write(content)
    bits = "" if value_bits == 32 else f" --value-bits {value_bits}"
    memory = len(ready.placed.memory)
    more = "" if memory <= STANDARD_MEMORY else f" --memory {memory}"
    arrays = [name for name in files if name.endswith(".npy")]
    expected = "".join(f" --expect {name.split('.')[-2]}={path.with_name(name)}" for name in arrays)
    typer.echo(printable(f"{', '.join(targets[name].name for name in files)} written"))
    typer.echo(printable(f"vecsim exec {target}{bits}{more}{expected}"))
