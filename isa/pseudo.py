"""Pseudo-instructions: what the assembler writes as one or two instructions of the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from isa.text.expressions import UPPER_SHIFT


def _always(value: int) -> bool:
    return True


def _fits_addi(value: int) -> bool:
    return -(1 << UPPER_SHIFT) <= value < 1 << UPPER_SHIFT


def _low_part_zero(value: int) -> bool:
    return value % (1 << UPPER_SHIFT) == 0


@dataclass(frozen=True)
class Expansion:
    """One way to write a pseudo-instruction; the operand names stand for the user's operands.

    ``when`` decides on the value of the operand ``value``; a value not known yet takes the last way.
    """

    lines: tuple[str, ...]
    when: Callable[[int], bool] = _always


@dataclass(frozen=True)
class Pseudo:
    """A pseudo-instruction: name, operand names, the ways to write it (the first that applies), summary."""

    mnemonic: str
    operands: tuple[str, ...]
    expansions: tuple[Expansion, ...]
    summary: str

    @property
    def syntax(self) -> str:
        """Mnemonic and operands as a user writes them."""
        return f"{self.mnemonic} {', '.join(self.operands)}".strip()


def _pseudo(syntax: str, lines: str, summary: str) -> Pseudo:
    mnemonic, _, operands = syntax.partition(" ")
    names = tuple(name.strip() for name in operands.split(",") if name)
    return Pseudo(mnemonic, names, (Expansion(tuple(lines.split("; "))),), summary)


_LUI, _ADDI = "lui xd, %hi(value)", "addi xd, xd, %lo(value)"

PSEUDO_INSTRUCTIONS: tuple[Pseudo, ...] = (
    _pseudo("nop", "addi zero, zero, 0", "nothing"),
    Pseudo(
        "li",
        ("xd", "value"),
        (
            Expansion(("addi xd, zero, value",), _fits_addi),
            Expansion((_LUI,), _low_part_zero),
            Expansion((_LUI, _ADDI)),
        ),
        "xd = a constant of 32 bits, signed or unsigned; one instruction where one will do",
    ),
    _pseudo("la xd, value", f"{_LUI}; {_ADDI}", "xd = the address of a label; always two instructions"),
    _pseudo("mv xd, xa", "addi xd, xa, 0", "xd = xa"),
    _pseudo("neg xd, xa", "sub xd, zero, xa", "xd = -xa"),
    _pseudo("not xd, xa", "xori xd, xa, -1", "xd = every bit of xa inverted"),
    _pseudo("seqz xd, xa", "div xd, xa, xa; srli xd, xd, 31", "xd = 1 if xa = 0 else 0; waits for a divide"),
    _pseudo("snez xd, xa", "div xd, xa, xa; slt xd, zero, xd", "xd = 0 if xa = 0 else 1; waits for a divide"),
    _pseudo("sltz xd, xa", "slt xd, xa, zero", "xd = 1 if xa < 0 else 0"),
    _pseudo("sgtz xd, xa", "slt xd, zero, xa", "xd = 1 if xa > 0 else 0"),
    *(_pseudo(f"fmv.{t} fd, fa", f"fmin.{t} fd, fa, fa", "fd = fa") for t in "fsd"),
    _pseudo("fmv.w.x fd, xa", "mxf fd, xa", "fd = the 32 bits of xa, as they are"),
    _pseudo("fmv.x.w xd, fa", "mfx xd, fa", "xd = the low 32 bits of fa, as they are"),
    _pseudo("j label", "jal zero, label", "jump"),
    _pseudo("jal label", "jal ra, label", "jump; ra = number of the next instruction"),
    _pseudo("call label", "jal ra, label", "call a routine that ends with ret"),
    _pseudo("tail label", "jal zero, label", "jump to a routine that returns to this one's caller"),
    _pseudo("ret", "jr ra", "jump to the instruction whose number is in ra"),
    _pseudo("beqz xa, label", "beq xa, zero, label", "branch if xa = 0"),
    _pseudo("bnez xa, label", "bne xa, zero, label", "branch if xa is not 0"),
    _pseudo("bltz xa, label", "blt xa, zero, label", "branch if xa < 0"),
    _pseudo("bgez xa, label", "bge xa, zero, label", "branch if xa >= 0"),
    _pseudo("blez xa, label", "bge zero, xa, label", "branch if xa <= 0"),
    _pseudo("bgtz xa, label", "blt zero, xa, label", "branch if xa > 0"),
    _pseudo("ble xa, xb, label", "bge xb, xa, label", "branch if xa <= xb"),
    _pseudo("bgt xa, xb, label", "blt xb, xa, label", "branch if xa > xb"),
    *(_pseudo(f"fble.{t} fa, fb, label", f"fbge.{t} fb, fa, label", "branch if fa <= fb") for t in "fsd"),
    *(_pseudo(f"fbgt.{t} fa, fb, label", f"fblt.{t} fb, fa, label", "branch if fa > fb") for t in "fsd"),
    _pseudo("push xa", "addi sp, sp, -4; sw xa, (sp)", "put xa on the stack, which grows downwards"),
    _pseudo("pop xd", "lw xd, (sp); addi sp, sp, 4", "take xd from the stack"),
    _pseudo("setvl xa", "setvl zero, xa", "vl = xa, at least 0, at most the section size"),
)
"""The table; a name may also be that of an instruction with another number of operands."""

BY_NAME: dict[tuple[str, int], Pseudo] = {(p.mnemonic, len(p.operands)): p for p in PSEUDO_INSTRUCTIONS}
"""The table by mnemonic and number of operands."""

_SIGNED = "comparisons are of signed integers"
ABSENT: dict[str, str] = {
    **dict.fromkeys(("bltu", "bgeu", "bgtu", "bleu", "sltu", "sltiu"), _SIGNED),
    **dict.fromkeys(("fneg.s", "fneg.d", "fneg"), "multiply by a register that holds -1"),
    "jalr": "write jr xa, or call label",
    "auipc": "write la xd, label",
    "ecall": "write halt to end a run",
    "ebreak": "set a breakpoint with vecsim debug",
    "flw": "write fl.w fd, i14(xa)",
    "fld": "write fl.d fd, i14(xa)",
    "fsw": "write fs.w fb, i14(xa)",
    "fsd": "write fs.d fb, i14(xa)",
}
"""Instructions of RISC-V that have no counterpart of their name, with what to do instead."""

MNEMONICS: frozenset[str] = frozenset(p.mnemonic for p in PSEUDO_INSTRUCTIONS)
