"""Registers and places in memory by name: ``x5``, ``v3[2]``, ``mask[7]``, ``vl``, ``float(Y + 4)``, ``0x10``.

Names that the source gives to registers and places are taken, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from isa.program import Program
from isa.registers import REGISTER_NAMES
from isa.state import State
from vecsim.decimal_text import OutOfRangeError, nearest_float
from vecsim.errors import UserError
from vecsim.memory_places import TYPES
from vecsim.suggestions import nearest

_PLACE = re.compile(rf"({'|'.join(TYPES)})\s*\((.+)\)$")
_ELEMENT = re.compile(r"([A-Za-z_][\w.]*)\s*\[(.+)\]$")
_TERM = re.compile(r"\s*([+-]?)\s*([A-Za-z_][\w.]*|0[xX][0-9a-fA-F]+|\d+)")

Reader = Callable[[State], Any]
"""Reads a value from the state."""


def registers_of(program: Program) -> dict[str, tuple[str, int]]:
    """Give every name of a register: kind and number."""
    return REGISTER_NAMES | dict(program.register_names)


def looks_like_floats(bits: Any) -> bool:
    """Say whether containers (int64) hold float32 of usual sizes rather than integers.

    Small integers, read as float32, are far smaller than any number of a usual computation.
    """
    low = np.asarray(bits, np.int64)
    shown = low[low != 0].astype(np.uint32).view(np.float32)
    with np.errstate(invalid="ignore"):
        return bool(len(shown)) and bool(((np.abs(shown) > 1e-30) & (np.abs(shown) < 1e30)).all())


def number(container: int, wide: bool) -> float | int:
    """Read the container of a vector element: a float64 if values are wide, else a float32 or an int32."""
    bits = np.int64(container)
    if wide and not -(1 << 31) <= container < 1 << 32:
        return float(bits.view(np.float64))
    if not wide and looks_like_floats([container]):
        return float(np.uint32(container & 0xFFFFFFFF).view(np.float32))
    return int(np.uint32(container & 0xFFFFFFFF).view(np.int32))


def reader(text: str, program: Program, *, section: int, memory_bytes: int, wide: bool) -> Reader:
    """Read the name of a register, an element or a place in memory, or a number.

    Parameters
    ----------
    text
        See the module. Addresses and elements are sums of numbers, symbols of the program and x registers.
    program
        Whose names count.
    section, memory_bytes
        Elements of a vector register; bytes of memory.
    wide
        Whether values of matrices are float64.

    Raises
    ------
    UserError
        There is nothing of that name.
    """
    text = text.strip()
    place = _PLACE.match(text)
    if place:
        return _memory(place[1], _sum(place[2], program), memory_bytes)
    element = _ELEMENT.match(text)
    if element:
        return _element(element[1], _sum(element[2], program), program, section, wide)
    names = registers_of(program)
    if text in names:
        return _register(text, names[text], wide)
    try:
        real = re.search(r"[.eE]|inf|nan", text) and "x" not in text
        constant = nearest_float(text) if real else int(text, 0)
    except OutOfRangeError as error:
        raise UserError(str(error)) from None
    except ValueError:
        if text in program.symbols:
            value = program.symbols[text]
            return lambda state: value
        known = [*names, *program.symbols, *TYPES, "mask"]
        raise UserError(f"{text!r}: no register, place or number{nearest(text, known)}") from None
    return lambda state: constant


def _register(text: str, register: tuple[str, int], wide: bool) -> Reader:
    kind, n = register
    if kind == "x":
        return lambda state: int(state.x[n])
    if kind == "s":
        return lambda state: int(state.special[n])
    if kind == "f":
        return lambda state: float(state.fd[n]) if wide else float(state.fs[2 * n])
    return lambda state: state.v[n * state.section : (n + 1) * state.section].tolist()


def _element(text: str, index: Reader, program: Program, section: int, wide: bool) -> Reader:
    names = registers_of(program)
    if text != "mask" and names.get(text, ("", 0))[0] != "v":
        vectors = [name for name, (kind, _) in names.items() if kind == "v"]
        raise UserError(f"{text}[...]: no vector register {text!r}{nearest(text, [*vectors, 'mask'])}")

    def read(state: State) -> Any:
        k = int(index(state))
        if not 0 <= k < section:
            raise UserError(f"{text}[{k}]: a register has elements 0 to {section - 1}")
        if text == "mask":
            return int(state.mask[k])
        at = names[text][1] * section + k
        return number(int(state.v[at]), wide) if at < len(state.v) else 0

    return read


def _memory(kind: str, address: Reader, memory_bytes: int) -> Reader:
    dtype = np.dtype(TYPES[kind])

    def read(state: State) -> Any:
        at = int(address(state))
        if not 0 <= at <= memory_bytes - dtype.itemsize:
            raise UserError(f"{kind}({at}) lies outside memory, {memory_bytes} bytes")
        return np.frombuffer(state.memory[at : at + dtype.itemsize].tobytes(), dtype)[0].item()

    return read


def _sum(text: str, program: Program) -> Reader:
    """Read a sum of numbers, symbols and x registers."""
    terms: list[tuple[int, Reader]] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TERM.match(text, at)
        if match is None or (terms and not match[1]):
            raise UserError(f"{text.strip()!r}: write a sum such as Y + 4 or x5 - 8")
        terms.append((-1 if match[1] == "-" else 1, _term(match[2], program)))
        at = match.end()
    if not terms:
        raise UserError("an address or an element is missing between the parentheses")
    return lambda state: sum(sign * read(state) for sign, read in terms)


def _term(text: str, program: Program) -> Reader:
    if text[0].isdigit():
        value = int(text, 0)
        return lambda state: value
    names = registers_of(program)
    if text in names:
        kind, n = names[text]
        if kind != "x":
            raise UserError(f"{text}: an address is made of numbers, symbols and x registers")
        return lambda state: int(state.x[n])
    if text not in program.symbols:
        raise UserError(f"no symbol or register {text!r}{nearest(text, [*program.symbols, *names])}")
    symbol = program.symbols[text]
    return lambda state: symbol
