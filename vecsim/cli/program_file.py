"""A program that the user names, ready to run: an assembly text, a program file or a RISC-V program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from vecsim.cli.data_files import DataFiles
from vecsim.cli.products import OWN_SUFFIX
from vecsim.results.file_digests import InputFile, input_files, recorded_files
from vecsim.support.errors import UserError
from vecsim.support.input_files import PROGRAM, read_input

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from isa.declaration import InstructionSet
    from isa.program import Program
    from vecsim.engines.result import Run
    from vecsim.engines.source import Source
    from vecsim.machine import Machine
    from vecsim.riscv.timing.program import TimedProgram
    from vecsim.riscv.timing.source import RiscvSource


@dataclass(frozen=True)
class Asked:
    """What options say of a program.

    Attributes
    ----------
    isa, arguments
        The instruction set of a text that is not that of the machine; the arguments of ``main`` of a RISC-V
        program.
    symbols, width, memory_bytes
        What ``--define`` gives; bytes of a float in messages and files; of memory.
    load, save, expect, tolerance
        As `DataFiles` takes them.
    max_cycles
        Cycles that a run may take.
    """

    isa: str | None
    arguments: Sequence[str]
    symbols: Mapping[str, int]
    width: Literal[4, 8]
    memory_bytes: int
    max_cycles: int
    load: Sequence[str] | None = None
    save: Sequence[str] | None = None
    expect: Sequence[str] | None = None
    tolerance: float | None = None


@dataclass(frozen=True)
class ProgramFile:
    """A program.

    Attributes
    ----------
    source
        Gives what runs on a machine.
    names
        By whose symbols options name places of memory.
    data
        The arrays of memory before and after a run.
    texts
        The files that it was read from.
    riscv
        The same source of a RISC-V program.
    """

    source: Source
    names: Program
    data: DataFiles
    texts: tuple[InputFile, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    riscv: RiscvSource | None = None

    def memory_after(self, run: Run) -> npt.NDArray[np.uint8]:
        """Return what is in memory after a run; that of a RISC-V program is as it was recorded."""
        timed = self.timed(run.machine)
        return run.state.memory if timed is None else timed.result.hart.memory

    def timed(self, machine: Machine) -> TimedProgram | None:
        """Return the recorded run of a RISC-V program for a machine; None of any other."""
        return None if self.riscv is None else self.riscv.timed(machine)

    @property
    def inputs(self) -> tuple[InputFile, ...]:
        """All files that a result depends on, but those of the machine."""
        return (*self.texts, *self.data.inputs)


def is_program_file(name: str | None, isa: str | None) -> bool:
    """Return whether what a user names is the file of a program, and no matrix.

    Raises
    ------
    UserError
        There is no such instruction set.
    """
    from vecsim.riscv.reading import extensions_of, is_elf

    extensions_of(isa)
    return name is not None and (name.endswith(OWN_SUFFIX) or isa is not None or is_elf(name))


def read_program_file(file: str, machine: Machine, asked: Asked) -> ProgramFile:
    """Read a program and what is loaded into its memory.

    Parameters
    ----------
    file
        Its name.
    machine
        Its extensions decide which instructions a text may use.
    asked
        What options say.

    Raises
    ------
    UserError
        The program or an array cannot be read, or an option does not fit.
    """
    from vecsim.engines.source import Fixed
    from vecsim.machine import instruction_set_of
    from vecsim.riscv.reading import is_riscv

    if is_riscv(file, asked.isa):
        return _riscv(file, machine, asked)
    if asked.arguments:
        raise UserError(f"--argument {asked.arguments[0]}: {file} is no RISC-V program, and has no arguments")
    program = _read(file, asked.symbols, asked.width, instruction_set_of(machine.extensions))
    texts = recorded_files("program", Path(file).parent, program.inputs)
    data = _data(file, program, asked)
    source = Fixed(*data.memory())
    return ProgramFile(
        source,
        program,
        data,
        texts or input_files("program", [Path(file)]),
        _settings(asked),
    )


def _read(
    file: str, symbols: Mapping[str, int], width: Literal[4, 8], instruction_set: InstructionSet
) -> Program:
    """Read a program from assembly text or a program file, whichever it is.

    Parameters
    ----------
    file
        Where it is.
    symbols
        What ``--define`` gives.
    width
        Bytes of a matrix value.
    instruction_set
        What it may use.

    Raises
    ------
    UserError
        It cannot be read or is neither, or symbols are given for what is assembled already.
    """
    from isa import binary
    from isa.assembler import assemble_file
    from programs.user_format import is_format_file

    if is_format_file(file):
        raise UserError(
            f"{file}: is a Python file and not a program; run a user-defined format by `vecsim run --format "
            f"{file}`, and give an extension by --extend {file}"
        )
    content = read_input(file, PROGRAM)
    if not binary.is_program_file(content):
        return assemble_file(file, symbols=symbols, value_bytes=width, instruction_set=instruction_set)
    if symbols:
        raise UserError(
            f"{file}: --define {next(iter(symbols))}: the program is assembled already; use "
            "--define with its source"
        )
    return binary.load(content, instruction_set, file=file)


def _riscv(file: str, machine: Machine, asked: Asked) -> ProgramFile:
    from vecsim.riscv.reading import read_riscv
    from vecsim.riscv.timing.source import RiscvSource

    program = read_riscv(file, asked.symbols, asked.isa, machine.extensions)
    source = RiscvSource(
        program,
        memory_bytes=asked.memory_bytes,
        arguments=asked.arguments,
        most_cycles=asked.max_cycles,
    )
    data = _data(file, source.names, asked)
    source.load(data.arrays)
    texts = recorded_files("program", Path(file).parent, program.inputs)
    settings = _settings(asked) | {"isa": asked.isa, "arguments": list(asked.arguments)}
    return ProgramFile(source, source.names, data, texts, settings, source)


def _data(file: str, names: Program, asked: Asked) -> DataFiles:
    given = (asked.load, asked.save, asked.expect, asked.tolerance)
    return DataFiles(names, asked.memory_bytes, asked.width, *given, file)


def _settings(asked: Asked) -> dict[str, Any]:
    return {
        "define": dict(asked.symbols),
        "value_bits": 8 * asked.width,
        "memory_bytes": asked.memory_bytes,
        "max_cycles": asked.max_cycles,
    }
