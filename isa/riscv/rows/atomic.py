"""The rows of A, atomic accesses: ``.w`` on words, ``.d`` on 64 bits."""

from __future__ import annotations

from typing import Any

from isa.riscv.declaration import Row, Semantics, Timing
from isa.riscv.rows.words import AMO
from isa.riscv.semantics import atomics as a
from isa.riscv.semantics import integers as n
from isa.riscv.semantics import memory as m

_MASK = 0xF800707F


def _unchanged(value: Any) -> Any:
    return value


_WIDTHS = {
    "w": (4, m.load32, m.store32, n.sign_extended_32),
    "d": (8, m.load64, m.store64, _unchanged),
}


def _row(name: str, width: str, high: int, operands: str, semantics: Semantics, summary: str) -> Row:
    size = _WIDTHS[width][0]
    match, mask = AMO | (size.bit_length() - 1) << 12 | high << 27, _MASK
    if "rs2" not in operands:
        mask |= 31 << 20
    return Row(f"{name}.{width}", "A", match, mask, operands, Timing.ATOMIC, semantics, summary=summary)


def _atomic(width: str, name: str, high: int, compute: Any, result: str) -> Row:
    size, load, store, extend = _WIDTHS[width]
    semantics = a.of_atomic(load, store, extend, compute, size)
    summary = f"rd = mem{8 * size}[rs1]; mem{8 * size}[rs1] = {result}"
    return _row(name, width, high, "rd, rs2, (rs1), aqrl", semantics, summary)


def _rows(width: str) -> tuple[Row, ...]:
    size, load, store, extend = _WIDTHS[width]
    at = f"mem{8 * size}[rs1]"
    return (
        _row(
            "lr",
            width,
            2,
            "rd, (rs1), aqrl",
            a.of_reserving(load, extend, size),
            f"rd = {at}; reserve the address",
        ),
        _row(
            "sc",
            width,
            3,
            "rd, rs2, (rs1), aqrl",
            a.of_conditional(store, size),
            f"if the address is reserved: {at} = rs2, rd = 0; otherwise rd = 1",
        ),
        _atomic(width, "amoswap", 1, a.second, "rs2"),
        _atomic(width, "amoadd", 0, n.add, "rd + rs2"),
        _atomic(width, "amoxor", 4, n.xor, "rd ^ rs2"),
        _atomic(width, "amoand", 12, n.and_, "rd & rs2"),
        _atomic(width, "amoor", 8, n.or_, "rd | rs2"),
        _atomic(width, "amomin", 16, n.smaller, "the smaller of rd and rs2"),
        _atomic(width, "amomax", 20, n.larger, "the larger of rd and rs2"),
        _atomic(width, "amominu", 24, n.smaller_unsigned, "the smaller of rd and rs2, unsigned"),
        _atomic(width, "amomaxu", 28, n.larger_unsigned, "the larger of rd and rs2, unsigned"),
    )


ROWS = _rows("w") + _rows("d")
