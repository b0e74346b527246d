"""The names of a program in assembly: constants, labels, and second names of registers."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping

from isa.declaration import REGISTERS
from isa.registers import KINDS, REGISTER_NAMES, RISCV_ALIASES, Register, register_name
from isa.text.expressions import LIMIT
from isa.text.places import Place
from isa.text.syntax import Argument, Name, Problem
from vecsim.support.arguments import shown
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

VALUE_BYTES = "VALUE_BYTES"
"""Predefined: the bytes of a matrix value."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_NUMBERED = re.compile(r"[xfv][0-9]+")


class Undefined(Problem):
    """A symbol that is not defined, or not yet."""


class Symbols:
    """Values of constants and labels, and the registers' names.

    Parameters
    ----------
    given
        Symbols defined outside the text.
    value_bytes
        Value of the predefined symbol VALUE_BYTES.

    Raises
    ------
    UserError
        A given symbol whose name is no name or is taken, or whose value is no integer of 64 bits.
    """

    def __init__(self, given: Mapping[str, int], value_bytes: int) -> None:
        self.values: dict[str, int] = {VALUE_BYTES: value_bytes}
        self.data_labels: set[str] = set()
        self._origin: dict[str, str | Place] = {VALUE_BYTES: "predefined"}
        self._registers: dict[str, Register] = dict(REGISTER_NAMES)
        self._yielding: set[str] = set(RISCV_ALIASES)
        """Names of registers that the text has neither read nor defined: it may define them."""
        for name, value in given.items():
            self._give(name, value)

    def _give(self, name: str, value: int) -> None:
        if _NAME.fullmatch(name) is None:
            raise UserError(f"symbol {name!r}: use letters, digits, '_' and '.', no digit first")
        self._yield(name)
        if name in self._registers:
            raise UserError(f"symbol {name!r} is the name of a register; use another name")
        if name == VALUE_BYTES and value != self.values[VALUE_BYTES]:
            raise UserError(
                f"symbol {VALUE_BYTES} is predefined as {self.values[VALUE_BYTES]}; use another name"
            )
        try:
            number = operator.index(value)
        except TypeError:
            raise UserError(
                f"symbol {name!r}: {shown(value)} is not an integer; use a whole number"
            ) from None
        if not -LIMIT <= number < LIMIT:
            raise UserError(f"symbol {name!r}: the value does not fit 64 bits; use a smaller one")
        self.values[name] = number
        self._origin.setdefault(name, "given from outside")

    def define(self, name: Name, value: int, place: Place, *, data_label: bool = False) -> None:
        """Define a constant or a label.

        Parameters
        ----------
        name, value
            What it is called, and its value.
        place
            Where it is defined.
        data_label
            Whether it is the address of data, to which no branch goes.

        Raises
        ------
        Problem
            The name is taken.
        """
        self._claim(name, "is the name of a register")
        if name.text in self.values:
            origin = self._origin_of(name, place)
            given = origin.startswith("given")
            hint = "use .default for a value that may be given" if given else "use another name"
            raise Problem(name.column, f"{name.text!r} is already defined ({origin}); {hint}")
        self.values[name.text] = value
        self._origin[name.text] = place
        if data_label:
            self.data_labels.add(name.text)

    def _yield(self, name: str) -> None:
        """Remove a name of RISC-V that the text defines and has not read as a register."""
        if name in self._yielding:
            self._yielding.remove(name)
            del self._registers[name]

    def _claim(self, name: Name, reason: str) -> None:
        """Let the text define a name; Problem, with the reason, if it is that of a register."""
        self._yield(name.text)
        if name.text in self._registers:
            if name.text in RISCV_ALIASES:
                reason = f"already means {register_name(*self._registers[name.text])} before this line"
            raise Problem(name.column, f"{name.text!r} {reason}; use another name")

    def _origin_of(self, name: Name, place: Place) -> str:
        """Return where a symbol comes from, as a message on a line writes it."""
        origin = self._origin[name.text]
        return origin if isinstance(origin, str) else origin.seen_from(place)

    def rename(self, name: Name, register: Register, place: Place) -> None:
        """Let ``name`` mean a register from here on; Problem if the name is taken."""
        self._claim(name, "is already the name of a register")
        if name.text in self.values:
            raise Problem(
                name.column,
                f"{name.text!r} is already defined ({self._origin_of(name, place)}); use another name",
            )
        self._registers[name.text] = register

    @property
    def register_names(self) -> dict[str, Register]:
        """What the text calls registers, next to their plain names."""
        not_yielding = RISCV_ALIASES.keys() - self._yielding
        return {
            name: register
            for name, register in self._registers.items()
            if register != REGISTER_NAMES.get(name) or name in not_yielding
        }

    def lookup(self, name: Name) -> int:
        """Return the value of a symbol; Undefined if it has none, Problem if it is a register."""
        if name.text in self.values:
            return self.values[name.text]
        if name.text in self._registers:
            kind = Undefined if name.text in self._yielding else Problem  # a label may follow
            raise kind(name.column, f"{name.text} is a register; a number is needed", name.text)
        reason = f"undefined symbol {name.text!r}{nearest(name.text, self.values)}"
        raise Undefined(name.column, reason, name.text)

    def register(self, argument: Argument, kinds: str) -> Register:
        """Return the register that an argument names; Problem unless it is one of ``kinds`` (letters)."""
        wanted = " or ".join(KINDS[kind] for kind in kinds)
        if not isinstance(argument, Name):
            raise Problem(argument.column, f"{wanted} is needed")
        result = self._registers.get(argument.text)
        if result is None:
            if argument.text in self.values:
                raise Problem(argument.column, f"{argument.text!r} is a symbol; {wanted} is needed")
            raise Problem(argument.column, self._unknown_register(argument.text, kinds), argument.text)
        if result[0] not in kinds:
            raise Problem(argument.column, f"{argument.text} is {KINDS[result[0]]}; {wanted} is needed")
        self._yielding.discard(argument.text)
        return result

    def _unknown_register(self, name: str, kinds: str) -> str:
        if _NUMBERED.fullmatch(name):
            return f"unknown register {name!r}; they are {name[0]}0 to {name[0]}{REGISTERS - 1}"
        names = [other for other, (kind, _) in self._registers.items() if kind in kinds]
        return f"unknown register {name!r}{nearest(name, names)}"
