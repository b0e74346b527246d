"""``vecsim debug``: step through a program, forwards and back."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import completion, options
from vecsim.cli.data_files import DataFiles
from vecsim.cli.products import OWN_SUFFIX, chosen_options, chosen_programs, load_matrix
from vecsim.cli.program_file import Asked, is_program_file, read_program_file
from vecsim.results.provenance import provenance
from vecsim.support.errors import UserError
from vecsim.support.input_files import ASSEMBLY, SCRIPT, read_stdin, read_text
from vecsim.support.shown_text import printable

if TYPE_CHECKING:
    from vecsim.debugger.debugger import Debugger
    from vecsim.debugger.target import Target
    from vecsim.machine import Machine

NOT_RIGHT = 1
"""Exit code when something that a script expects does not hold."""
PORT = 8000
SHOWN_OF_Y = 16
"""Elements of y that are shown if the user does not say."""


def debug(
    program: Annotated[
        str,
        typer.Argument(
            metavar="FILE.s|FILE.elf|PROGRAM",
            help="A program, as `vecsim exec` runs it; or a product such as hism, with a matrix.",
            autocompletion=completion.programs,
        ),
    ],
    matrix: Annotated[str | None, options.matrix_argument(after=" Of a product.")] = None,
    script: Annotated[
        str | None,
        typer.Option(
            "--script",
            metavar="FILE|-",
            help="Run the commands of a file, one a line, and print their results; exit code 1 if "
            "an `expect` is false.",
        ),
    ] = None,
    web: Annotated[bool, typer.Option("--web", help="Show it in a browser, at a secret address.")] = False,
    save_folder: Annotated[
        str,
        typer.Option(
            "--save-folder", metavar="DIR", help="Folder of `save`: it writes only in DIR and below."
        ),
    ] = ".",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="The port of the address.")] = PORT,
    extended: Annotated[
        bool,
        typer.Option(
            "--extended", help="Begin with the extended view, which adds units, banks and pipeline."
        ),
    ] = False,
    show: options.ShowOption = None,
    exercise: Annotated[
        str | None,
        typer.Option(
            "--exercise",
            metavar="EXERCISE[:CASE]",
            help="Run FILE.s on a case of an exercise of `vecsim grade`, from 1 on; by default the last.",
            autocompletion=completion.exercises,
        ),
    ] = None,
    exercises: options.ExercisesOption = "",
    like: options.LikeOption = None,
    option: options.ChoiceOption = None,
    machine: options.MachineOption = "vs2003",
    set_: options.SetOption = None,
    extend: options.ExtendOption = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="The engine: simpy, which starts at once, jit or jit-multiport.",
            autocompletion=completion.engines,
        ),
    ] = "simpy",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of x, or of a case.")] = 0,
    memory: Annotated[
        str | None,
        typer.Option(
            "--memory",
            metavar="BYTES",
            help="Simulated memory of a program, all zero; default 64K, of a RISC-V program 1M.",
        ),
    ] = None,
    load: options.LoadOption = None,
    define: options.DefineOption = None,
    isa: options.IsaOption = None,
    argument: options.ArgumentOption = None,
    value_bits: options.ValueBitsOption = 32,
) -> None:
    """Step through a program by instruction or cycle, forwards and back, and show what each part does.

    Without --script in the terminal, or with --web in a browser (the extra teach).
    """
    from vecsim.debugger.debugger import Debugger
    from vecsim.engines.running import MAX_CYCLES
    from vecsim.riscv.reading import is_riscv
    from vecsim.support.worker_processes import end_with_parent

    end_with_parent()
    described = options.chosen_machine(machine, set_, extend)
    riscv = exercise is None and is_program_file(program, isa) and is_riscv(program, isa)
    own = program.endswith(OWN_SUFFIX)
    if argument and not riscv:
        raise UserError(f"--argument {argument[0]}: {program} is no RISC-V program, and has no arguments")
    if riscv:
        _refuse(f"{program} is a program; of a product are", matrix=matrix, option=option, like=like)
        size, symbols = options.byte_count(memory or "1M"), options.definitions(define)
        width = options.value_bytes(value_bits)
        asked = Asked(isa, argument or (), symbols, width, size, MAX_CYCLES, load)
        target, pieces = _riscv(program, described, asked), tuple(show or ())
    elif exercise is not None:
        says = f"--exercise {exercise} says on what it runs, not"
        _refuse(says, matrix=matrix, load=load, define=define, like=like)
        target, of_case = _exercise(program, exercise, exercises, seed)
        pieces = (*of_case, *(show or ()))
    elif own and like is None:
        _refuse(f"{program} is a program; of a product (--like NAME) are", matrix=matrix, option=option)
        size, symbols = options.byte_count(memory or "64K"), options.definitions(define)
        target = _text(program, described, size, symbols, value_bits, load)
        pieces = tuple(show or ())
    else:
        _refuse(f"{program} is a product; of FILE.s are", define=define, load=load)
        (name,) = chosen_programs([program], like)
        target, of_y = _product(name, matrix, described, option or (), value_bits, seed)
        pieces = tuple(show) if show else (of_y,)
    shown = Debugger(target, engine=engine, pieces=pieces, save_folder=save_folder)
    shown.extended = extended
    if script is not None:
        _scripted(shown, script)
    elif web:
        _in_browser(port)
    else:
        _in_terminal(shown)


def _refuse(text: str, **given: object) -> None:
    """Refuse what has no meaning here."""
    for name, value in given.items():
        if value:
            raise UserError(f"{text} {'MATRIX' if name == 'matrix' else f'--{name}'}")


def _exercise(file: str, asked: str, own: str, seed: int) -> tuple[Target, tuple[str, ...]]:
    """Return a text on a case of an exercise, and the pieces of memory that are to be right."""
    from experiments.course.debugging import target_of
    from experiments.course.registry import find

    name, separator, case = asked.partition(":")
    if separator and not (case.isdecimal() and len(case) < 3):
        raise UserError(f"--exercise {asked}: write it as exercise-03 or exercise-03:2")
    return target_of(find(name, own), int(case) if separator else None, seed, file, read_text(file, ASSEMBLY))


def _text(
    file: str, machine: Machine, size: int, symbols: dict[str, int], bits: int, load: Sequence[str] | None
) -> Target:
    from vecsim.debugger.target import Target

    how: dict[str, Any] = {"symbols": symbols, "value_bytes": options.value_bytes(bits)}
    empty = Target(file, file, read_text(file, ASSEMBLY), _zeros(size), machine, **how)
    empty = empty.with_files(Path(file).parent)
    files = DataFiles(empty.assembled(), size, how["value_bytes"], load, None, None, None, file)
    _, content = files.memory()
    return replace(empty, memory=content, loaded=files.places)


def _riscv(file: str, machine: Machine, asked: Asked) -> Target:
    """Return a RISC-V program; its text can be edited."""
    from isa.riscv.assembler import assemble
    from vecsim.debugger.riscv_target import compiled_target, text_target
    from vecsim.riscv.reading import extensions_of, is_elf
    from vecsim.riscv.timing.source import RiscvSource

    given = read_program_file(file, machine, asked).riscv
    assert given is not None
    if is_elf(file):
        return compiled_target(file, given, machine)

    def assembled(text: str) -> RiscvSource:
        extensions = extensions_of(asked.isa)
        how: dict[str, Any] = {"file": file, "symbols": asked.symbols, "extensions": extensions}
        return given.with_program(assemble(text, folder=Path(file).parent, **how))

    return text_target(file, read_text(file, ASSEMBLY), assembled, machine)


def _zeros(size: int) -> Any:
    import numpy as np

    return np.zeros(size, np.uint8)


def _product(
    name: str, matrix: str | None, machine: Machine, choices: Sequence[str], bits: int, seed: int
) -> tuple[Target, str]:
    """Return a product of a matrix, and the piece of memory that has the first elements of y."""
    from programs.measurement import prepare_product
    from programs.registry import find
    from vecsim.debugger.target import Target

    program = find(name)
    chosen = chosen_options([name], choices)[name]
    loaded = load_matrix(matrix)
    prepared = prepare_product(name, loaded, machine, value_bits=bits, seed=seed, options=chosen)
    text = program.text(prepared.options.get("schedule", ""))
    target = Target(
        f"{name} on {loaded.name}",
        text.file.name,
        text.read(),
        prepared.loaded.memory,
        machine,
        program.symbols(prepared.options) | dict(prepared.loaded.symbols),
        options.value_bytes(bits),
    ).with_files(text.file.parent)
    kind = "float" if prepared.loaded.value_bytes == 4 else "double"
    return target, f"Y:{min(loaded.csr.shape[0], SHOWN_OF_Y)}:{kind}"


def _scripted(shown: Debugger, script: str) -> None:
    from vecsim.debugger.commands import run_script

    content = read_stdin(SCRIPT) if script == "-" else read_text(script, SCRIPT)
    if not run_script(shown, script, content.splitlines(), lambda line: typer.echo(printable(line))):
        raise typer.Exit(NOT_RIGHT)


def _in_terminal(shown: Debugger) -> None:
    from vecsim.debugger.extra import require

    require("textual")
    from vecsim.debugger.app import DebuggerApp

    in_browser = "TEXTUAL_DRIVER" in os.environ  # textual-serve has it draw for a page
    if not in_browser and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError("the debugger needs a terminal; use --script FILE without one")
    DebuggerApp(shown).run()


def _in_browser(port: int) -> None:
    from vecsim.debugger.extra import require

    require("textual", "textual_serve")
    from vecsim.debugger.web import serve

    serve([argument for argument in provenance().command[1:] if argument != "--web"], port, typer.echo)
