"""The rows of Zba, which computes addresses, and Zbb, basic bit manipulation."""

from __future__ import annotations

from typing import Any

from isa.riscv.declaration import Row, Timing
from isa.riscv.rows.words import OP, OP_32, OP_IMM, OP_IMM_32, funct6, funct7, funct12
from isa.riscv.semantics import integers as n
from isa.riscv.semantics import scalar as s


def _registers(
    extension: str, mnemonic: str, opcode: int, number: int, high: int, compute: Any, summary: str
) -> Row:
    match, mask = funct7(opcode, number, high)
    semantics = s.of_registers(compute)
    return Row(mnemonic, extension, match, mask, "rd, rs1, rs2", Timing.SCALAR, semantics, summary=summary)


def _register(mnemonic: str, opcode: int, number: int, high: int, compute: Any, summary: str) -> Row:
    match, mask = funct12(opcode, number, high)
    semantics = s.of_register(compute)
    return Row(mnemonic, "Zbb", match, mask, "rd, rs1", Timing.SCALAR, semantics, summary=summary)


ADDRESSES = (
    _registers("Zba", "sh1add", OP, 2, 0x10, n.sh1add, "rd = 2 rs1 + rs2"),
    _registers("Zba", "sh2add", OP, 4, 0x10, n.sh2add, "rd = 4 rs1 + rs2"),
    _registers("Zba", "sh3add", OP, 6, 0x10, n.sh3add, "rd = 8 rs1 + rs2"),
    _registers("Zba", "add.uw", OP_32, 0, 0x04, n.add_uw, "rd = unsigned word rs1 + rs2"),
    _registers("Zba", "sh1add.uw", OP_32, 2, 0x10, n.sh1add_uw, "rd = 2 unsigned word rs1 + rs2"),
    _registers("Zba", "sh2add.uw", OP_32, 4, 0x10, n.sh2add_uw, "rd = 4 unsigned word rs1 + rs2"),
    _registers("Zba", "sh3add.uw", OP_32, 6, 0x10, n.sh3add_uw, "rd = 8 unsigned word rs1 + rs2"),
    Row(
        "slli.uw",
        "Zba",
        *funct6(OP_IMM_32, 1, 0x02),
        "rd, rs1, shamt6",
        Timing.SCALAR,
        s.of_immediate(n.slli_uw),
        summary="rd = unsigned word rs1 << shamt",
    ),
)

BITS = (
    _registers("Zbb", "andn", OP, 7, 0x20, n.andn, "rd = rs1 & ~rs2"),
    _registers("Zbb", "orn", OP, 6, 0x20, n.orn, "rd = rs1 | ~rs2"),
    _registers("Zbb", "xnor", OP, 4, 0x20, n.xnor, "rd = ~(rs1 ^ rs2)"),
    _registers("Zbb", "min", OP, 4, 0x05, n.smaller, "rd = the smaller of rs1 and rs2"),
    _registers("Zbb", "minu", OP, 5, 0x05, n.smaller_unsigned, "rd = the smaller, unsigned"),
    _registers("Zbb", "max", OP, 6, 0x05, n.larger, "rd = the larger of rs1 and rs2"),
    _registers("Zbb", "maxu", OP, 7, 0x05, n.larger_unsigned, "rd = the larger, unsigned"),
    _registers("Zbb", "rol", OP, 1, 0x30, n.rol, "rd = rs1 rotated left by rs2 & 63"),
    _registers("Zbb", "ror", OP, 5, 0x30, n.ror, "rd = rs1 rotated right by rs2 & 63"),
    _registers("Zbb", "rolw", OP_32, 1, 0x30, n.rolw, "rd = word rs1 rotated left, sign-extended"),
    _registers("Zbb", "rorw", OP_32, 5, 0x30, n.rorw, "rd = word rs1 rotated right, sign-extended"),
    Row(
        "rori",
        "Zbb",
        *funct6(OP_IMM, 5, 0x18),
        "rd, rs1, shamt6",
        Timing.SCALAR,
        s.of_immediate(n.ror),
        summary="rd = rs1 rotated right by shamt",
    ),
    Row(
        "roriw",
        "Zbb",
        *funct7(OP_IMM_32, 5, 0x30),
        "rd, rs1, shamt5",
        Timing.SCALAR,
        s.of_immediate(n.rorw),
        summary="rd = word rs1 rotated right by shamt, sign-extended",
    ),
    _register("clz", OP_IMM, 1, 0x600, n.clz, "rd = zeros of rs1 above its topmost one"),
    _register("ctz", OP_IMM, 1, 0x601, n.ctz, "rd = zeros of rs1 below its lowest one"),
    _register("cpop", OP_IMM, 1, 0x602, n.cpop, "rd = ones of rs1"),
    _register("sext.b", OP_IMM, 1, 0x604, n.sign_extended_8, "rd = low 8 bits of rs1, sign-extended"),
    _register("sext.h", OP_IMM, 1, 0x605, n.sign_extended_16, "rd = low 16 bits of rs1, sign-extended"),
    _register("zext.h", OP_32, 4, 0x080, n.zero_extended_16, "rd = low 16 bits of rs1, zero-extended"),
    _register("clzw", OP_IMM_32, 1, 0x600, n.clzw, "rd = zeros of word rs1 above its topmost one"),
    _register("ctzw", OP_IMM_32, 1, 0x601, n.ctzw, "rd = zeros of word rs1 below its lowest one"),
    _register("cpopw", OP_IMM_32, 1, 0x602, n.cpopw, "rd = ones of word rs1"),
    _register("orc.b", OP_IMM, 5, 0x287, n.orc_b, "rd = 0xff for each byte of rs1 that is not 0"),
    _register("rev8", OP_IMM, 5, 0x6B8, n.rev8, "rd = bytes of rs1 in reverse order"),
)

ROWS = ADDRESSES + BITS
