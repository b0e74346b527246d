"""The data of a program: where each item is, and its bytes once all labels are known."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from isa.program import DataSegment
from isa.text.expressions import in_range
from isa.text.places import Place
from isa.text.syntax import Argument, Float, Name, Problem
from vecsim.support.decimal_text import CODES, OutOfRangeError, nearest_float

ADDRESS_LIMIT = 1 << 31
SPACE_LIMIT = 1 << 28
"""Most bytes of one .space or .align."""


@dataclass(frozen=True)
class Element:
    """The items of a data directive: bytes, struct code, limits (None for floating point)."""

    size: int
    code: str
    limits: tuple[int, int] | None = None


FLOAT, DOUBLE = (Element(size, code) for size, code in CODES.items())
ELEMENTS = {
    ".word": Element(4, "<I", (-(1 << 31), (1 << 32) - 1)),
    ".half": Element(2, "<H", (-(1 << 15), (1 << 16) - 1)),
    ".byte": Element(1, "<B", (-(1 << 7), (1 << 8) - 1)),
    ".float": FLOAT,
    ".double": DOUBLE,
}


@dataclass(frozen=True)
class Item:
    """Data at an address: elements to be evaluated, or zeros where there is no element."""

    place: Place
    column: int
    address: int
    size: int
    element: Element | None = None
    arguments: tuple[Argument, ...] = ()
    given: bytes = b""

    def content(self, value: Callable[[Argument], int]) -> bytes:
        """Return the bytes; Problem if a value does not fit."""
        if self.element is None:
            return self.given or bytes(self.size)
        return b"".join(pack(self.element, argument, value) for argument in self.arguments)


def pack(element: Element, argument: Argument, value: Callable[[Argument], int]) -> bytes:
    """Return the little-endian bytes of an argument that ``value`` evaluates; Problem if it does not fit."""
    if element.limits is not None:
        checked = in_range(value(argument), element.limits, "value", argument.column)
        return struct.pack(element.code, checked & ((1 << 8 * element.size) - 1))
    text = argument.text if isinstance(argument, Float) else str(value(argument))
    try:
        return struct.pack(element.code, nearest_float(text, element.size))
    except OutOfRangeError as error:
        raise Problem(argument.column, str(error)) from None


class DataSection:
    """Items placed one after the other from an address that ``.data`` may move, between two limits."""

    def __init__(self, base: int, limits: tuple[int, int] = (0, ADDRESS_LIMIT)) -> None:
        self.address = base
        self._first, self._end = limits
        self.items: list[Item] = []

    def add(self, place: Place, name: Name, element: Element, arguments: tuple[Argument, ...]) -> None:
        """Place the elements of a data directive.

        Parameters
        ----------
        place, name
            The line, and the directive in it.
        element
            The kind of its elements.
        arguments
            Their values, to be evaluated when all labels are known.

        Raises
        ------
        Problem
            They end after the last address.
        """
        self._place(Item(place, name.column, self.address, element.size * len(arguments), element, arguments))

    def reserve(self, place: Place, name: Name, size: int, column: int) -> None:
        """Place zero bytes.

        Parameters
        ----------
        place, name
            The line, and the directive in it.
        size
            How many bytes.
        column
            The column of their number.

        Raises
        ------
        Problem
            There are too many, or they end after the last address.
        """
        in_range(size, (0, SPACE_LIMIT), "size", column)
        self._place(Item(place, name.column, self.address, size))

    def include(self, place: Place, name: Name, content: bytes) -> None:
        """Place the bytes of a file.

        Parameters
        ----------
        place, name
            The line, and the directive in it.
        content
            The bytes, at most as many as one .space has.

        Raises
        ------
        Problem
            There are too many, or they end after the last address.
        """
        in_range(len(content), (0, SPACE_LIMIT), "size of the file", name.column)
        self._place(Item(place, name.column, self.address, len(content), given=content))

    def _place(self, item: Item) -> None:
        if item.address + item.size > ADDRESS_LIMIT:
            raise Problem(
                item.column, f"data after address {ADDRESS_LIMIT}: use less data or a lower address"
            )
        if item.size and not self._first <= item.address <= self._end - item.size:
            place = f"addresses {item.address} to {item.address + item.size - 1}"
            raise Problem(item.column, f"data at {place}; use {self._first} to {self._end - 1}")
        self.address += item.size
        if item.size:
            self.items.append(item)

    def overlap(self) -> tuple[Item, Item] | None:
        """Return two items that share an address, the one that was placed later second, or None."""
        items = sorted(self.items, key=lambda item: item.address)
        for first, second in pairwise(items):
            if first.address + first.size > second.address:
                earlier, later = sorted((first, second), key=self.items.index)
                return earlier, later
        return None


def segments(contents: list[tuple[int, bytes]]) -> tuple[DataSegment, ...]:
    """Join (address, bytes) that follow one another; the result is sorted by address."""
    results: list[tuple[int, list[bytes]]] = []
    end = -1
    for address, content in sorted(contents):
        if address != end:
            results.append((address, []))
        results[-1][1].append(content)
        end = address + len(content)
    return tuple(DataSegment(address, b"".join(parts)) for address, parts in results)
