"""The directives of the assembler: their names, arguments and meaning."""

from __future__ import annotations

from isa.text.directives import MANY, Directive
from isa.text.syntax import Argument, Name, Problem

SECTIONS = {".text": False, **dict.fromkeys((".data", ".rodata", ".sdata", ".bss", ".sbss"), True)}
"""What ``.section`` takes, with whether it holds data."""

DIRECTIVES: tuple[Directive, ...] = (
    Directive(".equ", "NAME, expression", 2, 2, "define a constant; its symbols are known already"),
    Directive(".default", "NAME, expression", 2, 2, "define a constant unless it is defined or given"),
    Directive(".reg", "NAME, register", 2, 2, "give a register a second name from here on"),
    Directive(".if", "expression", 1, 1, "assemble what follows only if the expression is not 0"),
    Directive(".else", "", 0, 0, "assemble what follows only if the .if was not taken"),
    Directive(".endif", "", 0, 0, "end of .if"),
    Directive(".include", '"file"', 1, 1, "assemble the text of a file next to this one, here"),
    Directive(".globl", "NAME, ...", 1, MANY, "nothing: every text knows all names"),
    Directive(".global", "NAME, ...", 1, MANY, "the same"),
    Directive(
        ".instruction",
        '"NAME operands", "rule"',
        2,
        2,
        'declare an instruction from here on, such as "absdv.s vd=, va, vb", "abs(va - vb)"',
    ),
    Directive(".text", "", 0, 0, "what follows is instructions (so it begins)"),
    Directive(".data", "[address]", 0, 1, "what follows is data, from the address or where data ended"),
    Directive(".section", ".name", 1, 1, f"one of {', '.join(SECTIONS)}; all but .text mean .data"),
    Directive(".word", "value, ...", 1, MANY, "integers of 32 bits"),
    Directive(".half", "value, ...", 1, MANY, "integers of 16 bits"),
    Directive(".byte", "value, ...", 1, MANY, "integers of 8 bits"),
    Directive(".float", "number, ...", 1, MANY, "float32 numbers"),
    Directive(".double", "number, ...", 1, MANY, "float64 numbers"),
    Directive(".value", "number, ...", 1, MANY, "matrix values: .float or .double by VALUE_BYTES"),
    Directive(".incbin", '"file"[, first[, bytes]]', 1, 3, "bytes of a file next to this one"),
    Directive(
        ".ascii", '"text", ...', 1, MANY, 'characters in UTF-8; \\n, \\t, \\r, \\0, \\\\ and \\" as in C'
    ),
    Directive(".asciz", '"text", ...', 1, MANY, "the same, with a zero byte after each text"),
    Directive(".string", '"text", ...', 1, MANY, "the same as .asciz"),
    Directive(".space", "bytes", 1, 1, "that many zero bytes"),
    Directive(".zero", "bytes", 1, 1, "the same"),
    Directive(".align", "bytes", 1, 1, "zero bytes up to a multiple of that many bytes"),
    Directive(".balign", "bytes", 1, 1, "the same"),
    Directive(".p2align", "n", 1, 1, "zero bytes up to a multiple of 2 to the power of n bytes"),
)
"""The table, in the order of the reference."""

BY_NAME: dict[str, Directive] = {directive.name: directive for directive in DIRECTIVES}


def is_data_section(name: Name, arguments: tuple[Argument, ...]) -> bool:
    """Return whether data follows ``.text``, ``.data`` or ``.section``; Problem if neither does."""
    argument = arguments[0] if name.text == ".section" else name
    if not isinstance(argument, Name) or argument.text not in SECTIONS:
        raise Problem(argument.column, f"unknown section: write one of {', '.join(SECTIONS)}")
    return SECTIONS[argument.text]
