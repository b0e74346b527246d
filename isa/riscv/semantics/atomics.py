"""Atomic accesses on one hart: nobody interferes, and a reservation lasts until the next ``sc``."""

from __future__ import annotations

from typing import Any

from isa.riscv.declaration import Semantics, Trap
from isa.riscv.semantics.memory import load_trap, store_trap
from isa.riscv.state import BASE, RD, RESERVED, RS1, RS2, TOHOST

NONE, HOST = int(Trap.NONE), int(Trap.HOST)
Function = Any
"""A plain function of numbers."""


def of_reserving(load: Function, extend: Function, size: int) -> Semantics:
    """Return semantics of ``lr``: rd is loaded from the address rs1, which is reserved."""

    def execute(hart: Any, row: Any) -> Any:
        code, x, control = hart.code, hart.x, hart.control
        address = x[code[row, RS1]]
        trap = load_trap(hart, address, size)
        if trap == NONE:
            x[code[row, RD]] = extend(load(hart.memory, address - control[BASE]))
            control[RESERVED] = address
        return trap

    return execute


def of_conditional(store: Function, size: int) -> Semantics:
    """Return semantics of ``sc``: rs2 is stored if its address is reserved; rd is 0 if so, otherwise 1."""

    def execute(hart: Any, row: Any) -> Any:
        code, x, control = hart.code, hart.x, hart.control
        address = x[code[row, RS1]]
        trap = store_trap(hart, address, size)
        if trap == NONE:
            reserved = control[RESERVED] == address
            if reserved:
                store(hart.memory, address - control[BASE], x[code[row, RS2]])
                if address == control[TOHOST]:
                    trap = HOST
            x[code[row, RD]] = 0 if reserved else 1
            control[RESERVED] = -1
        return trap

    return execute


def of_atomic(load: Function, store: Function, extend: Function, compute: Function, size: int) -> Semantics:
    """Return semantics: rd is what was at the address rs1, and what is computed from it and rs2 replaces it.

    Parameters
    ----------
    load, store
        Of :mod:`isa.riscv.semantics.memory`.
    extend
        Makes a signed number of what is loaded, and of rs2.
    compute
        Of both.
    size
        Bytes.
    """

    def execute(hart: Any, row: Any) -> Any:
        code, x, control = hart.code, hart.x, hart.control
        address = x[code[row, RS1]]
        trap = store_trap(hart, address, size)
        if trap == NONE:
            place = address - control[BASE]
            old = extend(load(hart.memory, place))
            store(hart.memory, place, compute(old, extend(x[code[row, RS2]])))
            x[code[row, RD]] = old
            if address == control[TOHOST]:
                trap = HOST
        return trap

    return execute


def second(old: Any, new: Any) -> Any:
    """Return the new value."""
    return new
