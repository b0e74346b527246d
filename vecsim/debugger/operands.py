"""Registers and places in memory by name: ``x5``, ``v3[2]``, ``mask[7]``, ``vl``, ``float(Y + 4)``, ``0x10``.

Names that the source gives to registers and places are taken, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from isa.state import State
from vecsim.debugger.names import Names, Register
from vecsim.debugger.readiness import Place
from vecsim.engines.decoded import FLOAT, SPECIAL
from vecsim.support.decimal_text import OutOfRangeError, nearest_float
from vecsim.support.errors import UserError
from vecsim.support.memory_types import TYPES
from vecsim.support.suggestions import nearest

_PLACE = re.compile(rf"({'|'.join(TYPES)})\s*\((.+)\)$")
_ELEMENT = re.compile(r"([A-Za-z_][\w.]*)\s*\[(.+)\]$")
_TERM = re.compile(r"\s*([+-]?)\s*([A-Za-z_][\w.]*|0[xX][0-9a-fA-F]+|\d+)")


MOST_DIGITS = 18
"""Of a number: cycles and addresses fit into 64 bits."""


@dataclass(frozen=True)
class Operand:
    """What a name stands for.

    Attributes
    ----------
    value
        Reads it from the state.
    places
        Where it is read from, which may depend on the registers of an address.
    """

    value: Callable[[State], Any]
    places: Callable[[State], tuple[Place, ...]]


def _constant(value: Any) -> Operand:
    return Operand(lambda state: value, lambda state: ())


def looks_like_floats(bits: Any) -> bool:
    """Return whether containers (int64) hold float32 of usual sizes rather than integers.

    Small integers, read as float32, are far smaller than any number of a usual computation.
    """
    low = np.asarray(bits, np.int64)
    shown = low[low != 0].astype(np.uint32).view(np.float32)
    with np.errstate(invalid="ignore"):
        return bool(len(shown)) and bool(((np.abs(shown) > 1e-30) & (np.abs(shown) < 1e30)).all())


def number(container: int, wide: bool) -> float | int:
    """Read the container of a vector element: a float64 if values are wide, otherwise a float32 or an
    int32.
    """
    bits = np.int64(container)
    if wide and not -(1 << 31) <= container < 1 << 32:
        return float(bits.view(np.float64))
    if not wide and looks_like_floats([container]):
        return float(np.uint32(container & 0xFFFFFFFF).view(np.float32))
    return int(np.uint32(container & 0xFFFFFFFF).view(np.int32))


def operand(text: str, names: Names) -> Operand:
    """Read the name of a register, an element or a place in memory, or a number.

    Parameters
    ----------
    text
        See the module. Addresses and elements are sums of numbers, symbols of the program and x registers.
    names
        Those of the program in flight.

    Raises
    ------
    UserError
        There is nothing of that name.
    """
    text = text.strip()
    place = _PLACE.match(text)
    if place:
        return _memory(place[1], _sum(place[2], names), names.base)
    element = _ELEMENT.match(text)
    if element:
        return _element(element[1], _sum(element[2], names), names)
    if text in names.registers:
        return _register(names.registers[text], names.doubles)
    try:
        real = re.search(r"[.eE]|inf|nan", text) and "x" not in text
        constant = nearest_float(text) if real else int(text, 0)
    except OutOfRangeError as error:
        raise UserError(str(error)) from None
    except ValueError:
        if text in names.symbols:
            return _constant(names.symbols[text])
        known = [*names.registers, *names.symbols, *TYPES, "mask"]
        raise UserError(f"{text!r}: must be a register, place or number{nearest(text, known)}") from None
    return _constant(constant)


def whole_number(text: str) -> int:
    """Read decimal digits.

    Raises
    ------
    UserError
        They are more than any number here has.
    """
    if len(text) > MOST_DIGITS:
        raise UserError(f"{text[:MOST_DIGITS]}...: is too large; use at most {MOST_DIGITS} digits")
    return int(text)


def scalar_number(kind: str, n: int) -> int:
    """Return the number of a scalar register among all of them."""
    return n + {"x": 0, "f": FLOAT, "s": SPECIAL}[kind]


def _register(register: Register, doubles: bool) -> Operand:
    kind, n = register
    if kind == "v":
        return Operand(
            lambda state: state.v[n * state.section : (n + 1) * state.section].tolist(),
            lambda state: _elements(state, n * state.section, state.section),
        )
    values: dict[str, Callable[[State], Any]] = {
        "x": lambda state: int(state.x[n]),
        "s": lambda state: int(state.special[n]),
        "f": lambda state: float(state.fd[n]) if doubles else float(state.fs[2 * n]),
    }
    number = scalar_number(kind, n)
    return Operand(values[kind], lambda state: (Place("scalar", number, number + 1),))


def _element(text: str, index: Operand, names: Names) -> Operand:
    registers = names.registers
    if text != "mask" and registers.get(text, ("", 0))[0] != "v":
        vectors = [name for name, (kind, _) in registers.items() if kind == "v"]
        raise UserError(f"{text}[...]: unknown vector register {text!r}{nearest(text, [*vectors, 'mask'])}")

    def element(state: State) -> int:
        k = int(index.value(state))
        if not 0 <= k < state.section:
            raise UserError(f"{text}[{k}]: the element must be from 0 to {state.section - 1}")
        return k

    def read(state: State) -> Any:
        if text == "mask":
            return int(state.mask[element(state)])
        at = registers[text][1] * state.section + element(state)
        return number(int(state.v[at]), names.wide(state)) if at < len(state.v) else 0

    def places(state: State) -> tuple[Place, ...]:
        if text == "mask":
            at = len(state.v) + element(state)
            return (Place("element", at, at + 1), *index.places(state))
        at = registers[text][1] * state.section + element(state)
        return (*_elements(state, at, 1), *index.places(state))

    return Operand(read, places)


def _elements(state: State, first: int, count: int) -> tuple[Place, ...]:
    """Return where elements of vector registers are; the machine may have fewer than can be named."""
    return (Place("element", first, first + count),) if first + count <= len(state.v) else ()


def _memory(kind: str, address: Operand, base: int) -> Operand:
    dtype = np.dtype(TYPES[kind])

    def place(state: State) -> Place:
        at, end = int(address.value(state)) - base, len(state.memory)
        if not 0 <= at <= end - dtype.itemsize:
            lowest = f"from {base} on and " if base else ""
            raise UserError(
                f"{kind}({at + base}) is outside memory; addresses must be {lowest}below {base + end}"
            )
        return Place("memory", at, at + dtype.itemsize)

    def read(state: State) -> Any:
        at = place(state)
        return np.frombuffer(state.memory[at.first : at.end].tobytes(), dtype)[0].item()

    return Operand(read, lambda state: (place(state), *address.places(state)))


def _sum(text: str, names: Names) -> Operand:
    """Read a sum of numbers, symbols and x registers."""
    terms: list[tuple[int, Operand]] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TERM.match(text, at)
        if match is None or (terms and not match[1]):
            raise UserError(f"{text.strip()!r}: write a sum such as Y + 4 or x5 - 8")
        terms.append((-1 if match[1] == "-" else 1, _term(match[2], names)))
        at = match.end()
    if not terms:
        raise UserError("the parentheses are empty: write an address or an element")
    return Operand(
        lambda state: sum(sign * term.value(state) for sign, term in terms),
        lambda state: tuple(place for _, term in terms for place in term.places(state)),
    )


def _term(text: str, names: Names) -> Operand:
    if text[0].isdigit():
        try:
            return _constant(int(text, 0))
        except ValueError:
            raise UserError(f"{text[:20]!r}: is not a number; write one such as 12 or 0x1f") from None
    if text in names.registers:
        if names.registers[text][0] != "x":
            raise UserError(f"{text}: an address must have numbers, symbols and x registers only")
        return _register(names.registers[text], False)
    if text not in names.symbols:
        raise UserError(
            f"unknown symbol or register {text!r}; use a label or a "
            f"register{nearest(text, [*names.symbols, *names.registers])}"
        )
    return _constant(names.symbols[text])
