"""The rows of Zicsr and Zifencei, fences, and calls of the environment."""

from __future__ import annotations

from isa.riscv.declaration import Row, Timing
from isa.riscv.rows.words import FENCE, FUNCT12_MASK, SYSTEM, funct3
from isa.riscv.semantics import control as c
from isa.riscv.semantics import scalar as s

_WHOLE = 0xFFFFFFFF


def _csr(mnemonic: str, number: int, operation: int, summary: str) -> Row:
    operands = "rd, csr, rs1" if operation < c.WITH_IMMEDIATE else "rd, csr, zimm5"
    return Row(
        mnemonic, "Zicsr", *funct3(SYSTEM, number), operands, Timing.CSR, c.access_csr, operation, summary
    )


ROWS = (
    Row(
        "fence.tso",
        "I",
        0x8330000F,
        FUNCT12_MASK,
        "",
        Timing.SCALAR,
        s.nothing,
        summary="order accesses but loads after stores",
    ),
    Row(
        "fence",
        "I",
        *funct3(FENCE, 0),
        "pred, succ",
        Timing.SCALAR,
        s.nothing,
        summary="order accesses; with one hart, no effect",
    ),
    Row(
        "fence.i",
        "Zifencei",
        *funct3(FENCE, 1),
        "",
        Timing.SYSTEM,
        c.fence_i,
        summary="what was stored into the text is executed from here on",
    ),
    Row("ecall", "I", SYSTEM, _WHOLE, "", Timing.SYSTEM, c.ecall, summary="call the environment"),
    Row("ebreak", "I", SYSTEM | 1 << 20, _WHOLE, "", Timing.SYSTEM, c.ebreak, summary="stop for a debugger"),
    _csr("csrrw", 1, c.WRITE, "rd = csr; csr = rs1"),
    _csr("csrrs", 2, c.SET, "rd = csr; csr |= rs1"),
    _csr("csrrc", 3, c.CLEAR, "rd = csr; csr &= ~rs1"),
    _csr("csrrwi", 5, c.WITH_IMMEDIATE + c.WRITE, "rd = csr; csr = imm"),
    _csr("csrrsi", 6, c.WITH_IMMEDIATE + c.SET, "rd = csr; csr |= imm"),
    _csr("csrrci", 7, c.WITH_IMMEDIATE + c.CLEAR, "rd = csr; csr &= ~imm"),
)
