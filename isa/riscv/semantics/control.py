"""Control and status registers, calls of the environment, and the fence of instructions."""

from __future__ import annotations

from typing import Any

from isa.riscv.declaration import Trap
from isa.riscv.extensions import XHISM, mask_of
from isa.riscv.state import (
    COUNT,
    EXTENSIONS,
    FFLAGS,
    FRM,
    IMMEDIATE,
    OPERATION,
    RD,
    ROWCOUNT,
    ROWPTR,
    RS1,
    VL,
    VLEN,
    VSTART,
    VTYPE,
    VXRM,
    VXSAT,
)

NONE, ILLEGAL = int(Trap.NONE), int(Trap.ILLEGAL)
BREAKPOINT, CALL, TEXT = int(Trap.BREAKPOINT), int(Trap.CALL), int(Trap.TEXT)

CSRS = {
    "fflags": 0x001,
    "frm": 0x002,
    "fcsr": 0x003,
    "vstart": 0x008,
    "vxsat": 0x009,
    "vxrm": 0x00A,
    "vcsr": 0x00F,
    "mstatus": 0x300,
    "cycle": 0xC00,
    "time": 0xC01,
    "instret": 0xC02,
    "vl": 0xC20,
    "vtype": 0xC21,
    "vlenb": 0xC22,
    "mhartid": 0xF14,
    "rowptr": 0x800,
    "rowcount": 0x801,
}
"""The registers that there are. ``mstatus`` says that floats and vectors are on, whatever is written to it;
``cycle`` and ``time`` are the number of instructions retired, so that no value depends on time. The last two
belong to Xhism."""
_FFLAGS, _FRM, _FCSR, _VSTART, _VXSAT, _VXRM, _VCSR, _MSTATUS = list(CSRS.values())[:8]
_CYCLE, _, _INSTRET, _VL, _VTYPE, _VLENB, _MHARTID = list(CSRS.values())[8:15]
_ROWPTR, _ROWCOUNT = list(CSRS.values())[15:]
_HISM = mask_of([XHISM])
ALL_ON = -0x7FFFFFF5FFFF9A00
"""``mstatus``: FS, VS and SD set; user and supervisor code of 64 bits."""

WRITE, SET, CLEAR = range(3)
WITH_IMMEDIATE = 3
"""Operations of the rows; with an immediate in the place of rs1 they are 3 more."""


def read_csr(control: Any, number: Any) -> Any:
    """Return the value of a register that there is; 0 for ``mhartid``."""
    if number == _FFLAGS:
        return control[FFLAGS]
    if number == _FRM:
        return control[FRM]
    if number == _FCSR:
        return control[FRM] << 5 | control[FFLAGS]
    if number == _VSTART:
        return control[VSTART]
    if number == _VXSAT:
        return control[VXSAT]
    if number == _VXRM:
        return control[VXRM]
    if number == _VCSR:
        return control[VXRM] << 1 | control[VXSAT]
    if number == _MSTATUS:
        return ALL_ON
    if number == _VL:
        return control[VL]
    if number == _VTYPE:
        return control[VTYPE]
    if number == _VLENB:
        return control[VLEN] >> 3
    if number == _ROWPTR:
        return control[ROWPTR]
    if number == _ROWCOUNT:
        return control[ROWCOUNT]
    if _CYCLE <= number <= _INSTRET:
        return control[COUNT]
    return 0


def write_csr(control: Any, number: Any, value: Any) -> None:
    """Write a register that may be written; bits that it has not are ignored."""
    if number == _FFLAGS:
        control[FFLAGS] = value & 31
    elif number == _FRM:
        control[FRM] = value & 7
    elif number == _FCSR:
        control[FFLAGS] = value & 31
        control[FRM] = value >> 5 & 7
    elif number == _VSTART:
        control[VSTART] = value & (control[VLEN] - 1)
    elif number == _VXSAT:
        control[VXSAT] = value & 1
    elif number == _VXRM:
        control[VXRM] = value & 3
    elif number == _VCSR:
        control[VXSAT] = value & 1
        control[VXRM] = value >> 1 & 3
    elif number == _ROWPTR:
        control[ROWPTR] = value
    elif number == _ROWCOUNT:
        control[ROWCOUNT] = value


def is_csr(control: Any, number: Any) -> Any:
    """Return whether there is a register."""
    if _ROWPTR <= number <= _ROWCOUNT:
        return control[EXTENSIONS] & _HISM != 0
    if number == _VCSR:
        return True
    if number == _MSTATUS:
        return True
    if number == _MHARTID:
        return True
    if _VL <= number <= _VLENB:
        return True
    return _FFLAGS <= number <= _FCSR or _VSTART <= number <= _VXRM or _CYCLE <= number <= _INSTRET


def access_csr(hart: Any, row: Any) -> Any:
    """Read a register into rd, and write, set or clear its bits.

    Nothing is written by setting or clearing with x0 or the immediate 0.
    """
    code, x, control = hart.code, hart.x, hart.control
    operation, number, source = code[row, OPERATION], code[row, IMMEDIATE], code[row, RS1]
    value = source
    if operation < WITH_IMMEDIATE:
        value = x[source]
    action = operation % WITH_IMMEDIATE
    writes = action == WRITE or source != 0
    if not is_csr(control, number) or (writes and number >> 10 == 3):
        return ILLEGAL
    old = read_csr(control, number)
    if writes:
        if action == SET:
            value = old | value
        elif action == CLEAR:
            value = old & ~value
        write_csr(control, number, value)
    x[code[row, RD]] = old
    return NONE


def ecall(hart: Any, row: Any) -> Any:
    """Call the environment."""
    return CALL


def ebreak(hart: Any, row: Any) -> Any:
    """Stop for a debugger."""
    return BREAKPOINT


def fence_i(hart: Any, row: Any) -> Any:
    """Let what was stored into the text be executed."""
    return TEXT
