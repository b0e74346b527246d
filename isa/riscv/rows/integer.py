"""The rows of RV64I but for the environment, and of M."""

from __future__ import annotations

from typing import Any

from isa.riscv.declaration import Row, Timing
from isa.riscv.rows.words import (
    AUIPC,
    BRANCH,
    JAL,
    JALR,
    LOAD,
    LUI,
    OP,
    OP_32,
    OP_IMM,
    OP_IMM_32,
    OPCODE_MASK,
    STORE,
    funct3,
    funct6,
    funct7,
)
from isa.riscv.semantics import integers as n
from isa.riscv.semantics import memory as m
from isa.riscv.semantics import scalar as s


def _registers(
    mnemonic: str, opcode: int, number: int, high: int, compute: Any, summary: str, extension: str = "I"
) -> Row:
    timing = Timing.SCALAR
    if extension == "M":
        timing = Timing.MULTIPLY if number < 4 else Timing.DIVIDE
    match, mask = funct7(opcode, number, high)
    semantics = s.of_registers(compute)
    return Row(mnemonic, extension, match, mask, "rd, rs1, rs2", timing, semantics, summary=summary)


def _immediate(mnemonic: str, opcode: int, number: int, compute: Any, summary: str) -> Row:
    match, mask = funct3(opcode, number)
    semantics = s.of_immediate(compute)
    return Row(mnemonic, "I", match, mask, "rd, rs1, imm12", Timing.SCALAR, semantics, summary=summary)


def _shift(mnemonic: str, opcode: int, number: int, high: int, compute: Any, summary: str) -> Row:
    """Return a shift by a constant; ``high`` is bits 31 to 26."""
    narrow = opcode == OP_IMM_32
    match, mask = funct7(opcode, number, high << 1) if narrow else funct6(opcode, number, high)
    operands = "rd, rs1, shamt5" if narrow else "rd, rs1, shamt6"
    return Row(mnemonic, "I", match, mask, operands, Timing.SCALAR, s.of_immediate(compute), summary=summary)


def _load(mnemonic: str, number: int, load: Any, extend: Any, size: int, summary: str) -> Row:
    match, mask = funct3(LOAD, number)
    semantics = s.of_load(load, extend, size)
    return Row(mnemonic, "I", match, mask, "rd, imm12(rs1)", Timing.SCALAR_LOAD, semantics, summary=summary)


def _store(mnemonic: str, number: int, store: Any, size: int) -> Row:
    match, mask = funct3(STORE, number)
    summary = f"mem{8 * size}[rs1 + imm] = low {8 * size} bits of rs2"
    semantics = s.of_store(store, size)
    return Row(
        mnemonic, "I", match, mask, "rs2, store12(rs1)", Timing.SCALAR_STORE, semantics, summary=summary
    )


def _branch(mnemonic: str, number: int, condition: Any, expected: int, summary: str) -> Row:
    match, mask = funct3(BRANCH, number)
    semantics = s.of_branch(condition, expected)
    return Row(mnemonic, "I", match, mask, "rs1, rs2, branch13", Timing.BRANCH, semantics, summary=summary)


def _equal(a: Any, b: Any) -> Any:
    return a == b


def _unchanged(a: Any) -> Any:
    return a


JUMPS = (
    Row("lui", "I", LUI, OPCODE_MASK, "rd, upper20", Timing.SCALAR, s.lui, summary="rd = imm << 12"),
    Row(
        "auipc",
        "I",
        AUIPC,
        OPCODE_MASK,
        "rd, upper20",
        Timing.SCALAR,
        s.auipc,
        summary="rd = pc + (imm << 12)",
    ),
    Row(
        "jal",
        "I",
        JAL,
        OPCODE_MASK,
        "rd, jump21",
        Timing.JUMP,
        s.jal,
        summary="rd = address of the next instruction; jump to the target",
    ),
    Row(
        "jalr",
        "I",
        *funct3(JALR, 0),
        "rd, imm12(rs1)",
        Timing.JUMP,
        s.jalr,
        summary="rd = address of the next instruction; jump to rs1 + imm, bit 0 cleared",
    ),
    _branch("beq", 0, _equal, 1, "branch if rs1 == rs2"),
    _branch("bne", 1, _equal, 0, "branch if rs1 != rs2"),
    _branch("blt", 4, n.less, 1, "branch if rs1 < rs2"),
    _branch("bge", 5, n.less, 0, "branch if rs1 >= rs2"),
    _branch("bltu", 6, n.less_unsigned, 1, "branch if rs1 < rs2, unsigned"),
    _branch("bgeu", 7, n.less_unsigned, 0, "branch if rs1 >= rs2, unsigned"),
)

ACCESSES = (
    _load("lb", 0, m.load8, n.sign_extended_8, 1, "rd = mem8[rs1 + imm], sign-extended"),
    _load("lh", 1, m.load16, n.sign_extended_16, 2, "rd = mem16[rs1 + imm], sign-extended"),
    _load("lw", 2, m.load32, n.sign_extended_32, 4, "rd = mem32[rs1 + imm], sign-extended"),
    _load("ld", 3, m.load64, _unchanged, 8, "rd = mem64[rs1 + imm]"),
    _load("lbu", 4, m.load8, _unchanged, 1, "rd = mem8[rs1 + imm], zero-extended"),
    _load("lhu", 5, m.load16, _unchanged, 2, "rd = mem16[rs1 + imm], zero-extended"),
    _load("lwu", 6, m.load32, _unchanged, 4, "rd = mem32[rs1 + imm], zero-extended"),
    _store("sb", 0, m.store8, 1),
    _store("sh", 1, m.store16, 2),
    _store("sw", 2, m.store32, 4),
    _store("sd", 3, m.store64, 8),
)

ARITHMETIC = (
    _immediate("addi", OP_IMM, 0, n.add, "rd = rs1 + imm"),
    _immediate("slti", OP_IMM, 2, n.less, "rd = 1 if rs1 < imm, otherwise 0"),
    _immediate("sltiu", OP_IMM, 3, n.less_unsigned, "rd = 1 if rs1 < imm, unsigned, otherwise 0"),
    _immediate("xori", OP_IMM, 4, n.xor, "rd = rs1 ^ imm"),
    _immediate("ori", OP_IMM, 6, n.or_, "rd = rs1 | imm"),
    _immediate("andi", OP_IMM, 7, n.and_, "rd = rs1 & imm"),
    _shift("slli", OP_IMM, 1, 0, n.sll, "rd = rs1 << shamt"),
    _shift("srli", OP_IMM, 5, 0, n.srl, "rd = rs1 >> shamt, unsigned"),
    _shift("srai", OP_IMM, 5, 0x10, n.sra, "rd = rs1 >> shamt, signed"),
    _registers("add", OP, 0, 0, n.add, "rd = rs1 + rs2"),
    _registers("sub", OP, 0, 0x20, n.sub, "rd = rs1 - rs2"),
    _registers("sll", OP, 1, 0, n.sll, "rd = rs1 << (rs2 & 63)"),
    _registers("slt", OP, 2, 0, n.less, "rd = 1 if rs1 < rs2, otherwise 0"),
    _registers("sltu", OP, 3, 0, n.less_unsigned, "rd = 1 if rs1 < rs2, unsigned, otherwise 0"),
    _registers("xor", OP, 4, 0, n.xor, "rd = rs1 ^ rs2"),
    _registers("srl", OP, 5, 0, n.srl, "rd = rs1 >> (rs2 & 63), unsigned"),
    _registers("sra", OP, 5, 0x20, n.sra, "rd = rs1 >> (rs2 & 63), signed"),
    _registers("or", OP, 6, 0, n.or_, "rd = rs1 | rs2"),
    _registers("and", OP, 7, 0, n.and_, "rd = rs1 & rs2"),
    _immediate("addiw", OP_IMM_32, 0, n.addw, "rd = low 32 bits of rs1 + imm, sign-extended"),
    _shift("slliw", OP_IMM_32, 1, 0, n.sllw, "rd = word rs1 << shamt, sign-extended"),
    _shift("srliw", OP_IMM_32, 5, 0, n.srlw, "rd = unsigned word rs1 >> shamt, sign-extended"),
    _shift("sraiw", OP_IMM_32, 5, 0x10, n.sraw, "rd = word rs1 >> shamt, sign-extended"),
    _registers("addw", OP_32, 0, 0, n.addw, "rd = low 32 bits of rs1 + rs2, sign-extended"),
    _registers("subw", OP_32, 0, 0x20, n.subw, "rd = low 32 bits of rs1 - rs2, sign-extended"),
    _registers("sllw", OP_32, 1, 0, n.sllw, "rd = word rs1 << (rs2 & 31), sign-extended"),
    _registers("srlw", OP_32, 5, 0, n.srlw, "rd = unsigned word rs1 >> (rs2 & 31), sign-extended"),
    _registers("sraw", OP_32, 5, 0x20, n.sraw, "rd = word rs1 >> (rs2 & 31), sign-extended"),
)

MULTIPLICATION = (
    _registers("mul", OP, 0, 1, n.mul, "rd = rs1 * rs2", "M"),
    _registers("mulh", OP, 1, 1, n.mulh, "rd = high 64 bits of rs1 * rs2", "M"),
    _registers("mulhsu", OP, 2, 1, n.mulhsu, "rd = high 64 bits of rs1 * unsigned rs2", "M"),
    _registers("mulhu", OP, 3, 1, n.mulhu, "rd = high 64 bits of rs1 * rs2, unsigned", "M"),
    _registers("div", OP, 4, 1, n.div, "rd = rs1 / rs2, rounded to 0; -1 if rs2 is 0", "M"),
    _registers("divu", OP, 5, 1, n.divu, "rd = rs1 / rs2, unsigned; all ones if rs2 is 0", "M"),
    _registers("rem", OP, 6, 1, n.rem, "rd = remainder of rs1 / rs2; rs1 if rs2 is 0", "M"),
    _registers("remu", OP, 7, 1, n.remu, "rd = remainder of rs1 / rs2, unsigned; rs1 if rs2 is 0", "M"),
    _registers("mulw", OP_32, 0, 1, n.mulw, "rd = low 32 bits of rs1 * rs2, sign-extended", "M"),
    _registers("divw", OP_32, 4, 1, n.divw, "rd = word rs1 / word rs2", "M"),
    _registers("divuw", OP_32, 5, 1, n.divuw, "rd = word rs1 / word rs2, unsigned", "M"),
    _registers("remw", OP_32, 6, 1, n.remw, "rd = remainder of word rs1 / word rs2", "M"),
    _registers("remuw", OP_32, 7, 1, n.remuw, "rd = remainder of word rs1 / word rs2, unsigned", "M"),
)

ROWS = JUMPS + ACCESSES + ARITHMETIC + MULTIPLICATION
