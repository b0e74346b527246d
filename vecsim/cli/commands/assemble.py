"""``vecsim asm`` and ``vecsim disasm``: from text to words and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vecsim.cli.options import DefineOption, ExtendOption, ValueBitsOption, definitions, value_bytes
from vecsim.cli.printing.output import OutputFile
from vecsim.support.input_files import PROGRAM_FILE, read_input
from vecsim.support.shown_text import printable
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isa.declaration import InstructionSet

SUFFIX = ".vsx"
"""Suffix of a program file."""


def asm(
    file: Annotated[str, typer.Argument(metavar="FILE.s", help="Assembly text.")],
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="The program file to write; default FILE.vsx, and no file with --listing.",
        ),
    ] = None,
    listing: Annotated[
        bool, typer.Option("--listing", help="Print number, word, instruction and source of every line.")
    ] = False,
    define: DefineOption = None,
    value_bits: ValueBitsOption = 32,
    extend: ExtendOption = None,
) -> None:
    """Assemble a program."""
    from isa import binary
    from isa.assembler import assemble_file
    from isa.disassembler import listing as listed

    symbols, instruction_set = definitions(define), instructions_with(extend)
    if output is None and not listing:
        output = str(Path(file).with_suffix(SUFFIX))
    target = None if output is None else OutputFile(output, "--output", [file])
    program = assemble_file(
        file, symbols=symbols, value_bytes=value_bytes(value_bits), instruction_set=instruction_set
    )
    if target is not None:
        target.write(binary.dump(program))
    if listing:
        typer.echo(printable(listed(program)), nl=False)
    else:
        data = sum(len(segment.content) for segment in program.data)
        typer.echo(
            printable(f"{output}: {counted(len(program), 'instruction')}, {counted(data, 'byte')} of data")
        )


def disasm(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A program file, as `vecsim asm` writes it.")],
    extend: ExtendOption = None,
) -> None:
    """Print assembly text that assembles to the same program."""
    from isa import binary
    from isa.disassembler import disassemble

    program = binary.load(read_input(file, PROGRAM_FILE), instructions_with(extend), file=file)
    typer.echo(disassemble(program), nl=False)


def instructions_with(extend: Sequence[str] | None) -> InstructionSet:
    """Read ``--extend`` where there is no machine: return the instructions that it makes of the base set."""
    from vecsim.machine import extensions_of, instruction_set_of

    return instruction_set_of(extensions_of(extend or ()))
