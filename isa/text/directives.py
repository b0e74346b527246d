"""What a directive is, of any instruction set, and how a written one is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from isa.text.syntax import Argument, Name, Problem
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


def check_directive(name: Name, arguments: tuple[Argument, ...], table: Mapping[str, Directive]) -> Directive:
    """Find a directive; Problem if there is none or the number of arguments is wrong."""
    directive = table.get(name.text)
    if directive is None:
        reason = f"unknown directive {name.text!r}{nearest(name.text, table)}"
        raise Problem(name.column, reason, name.text)
    if not directive.least <= len(arguments) <= directive.most:
        count = amount(len(arguments), "argument")
        raise Problem(name.column, f"{name.text!r} does not have {count} (write: {directive.syntax})")
    return directive
