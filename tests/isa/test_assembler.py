"""The assembler's language: what a correct text means."""

import struct
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isa_strategies import same_code

import isa
from isa.assembler import assemble, assemble_file
from isa.instructions import BASE
from vecsim.support.errors import AssemblyError, UserError


def value_of(expression: str, **symbols: int) -> int:
    return assemble(f".equ result, {expression}", symbols=symbols).symbols["result"]


def words(text: str, **options) -> list[int]:
    return assemble(text, **options).words.tolist()


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("10 - 4 - 3", 3),
        ("1 << 2 + 1", 8),
        ("0xFF & 0b1100 | 1 ^ 3", 0b1100 | (1 ^ 3)),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("7 / -2", -3),
        ("~0", -1),
        ("- - 5", 5),
        ("-(3)*2", -6),
        ("1 - -1", 2),
        ("0x1e5", 0x1E5),
        ("007", 7),
        ("%hi(0x12345678) << 13 | %lo(0x12345678)", 0x12345678),
        ("%lo(-1)", 0x1FFF),
        ("10 %3", 1),
        ("VALUE_BYTES", 4),
    ],
)
def test_expressions(expression, value):
    assert value_of(expression) == value


@st.composite
def python_expressions(draw, depth=3):
    """An expression that means the same in Python and here, and its value."""
    if depth == 0 or draw(st.booleans()):
        return str(draw(st.integers(0, 99)))
    sign = draw(st.sampled_from(["+", "-", "*", "&", "|", "^"]))
    left, right = draw(python_expressions(depth - 1)), draw(python_expressions(depth - 1))
    text = f"{left} {sign} {right}"
    return draw(st.sampled_from([text, f"({text})", f"-({text})", f"~({text})"]))


@given(python_expressions())
def test_precedence_is_that_of_python_where_both_have_the_operator(text):
    assert value_of(text) == eval(text)


def test_comments_labels_and_blank_lines():
    program = assemble(
        "# one\n\n; two\n  // three\na: b: add x1, x2, x3 # four\nc: ; five\n\tadd x1,x2,x3//\n"
    )
    assert len(program) == 2
    assert {name: program.symbols[name] for name in "abc"} == {"a": 0, "b": 0, "c": 1}


def test_lines_may_end_as_windows_ends_them():
    assert words("nop\r\nhalt\r\n") == words("nop\nhalt")


def test_register_names():
    assert words("add zero, ra, sp") == words("add x0, x1, x2")
    assert words(
        ".reg row, x5\n.reg also, row\n.reg acc, v3\nadd row, also, x1\nmovv acc, acc\nlw x1, 4(row)"
    ) == words("add x5, x5, x1\nmovv v3, v3\nlw x1, 4(x5)")
    assert words("mfs x1, rowptr\nmts blocklen, x2") == words("mfs x1, rowptr\nmts blocklen, x2")
    assert assemble("mfs x1, rowcount").fields[0].tolist() == [1, 3, 0, 0, 0]


def test_the_register_names_of_risc_v():
    # The RISC-V calling convention: https://riscv.org/technical/specifications, chapter of the ABI
    integer = (
        "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6"
    )
    real = (
        "ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 fs0 fs1 fa0 fa1 fa2 fa3 fa4 fa5 fa6 fa7 "
        "fs2 fs3 fs4 fs5 fs6 fs7 fs8 fs9 fs10 fs11 ft8 ft9 ft10 ft11"
    )
    for number, name in enumerate(integer.split()):
        assert words(f"lw {name}, 4({name})") == words(f"lw x{number}, 4(x{number})")
    for number, name in enumerate(real.split()):
        assert words(f"fabs.s {name}, {name}") == words(f"fabs.s f{number}, f{number}")
    assert words("mv fp, t0") == words("mv x8, x5")
    assert assemble("mv a0, sp").register_names == {"a0": ("x", 10)}


def test_a_text_may_give_names_of_risc_v_another_meaning():
    text = ".reg a0, v1\n.equ s1, 3\n.default t1, 4\nmovv a0, a0\nj t0\nli x1, s1 + t1 + t2\nt0: mv a1, x2"
    program = assemble(text, symbols={"t2": 5})
    assert program.words.tolist() == words("movv v1, v1\nj 3\nli x1, 12\nmv x11, x2")
    assert program.register_names == {"a0": ("v", 1), "a1": ("x", 11)}
    assert program.labels == {"t0": 3}


def test_memory_operands():
    assert words("lw x1, (x5)") == words("lw x1, 0(x5)")
    assert words(".equ N, 2\nlw x1, 4*N-16 (x5)") == words("lw x1, -8(x5)")
    assert words("lw x1, (4)(x5)") == words("lw x1, 4(x5)")
    assert assemble("sw x3, 4(x5)").fields[0].tolist() == [3, 4, 5, 0, 0]
    assert assemble("lvi.w v3, (x5), v6").fields[0].tolist() == [3, 5, 6, 0, 0]
    assert assemble("ldb.w v1, v2, (x3), x4, 2").fields[0].tolist() == [1, 2, 3, 4, 2]


@pytest.mark.parametrize(
    ("generic", "single", "double"),
    [
        ("addvv.f v1, v2, v3", "addvv.s v1, v2, v3", "addvv.d v1, v2, v3"),
        ("lv.f v1, (x2)", "lv.w v1, (x2)", "lv.d v1, (x2)"),
        ("ldb.f v1, v2, (x3), x4, 1", "ldb.w v1, v2, (x3), x4, 1", "ldb.d v1, v2, (x3), x4, 1"),
        ("bmipa.f v1, v2, v3, v4", "bmipa.s v1, v2, v3, v4", "bmipa.d v1, v2, v3, v4"),
        ("fl.f f1, (x2)", "fl.w f1, (x2)", "fl.d f1, (x2)"),
        ("fs.f f1, (x2)", "fs.w f1, (x2)", "fs.d f1, (x2)"),
        ("sumv.f f1, v2", "sumv.s f1, v2", "sumv.d f1, v2"),
        ("fadd.f f1, f2, f3", "fadd.s f1, f2, f3", "fadd.d f1, f2, f3"),
    ],
)
def test_the_generic_suffix(generic, single, double):
    assert words(generic) == words(single)
    assert words(generic, value_bytes=8) == words(double)


def test_every_typed_instruction_has_a_generic_name():
    stems = {name.rpartition(".")[0] for name in BASE.by_mnemonic if "." in name}
    for stem in stems:
        with pytest.raises(AssemblyError, match="does not have no operands"):
            assemble(f"{stem}.f")


def test_forward_and_backward_references():
    program = assemble(
        "beq x1, x2, end\nloop: la x5, table\nbne x1, x2, loop\nend: halt\n.data\n.word end, table\ntable:"
    )
    assert program.fields[0].tolist() == [1, 2, 4, 0, 0]
    assert program.fields[3].tolist() == [1, 2, -2, 0, 0]
    assert program.data[0].content == struct.pack("<2I", 4, 72)
    assert program.symbols["table"] == 72


def test_conditionals_nest():
    text = """
    .default A, 0
    .default B, 0
    .if A
      .if B
        li x1, 11
      .else
        li x1, 10
      .endif
    .else
      .if B
        li x1, 1
      .else
        li x1, 0
      .endif
      .equ ONLY_WITHOUT_A, 1
    .endif
    """
    for a in (0, 1):
        for b in (0, 1):
            program = assemble(text, symbols={"A": a, "B": b})
            assert program.fields[:, 2].tolist() == [10 * a + b]
            assert ("ONLY_WITHOUT_A" in program.symbols) == (not a)
    assert assemble(text).fields[0, 2] == 0


def test_lines_that_do_not_count_define_and_check_nothing():
    program = assemble(".if 0\nx: nonsense x99\n.if UNDEFINED\n.else\n.endif\n.frobnicate 3\n.endif\nx: halt")
    assert len(program) == 1


def test_defaults_yield_to_what_is_given():
    text = ".default N, 7\nli x1, N"
    assert assemble(text).fields[0, 2] == 7
    assert assemble(text, symbols={"N": 9}).fields[0, 2] == 9
    assert assemble(text, symbols={"N": np.int32(9)}).symbols["N"] == 9


def test_data():
    program = assemble(
        """
        .data
        a: .word 1, -1, 0xFFFFFFFF
        .half -2, 65535
        .byte 255, -128
        .align 8
        b: .float 1.5, -2, 1e3, -0.0
        .double 0.1, inf, -inf, nan
        .value 3
        c: .space 3
        .byte 7
        .align 4
        d:
        """
    )
    expected = struct.pack("<3i2HBB", 1, -1, -1, 65534, 65535, 255, 128) + bytes(6)
    expected += struct.pack("<4f4df", 1.5, -2, 1e3, -0.0, 0.1, np.inf, -np.inf, np.nan, 3)
    expected += bytes(3) + b"\x07"
    (segment,) = program.data
    assert segment.address == 64
    assert segment.content == expected + bytes(-(64 + len(expected)) % 4)
    assert program.symbols["a"] == 64
    assert program.symbols["b"] == 88
    assert program.symbols["d"] % 4 == 0
    assert program.symbols["d"] == segment.end


def test_directives_of_other_assemblers():
    program = assemble(
        """
        .globl start, X
        .section .rodata
        .byte 1
        .p2align 3
        X: .asciz "a # \\"b\\"\\n", "\u00e4"
        .ascii "c", "d"
        .string "e\\0\\\\"
        .balign 4
        .zero 3
        .section .bss
        .byte 2
        .section .text
        start: halt
        """
    )
    (segment,) = program.data
    expected = b"\1" + bytes(7) + b'a # "b"\n\0' + "\u00e4".encode() + b"\0cde\0\\\0"
    assert segment.content == expected + bytes(-(64 + len(expected)) % 4 + 3) + b"\2"
    assert program.symbols["X"] == 72
    assert len(program) == 1


def test_values_have_the_size_of_a_matrix_value():
    text = ".data\n.value 1.5\nend:"
    assert assemble(text).data[0].content == struct.pack("<f", 1.5)
    assert assemble(text, value_bytes=8).data[0].content == struct.pack("<d", 1.5)
    assert assemble(text, value_bytes=8).symbols["end"] == 72


def test_sections_switch_and_data_goes_on_where_it_ended():
    program = assemble(
        ".data\n.byte 1\n.text\nnop\n.data\n.byte 2\n.data 4096\n.byte 3\n.text\nhalt", data_base=128
    )
    assert [(s.address, s.content) for s in program.data] == [(128, b"\x01\x02"), (4096, b"\x03")]
    assert len(program) == 2


def test_the_entry():
    assert assemble("nop\nmain: halt").entry == 1
    assert assemble("nop\nmain: nop\nstart: halt").entry == 2
    assert assemble("nop\nhalt").entry == 0
    assert assemble("nop\nhalt\n.equ start, 1").entry == 0
    assert assemble("nop\nhalt\n.data\nmain: .word 1").entry == 0


def test_source_lines():
    program = assemble("\n li x1, 100000 # c\nhalt", file="p.s")
    assert [program.where(pc) for pc in range(3)] == [
        "p.s:2: li x1, 100000 # c",
        "p.s:2: li x1, 100000 # c",
        "p.s:3: halt",
    ]
    assert program.where(3) == "instruction 3: outside the program of 3 instructions"
    assert program.where(-1) == "instruction -1: outside the program of 3 instructions"


def test_arrays_have_their_types_and_cannot_be_changed():
    program = assemble("addi x1, x2, -3")
    assert program.words.dtype == np.uint32
    assert program.opcode.dtype == program.fields.dtype == np.int64
    assert program.fields.shape == (1, 5)
    with pytest.raises(ValueError, match="read-only"):
        program.words[0] = 0


def test_files(tmp_path):
    path = tmp_path / "a.s"
    path.write_bytes(b"\xef\xbb\xbfnop # \xc3\xa9\n.if X\nhalt\n.endif")
    assert same_code(assemble_file(path, symbols={"X": 1}), assemble("nop\nhalt"))
    assert assemble_file(path, symbols={"X": 0}).where(0) == f"{path}:1: nop # é"
    with pytest.raises(UserError, match="no such file"):
        assemble_file(tmp_path / "missing.s")
    with pytest.raises(UserError, match="directory"):
        assemble_file(tmp_path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="is not text in UTF-8"):
        assemble_file(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"value_bytes": 2}, "value_bytes is 2"),
        ({"data_base": -1}, "data_base -1 must be from 0"),
        ({"symbols": {"x5": 1}}, "'x5' is the name of a register"),
        ({"symbols": {"a b": 1}}, "use letters, digits"),
        ({"symbols": {"A": 1.5}}, "1.5 is not an integer; use a whole number"),
        ({"symbols": {"A": 1 << 70}}, "does not fit 64 bits"),
        ({"symbols": {"VALUE_BYTES": 8}}, "predefined as 4"),
    ],
)
def test_options_out_of_place(options, message):
    with pytest.raises(UserError, match=message):
        assemble("nop", **options)


def test_public_names_are_loaded_on_demand():
    assert isa.assemble is assemble
    assert isa.BASE is BASE
    assert all(getattr(isa, name) for name in isa.__all__)
    with pytest.raises(AttributeError, match="frobnicate"):
        isa.frobnicate  # noqa: B018


@given(st.text(max_size=60))
def test_no_text_makes_anything_but_a_program_or_a_message(text):
    try:
        assemble(text)
    except AssemblyError as error:
        message = str(error).split("\n")
        assert message[0].startswith("<input>:")
        assert message[-1].endswith("^") or error.more


WORDS = "add lw x1 x5 f1 v2 .word .equ .if .else .endif .data .reg N 5 1.5 << %hi li la j nan"
PIECES = st.sampled_from(WORDS.split() + list(",():+-*/%&~#"))


@given(st.lists(st.lists(PIECES, max_size=7).map(" ".join), max_size=4).map("\n".join))
def test_no_sequence_of_words_makes_anything_but_a_program_or_a_message(text):
    try:
        assemble(text)
    except AssemblyError as error:
        assert 1 <= error.line <= text.count("\n") + 1
        assert error.text == text.split("\n")[error.line - 1]
        assert 1 <= error.column <= len(error.text) + 1


def test_formats_and_engines_do_not_pay_for_the_parser():
    code = "import sys, isa, vecsim.support.errors, isa.program; sys.exit('lark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
