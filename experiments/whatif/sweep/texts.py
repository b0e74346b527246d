"""Programs that a user wrote and that multiply no matrix: assembly texts with arrays and symbols."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
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

if TYPE_CHECKING:
    from vecsim.data.memory_files import Array

SUFFIX = ".s"
"""Of the file of an assembly text."""
NO_MATRIX = ""
"""Stands in the place of a matrix's name."""


def is_text(program: ProgramLike) -> TypeGuard[str]:
    """Return whether a program's name is that of an assembly text that multiplies no matrix, ``FILE.s``.

    ``crs:FILE.s`` is a product.
    """
    if not isinstance(program, str):
        return False
    like, separator, _ = program.partition(OWN)
    return program.endswith(SUFFIX) and not (separator and like in PROGRAMS)


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


def prepare_text(
    file: str,
    symbols: Mapping[str, int],
    arrays: Sequence[Array],
    machine: Machine,
    *,
    value_bits: int,
    memory_bytes: int,
) -> Prepared:
    """Assemble a text and put arrays into its memory, as ``vecsim exec`` does.

    Parameters
    ----------
    file
        Of the text.
    symbols
        Those that it is assembled with.
    arrays
        What is put into memory, which is zero otherwise.
    machine
        Its extensions decide which instructions there are.
    value_bits, memory_bytes
        Bits of a value; bytes of memory.

    Raises
    ------
    UserError
        It does not assemble, or an array has no place in its memory.
    """
    width = value_bytes(value_bits)
    program = assemble_file(
        file, symbols=symbols, value_bytes=width, instruction_set=instruction_set_of(machine.extensions)
    )
    memory = np.zeros(memory_bytes, np.uint8)
    placed = [at_place(array, program, memory_bytes, "load") for array in arrays]
    started = put(memory, placed, program)
    options = {name: str(value) for name, value in symbols.items()}
    return Prepared(file, started, Loaded(memory, {}, 0, width), options, 0)
