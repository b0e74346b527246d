"""The rows of C: instructions of 16 bits, each short for an instruction of 32 bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from isa.riscv.fields import Field, Kind


@dataclass(frozen=True)
class CompressedRow:
    """An instruction of 16 bits.

    Attributes
    ----------
    mnemonic
        The assembly name.
    match, mask
        A halfword h is this instruction if ``h & mask == match`` and no row before it is.
    full
        The mnemonic of the instruction that it stands for.
    operands
        The operands of that which assembly writes, in its order.
    values
        For each operand of that, the bits of the halfword that it has, or its value.
    not_zero
        The operands that must not be 0: with 0 the halfword is reserved.
    """

    mnemonic: str
    match: int
    mask: int
    full: str
    operands: str
    values: Mapping[str, Field | int]
    not_zero: tuple[str, ...] = ()


def _register(low: int, kind: Kind = Kind.INTEGER) -> Field:
    return Field(kind, None, ((low, 5, 0),))


def _short(low: int, kind: Kind = Kind.INTEGER) -> Field:
    return Field(kind, None, ((low, 3, 0),), base=8)


def _unsigned(*pieces: tuple[int, int, int]) -> Field:
    return Field(Kind.UNSIGNED, None, pieces)


def _signed(*pieces: tuple[int, int, int], kind: Kind = Kind.SIGNED) -> Field:
    return Field(kind, None, pieces, signed=True)


SP, RA = 2, 1
RD, RS2 = _register(7), _register(2)
RD_SHORT, RS1_SHORT, RS2_SHORT = _short(2), _short(7), _short(2)
FD, FS2 = _register(7, Kind.FLOAT), _register(2, Kind.FLOAT)
F_SHORT = _short(2, Kind.FLOAT)
SIX, SHAMT = _signed((2, 5, 0), (12, 1, 5)), _unsigned((2, 5, 0), (12, 1, 5))
WORDS, DOUBLES = _unsigned((10, 3, 3), (6, 1, 2), (5, 1, 6)), _unsigned((10, 3, 3), (5, 2, 6))
WORDS_UP, DOUBLES_UP = (
    _unsigned((12, 1, 5), (4, 3, 2), (2, 2, 6)),
    _unsigned((12, 1, 5), (5, 2, 3), (2, 3, 6)),
)
WORDS_DOWN, DOUBLES_DOWN = _unsigned((9, 4, 2), (7, 2, 6)), _unsigned((10, 3, 3), (7, 3, 6))
FRAME = _unsigned((11, 2, 4), (7, 4, 6), (6, 1, 2), (5, 1, 3))
STACK = _signed((12, 1, 9), (6, 1, 4), (5, 1, 6), (3, 2, 7), (2, 1, 5))
UPPER = _signed((2, 5, 12), (12, 1, 17), kind=Kind.UPPER)
JUMP = _signed(
    (12, 1, 11),
    (11, 1, 4),
    (9, 2, 8),
    (8, 1, 10),
    (7, 1, 6),
    (6, 1, 7),
    (3, 3, 1),
    (2, 1, 5),
    kind=Kind.TARGET,
)
BRANCH = _signed((12, 1, 8), (10, 2, 3), (5, 2, 6), (3, 2, 1), (2, 1, 5), kind=Kind.TARGET)
"""Immediates, by what they are for: ``_UP`` and ``_DOWN`` are offsets to ``sp`` of loads and of stores."""

FUNCT3, WHOLE = 0xE003, 0xFFFF


def _quadrant(number: int, quadrant: int) -> tuple[int, int]:
    return number << 13 | quadrant, FUNCT3


def _registers(mnemonic: str, number: int, full: str) -> CompressedRow:
    """Return an operation of two short registers; ``number`` is bits 12 and 6 to 5."""
    match = 0x8C01 | (number >> 2) << 12 | (number & 3) << 5
    values = {"rd": RS1_SHORT, "rs1": RS1_SHORT, "rs2": RS2_SHORT}
    return CompressedRow(mnemonic, match, 0xFC63, full, "rd, rs2", values)


ROWS = (
    CompressedRow(
        "c.addi4spn",
        *_quadrant(0, 0),
        "addi",
        "rd, rs1, imm12",
        {"rd": RD_SHORT, "rs1": SP, "imm12": FRAME},
        ("imm12",),
    ),
    CompressedRow(
        "c.fld",
        *_quadrant(1, 0),
        "fld",
        "fd, imm12(rs1)",
        {"fd": F_SHORT, "rs1": RS1_SHORT, "imm12": DOUBLES},
    ),
    CompressedRow(
        "c.lw", *_quadrant(2, 0), "lw", "rd, imm12(rs1)", {"rd": RD_SHORT, "rs1": RS1_SHORT, "imm12": WORDS}
    ),
    CompressedRow(
        "c.ld", *_quadrant(3, 0), "ld", "rd, imm12(rs1)", {"rd": RD_SHORT, "rs1": RS1_SHORT, "imm12": DOUBLES}
    ),
    CompressedRow(
        "c.fsd",
        *_quadrant(5, 0),
        "fsd",
        "fs2, store12(rs1)",
        {"fs2": F_SHORT, "rs1": RS1_SHORT, "store12": DOUBLES},
    ),
    CompressedRow(
        "c.sw",
        *_quadrant(6, 0),
        "sw",
        "rs2, store12(rs1)",
        {"rs2": RS2_SHORT, "rs1": RS1_SHORT, "store12": WORDS},
    ),
    CompressedRow(
        "c.sd",
        *_quadrant(7, 0),
        "sd",
        "rs2, store12(rs1)",
        {"rs2": RS2_SHORT, "rs1": RS1_SHORT, "store12": DOUBLES},
    ),
    CompressedRow("c.addi", *_quadrant(0, 1), "addi", "rd, imm12", {"rd": RD, "rs1": RD, "imm12": SIX}),
    CompressedRow(
        "c.addiw", *_quadrant(1, 1), "addiw", "rd, imm12", {"rd": RD, "rs1": RD, "imm12": SIX}, ("rd",)
    ),
    CompressedRow("c.li", *_quadrant(2, 1), "addi", "rd, imm12", {"rd": RD, "rs1": 0, "imm12": SIX}),
    CompressedRow(
        "c.addi16sp", 0x6101, 0xEF83, "addi", "rd, imm12", {"rd": SP, "rs1": SP, "imm12": STACK}, ("imm12",)
    ),
    CompressedRow(
        "c.lui", *_quadrant(3, 1), "lui", "rd, upper20", {"rd": RD, "upper20": UPPER}, ("upper20",)
    ),
    CompressedRow(
        "c.srli", 0x8001, 0xEC03, "srli", "rd, shamt6", {"rd": RS1_SHORT, "rs1": RS1_SHORT, "shamt6": SHAMT}
    ),
    CompressedRow(
        "c.srai", 0x8401, 0xEC03, "srai", "rd, shamt6", {"rd": RS1_SHORT, "rs1": RS1_SHORT, "shamt6": SHAMT}
    ),
    CompressedRow(
        "c.andi", 0x8801, 0xEC03, "andi", "rd, imm12", {"rd": RS1_SHORT, "rs1": RS1_SHORT, "imm12": SIX}
    ),
    _registers("c.sub", 0, "sub"),
    _registers("c.xor", 1, "xor"),
    _registers("c.or", 2, "or"),
    _registers("c.and", 3, "and"),
    _registers("c.subw", 4, "subw"),
    _registers("c.addw", 5, "addw"),
    CompressedRow("c.j", *_quadrant(5, 1), "jal", "jump21", {"rd": 0, "jump21": JUMP}),
    CompressedRow(
        "c.beqz", *_quadrant(6, 1), "beq", "rs1, branch13", {"rs1": RS1_SHORT, "rs2": 0, "branch13": BRANCH}
    ),
    CompressedRow(
        "c.bnez", *_quadrant(7, 1), "bne", "rs1, branch13", {"rs1": RS1_SHORT, "rs2": 0, "branch13": BRANCH}
    ),
    CompressedRow("c.slli", *_quadrant(0, 2), "slli", "rd, shamt6", {"rd": RD, "rs1": RD, "shamt6": SHAMT}),
    CompressedRow(
        "c.fldsp", *_quadrant(1, 2), "fld", "fd, imm12(rs1)", {"fd": FD, "rs1": SP, "imm12": DOUBLES_UP}
    ),
    CompressedRow(
        "c.lwsp", *_quadrant(2, 2), "lw", "rd, imm12(rs1)", {"rd": RD, "rs1": SP, "imm12": WORDS_UP}, ("rd",)
    ),
    CompressedRow(
        "c.ldsp",
        *_quadrant(3, 2),
        "ld",
        "rd, imm12(rs1)",
        {"rd": RD, "rs1": SP, "imm12": DOUBLES_UP},
        ("rd",),
    ),
    CompressedRow("c.jr", 0x8002, 0xF07F, "jalr", "rs1", {"rd": 0, "rs1": RD, "imm12": 0}, ("rs1",)),
    CompressedRow("c.mv", 0x8002, 0xF003, "add", "rd, rs2", {"rd": RD, "rs1": 0, "rs2": RS2}, ("rs2",)),
    CompressedRow("c.ebreak", 0x9002, WHOLE, "ebreak", "", {}),
    CompressedRow("c.jalr", 0x9002, 0xF07F, "jalr", "rs1", {"rd": RA, "rs1": RD, "imm12": 0}, ("rs1",)),
    CompressedRow("c.add", 0x9002, 0xF003, "add", "rd, rs2", {"rd": RD, "rs1": RD, "rs2": RS2}, ("rs2",)),
    CompressedRow(
        "c.fsdsp",
        *_quadrant(5, 2),
        "fsd",
        "fs2, store12(rs1)",
        {"fs2": FS2, "rs1": SP, "store12": DOUBLES_DOWN},
    ),
    CompressedRow(
        "c.swsp", *_quadrant(6, 2), "sw", "rs2, store12(rs1)", {"rs2": RS2, "rs1": SP, "store12": WORDS_DOWN}
    ),
    CompressedRow(
        "c.sdsp",
        *_quadrant(7, 2),
        "sd",
        "rs2, store12(rs1)",
        {"rs2": RS2, "rs1": SP, "store12": DOUBLES_DOWN},
    ),
)
