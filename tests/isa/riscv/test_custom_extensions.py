"""Custom extensions: what switches them on, their encodings, and the refusals without."""

import numpy as np
import pytest

from isa.riscv.assembler import assemble
from isa.riscv.disassembler import instruction_text
from isa.riscv.encoding import ILLEGAL, decoded_text
from isa.riscv.extensions import (
    CUSTOM,
    XHISM,
    custom_extensions,
    extensions_in_attribute,
    isa_text,
    mask_of,
)
from isa.riscv.instructions import NUMBERS, ROWS
from isa.riscv.refusals import why_illegal
from isa.riscv.state import EXTENSIONS, INSTRUCTION
from vecsim.riscv.hart import new_hart
from vecsim.support.errors import UserError

HISM = frozenset([XHISM])
BY_FORMAT = {
    # as llvm-mc-19 and the GNU assembler encode them
    "vldbei8.v v10, v11, (a2)": ("r4 CUSTOM_0, 0, 1, x10, x12, x0, x11", 0x5A06050B),
    "vldbei16.v v10, v11, (a2)": ("r4 CUSTOM_0, 0, 3, x10, x12, x0, x11", 0x5E06050B),
    "vlds.v v10, v11, v14, (a2)": ("r4 CUSTOM_0, 1, 1, x10, x12, x14, x11", 0x5AE6150B),
    "vbmipa.vv v9, v8, v10, v11": ("r4 CUSTOM_0, 2, 1, x9, x8, x10, x11", 0x5AA4248B),
    "vmipa.vv v9, v8, v10, v11": ("r4 CUSTOM_0, 3, 1, x9, x8, x10, x11", 0x5AA4348B),
}


def word(text, **others):
    program = assemble(text, **others)
    return int.from_bytes(program.bytes_at(program.text, 4), "little")


def test_encodings_are_those_of_the_format_r4():
    assert {text.split()[0] for text in BY_FORMAT} == {row.mnemonic for row in ROWS if row.extension == XHISM}
    for text, (by_format, bits) in BY_FORMAT.items():
        assert word(text, extensions=HISM) == bits
        assert word(f".insn {by_format}") == bits
        assert instruction_text(bits, 0) == text


@pytest.mark.parametrize(
    ("directive", "bits"),
    [
        (".insn r 0x33, 0, 0x20, a0, a1, a2", "sub a0, a1, a2"),
        (".insn i 0x13, 0, x10, x11, -5", "addi a0, a1, -5"),
        (".insn 0x00000013", "addi zero, zero, 0"),
    ],
)
def test_other_formats(directive, bits):
    assert word(directive) == word(bits)


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        (".insn r9 0x33", "write .insn r opcode, funct3, funct7, rd, rs1, rs2 or"),
        (".insn r 0x33, 8, 0, a0, a1, a2", "funct3"),
        (".insn r 0x33, 0, 0, 3, a1, a2", "rd: a register is needed"),
        (".insn 0x4501", "0x4501 begins an instruction of 16 bits: use .half"),
    ],
)
def test_mistakes_in_insn(directive, message):
    with pytest.raises(UserError, match=message):
        assemble(directive)


def test_architecture_strings():
    assert custom_extensions("rv64gcv") == frozenset()
    assert custom_extensions("RV64GCV_Xhism") == HISM
    assert isa_text(HISM) == "rv64gcv_xhism"
    for wrong, part in (("rv32i", "rv32i"), ("rv64gcv_xfoo", "xfoo")):
        with pytest.raises(ValueError, match=f"rv64gcv is known, also with _xhism.*; not {part}"):
            custom_extensions(wrong)
    attribute = "rv64i2p1_m2p0_v1p0_zicsr2p0_zvl128b1p0"
    assert extensions_in_attribute(attribute) == frozenset()
    assert extensions_in_attribute(f"{attribute}_xhism1p0") == HISM


def test_without_it_the_assembler_names_the_extension():
    with pytest.raises(
        UserError, match=r"'vlds.v' is an instruction of Xhism: switch it on with --isa rv64gcv_xhism"
    ):
        assemble("vlds.v v1, v2, v3, (a0)")


def test_without_it_words_and_registers_are_refused_by_name():
    bits = BY_FORMAT["vbmipa.vv v9, v8, v10, v11"][1]
    text = bits.to_bytes(4, "little")
    assert decoded_text(text)[0, INSTRUCTION] == ILLEGAL
    assert decoded_text(text, mask_of(CUSTOM))[0, INSTRUCTION] == NUMBERS["vbmipa.vv"]
    hart = new_hart(np.zeros(16, np.uint8), 0, decoded_text(b""), 0, 128)
    on = "is not supported: switch it on with --isa rv64gcv_xhism"
    assert why_illegal(hart, bits) == f"vbmipa.vv (Xhism) {on}"
    assert why_illegal(hart, word("csrr a0, rowptr")) == f"the control register rowptr (0x800) of Xhism {on}"
    hart.control[EXTENSIONS] = mask_of(CUSTOM)
    assert why_illegal(hart, bits).startswith("vtype is not set")
