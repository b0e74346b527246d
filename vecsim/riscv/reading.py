"""RISC-V programs by the names of their files: an ELF file, or a text where the user says what it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from isa.riscv.assembler import assemble_file
from isa.riscv.extensions import custom_extensions
from isa.riscv.program import RiscvProgram
from vecsim.machine import Extension
from vecsim.riscv.elf import read_elf
from vecsim.support.errors import UserError
from vecsim.support.input_files import ELF_FILE, open_input

ELF_MAGIC = b"\x7fELF"
SUFFIX = ".elf"
"""A file of this name is a program, whether it can be read or not."""


def extensions_of(isa: str | None) -> frozenset[str]:
    """Return the custom extensions of an architecture string; none without one.

    Raises
    ------
    UserError
        There is no such instruction set.
    """
    try:
        return frozenset() if isa is None else custom_extensions(isa)
    except ValueError as error:
        raise UserError(f"--isa {isa}: unknown instruction set; {error}") from None


def is_elf(file: str) -> bool:
    """Return whether a file is an ELF file, by its name or by its content."""
    if file.endswith(SUFFIX):
        return True
    try:
        with open_input(file, ELF_FILE) as opened:
            return opened.read(len(ELF_MAGIC)) == ELF_MAGIC
    except UserError:
        return False


def is_riscv(file: str, isa: str | None) -> bool:
    """Return whether a file is a RISC-V program: an ELF file, or text that ``--isa`` says is one.

    One that cannot be read is none, unless its name says so: what reads programs says why.

    Raises
    ------
    UserError
        There is no such instruction set.
    """
    extensions_of(isa)
    return isa is not None or is_elf(file)


def read_riscv(
    file: str, symbols: Mapping[str, int], isa: str | None, users: Iterable[Extension] = ()
) -> RiscvProgram:
    """Read an ELF file or assemble a text; ``inputs`` are the files that were read.

    Parameters
    ----------
    file
        Its name.
    symbols
        What ``--define`` gives to a text.
    isa
        The architecture string, which adds to the extensions that an ELF file names.
    users
        Extensions of the machine; those that have RISC-V instructions are switched on.

    Raises
    ------
    UserError
        It cannot be read or assembled, or symbols are given to an ELF file.
    """
    extensions = extensions_of(isa) | {each.name for each in users if each.riscv_rows}
    if not is_elf(file):
        return assemble_file(file, symbols=symbols, extensions=extensions)
    if symbols:
        raise UserError(f"--define {next(iter(symbols))}: {file} is linked; only texts take symbols")
    program = read_elf(file)
    return replace(program, extensions=program.extensions | extensions)
