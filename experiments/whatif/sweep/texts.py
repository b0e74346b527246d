"""Programs that a user wrote and that multiply no matrix: texts and RISC-V programs with arrays."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from experiments.whatif.sweep.inputs import Input
from isa.assembler import assemble_file
from programs.loading import Loaded
from programs.measurement import Prepared
from programs.registry import OWN, PROGRAMS, ProgramLike
from vecsim.data import value_bytes
from vecsim.data.memory_files import at_place, put, read_array
from vecsim.machine import Machine, instruction_set_of
from vecsim.riscv.reading import is_elf, is_riscv, read_riscv
from vecsim.riscv.timing.source import RiscvSource
from vecsim.support.errors import UserError

if TYPE_CHECKING:
    from vecsim.data.memory_files import Array

SUFFIX = ".s"
"""Of the file of an assembly text."""
NO_MATRIX = ""
"""Stands in the place of a matrix's name."""


def is_text(program: ProgramLike) -> TypeGuard[str]:
    """Return whether a program's name is that of a program that multiplies no matrix.

    That is an assembly text, ``FILE.s``, or a RISC-V program, an ELF file. ``crs:FILE.s`` is a product.
    """
    if not isinstance(program, str):
        return False
    like, separator, _ = program.partition(OWN)
    if program in PROGRAMS or (separator and like in PROGRAMS):
        return False
    return program.endswith(SUFFIX) or is_elf(program)


def may_name(text: str, symbol: str) -> bool:
    """Return whether an assembly text may name a symbol: in itself, or in a text that it includes."""
    return ".include" in text or re.search(rf"(?<![\w.]){re.escape(symbol)}(?![\w.])", text) is not None


def load_arrays(load: Sequence[str], value_bits: int) -> Input:
    """Read the arrays that are put into memory before a run.

    Parameters
    ----------
    load
        ``PLACE[:WHAT]=FILE`` each, as ``vecsim exec --load`` takes them.
    value_bits
        Bits of a real number.

    Returns
    -------
    Input
        Its digest is that of the places, the types and the values.

    Raises
    ------
    UserError
        One cannot be read or does not fit its type.
    """
    arrays = tuple(read_array(text, value_bytes(value_bits), "load") for text in load)
    said = [(each.place, each.type, hashlib.sha256(each.values.tobytes()).hexdigest()) for each in arrays]
    return Input(
        NO_MATRIX,
        None,
        hashlib.sha256(json.dumps(said).encode()).hexdigest(),
        files=tuple(each.input_file for each in arrays),
        warnings=tuple(line for each in arrays for line in each.warnings),
        arrays=arrays,
    )


@dataclass(frozen=True)
class Text:
    """A program with what it is run with.

    Attributes
    ----------
    file
        Its file.
    isa
        The instruction set of a text that is not that of the machine, ``rv64gcv``; empty otherwise.
    symbols
        Those that a text is assembled with.
    arguments
        Those of ``main`` of a RISC-V program.
    arrays
        What is put into memory, which is zero otherwise.
    value_bits, memory_bytes
        Bits of a value; bytes of memory.
    max_cycles
        Cycles that a run may take.
    """

    file: str
    isa: str
    symbols: Mapping[str, int]
    arguments: Sequence[str]
    arrays: Sequence[Array]
    value_bits: int
    memory_bytes: int
    max_cycles: int

    @property
    def is_riscv(self) -> bool:
        """Whether it is a RISC-V program."""
        return is_riscv(self.file, self.isa or None)


def prepare_text(text: Text, machine: Machine) -> Prepared:
    """Read a program and put arrays into its memory, as ``vecsim exec`` does; run it if it is of RISC-V.

    Parameters
    ----------
    text
        The program.
    machine
        Its extensions decide which instructions a classic text may use; the length of its registers what is
        recorded of a RISC-V program.

    Raises
    ------
    UserError
        It does not assemble, an array has no place in its memory, or a RISC-V program cannot run or ends with
        an exit code.
    """
    if text.is_riscv:
        return _prepare_riscv(text, machine)
    file, symbols, memory_bytes = text.file, text.symbols, text.memory_bytes
    if text.arguments:
        raise UserError(f"{file}: is no RISC-V program, and has no arguments; leave argument out")
    width = value_bytes(text.value_bits)
    program = assemble_file(
        file, symbols=symbols, value_bytes=width, instruction_set=instruction_set_of(machine.extensions)
    )
    memory = np.zeros(memory_bytes, np.uint8)
    placed = [at_place(array, program, memory_bytes, "load") for array in text.arrays]
    started = put(memory, placed, program)
    options = {name: str(value) for name, value in symbols.items()}
    return Prepared(file, started, Loaded(memory, {}, 0, width), options, 0)


def riscv_source(text: Text) -> RiscvSource:
    """Read a RISC-V program, and have its arrays put into its memory.

    Raises
    ------
    UserError
        It cannot be read, or an array has no place in its memory.
    """
    source = RiscvSource(
        read_riscv(text.file, text.symbols, text.isa or None),
        memory_bytes=text.memory_bytes,
        arguments=text.arguments,
        most_cycles=text.max_cycles,
    )
    source.load([at_place(array, source.names, text.memory_bytes, "load") for array in text.arrays])
    return source


def _prepare_riscv(text: Text, machine: Machine) -> Prepared:
    timed = riscv_source(text).timed(machine)
    if timed.result.exit_code:
        raise UserError(
            f"{text.file}: ended with exit code {timed.result.exit_code}; a program of a sweep must end with "
            "0, since another code says that its result is wrong"
        )
    loaded = Loaded(timed.memory, {}, 0, value_bytes(text.value_bits))
    return Prepared(text.file, timed.program, loaded, {}, 0)
