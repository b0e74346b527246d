"""The binary form of instructions: 32 bits, divided by ``Operand.shift`` and ``Operand.bits``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from isa.declaration import EXTENSION_OPCODES, FORM, FORM_BITS, Instruction, InstructionSet, Operand
from isa.instructions import BASE
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

MAX_OPERANDS = 5
"""Columns of the decoded operand fields."""

OPCODE_SHIFT = 24


def encode(instruction: Instruction, fields: Sequence[int]) -> int:
    """Return the word of an instruction.

    Parameters
    ----------
    instruction
        A row of the table.
    fields
        Register numbers and immediates in the order of the syntax; more, if any, must be 0.

    Raises
    ------
    UserError
        Too few or too many fields, or one outside its operand's limits.
    """
    operands = instruction.operands
    _check_operands(instruction)
    if len(fields) < len(operands) or any(fields[len(operands) :]):
        raise UserError(
            f"{instruction.mnemonic}: {counted(len(fields), 'field')}; "
            f"{counted(len(operands), 'operand')} need one each"
        )
    form, opcode = divmod(instruction.opcode, FORM)
    word = opcode << OPCODE_SHIFT | form
    for operand, value in zip(operands, fields, strict=False):
        low, high = operand.limits
        if not low <= value <= high:
            raise UserError(f"{instruction.mnemonic}: {operand.name} = {value} must be from {low} to {high}")
        word |= (int(value) & ((1 << operand.bits) - 1)) << operand.shift
    return word


def _check_operands(instruction: Instruction) -> None:
    count = len(instruction.operands)
    if count > MAX_OPERANDS:
        raise UserError(
            f"{instruction.mnemonic} has {counted(count, 'operand')}; at most {MAX_OPERANDS} are possible"
        )


def decode(
    words: npt.ArrayLike, instruction_set: InstructionSet = BASE
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Decode binary words.

    Parameters
    ----------
    words
        (n,) integers of 32 bits.
    instruction_set
        What they mean.

    Returns
    -------
    opcode
        (n,) int64, as in the instruction set.
    fields
        (n, 5) int64, operands in the order of the syntax, immediates with their sign, 0 where unused.

    Raises
    ------
    UserError
        A word that is no instruction: an unknown opcode, bits set that no operand uses, or a special
        register that does not exist. The first such word is named.
    """
    bits = np.asarray(words, np.int64).reshape(-1)
    opcode = bits >> OPCODE_SHIFT
    forms = bits & ((1 << FORM_BITS) - 1)
    opcode += FORM * np.where(np.isin(opcode, instruction_set.with_forms), forms, 0)
    fields = np.zeros((len(bits), MAX_OPERANDS), np.int64)
    problems: list[tuple[int, str]] = []
    for code in np.unique(opcode):
        rows = np.flatnonzero(opcode == code)
        instruction = instruction_set.by_opcode.get(int(code))
        if instruction is None:
            hint = "; name the extension that has it by --extend" if code in EXTENSION_OPCODES else ""
            problems.append((int(rows[0]), f"opcode {int(code):#x} is not in the instruction set{hint}"))
        else:
            problems += _decode_rows(instruction, bits, rows, fields)
    if problems:
        row, reason = min(problems)
        raise UserError(f"instruction {row}: {int(bits[row]):#010x}: {reason}")
    return opcode, fields


def _decode_rows(
    instruction: Instruction,
    bits: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
    fields: npt.NDArray[np.int64],
) -> list[tuple[int, str]]:
    """Fill the fields of the rows that hold ``instruction``; return the first row of each mistake."""
    _check_operands(instruction)
    problems: list[tuple[int, str]] = []
    unused = (1 << OPCODE_SHIFT) - 1
    for column, operand in enumerate(instruction.operands):
        values = _extract(operand, bits[rows])
        unused &= ~(((1 << operand.bits) - 1) << operand.shift)
        low, high = operand.limits
        wrong = rows[(values < low) | (values > high)]
        if len(wrong):
            problems.append((int(wrong[0]), f"{instruction.mnemonic}: {operand.name} does not exist"))
        fields[rows, column] = values
    wrong = rows[((bits[rows] ^ (instruction.opcode // FORM)) & unused) != 0]
    if len(wrong):
        problems.append((int(wrong[0]), f"{instruction.mnemonic}: bits are set that no operand uses"))
    return problems


def _extract(operand: Operand, bits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    values = (bits >> operand.shift) & ((1 << operand.bits) - 1)
    if operand.kind in "it":
        sign = 1 << (operand.bits - 1)
        values = (values ^ sign) - sign
    return values
