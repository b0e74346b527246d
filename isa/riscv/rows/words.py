"""The fixed bits of instruction words: formats with a funct3, a funct7 or a funct6."""

from __future__ import annotations

LOAD, FENCE, OP_IMM, AUIPC, OP_IMM_32, STORE = 0x03, 0x0F, 0x13, 0x17, 0x1B, 0x23
AMO, OP, LUI, OP_32, BRANCH, JALR, JAL, SYSTEM = 0x2F, 0x33, 0x37, 0x3B, 0x63, 0x67, 0x6F, 0x73
"""Major opcodes, bits 6 to 0."""
CUSTOM_0, CUSTOM_1, CUSTOM_2, CUSTOM_3 = 0x0B, 0x2B, 0x5B, 0x7B
"""Those that custom extensions may use."""

OPCODE_MASK = 0x7F
FUNCT3_MASK = 0x707F
FUNCT6_MASK = 0xFC00707F
FUNCT7_MASK = 0xFE00707F
FUNCT12_MASK = 0xFFF0707F


def funct3(opcode: int, number: int) -> tuple[int, int]:
    """Return match and mask with bits 14 to 12."""
    return opcode | number << 12, FUNCT3_MASK


def funct6(opcode: int, number: int, high: int) -> tuple[int, int]:
    """Return match and mask with bits 14 to 12, and bits 31 to 26."""
    return opcode | number << 12 | high << 26, FUNCT6_MASK


def funct7(opcode: int, number: int, high: int) -> tuple[int, int]:
    """Return match and mask with bits 14 to 12, and bits 31 to 25."""
    return opcode | number << 12 | high << 25, FUNCT7_MASK


def funct12(opcode: int, number: int, high: int) -> tuple[int, int]:
    """Return match and mask with bits 14 to 12, and bits 31 to 20."""
    return opcode | number << 12 | high << 20, FUNCT12_MASK
