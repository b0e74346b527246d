"""A RISC-V program, whether it was assembled or linked: what memory holds, where it begins, its symbols."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from isa.program import SourceLine
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest


class Segment(NamedTuple):
    """Bytes at an address, followed by zeros up to ``size``."""

    address: int
    content: bytes
    size: int


class Symbol(NamedTuple):
    """An address with a name, and how many bytes are there (0: not known)."""

    address: int
    size: int


@dataclass(frozen=True)
class RiscvProgram:
    """A program.

    Attributes
    ----------
    name
        What messages call it.
    entry
        The address of its first instruction.
    segments
        What memory contains at first, by address.
    text, text_end
        The addresses between which instructions are.
    symbols
        By name.
    lines
        The addresses of instructions in order, each with its source line; empty where that is not known.
    inputs
        SHA-256 of every file that assembling read, by its path from the folder of the text.
    extensions
        The custom extensions that it is for (:data:`isa.riscv.extensions.CUSTOM`).
    """

    name: str
    entry: int
    segments: tuple[Segment, ...]
    text: int
    text_end: int
    symbols: Mapping[str, Symbol]
    lines: Sequence[tuple[int, SourceLine]] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)
    extensions: frozenset[str] = frozenset()

    @cached_property
    def code_labels(self) -> Mapping[int, str]:
        """The first symbol of each address of the text that has one."""
        names: dict[int, str] = {}
        for name, symbol in self.symbols.items():
            if self.text <= symbol.address < self.text_end:
                names.setdefault(symbol.address, name)
        return names

    @cached_property
    def functions(self) -> Mapping[str, range]:
        """The addresses of the text by symbols: from each to its end, or to the next if no size is known."""
        inside = {n: each for n, each in self.symbols.items() if self.text <= each.address < self.text_end}
        begins = sorted({each.address for each in inside.values()} | {self.text_end})
        return {
            name: range(address, address + size if size else begins[bisect_right(begins, address)])
            for name, (address, size) in inside.items()
        }

    def check_function(self, name: str) -> None:
        """Refuse the name of a function that the program does not have.

        Raises
        ------
        UserError
            There is no such symbol in its text.
        """
        if name not in self.functions:
            near = nearest(name, self.functions)
            raise UserError(f"function {name!r}: {self.name} has no such symbol in its text{near}")

    def line_of(self, address: int) -> SourceLine | None:
        """Return the source line of an instruction; None if it is not known."""
        place = bisect_right(self.lines, address, key=lambda each: each[0]) - 1
        return self.lines[place][1] if place >= 0 else None

    def source_lines(self, file: str) -> list[str]:
        """Return the lines of a source file by its name in `lines`; none if it is not at hand."""
        return []

    def bytes_at(self, address: int, count: int) -> bytes:
        """Return what memory contains at first; fewer bytes at the end of a segment."""
        for each in self.segments:
            if each.address <= address < each.address + each.size:
                content = each.content.ljust(each.size, b"\0")
                return content[address - each.address : address - each.address + count]
        return b""
