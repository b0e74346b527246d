"""Worked examples of instructions: a state before, an instruction, and the state after it.

Each row of the instruction table has at least two, whose results are worked by hand from what the
instruction is documented to do. They are in the files of ``isa/examples``, in this form::

    addvv.{s,d} v1, v2, v3   # what the example shows, if that is not plain
        vl = 3, v2 = 1.5 -2 0.25, v3 = 2 2 2
        => v1 = 3.5 0 2.25

A name with braces is an example of each instruction that it stands for. The places of a state:

====================== ===============================================================================
``x1``, ``f1``         a scalar register
``vl``                 a special register; also ``blocklen``, ``rowptr``, ``rowcount``
``v1``, ``v1[4]``      elements of a vector register, from element 0 or 4 on
``mask``, ``cache[8]`` elements of the vector mask, of the vector cache
``memory[64]``         memory from byte 64 on
``pc``                 only after: the number of the instruction that comes next. The instruction itself
                       is number 4 of a program in which all others are ``halt``, so 5 comes next where
                       nothing is said.
====================== ===============================================================================

``.w``, ``.s`` and ``.d`` after a name say that the values are int32, float32 or float64, ``.b`` and ``.h``
that they are bytes or half words of memory, ``.bits`` that they are the 64 bits of a container. Without it
the suffix of the instruction decides. A value of memory may have its own type, such as ``7:b``. The
machine has sections of 8 elements, 8 vector registers and 256 bytes of memory. What an example does not
name holds arbitrary bits before the instruction, and the same ones after it; ``unchanged`` names nothing.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product

from isa.declaration import EXTENSION_OPCODES, REGISTERS, SPECIAL_REGISTERS, Instruction
from isa.state import State
from vecsim.support.errors import UserError

SECTION = 8
VECTOR_REGISTERS = 8
MEMORY_BYTES = 256
"""The machine of the examples."""
OWN_NUMBER = 4
"""Number of the instruction in its program."""
LEAST = 2
"""Examples that a row of the base table has, at least."""

UNCHANGED = "unchanged"
"""The state after an instruction that changes nothing."""


@dataclass(frozen=True)
class Example:
    """One worked example, as its text states it.

    Attributes
    ----------
    instruction
        The instruction, as a user writes it.
    before, after
        The places that it reads, and those that it changes, with their values.
    note
        What the example shows; empty if that is plain.
    place
        File and line of its text.
    """

    instruction: str
    before: str
    after: str
    note: str
    place: str

    @property
    def mnemonic(self) -> str:
        """The name of the instruction."""
        return self.instruction.partition(" ")[0]

    @property
    def lines(self) -> tuple[str, ...]:
        """The text of the example: the instruction, the state before if it has one, the state after."""
        first = f"{self.instruction}   # {self.note}" if self.note else self.instruction
        return first, *([f"    {self.before}"] if self.before else []), f"    => {self.after}"


@dataclass(frozen=True)
class Cells:
    """Consecutive cells of one part of the state, with their values.

    Attributes
    ----------
    part
        ``pc``, or the field of :class:`isa.state.State` that holds the cells.
    first
        Number of the first cell: a register, an element (of all vector registers), a byte of memory.
    values
        What the cells hold, as integers.
    """

    part: str
    first: int
    values: tuple[int, ...]

    @property
    def numbers(self) -> range:
        """The cells that it fills."""
        return range(self.first, self.first + len(self.values))


_FORMATS = {"b": "<B", "h": "<H", "w": "<I", "s": "<f", "d": "<d", "bits": "<Q"}
_OF_SUFFIX = {"b": "b", "bu": "b", "h": "h", "hu": "h", "w": "w", "s": "s", "d": "d"}
_TYPES = {
    "x": ("w",),
    "f": ("s", "d", "bits"),
    "v": ("w", "s", "d", "bits"),
    "cache": ("w", "s", "d", "bits"),
    "memory": tuple(_FORMATS),
}
"""Types that the values of a part of the state may have."""
_PLACE = re.compile(r"(?P<name>[a-z]+)(?P<number>\d*)(?:\.(?P<type>b|h|w|s|d|bits))?(?:\[(?P<first>\d+)\])?$")
_BRACES = re.compile(r"\{([^{}]*)\}")


def parse(text: str, source: str) -> list[Example]:
    """Parse a text of examples; one with braces in its name gives several.

    Parameters
    ----------
    text
        Examples in the form that the module describes.
    source
        The file, or what else a message names.

    Raises
    ------
    UserError
        A line has no place in an example; the message has its number.
    """
    blocks: list[tuple[int, str, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line[0].isspace():
            blocks.append((number, line.rstrip(), []))
        elif blocks:
            blocks[-1][2].append(line.strip())
        else:
            raise UserError(f"{source}:{number}: a state needs an instruction above it")
    return [example for block in blocks for example in _examples_of_block(*block, source)]


def _examples_of_block(number: int, head: str, states: list[str], source: str) -> Iterator[Example]:
    instruction, _, note = (part.strip() for part in head.partition("#"))
    before, arrow, after = (part.strip(" ,") for part in ", ".join(states).partition("=>"))
    if not arrow or not after or "=>" in after:
        raise UserError(f"{source}:{number}: {instruction}: write the state before, =>, the state after")
    name, _, operands = instruction.partition(" ")
    pieces = _BRACES.split(name)
    for choice in product(*(piece.split(",") for piece in pieces[1::2])):
        chosen = "".join(a + b for a, b in zip(pieces[::2], (*choice, ""), strict=True))
        yield Example(f"{chosen} {operands}".strip(), before, after, note, f"{source}:{number}")


@cache
def base_examples() -> dict[str, tuple[Example, ...]]:
    """Return the examples of the base table by mnemonic."""
    results: dict[str, list[Example]] = {}
    folder = files("isa").joinpath("examples")
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".txt"):
            for example in parse(file.read_text(encoding="utf-8"), f"isa/examples/{file.name}"):
                results.setdefault(example.mnemonic, []).append(example)
    return {name: tuple(examples) for name, examples in results.items()}


def examples_of(instruction: Instruction) -> tuple[Example, ...]:
    """Return the worked examples of an instruction.

    Raises
    ------
    ValueError
        A row of the base table has fewer than two.
    UserError
        The examples of a user-defined instruction are not of the form that the module describes.
    """
    if instruction.opcode in EXTENSION_OPCODES:
        return _own_examples(instruction)
    results = base_examples().get(instruction.mnemonic, ())
    if len(results) < LEAST:
        raise ValueError(
            f"isa/examples: {instruction.mnemonic} has {len(results)} of at least {LEAST} worked examples"
        )
    return results


def _own_examples(instruction: Instruction) -> tuple[Example, ...]:
    source = f"examples of {instruction.mnemonic}"
    results = tuple(parse(instruction.examples, source))
    for example in results:
        if example.mnemonic != instruction.mnemonic:
            raise UserError(
                f"{example.place}: {example.mnemonic} is another instruction; use {instruction.mnemonic}"
            )
        cells_before(example)
        cells_after(example)
    return results


def cells_before(example: Example) -> tuple[Cells, ...]:
    """Parse the state before.

    Raises
    ------
    UserError
        A place or a value that there is not, or a place that is named twice.
    """
    results = _cells(example, example.before)
    if any(cells.part == "pc" for cells in results):
        raise UserError(f"{example.place}: {example.instruction}: pc must be in the state after only")
    return results


def cells_after(example: Example) -> tuple[Cells, ...]:
    """Parse what the instruction changes; see :func:`cells_before`."""
    return () if example.after == UNCHANGED else _cells(example, example.after)


def _cells(example: Example, text: str) -> tuple[Cells, ...]:
    results: list[Cells] = []
    taken: set[tuple[str, int]] = set()
    for item in filter(None, (part.strip() for part in text.split(","))):
        try:
            cells = _parse_cells(example.mnemonic, item)
        except (ValueError, OverflowError, struct.error) as error:
            raise UserError(f"{example.place}: {example.instruction}: {item!r}: {error}") from None
        names = {(cells.part, number) for number in cells.numbers}
        if names & taken:
            raise UserError(f"{example.place}: {example.instruction}: {item!r}: must be named once only")
        taken |= names
        results.append(cells)
    return tuple(results)


def _parse_cells(mnemonic: str, item: str) -> Cells:
    name, sign, values = (part.strip() for part in item.partition("="))
    match = _PLACE.match(name)
    if match is None or not sign or not values:
        raise ValueError("write PLACE = VALUE ..., such as v1 = 1.5 -2")
    part, first, most = _place(match["name"], match["number"], match["first"])
    kind = _type(mnemonic, part, match["type"])
    packed = []
    for value in values.split():
        number, _, own_type = value.partition(":")
        if own_type and (part != "memory" or own_type not in _FORMATS):
            raise ValueError(f"{value!r}: its own type is for memory, one of {', '.join(_FORMATS)}")
        packed.append(_pack(number, own_type or kind))
    cells = Cells(part, first, _held(part, packed))
    _check_values(part, first, cells.values)
    if cells.numbers.stop > most:
        raise ValueError("more values than there are places; use fewer")
    return cells


def _check_values(part: str, first: int, values: tuple[int, ...]) -> None:
    """Refuse values that no instruction can leave after, and with which an engine must not run."""
    if part == "mask" and not set(values) <= {0, 1}:
        raise ValueError("a bit of the mask must be 0 or 1")
    if (part, first) == ("special", 0) and not 0 <= values[0] <= SECTION:
        raise ValueError(f"the vector length must be from 0 to {SECTION}")


def _held(part: str, packed: list[bytes]) -> tuple[int, ...]:
    """Return what cells hold: bytes of memory, sign-extended integers, zero-extended containers."""
    if part == "memory":
        return tuple(b"".join(packed))
    size = 4 if part in ("x", "special") else 8
    return tuple(int.from_bytes(each.ljust(size, b"\0"), "little", signed=True) for each in packed)


def _place(name: str, number: str, first: str | None) -> tuple[str, int, int]:
    """Return the part of the state, its first cell, and the cell after the last that there may be."""
    element = int(first or 0)
    registers = {"x": REGISTERS, "f": REGISTERS, "v": VECTOR_REGISTERS}
    ends = {"mask": SECTION, "cache": SECTION * SECTION, "memory": MEMORY_BYTES}
    if name in registers and number and int(number) < registers[name]:
        register = int(number)
        if name == "v":
            return name, register * SECTION + element, (register + 1) * SECTION
        if first is None and (name, register) != ("x", 0):
            return name, register, register + 1
    if name in ends and not number:
        return name, element, ends[name]
    if name in SPECIAL_REGISTERS and not number and first is None:
        place = SPECIAL_REGISTERS.index(name)
        return "special", place, place + 1
    if name == "pc" and not number and first is None:
        return "pc", 0, 1
    raise ValueError("unknown place; use a register, vl, mask or memory")


def _type(mnemonic: str, part: str, explicit: str | None) -> str:
    """Return the type of values: the explicit one, or that of the mnemonic's only suffix."""
    if part not in _TYPES:
        if explicit:
            raise ValueError(f".{explicit}: these values have no type; remove it")
        return "w"
    suffixes = mnemonic.split(".")[1:]
    of_mnemonic = _OF_SUFFIX.get(suffixes[0], "") if len(suffixes) == 1 else ""
    if part == "x" or (part in ("v", "cache") and of_mnemonic in ("b", "h")):
        of_mnemonic = "w"
    elif part == "f" and of_mnemonic == "w":
        of_mnemonic = "s"
    results = explicit or of_mnemonic
    if results not in _TYPES[part]:
        raise ValueError(f"write the type of the values after the name, one of .{', .'.join(_TYPES[part])}")
    return results


def _pack(text: str, kind: str) -> bytes:
    layout = _FORMATS[kind]
    if kind in "sd":
        value = float.fromhex(text) if "0x" in text else float(text)
        return struct.pack(layout, value)
    whole, bits = int(text, 0), 8 * struct.calcsize(layout)
    if not -(1 << (bits - 1)) <= whole < 1 << bits:
        raise ValueError(f"{text} must fit {bits} bits")
    return struct.pack(layout, whole & ((1 << bits) - 1))


def write_cells(state: State, cells: tuple[Cells, ...]) -> None:
    """Write cells into a state of the machine of the examples, which does not hold ``pc``."""
    for each in cells:
        if each.part != "pc":
            getattr(state, each.part)[each.numbers.start : each.numbers.stop] = each.values


def next_number(cells: tuple[Cells, ...]) -> int:
    """Return the number of the instruction that comes next."""
    return next((each.values[0] for each in cells if each.part == "pc"), OWN_NUMBER + 1)
