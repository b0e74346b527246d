"""Scalar integer instructions: where their operands come from and where the results go.

The functions here make the semantics of a row of what :mod:`isa.riscv.semantics.integers` computes.
"""

from __future__ import annotations

from typing import Any

from isa.riscv.declaration import Semantics, Trap
from isa.riscv.semantics.memory import load_trap, store_trap
from isa.riscv.state import BASE, BYTES, IMMEDIATE, PC, RD, RS1, RS2, TOHOST

NONE, HOST = int(Trap.NONE), int(Trap.HOST)
Function = Any
"""A plain function of numbers."""


def of_registers(compute: Function) -> Semantics:
    """Return semantics: rd is computed from rs1 and rs2."""

    def execute(hart: Any, row: Any) -> Any:
        code, x = hart.code, hart.x
        x[code[row, RD]] = compute(x[code[row, RS1]], x[code[row, RS2]])
        return NONE

    return execute


def of_immediate(compute: Function) -> Semantics:
    """Return semantics: rd is computed from rs1 and the immediate."""

    def execute(hart: Any, row: Any) -> Any:
        code, x = hart.code, hart.x
        x[code[row, RD]] = compute(x[code[row, RS1]], code[row, IMMEDIATE])
        return NONE

    return execute


def of_register(compute: Function) -> Semantics:
    """Return semantics: rd is computed from rs1."""

    def execute(hart: Any, row: Any) -> Any:
        code, x = hart.code, hart.x
        x[code[row, RD]] = compute(x[code[row, RS1]])
        return NONE

    return execute


def of_load(load: Function, extend: Function, size: int) -> Semantics:
    """Return semantics: rd is loaded from rs1 plus the immediate, and extended."""

    def execute(hart: Any, row: Any) -> Any:
        code, x = hart.code, hart.x
        address = x[code[row, RS1]] + code[row, IMMEDIATE]
        trap = load_trap(hart, address, size)
        if trap == NONE:
            x[code[row, RD]] = extend(load(hart.memory, address - hart.control[BASE]))
        return trap

    return execute


def of_store(store: Function, size: int) -> Semantics:
    """Return semantics: rs2 is stored at rs1 plus the immediate."""

    def execute(hart: Any, row: Any) -> Any:
        code, x, control = hart.code, hart.x, hart.control
        address = x[code[row, RS1]] + code[row, IMMEDIATE]
        trap = store_trap(hart, address, size)
        if trap == NONE:
            store(hart.memory, address - control[BASE], x[code[row, RS2]])
            if address == control[TOHOST]:
                trap = HOST
        return trap

    return execute


def of_branch(condition: Function, expected: int = 1) -> Semantics:
    """Return semantics: a branch that is taken if the condition of rs1 and rs2 is as expected, 1 or 0."""

    def execute(hart: Any, row: Any) -> Any:
        code, x, pc = hart.code, hart.x, hart.control[PC]
        if condition(x[code[row, RS1]], x[code[row, RS2]]) == expected:
            return pc + code[row, IMMEDIATE]
        return pc + code[row, BYTES]

    return execute


def jal(hart: Any, row: Any) -> Any:
    """Jump to an address relative to this one; rd is where to return to."""
    code, pc = hart.code, hart.control[PC]
    hart.x[code[row, RD]] = pc + code[row, BYTES]
    return pc + code[row, IMMEDIATE]


def jalr(hart: Any, row: Any) -> Any:
    """Jump to rs1 plus the immediate, bit 0 cleared; rd is where to return to."""
    code, x = hart.code, hart.x
    target = (x[code[row, RS1]] + code[row, IMMEDIATE]) & -2
    x[code[row, RD]] = hart.control[PC] + code[row, BYTES]
    return target


def lui(hart: Any, row: Any) -> Any:
    """Write the immediate."""
    hart.x[hart.code[row, RD]] = hart.code[row, IMMEDIATE]
    return NONE


def auipc(hart: Any, row: Any) -> Any:
    """Write the address of the instruction plus the immediate."""
    hart.x[hart.code[row, RD]] = hart.control[PC] + hart.code[row, IMMEDIATE]
    return NONE


def nothing(hart: Any, row: Any) -> Any:
    """Do nothing: with one hart, accesses are in order."""
    return NONE
