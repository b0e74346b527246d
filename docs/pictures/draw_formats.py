"""Draw the formats of the simulated machine byte by byte, from the images that programs read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from docs.pictures.svg import COLOURS, FAINT, INK, MUTED, Drawing
from gpu.format_registry import FORMATS
from vecsim.formats import Layout

SECTION_SIZE = 4
PLACES = ((0, 0), (0, 5), (1, 1), (2, 2), (2, 3), (4, 1), (5, 6), (5, 7), (7, 7))
"""Row and column of each entry; its value is its number, from 1 on."""
ROW_BYTES = 32
BYTE = 27
LEFT = 52
POINTER, INDEX, VALUE, POSITION, LENGTH, OTHER = COLOURS


@dataclass(frozen=True)
class Field:
    """A field of an image: its address and bytes, what it means, its colour."""

    address: int
    size: int
    meaning: str
    colour: str


def example() -> Any:
    """Return the matrix of the drawings, 8 x 8."""
    rows, columns = zip(*PLACES, strict=True)
    values = np.arange(1.0, len(PLACES) + 1)
    return scipy.sparse.csr_array((values, (rows, columns)), shape=(8, 8))


def draw_matrix() -> str:
    """Draw the matrix with its blocks of s x s."""
    side = 30
    result = Drawing(8 * side + 40, 8 * side + 40, "An 8 x 8 matrix of nine entries in blocks of 4 x 4")
    for k in range(8):
        result.text(20 + (k + 0.5) * side, 14, k, size=10, anchor="middle", fill=MUTED)
        result.text(14, 20 + (k + 0.65) * side, k, size=10, anchor="end", fill=MUTED)
    values = {place: number for number, place in enumerate(PLACES, 1)}
    for row in range(8):
        for column in range(8):
            number = values.get((row, column))
            x, y = 20 + column * side, 20 + row * side
            result.box(x, y, side, side, "#ddf4ff" if number else "none", edge=FAINT)
            if number:
                result.text(x + side / 2, y + 20, number, size=14, anchor="middle")
    for k in range(3):
        at = 20 + 4 * k * side
        result.line(20, at, 20 + 8 * side, at, INK, 1.5)
        result.line(at, 20, at, 20 + 8 * side, INK, 1.5)
    return result.finished()


def draw_format(name: str) -> str:
    """Draw the image of the matrix in a format."""
    given = {"section_size": SECTION_SIZE} if name in ("bbcs", "hism") else {}
    image = FORMATS[name].from_scipy(example(), **given).image(Layout(64, 4))
    return _drawn(name, image, sorted(FIELDS[name](image), key=lambda field: field.address))


def _drawn(name: str, image: Any, fields: list[Field]) -> str:
    rows = -(-len(image.data) // ROW_BYTES)
    titles = {"crs": "CRS", "jd": "JD", "bbcs": "BBCS", "hism": "HiSM"}
    message = f"{titles[name]}: the bytes of the matrix in memory"
    result = Drawing(LEFT + ROW_BYTES * BYTE + 10, rows * 52 + 16, message)
    for row in range(rows):
        result.text(LEFT - 8, row * 52 + 48, image.base + row * ROW_BYTES, size=11, anchor="end", fill=MUTED)
    covered = set()
    for field in fields:
        covered |= set(range(field.address, field.address + field.size))
        _field(result, image, field)
    for address in range(image.base, image.end):
        if address not in covered:
            _octets(result, image, address, 1, MUTED)
    return result.finished()


def _field(result: Drawing, image: Any, field: Field) -> None:
    row, place = divmod(field.address - image.base, ROW_BYTES)
    here = min(field.size, ROW_BYTES - place)
    x, y = LEFT + place * BYTE, row * 52 + 10
    result.box(x, y, here * BYTE, 22, field.colour, opacity=0.18)
    result.box(x, y, here * BYTE, 44, "none", edge=field.colour)
    size = 12 if len(field.meaning) * 7.5 < here * BYTE else 9
    result.text(x + here * BYTE / 2, y + 15, field.meaning, size=size, anchor="middle")
    _octets(result, image, field.address, here, INK)
    if here < field.size:
        rest = Field(field.address + here, field.size - here, "(its rest)", field.colour)
        _field(result, image, rest)


def _octets(result: Drawing, image: Any, address: int, count: int, fill: str) -> None:
    for at in range(address, address + count):
        row, place = divmod(at - image.base, ROW_BYTES)
        octet = f"{int(image.data[at - image.base]):02x}"
        result.text(LEFT + (place + 0.5) * BYTE, row * 52 + 48, octet, size=11, anchor="middle", fill=fill)


def _word(image: Any, address: int, kind: str = "<i4") -> Any:
    at = address - image.base
    return image.data[at : at + np.dtype(kind).itemsize].view(kind)[0]


def _words(image: Any, symbol: str, count: int, colour: str, kind: str = "<i4") -> Iterator[Field]:
    for k in range(count):
        address = image.symbols[symbol] + 4 * k
        yield Field(address, 4, f"{_word(image, address, kind):g}", colour)


def _crs(image: Any) -> Iterator[Field]:
    entries = image.symbols["NNZ"]
    yield from _words(image, "ROWPTR", image.symbols["ROWS"] + 1, POINTER)
    yield from _words(image, "COLIDX", entries, INDEX)
    yield from _words(image, "VALUES", entries, VALUE, "<f4")


def _jd(image: Any) -> Iterator[Field]:
    entries = image.symbols["NNZ"]
    yield from _words(image, "DIAGPTR", image.symbols["DIAGONALS"] + 1, POINTER)
    yield from _words(image, "COLIDX", entries, INDEX)
    yield from _words(image, "VALUES", entries, VALUE, "<f4")
    yield from _words(image, "PERM", image.symbols["ROWS"], POSITION)


def _bbcs(image: Any) -> Iterator[Field]:
    blocks = image.symbols["BLOCKS"]
    yield from _words(image, "BLOCKPTR", blocks, POINTER)
    yield from _words(image, "BLOCKLEN", blocks, LENGTH)
    bits = SECTION_SIZE.bit_length() - 1
    for block in range(blocks):
        address = int(_word(image, image.symbols["BLOCKPTR"] + 4 * block))
        for _ in range(int(_word(image, image.symbols["BLOCKLEN"] + 4 * block))):
            descriptor = int(_word(image, address + 4, "u1"))
            empty = descriptor >> (bits + 1) & 1
            value = f"{_word(image, address)} empty" if empty else f"{_word(image, address, '<f4'):g}"
            yield Field(address, 4, value, VALUE)
            column = str(descriptor & SECTION_SIZE - 1) + "." * (descriptor >> bits & 1)
            yield Field(address + 4, 1, "z" if empty else column, INDEX)
            address += 5


def _hism(image: Any) -> Iterator[Field]:
    def array(address: int, length: int, level: int) -> Iterator[Field]:
        lengths = -(-(address + 6 * length) // 16) * 16
        for k in range(length):
            at = address + 6 * k
            pointer = int(_word(image, at))
            meaning = f"-> {pointer}" if level else f"{_word(image, at, '<f4'):g}"
            yield Field(at, 4, meaning, POINTER if level else VALUE)
            yield Field(at + 4, 1, str(_word(image, at + 4, "u1")), INDEX)
            yield Field(at + 5, 1, str(_word(image, at + 5, "u1")), POSITION)
            if level:
                below = int(_word(image, lengths + 4 * k))
                yield Field(lengths + 4 * k, 4, str(below), LENGTH)
                yield from array(pointer, below, level - 1)

    yield from array(image.symbols["ROOT"], image.symbols["ROOT_LENGTH"], image.symbols["LEVELS"] - 1)


FIELDS = {"crs": _crs, "jd": _jd, "bbcs": _bbcs, "hism": _hism}
