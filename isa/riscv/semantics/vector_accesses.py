"""Vector loads and stores: unit-stride, strided, indexed, segments, whole registers, masks, fault-only-first.

``Row.operation`` packs what the mnemonic says: see :func:`packed`.
"""

from __future__ import annotations

from typing import Any

from isa.riscv.semantics.memory import (
    load8,
    load16,
    load32,
    load64,
    load_trap,
    store8,
    store16,
    store32,
    store64,
    store_trap,
)
from isa.riscv.semantics.vector_elements import (
    ILLEGAL,
    NONE,
    active,
    aligned,
    apart,
    disjoint,
    first_element,
    log2,
    registers,
    spares_mask,
    unsigned,
)
from isa.riscv.state import (
    ADDRESSES,
    BASE,
    LMUL,
    MEMORY_BYTES,
    OPERATION,
    RD,
    RS1,
    RS2,
    SEW,
    VL,
    VLEN,
    VM,
    VSTART,
)

UNIT, MASK, FIRST_FAULT = range(3)
"""Kinds of :func:`unit_stride`."""


def packed(width: int, fields: int = 1, *, store: bool = False, kind: int = UNIT) -> int:
    """Return the operation of an access.

    Parameters
    ----------
    width
        Bits: 8 to 64, of the elements, or of the indices.
    fields
        Of a segment, 1 to 8; or how many registers, if they are whole.
    """
    return width | fields << 8 | store << 12 | kind << 13


def unit_stride(hart: Any, row: Any) -> Any:
    """Load or store elements or segments that follow each other."""
    code, control = hart.code, hart.control
    operation, d, vm = code[row, OPERATION], code[row, RD], code[row, VM]
    width, fields, store, kind = (
        operation & 255,
        (operation >> 8) & 15,
        (operation >> 12) & 1,
        operation >> 13,
    )
    lmul = 0 if kind == MASK else control[LMUL] + log2(width) - log2(control[SEW])
    if not _accessible(hart, row, fields, lmul, store):
        return ILLEGAL
    vl = (control[VL] + 7) >> 3 if kind == MASK else control[VL]
    step, address, start = fields * width >> 3, hart.x[code[row, RS1]], control[VSTART]
    if fields == 1 and vm != 0 and kind != FIRST_FAULT and _is_all_there(hart, address, vl, width >> 3):
        _copy(hart, first_element(hart, d, 8), address - control[BASE], start * step, vl * step, store)
        control[VSTART] = 0
        return NONE
    for i in range(start, vl):
        if active(hart, vm, i):
            trap = _segment(hart, d, lmul, i, fields, width, address + i * step, store)
            if trap != NONE:
                if kind != FIRST_FAULT or i == 0:
                    control[VSTART] = i
                    return trap
                control[VL] = i
                break
    control[VSTART] = 0
    return NONE


def strided(hart: Any, row: Any) -> Any:
    """Load or store elements or segments at a distance that a register has."""
    code, control = hart.code, hart.control
    operation, d, vm = code[row, OPERATION], code[row, RD], code[row, VM]
    width, fields, store = operation & 255, (operation >> 8) & 15, (operation >> 12) & 1
    lmul = control[LMUL] + log2(width) - log2(control[SEW])
    if not _accessible(hart, row, fields, lmul, store):
        return ILLEGAL
    base, stride, start = hart.x[code[row, RS1]], hart.x[code[row, RS2]], control[VSTART]
    control[ADDRESSES] = 0
    for i in range(control[VL]):
        address, trap = base + i * stride, NONE
        if i >= start and active(hart, vm, i):
            trap = _segment(hart, d, lmul, i, fields, width, address, store)
            hart.addresses[i] = address
        else:
            hart.addresses[i] = -1
        if trap != NONE:
            control[VSTART] = i
            return trap
    control[ADDRESSES] = control[VL]
    control[VSTART] = 0
    return NONE


def indexed(hart: Any, row: Any) -> Any:
    """Load or store elements or segments at distances that a vector has; ``width`` is that of the indices."""
    code, control = hart.code, hart.control
    operation, d, vm, s2 = code[row, OPERATION], code[row, RD], code[row, VM], code[row, RS2]
    width, fields, store = operation & 255, (operation >> 8) & 15, (operation >> 12) & 1
    sew, lmul = control[SEW], control[LMUL]
    index_lmul = lmul + log2(width) - log2(sew)
    if not _accessible(hart, row, fields, lmul, store) or not -3 <= index_lmul <= 3:
        return ILLEGAL
    if not aligned(s2, index_lmul) or (store == 0 and not _spares_indices(hart, row, fields, index_lmul)):
        return ILLEGAL
    base, start, s2 = hart.x[code[row, RS1]], control[VSTART], first_element(hart, s2, width)
    control[ADDRESSES] = 0
    for i in range(control[VL]):
        address, trap = base + unsigned(hart, s2 + i, width), NONE
        if i >= start and active(hart, vm, i):
            trap = _segment(hart, d, lmul, i, fields, sew, address, store)
            hart.addresses[i] = address
        else:
            hart.addresses[i] = -1
        if trap != NONE:
            control[VSTART] = i
            return trap
    control[ADDRESSES] = control[VL]
    control[VSTART] = 0
    return NONE


def whole_registers(hart: Any, row: Any) -> Any:
    """Load or store 1, 2, 4 or 8 registers, whatever the type and vl."""
    code, control = hart.code, hart.control
    operation, d = code[row, OPERATION], code[row, RD]
    width, fields, store = operation & 255, (operation >> 8) & 15, (operation >> 12) & 1
    if d & (fields - 1) != 0:
        return ILLEGAL
    count, address, start = fields * (control[VLEN] >> log2(width)), hart.x[code[row, RS1]], control[VSTART]
    if _is_all_there(hart, address, count, width >> 3):
        step = width >> 3
        _copy(hart, first_element(hart, d, 8), address - control[BASE], start * step, count * step, store)
    else:
        for i in range(start, count):
            trap = _segment(hart, d, 0, i, 1, width, address + i * (width >> 3), store)
            if trap != NONE:
                control[VSTART] = i
                return trap
    control[VSTART] = 0
    return NONE


def _accessible(hart: Any, row: Any, fields: Any, lmul: Any, store: Any) -> Any:
    """Check the type and the registers of an access whose fields are groups of ``lmul``."""
    d = hart.code[row, RD]
    return (
        hart.control[SEW] != 0
        and -3 <= lmul <= 3
        and aligned(d, lmul)
        and fields * registers(lmul) <= 8
        and d + fields * registers(lmul) <= 32
        and (store != 0 or spares_mask(hart, row))
    )


def _spares_indices(hart: Any, row: Any, fields: Any, index_lmul: Any) -> Any:
    """Check that no field of an indexed load is where its indices may not be."""
    d, s2, lmul = hart.code[row, RD], hart.code[row, RS2], hart.control[LMUL]
    for field in range(fields):
        group = d + field * registers(lmul)
        if fields > 1 and not disjoint(group, lmul, s2, index_lmul):
            return False
        if index_lmul > lmul and group != s2 and not disjoint(group, lmul, s2, index_lmul):
            return False
        if index_lmul < lmul and not apart(group, lmul, s2, index_lmul):
            return False
    return True


def _is_all_there(hart: Any, address: Any, count: Any, step: Any) -> Any:
    """Return whether ``count`` elements of ``step`` bytes are aligned and in memory."""
    offset, size = address - hart.control[BASE], hart.control[MEMORY_BYTES]
    return address & (step - 1) == 0 and 0 <= offset <= size and count * step <= size - offset


def _copy(hart: Any, element: Any, offset: Any, start: Any, end: Any, store: Any) -> None:
    """Copy bytes ``start`` to ``end`` between registers and memory."""
    vector, memory = hart.v8, hart.memory
    if store != 0:
        for k in range(start, end):
            memory[offset + k] = vector[element + k]
    else:
        for k in range(start, end):
            vector[element + k] = memory[offset + k]


def _segment(hart: Any, d: Any, lmul: Any, i: Any, fields: Any, width: Any, address: Any, store: Any) -> Any:
    """Load or store element i of each field; return the trap of the first that is not there."""
    step = width >> 3
    for field in range(fields):
        at = address + field * step
        trap = store_trap(hart, at, step) if store != 0 else load_trap(hart, at, step)
        if trap != NONE:
            return trap
        k, place = first_element(hart, d + field * registers(lmul), width) + i, at - hart.control[BASE]
        if store != 0:
            _store(hart, k, width, place)
        else:
            _load(hart, k, width, place)
    return NONE


def _load(hart: Any, k: Any, width: Any, place: Any) -> None:
    """Load element k."""
    if width == 32:
        hart.v32[k] = load32(hart.memory, place)
    elif width == 64:
        hart.v64[k] = load64(hart.memory, place)
    elif width == 8:
        hart.v8[k] = load8(hart.memory, place)
    else:
        hart.v16[k] = load16(hart.memory, place)


def _store(hart: Any, k: Any, width: Any, place: Any) -> None:
    """Store element k."""
    if width == 32:
        store32(hart.memory, place, hart.v32[k])
    elif width == 64:
        store64(hart.memory, place, hart.v64[k])
    elif width == 8:
        store8(hart.memory, place, hart.v8[k])
    else:
        store16(hart.memory, place, hart.v16[k])
