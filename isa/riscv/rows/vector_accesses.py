"""Vector loads and stores."""

from __future__ import annotations

from collections.abc import Iterator

from isa.riscv.declaration import Row, Timing
from isa.riscv.semantics.vector_accesses import (
    FIRST_FAULT,
    MASK,
    UNIT,
    indexed,
    packed,
    strided,
    unit_stride,
    whole_registers,
)

_WIDTHS = {8: 0, 16: 5, 32: 6, 64: 7}
"""Bits 14 to 12 by the width of elements or indices."""
_UNIT, _UNORDERED, _STRIDED, _ORDERED = range(4)
"""Bits 27 and 26."""


def _row(
    mnemonic: str,
    operands: str,
    width: int,
    fields: int,
    mode: int,
    store: bool,
    summary: str,
    *,
    lumop: int | None = None,
    kind: int = UNIT,
    whole: bool = False,
) -> Row:
    match = (fields - 1) << 29 | mode << 26 | _WIDTHS[width] << 12 | (0x27 if store else 0x07)
    mask = 0xFC00707F
    if lumop is not None:
        match, mask = match | lumop << 20, mask | 0x1F << 20
    if whole or kind == MASK:
        match, mask = match | 1 << 25, mask | 1 << 25
    if whole:
        timing, semantics = (Timing.STORE_UNIT if store else Timing.LOAD_UNIT), whole_registers
    elif mode == _UNIT:
        timing, semantics = (Timing.STORE_UNIT if store else Timing.LOAD_UNIT), unit_stride
    elif mode == _STRIDED:
        timing, semantics = (Timing.STORE_STRIDED if store else Timing.LOAD_STRIDED), strided
    else:
        timing, semantics = (Timing.STORE_INDEXED if store else Timing.LOAD_INDEXED), indexed
    operation = packed(width, fields, store=store, kind=kind)
    return Row(mnemonic, "V", match, mask, operands, timing, semantics, operation, summary)


def _rows() -> Iterator[Row]:
    for store in (False, True):
        letter, vd, verb = ("s", "vs3", "store") if store else ("l", "vd", "load")
        yield _row(f"v{letter}m.v", f"{vd}, (rs1)", 8, 1, _UNIT, store, f"{verb} a mask", lumop=11, kind=MASK)
        for fields in range(1, 9):
            yield from _of_fields(fields, store, letter, vd, verb)
        for count in (1, 2, 4, 8):
            summary = f"{verb} {count} whole register{'s' * (count > 1)}"
            for width in (8,) if store else _WIDTHS:
                name = f"vs{count}r.v" if store else f"vl{count}re{width}.v"
                operands = f"{vd}, (rs1)"
                yield _row(name, operands, width, count, _UNIT, store, summary, lumop=8, whole=True)


def _of_fields(fields: int, store: bool, letter: str, vd: str, verb: str) -> Iterator[Row]:
    seg = f"seg{fields}" if fields > 1 else ""
    what = f"segments of {fields} fields" if fields > 1 else "elements"
    for width in _WIDTHS:
        name, operands = f"v{letter}{seg}e{width}", f"{vd}, (rs1), vm"
        yield _row(
            f"{name}.v", operands, width, fields, _UNIT, store, f"{verb} {what} of {width} bits", lumop=0
        )
        if not store:
            summary = f"{verb} {what} of {width} bits up to the first that is not there"
            yield _row(
                f"{name}ff.v", operands, width, fields, _UNIT, store, summary, lumop=16, kind=FIRST_FAULT
            )
        name, operands = f"v{letter}s{seg}e{width}.v", f"{vd}, (rs1), rs2, vm"
        summary = f"{verb} {what} of {width} bits at a distance of rs2 bytes"
        yield _row(name, operands, width, fields, _STRIDED, store, summary)
        for mode, order in ((_UNORDERED, "u"), (_ORDERED, "o")):
            name, operands = f"v{letter}{order}x{seg}ei{width}.v", f"{vd}, (rs1), vs2, vm"
            summary = f"{verb} {what} at the distances in vs2, of {width} bits"
            yield _row(name, operands, width, fields, mode, store, summary + ", in order" * (order == "o"))


ROWS: tuple[Row, ...] = tuple(_rows())
