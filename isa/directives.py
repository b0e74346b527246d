"""The directives of the assembler: their names, arguments and meaning."""

from __future__ import annotations

from dataclasses import dataclass

from isa.syntax import Argument, Name, Problem
from vecsim.support.suggestions import amount, nearest

MANY = 1 << 30


@dataclass(frozen=True)
class Directive:
    """A directive: name with its dot, arguments as a user writes them, how many, and its summary."""

    name: str
    arguments: str
    least: int
    most: int
    summary: str

    @property
    def syntax(self) -> str:
        """Name and arguments as a user writes them."""
        return f"{self.name} {self.arguments}".strip()


DIRECTIVES: tuple[Directive, ...] = (
    Directive(".equ", "NAME, expression", 2, 2, "define a constant; its symbols are known already"),
    Directive(".default", "NAME, expression", 2, 2, "define a constant unless it is defined or given"),
    Directive(".reg", "NAME, register", 2, 2, "give a register a second name from here on"),
    Directive(".if", "expression", 1, 1, "assemble what follows only if the expression is not 0"),
    Directive(".else", "", 0, 0, "assemble what follows only if the .if was not taken"),
    Directive(".endif", "", 0, 0, "end of .if"),
    Directive(".include", '"file"', 1, 1, "assemble the text of a file next to this one, here"),
    Directive(".text", "", 0, 0, "what follows is instructions (so it begins)"),
    Directive(".data", "[address]", 0, 1, "what follows is data, from the address or where data ended"),
    Directive(".word", "value, ...", 1, MANY, "integers of 32 bits"),
    Directive(".half", "value, ...", 1, MANY, "integers of 16 bits"),
    Directive(".byte", "value, ...", 1, MANY, "integers of 8 bits"),
    Directive(".float", "number, ...", 1, MANY, "float32 numbers"),
    Directive(".double", "number, ...", 1, MANY, "float64 numbers"),
    Directive(".value", "number, ...", 1, MANY, "matrix values: .float or .double by VALUE_BYTES"),
    Directive(".incbin", '"file"[, first[, bytes]]', 1, 3, "bytes of a file next to this one"),
    Directive(".space", "bytes", 1, 1, "that many zero bytes"),
    Directive(".align", "bytes", 1, 1, "zero bytes up to a multiple of that many bytes"),
)
"""The table, in the order of the reference."""

BY_NAME: dict[str, Directive] = {directive.name: directive for directive in DIRECTIVES}


def check_directive(name: Name, arguments: tuple[Argument, ...]) -> Directive:
    """Find a directive; Problem if there is none or the number of arguments is wrong."""
    directive = BY_NAME.get(name.text)
    if directive is None:
        raise Problem(name.column, f"unknown directive {name.text!r}{nearest(name.text, BY_NAME)}")
    if not directive.least <= len(arguments) <= directive.most:
        count = amount(len(arguments), "argument")
        raise Problem(name.column, f"{name.text!r} does not have {count} (write: {directive.syntax})")
    return directive
