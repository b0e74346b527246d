"""Every mistake in a text gives one message with file, line, column, a caret and what would be right."""

import pickle

import pytest

from isa.assembler import assemble
from vecsim.support.errors import SHOWN_LETTERS, AssemblyError, UserError


def mistake(text: str, **options) -> AssemblyError:
    with pytest.raises(AssemblyError) as caught:
        assemble(text, file="p.s", **options)
    return caught.value


def test_the_form_of_a_message():
    error = mistake("nop\n  add x1, x2, x32  # c\nhalt")
    assert isinstance(error, UserError)
    assert str(error).split("\n") == [
        "p.s:2:15: unknown register 'x32'; they are x0 to x31 (write: add xd, xa, xb)",
        "  add x1, x2, x32  # c",
        "              ^",
    ]
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("before", [0, 50, 120, 5_000])
def test_of_a_long_line_what_surrounds_the_place_is_shown(before):
    wrong = mistake(f".data\n.word {'1, ' * before}1.5, {'1, ' * 5_000}1")
    reason, text, caret = str(wrong).split("\n")
    assert reason.startswith(f"p.s:2:{7 + 3 * before}: ")
    assert len(text) == SHOWN_LETTERS
    assert text[caret.index("^") :].startswith("1.5, ")


def test_the_caret_stands_below_its_column_after_tabs():
    error = mistake("\tlw\tx1, 8(f2)")
    assert str(error).split("\n")[1:] == ["\tlw\tx1, 8(f2)", "\t  \t      ^"]


# text, line, the text from the column on, reason
MISTAKES = [
    ("addd x1, x2, x3", 1, "addd", "unknown instruction 'addd'; did you mean 'add'?"),
    ("frobnicate", 1, "frobnicate", "unknown instruction 'frobnicate'"),
    (
        "addvv v1, v2, v3",
        1,
        "addvv",
        "'addvv' needs the type of an element: addvv.d, addvv.f, addvv.s, addvv.w",
    ),
    ("addvv.q v1, v2, v3", 1, "addvv.q", "unknown instruction 'addvv.q'; did you mean 'addvv.w'?"),
    ("ADD x1, x2, x3", 1, "ADD", "unknown instruction 'ADD'; did you mean 'add'?"),
    ("add x1, x2", 1, "add", "'add' does not have 2 operands (write: add xd, xa, xb)"),
    ("halt x1", 1, "halt", "'halt' does not have 1 operand (write: halt)"),
    ("jal x1, x2, x3", 1, "jal", "'jal' does not have 3 operands (write: jal xd, label or jal label)"),
    ("ret x1", 1, "ret", "'ret' does not have 1 operand (write: ret)"),
    (
        "add x1, x2, f3",
        1,
        "f3",
        "f3 is a scalar float register; a scalar integer register is needed (write: add xd, xa, xb)",
    ),
    (
        "addvv.f v1, v2, x3",
        1,
        "x3",
        "x3 is a scalar integer register; a vector register is needed (write: addvv.s vd, va, vb)",
    ),
    ("add x1, x2, 5", 1, "5", "a scalar integer register is needed (write: add xd, xa, xb)"),
    ("mv x1, 5", 1, "5", "a scalar integer register is needed (write: mv xd, xa)"),
    (
        ".equ A, 1\nadd x1, x2, A",
        2,
        "A",
        "'A' is a symbol; a scalar integer register is needed (write: add xd, xa, xb)",
    ),
    (
        ".reg column, x3\nadd x1, x2, colum",
        2,
        "colum",
        "unknown register 'colum'; did you mean 'column'? (write: add xd, xa, xb)",
    ),
    ("mfs x1, rowpt", 1, "rowpt", "unknown register 'rowpt'; did you mean 'rowptr'? (write: mfs xd, sa)"),
    ("movv v32, v1", 1, "v32", "unknown register 'v32'; they are v0 to v31 (write: movv vd, va)"),
    ("lw x1, x2", 1, "x2", "a memory operand i14(xa) is needed (write: lw xd, i14(xa))"),
    ("lw x1, 4", 1, "4", "a memory operand i14(xa) is needed (write: lw xd, i14(xa))"),
    (
        "lvws.w v1, 4(x2), x3",
        1,
        "4(",
        "this memory operand has no offset; write (x2) (write: lvws.w vd, (xa), xs)",
    ),
    ("addi x1, x2, 4(x3)", 1, "4(", "a memory operand where i14 is needed (write: addi xd, xa, i14)"),
    (
        "addi x1, x2, 1.5",
        1,
        "1.5",
        "a floating-point number where i14 is needed (write: addi xd, xa, i14)",
    ),
    ("addi x1, x2, x3", 1, "x3", "x3 is a register; a number is needed"),
    ("addi x1, x2, 8192", 1, "8192", "immediate 8192 must be from -8192 to 8191"),
    ("lw x1, 4*5000(x2)", 1, "*", "immediate 20000 must be from -8192 to 8191"),
    ("lui x1, -1", 1, "-1", "immediate -1 must be from 0 to 524287"),
    ("ldb.w v1, v2, (x1), x2, 16", 1, "16", "immediate 16 must be from 0 to 15"),
    ("li x1, 1 << 32", 1, "<<", "value 4294967296 must be from -2147483648 to 4294967295"),
    ("li x1, -0x80000001", 1, "-0", "value -2147483649 must be from -2147483648 to 4294967295"),
    (
        "la x1, end - 0x80000003\nend:",
        1,
        "- 0x",
        "value -2147483649 must be from -2147483648 to 4294967295",
    ),
    ("loop: j lopp", 1, "lopp", "undefined symbol 'lopp'; did you mean 'loop'?"),
    ("li x1, 3 + QQ", 1, "QQ", "undefined symbol 'QQ'"),
    (".if OPTION\n.endif", 1, "OPTION", "undefined symbol 'OPTION'"),
    (".equ A, B\n.equ B, 1", 1, "B", "undefined symbol 'B'"),
    ("a: nop\na: nop", 2, "a:", "'a' is already defined (line 1); use another name"),
    (".equ a, 1\n.data\na: .word 1", 3, "a:", "'a' is already defined (line 1); use another name"),
    (".equ VALUE_BYTES, 8", 1, "VALUE", "'VALUE_BYTES' is already defined (predefined); use another name"),
    ("x5: nop", 1, "x5", "'x5' is the name of a register; use another name"),
    (".reg row, x5\nrow: nop", 2, "row", "'row' is the name of a register; use another name"),
    (".reg row, x5\n.reg row, x6", 2, "row", "'row' is already the name of a register; use another name"),
    ("row: nop\n.reg row, x6", 2, "row", "'row' is already defined (line 1); use another name"),
    (".reg add, x5", 1, "add", "'add' is an instruction; choose another name"),
    ("add x1, x1, t0\nt0: nop", 2, "t0", "'t0' already means x5 before this line; use another name"),
    ("fmv.s fa0, fa1\n.reg fa1, f3", 2, "fa1", "'fa1' already means f11 before this line; use another name"),
    (
        ".equ a0, 3\nadd x1, x1, a0",
        2,
        "a0",
        "'a0' is a symbol; a scalar integer register is needed (write: add xd, xa, xb)",
    ),
    ("addi x1, x1, a0", 1, "a0", "a0 is a register; a number is needed"),
    ("li x1, a0", 1, "a0", "a0 is a register; a number is needed"),
    ("bltu a0, a1, 0", 1, "bltu", "no instruction 'bltu', unlike RISC-V: comparisons are of signed integers"),
    (
        ".section .init",
        1,
        ".init",
        "unknown section: write one of .text, .data, .rodata, .sdata, .bss, .sbss",
    ),
    (".section", 1, "", "the line ends too early; expected a directive"),
    (".globl 5", 1, "5", "a name is needed: write .globl NAME, ..."),
    (".data\n.asciz 5", 2, "5", 'write characters in quotation marks: "text"'),
    ('.data\n.asciz "a\\q"', 2, "\\q", 'unknown escape \\q: write one of \\n \\t \\r \\0 \\\\ \\"'),
    ('.asciz "a"', 1, ".asciz", ".asciz in the text section; data must follow .data"),
    (".data\n.p2align 32", 2, "32", "alignment 32 must be from 0 to 31"),
    (".reg li, x5", 1, "li", "'li' is an instruction; choose another name"),
    (".reg 5, x5", 1, "5", "a name is needed: write .reg NAME, ..."),
    (
        "beq x1, x2, 8192",
        1,
        "8192",
        "branch too far: 8192 instructions; use -8192 to 8191, or a nearer label",
    ),
    (
        "j 262144",
        1,
        "262144",
        "branch too far: 262144 instructions; use -262144 to 262143, or a nearer label",
    ),
    ("j -1", 1, "-1", "branch to instruction -1: the target must be 0 or more"),
    ("nop\nbeq x1, x2, -7", 2, "-7", "branch to instruction -7: the target must be 0 or more"),
    ("j a\n.data\na: .word 1", 1, "a", "'a' is a data label; use a code label as the target of a branch"),
    ("nop\n .if 1\nnop", 2, ".if", ".if without .endif: add .endif"),
    (".if 1\n.if 0\n.endif", 1, ".if", ".if without .endif: add .endif"),
    (".else", 1, ".else", ".else without .if: write .if before it"),
    (".endif", 1, ".endif", ".endif without .if: write .if before it"),
    (".if 1\n.else\n.else", 3, ".else", "second .else of the .if in line 1: write at most one"),
    (".if", 1, ".if", "'.if' does not have no arguments (write: .if expression)"),
    (".word 1", 1, ".word", ".word in the text section; data must follow .data"),
    (".data\nnop", 2, "nop", "'nop' in the data section; instructions must follow .text"),
    (".wrod 1", 1, ".wrod", "unknown directive '.wrod'; did you mean '.word'?"),
    (".equ A", 1, ".equ", "'.equ' does not have 1 argument (write: .equ NAME, expression)"),
    (".data\n.word 1, 1 << 32", 2, "<<", "value 4294967296 must be from -2147483648 to 4294967295"),
    (".data\n.half 65536", 2, "65536", "value 65536 must be from -32768 to 65535"),
    (".data\n.byte -129", 2, "-129", "value -129 must be from -128 to 255"),
    (".data\n.word 1.5", 2, "1.5", "a floating-point number where an integer is needed"),
    (".data\n.float 1e39", 2, "1e39", "1e39 does not fit float32: at most 3.4028235e38 is possible"),
    (
        ".data\n.float 1e999999999",
        2,
        "1e99",
        "1e999999999 does not fit float32: at most 3.4028235e38 is possible",
    ),
    (
        ".data\n.float 1, -1e-46",
        2,
        "-1e-46",
        "-1e-46 would become 0 in float32: the smallest number above 0 is 1.4e-45",
    ),
    (
        ".data\n.double 1e309",
        2,
        "1e309",
        "1e309 does not fit float64: at most 1.7976931348623157e308 is possible",
    ),
    (".data\n.value -1e400", 2, "-1e400", "-1e400 does not fit float32: at most 3.4028235e38 is possible"),
    (
        ".data\n.double 1e-999999999",
        2,
        "1e-9",
        "1e-999999999 would become 0 in float64: the smallest number above 0 is 4.9e-324",
    ),
    (".data\n.space 1 << 29", 2, "<<", "size 536870912 must be from 0 to 268435456"),
    (".data\n.align 0", 2, "0", "alignment 0 must be from 1 to 2147483648"),
    (".data -4", 1, "-4", "address -4 must be from 0 to 2147483647"),
    (
        ".data 0x7FFFFFFF\n.word 1",
        2,
        ".word",
        "data after address 2147483648: use less data or a lower address",
    ),
    (
        ".data 64\n.word 1\n.data 66\n.byte 1",
        4,
        ".byte",
        "data overlaps that of line 2; choose another address",
    ),
    (".equ A, 1 / (3 - 3)", 1, "/", "division by zero: the divisor must not be 0"),
    (".equ A, 1 % 0", 1, "%", "division by zero: the divisor must not be 0"),
    (".equ A, 1 << -1", 1, "<<", "shift by -1; it must be from 0 to 63"),
    (".equ A, 1 << 62 << 1", 1, "<< 1", "the value does not fit 64 bits: use a smaller one"),
    (f".equ A, {10**40}", 1, "1", "the value does not fit 64 bits: use a smaller one"),
    (".equ A, 1" + "0" * 5000, 1, "1", "the number does not fit 64 bits: use a smaller one"),
    (f".equ A, {'(' * 3000}1{')' * 3000}", 1, "(", "the expression is nested too deeply: split it with .equ"),
    ("add x1,, x2", 1, ", x2", "unexpected ','; expected a name or a number"),
    ("add x1, x2 x3", 1, "x3", "unexpected 'x3'; expected a comma or the end of the line"),
    ("add x1, ", 1, "", "the line ends too early; expected a name or a number"),
    ("li x1, (3", 1, "", "the line ends too early; expected ')'"),
    ("li x1, $3", 1, "$3", "unexpected '$'; expected a name or a number"),
    ("5: nop", 1, "5", "unexpected '5'; expected a name or the end of the line or a directive"),
]


@pytest.mark.parametrize(("text", "line", "place", "reason"), MISTAKES, ids=lambda value: str(value)[:30])
def test_mistakes(text, line, place, reason):
    error = mistake(text)
    assert error.reason == reason
    assert error.file == "p.s"
    assert error.line == line
    assert error.text == text.split("\n")[line - 1]
    rest = error.text[error.column - 1 :]
    assert rest.startswith(place) if place else rest.strip() == ""
    shown = error.text[:SHOWN_LETTERS]  # the places of these mistakes are near the beginning
    assert str(error) == f"p.s:{line}:{error.column}: {reason}\n{shown}\n{' ' * (error.column - 1)}^"


def test_a_given_symbol_is_not_defined_again():
    error = mistake(".equ N, 3", symbols={"N": 3})
    assert error.reason == (
        "'N' is already defined (given from outside); use .default for a value that may be given"
    )


def test_a_branch_too_far_to_a_label():
    error = mistake("top: nop\n" + "nop\n" * 8192 + "beqz x1, top")
    assert error.line == 8194
    assert error.reason == "branch too far: -8193 instructions; use -8192 to 8191, or a nearer label"


def reported(text: str, **options) -> list[str]:
    """Return the place and the first words of each mistake."""
    error = mistake(text, **options)
    return [f"{each.line}: {each.reason.partition(' (')[0]}" for each in (error, *error.following)]


def test_all_mistakes_are_reported_in_the_order_of_the_text():
    text = "j nowhere\n.data\n.byte 256\n.text\nadd x1, x2\nfoo\naddi x1, x1, 9000\nbar x1,,"
    assert reported(text) == [
        "1: undefined symbol 'nowhere'",
        "3: value 256 must be from -128 to 255",
        "5: 'add' does not have 2 operands",
        "6: unknown instruction 'foo'",
        "7: immediate 9000 must be from -8192 to 8191",
        "8: unexpected ','; expected a name or a number",
    ]
    error = mistake(text)
    assert str(error).count("^") == len(error.following) + 1
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert error.more == 0


def test_of_many_mistakes_the_first_are_described_and_the_others_counted():
    error = mistake("addi x1, x1, 9000\n" * 23)
    assert [each.line for each in error.following] == list(range(2, 21))
    assert str(error).splitlines()[-1] == "p.s: and 3 more mistakes"
    assert str(mistake("addi x1, x1, 9000\n" * 21)).splitlines()[-1] == "p.s: and 1 more mistake"


FOLLOW_UPS = [
    "li x1, QQ\nli x2, QQ\n.data\n.word QQ",
    ".equ N, 1 +\nli x1, N\naddi x2, x2, N",
    ".reg row x5\nadd row, row, x1",
    "again: add x1,, x2\nj again",
    ".equ A, B\n.equ C, A\nli x1, C",
    "x5: nop\nj x5",
    ".if N\n.equ A, 1\n.else\n.equ A, 2\n.endif\nli x1, A",
    ".if (1\nnop\n.endif",
    ".iff 1\nnop\n.else\nnop\n.endif",
    ".if 1\nnop\n.endfi",
    ".if 1\nnop\n.endif 3",
    '.include "gone.s"\nadd row, row, row\ncall walk',
    ".dta\nX: .word 1\n.byte 2\n.text\nlw x1, X(zero)",
    "X: .word 1\n.byte 2",
    ".data\n.word 1\n.txt\nadd x1, x2, x3\nhalt",
    "frob x1\nfrob x2\nfrob x3",
    "frob\nhere: j here - 1",  # the instruction before counts
]


@pytest.mark.parametrize("text", FOLLOW_UPS, ids=range(len(FOLLOW_UPS)))
def test_what_another_mistake_explains_is_not_reported(text):
    assert len(reported(text)) == 1


def test_the_same_mistake_in_other_lines_is_reported():
    assert len(reported("addi x1, x1, 9000\naddi x1, x1, 9000")) == 2
    assert len(reported(".data\n.word 1\nnop\n.text\n.word 1\n.data\nnop")) == 3


@pytest.mark.parametrize("end", ["", " ", "\t", " # c"])
def test_a_message_at_the_end_of_a_line_points_after_its_last_character(end):
    error = mistake(f"add x1,{end}")
    assert error.column <= len(error.text) + 1
