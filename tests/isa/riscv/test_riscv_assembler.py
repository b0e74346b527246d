"""Assembly text of RISC-V, against what LLVM's assembler and linker make of it; its mistakes."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isa.riscv.assembler import BASE, assemble, assemble_file
from isa.riscv.disassembler import instruction_text, listing
from isa.riscv.encoding import is_short
from isa.riscv.extensions import CUSTOM
from isa.riscv.instructions import ROWS
from isa.riscv.program import Segment, Symbol
from isa.riscv.pseudo import constant
from isa.riscv.rows import compressed
from vecsim.support.errors import AssemblyError, UserError

FOLDER = Path(__file__).parent
WORDS = [line.split(" ", 1) for line in (FOLDER / "assembly_words.txt").read_text().splitlines()]
"""A word of each row as llvm-mc-19 assembles the text next to it, at address BASE."""

STANDARD = [row for row in ROWS if row.extension not in CUSTOM]


def first(text, **others):
    """Return the first word of a program."""
    program = assemble(text, **others)
    word = int.from_bytes(program.bytes_at(program.text, 4), "little")
    return word & 0xFFFF if is_short(word) else word


def message(text, **others):
    with pytest.raises(UserError) as caught:
        assemble(text, file="t.s", **others)
    return str(caught.value).splitlines()[0]


def test_every_row_assembles_and_disassembles_as_llvm_says():
    names = {re.sub(r"\.(aq|rl|aqrl)$", "", text.split()[0]) for _, text in WORDS}
    assert names == {row.mnemonic for row in (*STANDARD, *compressed.ROWS)}
    for word, text in WORDS:
        assert first(text) == int(word, 16), text
        assert instruction_text(int(word, 16), BASE) == text


@pytest.mark.parametrize("name", ["every_pseudo", "compiled_axpy", "macros"])
def test_a_program_is_what_llvm_links(name):
    program = assemble_file(FOLDER / f"{name}.s")
    for line in (FOLDER / f"{name}.hex").read_text().splitlines():
        address, content = line.split()
        assert program.bytes_at(int(address, 16), len(content) // 2).hex() == content


@given(
    st.one_of(
        st.integers(-(2**63), 2**63 - 1),
        st.builds(
            lambda value, shift: ((value << shift & 2**64 - 1) ^ 2**63) - 2**63,
            st.integers(-(2**13), 2**13),
            st.integers(0, 63),
        ),
    )
)
def test_li_makes_its_constant(value):
    steps = constant(value)
    result = 0
    for mnemonic, number in steps:
        match mnemonic:
            case "lui":
                result = struct.unpack("<i", struct.pack("<I", number << 12))[0]
            case "addi":
                result = result + number
            case "addiw":
                result = struct.unpack("<i", struct.pack("<I", result + number & 0xFFFFFFFF))[0]
            case "slli":
                result = result << number
            case "srli":
                result = (result & 2**64 - 1) >> number
        result = ((result & 2**64 - 1) ^ 2**63) - 2**63
    assert result == value
    assert len(steps) <= 8


TEXT = """
        .globl  main            # what compilers write is taken and has no effect
        .type   main, @function
main:   la      a0, count; lw a1, (a0)
1:      addi    a1, a1, -1      // a numeric label
        bnez    a1, 1b          /* a comment
        of two lines */
        beqz    a0, 1f
        li      a2, 'a' + . - 1b
1:      ret
        .size   main, . - main
        .data
count:  .word   3
first:  .half   1, 2
        .bss
        .balign 16
zeros:  .zero   40
        .comm   common, 12, 4
"""


def test_places_symbols_and_source_lines():
    program = assemble(TEXT, file="t.s")
    assert program.entry == program.text == BASE
    assert program.text_end == BASE + 32
    data = BASE + 32
    assert program.segments[1] == Segment(data, struct.pack("<IHH", 3, 1, 2), 8)
    assert program.segments[2] == Segment(BASE + 48, b"", 52)
    assert program.symbols["main"] == Symbol(BASE, 32)
    assert program.symbols["count"] == Symbol(data, 4)
    assert program.symbols["first"] == Symbol(data + 4, 4)
    assert program.symbols["zeros"] == Symbol(BASE + 48, 40)
    assert program.symbols["common"] == Symbol(BASE + 88, 12)
    assert str(program.line_of(BASE + 8)).startswith("t.s:4: main:   la")
    assert program.line_of(BASE - 2) is None
    assert [
        instruction_text(int.from_bytes(program.bytes_at(BASE + at, 4), "little"), at) for at in (16, 24)
    ] == [
        "bne a1, zero, 0xc",
        "addi a2, zero, 109",
    ]


def test_the_listing_names_labels_and_lines():
    lines = listing(
        assemble("main: beqz a0, main\n c.ret: c.jr ra\n .word 0xffffffff", file="t.s")
    ).splitlines()
    assert lines == [
        "main:",
        "   10000  00050063  beq a0, zero, main                # t.s:1: main: beqz a0, main",
        "c.ret:",
        "   10004  8082      c.jr ra                           # t.s:2: c.ret: c.jr ra",
        "   10006  ffffffff  .word 0xffffffff                  # t.s:2: c.ret: c.jr ra",
    ]


def test_entry_and_base():
    program = assemble("nop\nmain: nop\n_start: nop", base=0x80000000)
    assert (program.text, program.entry) == (0x80000000, 0x80000008)
    assert assemble("nop\nmain: nop").entry == BASE + 4


def test_constants_may_be_given_and_redefined():
    text = ".set n, 1\nli a0, n\n.set n, n + 1\nli a1, n\nli a2, M\n.equ late, here\nla a3, late\nhere: nop"
    program = assemble(text, symbols={"M": -3})
    words = struct.unpack("<5I", program.bytes_at(BASE, 20))
    assert [instruction_text(word, 0) for word in words[:3]] == [
        "addi a0, zero, 1",
        "addi a1, zero, 2",
        "addi a2, zero, -3",
    ]
    assert instruction_text(words[4], 0) == "addi a3, a3, 8"


def test_conditions_and_included_files(tmp_path):
    (tmp_path / "part.s").write_text('.if N\nbytes: .incbin "x.bin", 1, 2\n.else\nnop\n.endif')
    (tmp_path / "x.bin").write_bytes(b"abcd")
    (tmp_path / "main.s").write_text('nop\n.rodata\n.include "part.s"')
    program = assemble_file(tmp_path / "main.s", symbols={"N": 1})
    assert program.bytes_at(program.symbols["bytes"].address, 9) == b"bc"
    assert set(program.inputs) == {"main.s", "part.s", "x.bin"}


def test_macros_that_use_themselves_end():
    assert "macros use each other too deeply; at most 20 levels" in message(".macro m\nm\n.endm\nm")


def test_sections_by_name_and_flags():
    text = (
        'nop\n.section .init_array,"aw"\na: .dword 1\n.section .text.cold,"ax",@progbits\nb: nop\n'
        '.section .comment,"MS"\n.asciz "x"\n'
        '.pushsection .mine,"aw",@nobits\nc: .zero 4\n.popsection\n.text\nd: nop'
    )
    symbols = assemble(text).symbols
    assert [symbols[name].address - BASE for name in "dbac"] == [4, 8, 16, 24]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("addd a0, a1, a2", "t.s:1:1: unknown instruction 'addd'; did you mean 'add'?"),
        (
            "add a0, a1",
            "t.s:1:1: 'add' does not take these operands (write: add rd, rs1, rs2 or add rd, rs, imm)",
        ),
        ("mulh a0, a1, 3", "t.s:1:14: an integer register is needed (write: mulh rd, rs1, rs2)"),
        (
            "addi a0, b1, 3",
            "t.s:1:10: unknown register 'b1'; an integer register is needed (write: addi rd, rs1, immediate)",
        ),
        ("addi a0, a1, 5000", "t.s:1:14: immediate 5000 is not between -2048 and 2047"),
        ("vle32.v v1, 4(a0)", "t.s:1:13: there is no offset: write (a0) (write: vle32.v vd, (rs1), [v0.t])"),
        (
            "vadd.vv v0, v1, v2, v0",
            "t.s:1:21: a mask is v0.t; leave it out for all elements (write: vadd.vv vd, vs2, vs1, [v0.t])",
        ),
        (
            "vsetvli t0, a0, e31, m4",
            "t.s:1:17: the width of elements is needed: one of e8, e16, e32, e64 "
            "(write: vsetvli rd, rs1, e32, m1, ta, ma)",
        ),
        (
            "fadd.s fa0, fa1, fa2, rzz",
            "t.s:1:23: a rounding mode is needed: one of rne, rtz, rdn, rup, rmm, dyn "
            "(write: fadd.s fd, fs1, fs2, [rounding])",
        ),
        (
            "beq a0, a1, far\n.zero 5000\nfar: nop",
            "t.s:1:13: the target is 5004 bytes away; this reaches from -4096 to 4094: use a nearer label, "
            "or branch around a jump",
        ),
        ("li a0, x", "t.s:1:8: undefined symbol 'x': it must be defined before this line"),
        ("li a0, here\nhere: nop", "t.s:1:8: undefined symbol 'here': it must be defined before this line"),
        (
            "here: li a0, here",
            "t.s:1:14: an address is not known yet: write a number, or a difference of labels "
            "(write: li rd, number)",
        ),
        ("nop\n.data\nx: .word y", "t.s:3:10: undefined symbol 'y'"),
        ("foo: nop\nfoo: nop", "t.s:2:1: 'foo' is already defined (line 1); use another name"),
        ("a0: nop", "t.s:1:1: 'a0' is the name of a register; use another name"),
        ("1: nop\nj 2f", "t.s:2:3: there is no label 2 after this line"),
        ("nop\n.bss\nx: .word 1", "t.s:3:4: .bss holds zeros only, this is not 0; values must follow .data"),
        ("nop\n.fooo 3", "t.s:2:1: unknown directive '.fooo'"),
        (
            "c.lw a0, 4(t0)",
            "t.s:1:12: this takes x8 to x15: no other fits 3 bits (write: c.lw rd, immediate(rs1))",
        ),
        ("c.addi16sp sp, 0", "t.s:1:16: 0 is reserved for this operand of c.addi16sp"),
        (".data\nnop", "t.s:2:1: 'nop' in the section .data; instructions must follow .text"),
        (
            "nop\n.equ a, b\n.equ b, a\n.word a",
            "t.s:4:7: a: b: 'a' depends on itself: define it by other names",
        ),
        (
            "auipc a0, %pcrel_lo(foo)\nfoo: nop",
            "t.s:1:11: %pcrel_lo takes the label of an instruction that has %pcrel_hi",
        ),
        ("addi a0, a0, 09", "t.s:1:14: 09 begins with 0, so it is octal: leave out the 0, or the 8 and 9"),
        ("nop @", "t.s:1:5: unexpected '@'; expected a name or a number"),
        ("nop\n.if y\n.endif", "t.s:2:5: undefined symbol 'y': it must be defined before this line"),
        ("mret", "t.s:1:1: 'mret' is an instruction of the privileged architecture, which is not supported"),
        (
            "fadd.h fa0, fa1, fa2",
            "t.s:1:1: 'fadd.h' is an instruction of Zfh (half-precision floats), which is not supported",
        ),
        (
            "csrw mtvec, a0",
            "t.s:1:6: no register 'mtvec'; those of the privileged architecture are not supported "
            "(write: csrw csr, rs)",
        ),
        (".macro m\nnop", "t.s:1:1: .macro without .endm: add it"),
        (".endr", "t.s:1:1: .endr without a directive that it ends: .macro or .rept or .irp"),
        (".macro m x:req\nmv a0, \\x\n.endm\nm", "t.s:4:1: 'm' needs x"),
        (".macro m x\nmv a0, \\x\n.endm\nm a1, a2", "t.s:4:1: 'm' takes x"),
        (
            ".macro m x\nmv a0, \\x\n.endm\nm b7",
            "t.s:2:8: unknown register 'b7'; an integer register is needed "
            "(write: mv rd, rs) (included by t.s:4)",
        ),
        ("nop\n.rept -1\n.endr", "t.s:2:1: -1 times; use 0 to 1,000,000"),
        ("nop\n.irp 3\n.endr", "t.s:2:1: write .irp NAME, value, ..."),
        (".text", "t.s: there is no instruction in it; write some after .text"),
    ],
)
def test_a_mistake_is_one_line(text, expected):
    assert message(text) == expected


def test_the_lines_that_macros_make_are_limited(monkeypatch):
    monkeypatch.setattr("isa.riscv.macros.MOST_LINES", 1000)  # the limit itself takes half a minute
    expected = "t.s:2:1: macros make over 1,000 lines; repeat less (included by t.s:1)"
    assert message(".rept 30\n.rept 40\nnop\n.endr\n.endr") == expected


def test_an_address_that_lui_cannot_make():
    expected = "t.s:1:12: 0x80000000 is too far for %hi; it takes 32 bits with their sign: use la"
    assert message("x: lui a0, %hi(x)", base=0x80000000) == expected


def test_all_mistakes_are_reported_at_once():
    with pytest.raises(AssemblyError) as caught:
        assemble("add a0\nbeq a0, a1, nowhere\nj nowhere\nfoo x0\n.data\n.word 1 +", file="t.s")
    errors = [caught.value, *caught.value.following]
    assert [(each.line, each.column) for each in errors] == [(1, 1), (2, 13), (4, 1), (6, 10)]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"symbols": {"a0": 1}}, "symbol 'a0': use letters, digits and '_', and no name of a register"),
        ({"base": -4}, "base"),
        ({"base": 1 << 50}, "base 1125899906842624 must be from 0 to 281474976710655"),
    ],
)
def test_mistakes_in_parameters(parameters, expected):
    assert message("nop", **parameters).startswith(expected)


FORMS = (
    *(
        "addi a0, a0, {}",
        "lw a0, {}(a1)",
        "beq a0, a1, {}",
        "li a0, {}",
        "la a0, {}",
        "csrr a0, {}",
        "{}",
        "{}: nop",
    ),
    *("vsetvli a0, a1, {}", "vadd.vv v1, v2, {}", "auipc a0, %pcrel_hi({})", "c.li a0, {}", "fence {}"),
    *(
        f"nop\n{line}"
        for line in (".data\n.word {}", ".space {}", ".align {}", ".equ x, {}\n.word x", ".float {}")
    ),
    *(
        f"nop\n{line}"
        for line in (".section {}", ".size a, {}", ".if {}\n.endif", ".fill {}, {}, {}", ".asciz {}")
    ),
)
STRANGE = (
    *(
        "",
        ",",
        "1 2",
        "a0, a0",
        "x32",
        "v99",
        "(a0)",
        "4(a0)",
        "a(a0)",
        "4(a)",
        "1.5",
        "nan",
        "0x",
        "08",
        "9" * 400,
    ),
    *(
        "1/0",
        "1<<64",
        "1<<63<<1",
        "%hi(a)",
        "%lo(1<<40)",
        "--1",
        "(" * 3000 + "1" + ")" * 3000,
        "-" * 3000 + "1",
    ),
    *(
        "+".join("1" * 3000),
        "a+",
        "\u0664",
        '"text"',
        '"',
        "'c'",
        "'",
        "/*",
        "*/",
        "1f",
        "1b",
        ";",
        "#",
        ".-.",
        ".",
    ),
    *(
        "4294967296",
        "18446744073709551616",
        "-9223372036854775809",
        "undefined",
        "\0",
        "\x1b[1m",
        "v0.t",
        "a" * 900,
    ),
)


@given(st.sampled_from(FORMS), st.sampled_from(STRANGE))
def test_any_text_gives_a_program_or_a_message(form, strange):
    try:
        program = assemble(form.replace("{}", strange), file="t.s")
    except UserError as error:
        assert str(error).startswith("t.s:")
    else:
        listing(program)
