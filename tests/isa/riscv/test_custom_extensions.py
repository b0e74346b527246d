"""Custom extensions: what switches them on, their encodings, and the refusals without."""

import numpy as np
import pytest

from isa.riscv.assembler import assemble
from isa.riscv.declaration import Row, Timing
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
from isa.riscv.instructions import NUMBERS, ROWS, add
from isa.riscv.refusals import why_illegal
from isa.riscv.state import EXTENSIONS, INSTRUCTION
from vecsim.machine import Extension
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
    "vbmipac.vx a2, v9, v10, v11": ("r4 CUSTOM_0, 4, 1, x9, x12, x10, x11", 0x5AA6448B),
    "vldc.x a3, (a2)": ("r4 CUSTOM_0, 5, 1, x0, x12, x13, x0", 0x02D6500B),
    "vstc.x a3, (a2)": ("r4 CUSTOM_0, 6, 1, x0, x12, x13, x0", 0x02D6600B),
    "vindexmac.vx v9, v11, a0": ("r CUSTOM_1, 7, 1, x9, x10, x11", 0x02B574AB),
}


def word(text, **others):
    program = assemble(text, **others)
    return int.from_bytes(program.bytes_at(program.text, 4), "little")


def test_encodings_are_those_of_the_formats():
    assert {text.split()[0] for text in BY_FORMAT} == {
        row.mnemonic for row in ROWS if row.extension in CUSTOM
    }
    for text, (by_format, bits) in BY_FORMAT.items():
        assert word(text, extensions=frozenset(CUSTOM)) == bits
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


def of_a_user(**changes):
    given = {"mnemonic": "vdot8.vv", "match": 0x2B, "mask": 0xFC00707F, "operands": "vd, vs1, vs2, vm"}
    names = given | changes
    return Row(extension="dot8", timing=Timing.VECTOR_MULTIPLY, semantics=lambda hart, row: 0, **names)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mnemonic": "vadd.vv"}, "vadd.vv: there is such an instruction"),
        (
            {"match": 0x200000B, "mask": 0xFE00707F, "operands": "vd, vp, (rs1)"},
            "vp needs bits that are taken",
        ),
        (
            {"match": 0x0200200B, "mask": 0x0600707F, "operands": "vd, vs1, vs2, vp"},
            "vbmipa.vv has this encoding",
        ),
        ({"operands": "vd, vs1, vs2"}, "and 0x2000000 are missing"),
        ({"match": 0x28}, "must lie within mask 0xfc00707f and end in 11"),
        ({"operands": "vd, vs1, vs2, va"}, "no operand 'va'; use those of rd, rs1"),
    ],
)
def test_rows_of_users_that_do_not_fit(changes, message):
    before = len(ROWS), list(CUSTOM)
    with pytest.raises(ValueError, match=message):
        add([of_a_user(**changes)])
    assert before == (len(ROWS), list(CUSTOM))


def test_what_instructions_of_users_may_be():
    extension = Extension("loads", "a load of a user")
    with pytest.raises(
        UserError, match=r"timing .*LOAD_UNIT.*; it must be one of SCALAR, MULTIPLY, DIVIDE, INTEGER"
    ):
        extension.riscv_instruction(
            "vl.v", "vd, (rs1)", "", match=0x2B, mask=0xFFF0707F, timing=Timing.LOAD_UNIT
        )
