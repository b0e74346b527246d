"""The names of a RISC-V program in assembly, labels and constants, and the values of expressions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from isa.riscv.operands import NAMED_REGISTERS
from isa.riscv.program import Symbol
from isa.riscv.sections import Section
from isa.riscv.statements import REST
from isa.symbols import Undefined
from isa.text.expressions import LIMIT, Evaluation
from isa.text.places import Place
from isa.text.syntax import Argument, Name, Number, Problem, substituted
from vecsim.support.suggestions import nearest

_NUMERIC = re.compile(r"([0-9]+)([fb])")
_PROVISIONAL = (1 << 36, 5 << 36)
"""How far apart sections are while their addresses are not known: what differs depends on them."""
LOW = 0xFFF
"""The bits that an immediate of 12 bits adds to those of lui and auipc."""


@dataclass(frozen=True)
class Label:
    """A place in a section, and the line that defines it."""

    section: Section
    offset: int
    place: Place

    @property
    def address(self) -> int:
        """Its address, as far as that of the section is known."""
        return self.section.address + self.offset


class Symbols:
    """What names stand for.

    Numeric labels and ``.`` get names with a zero byte in them, another one at each place.

    Parameters
    ----------
    given
        Constants from outside.
    sections
        Those of the text; there may be more later.

    Attributes
    ----------
    high
        Instructions that have ``%pcrel_hi``, with the expression that it is about.
    """

    def __init__(self, given: Mapping[str, int], sections: Mapping[str, Section]) -> None:
        self._sections = sections
        self._labels: dict[str, Label] = {}
        self._constants: dict[str, int | Argument] = dict(given)
        self._numeric: dict[str, int] = {}
        self._evaluated: list[str] = []
        """Constants whose expressions are being evaluated."""
        self.high: list[tuple[Label, Argument]] = []
        self._targets: dict[int, Argument] = {}
        """Those by address, once that is known."""

    def define_label(self, name: Name, label: Label) -> None:
        """Define a label; Problem if the name is taken."""
        text = name.text
        if text.isdigit():
            self._numeric[text] = self._numeric.get(text, 0) + 1
            text = f"{text}\0{self._numeric[text]}"
        elif text in NAMED_REGISTERS:
            raise Problem(name.column, f"{text!r} is the name of a register; use another name")
        elif text in self._constants:
            raise Problem(name.column, f"{text!r} is already defined; use another name")
        elif text in self._labels:
            place = self._labels[text].place.seen_from(label.place)
            raise Problem(name.column, f"{text!r} is already defined ({place}); use another name")
        self._labels[text] = label

    def define_constant(self, name: Name, value: Argument, here: Label, *, once: bool) -> None:
        """Define a constant; Problem if the name is taken, or defined already and ``once``.

        What is not known yet is evaluated at the end.

        Parameters
        ----------
        name, value
            As the text has them.
        here
            Where in the program it is.
        once
            Whether the name must be new.
        """
        text, old = name.text, self._constants.get(name.text)
        if text in self._labels or text in NAMED_REGISTERS:
            raise Problem(name.column, f"{text!r} is a label or a register; use another name")
        if old is not None and (once or not isinstance(old, int)):
            raise Problem(name.column, f"{text!r} is already defined; use another name")
        try:
            self._constants[text] = self.known(value, here)
        except Problem:
            self._constants[text] = self.resolved(value, here)

    def has(self, name: str) -> bool:
        """Return whether a name is defined so far."""
        return name in self._labels or name in self._constants

    def resolved(self, node: Argument, here: Label) -> Argument:
        """Return an expression in which known constants are numbers, numeric labels and ``.`` are labels."""

        def replacement(name: Name) -> Argument:
            if name.text == ".":
                hidden = f".\0{here.section.name}\0{here.offset}"
                self._labels[hidden] = here
                return Name(hidden, name.column)
            if match := _NUMERIC.fullmatch(name.text):
                count = self._numeric.get(match[1], 0) + (match[2] == "f")
                if not count:
                    raise Problem(name.column, f"there is no label {match[1]} before this line")
                return Name(f"{match[1]}\0{count}", name.column)
            value = self._constants.get(name.text)
            return Number(value, name.column) if isinstance(value, int) else name

        return substituted(node, replacement)

    def known(self, node: Argument, here: Label) -> int:
        """Return the value of an expression before addresses are known; Problem if it depends on them."""
        node = self.resolved(node, here)
        try:
            values = [self._provisional(node, apart) for apart in _PROVISIONAL]
        except Undefined as problem:
            reason = f"{problem.reason}: it must be defined before this line"
            raise Undefined(problem.column, reason, problem.cause) from None
        if values[0] != values[1]:
            reason = "an address is not known yet: write a number, or a difference of labels"
            raise Problem(node.column, reason)
        return values[0]

    def settle(self) -> None:
        """Note that sections have their addresses."""
        self._targets = {label.address: node for label, node in self.high}

    def _provisional(self, node: Argument, apart: int) -> int:
        for number, section in enumerate(self._sections.values(), 1):
            section.address = number * apart
        return self.value(node)

    def value(self, node: Argument, address: int | None = None) -> int:
        """Return the value of an expression, in an instruction at an address."""
        return Evaluation(self._lookup, partial(self._half, address), 2 * LIMIT - 1).value(node)

    def _lookup(self, name: Name) -> int:
        text = name.text
        if text in self._labels:
            return self._labels[text].address
        value = self._constants.get(text)
        if isinstance(value, int):
            return value
        if value is not None:
            return self._delayed(name, value)
        if "\0" in text:
            number = text.partition("\0")[0]
            raise Undefined(name.column, f"there is no label {number} after this line", text)
        if text in NAMED_REGISTERS:
            raise Problem(name.column, f"{text} is a register; a number is needed", text)
        names = [each for each in (*self._labels, *self._constants) if "\0" not in each]
        raise Undefined(name.column, f"undefined symbol {text!r}{nearest(text, names)}", text)

    def _delayed(self, name: Name, value: Argument) -> int:
        if name.text in self._evaluated:
            raise Problem(name.column, f"{name.text!r} depends on itself: define it by other names")
        self._evaluated.append(name.text)
        try:
            return self.value(value)
        except Problem as problem:
            raise Problem(name.column, f"{name.text}: {problem.reason}", problem.cause) from None
        finally:
            self._evaluated.pop()

    def _half(self, address: int | None, part: str, value: int, column: int) -> int:
        """Return what a relocation operator makes of a value: 12 bits with their sign, or the 20 above."""
        if part == "pcrel_lo":
            part, value = REST, self._target_of(value, column) - value
        elif part not in ("hi", "lo"):
            if address is None:
                raise Problem(column, f"%{part} is for instructions only")
            value -= address - 4 if part == REST else address
        low = (value & LOW ^ 0x800) - 0x800
        if part in ("lo", REST):
            return low
        if not -(1 << 31) <= value - low < 1 << 31:
            reach = "it takes 32 bits with their sign: use la" if part == "hi" else "it reaches 2 GiB"
            raise Problem(column, f"{value:#x} is too far for %{part}; {reach}")
        return (value - low >> 12) & 0xFFFFF

    def _target_of(self, address: int, column: int) -> int:
        """Return what the ``%pcrel_hi`` of the instruction at an address is about."""
        if address in self._targets:
            return self.value(self._targets[address])
        raise Problem(column, "%pcrel_lo takes the label of an instruction that has %pcrel_hi")

    def addresses(self, sections: list[Section], sizes: Mapping[str, Callable[[], int]]) -> dict[str, Symbol]:
        """Return the labels of sections.

        A variable ends where ``sizes`` says, otherwise at the next label of its section.
        """
        result = {}
        for section in sections:
            labels = [
                (label.offset, name)
                for name, label in self._labels.items()
                if label.section is section and "\0" not in name
            ]
            ends = sorted({offset for offset, name in labels if not name.startswith(".L")} | {section.offset})
            for offset, name in sorted(labels):
                end = ends[min(bisect_right(ends, offset), len(ends) - 1)]
                size = sizes[name]() if name in sizes else (end - offset) * (not section.kind.instructions)
                result[name] = Symbol(section.address + offset, size)
        return result
