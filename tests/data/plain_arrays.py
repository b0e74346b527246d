"""Arrays of NumPy (.npy) and what memory holds of them, again: element by element, in exact numbers.

It shares nothing with `vecsim`. By the description of the format (NEP 1, `numpy.lib.format`).
"""

from __future__ import annotations

import ast
import math
import struct
from dataclasses import dataclass
from fractions import Fraction

from tests.data.plain_floats import nearest_bits, of_bits
from tests.data.plain_readers import refuse_unless
from tests.data.plain_tar import NotJudged

CODES = {
    "i": {1: "b", 2: "h", 4: "i", 8: "q"},
    "u": {1: "B", 2: "H", 4: "I", 8: "Q"},
    "f": {2: "e", 4: "f", 8: "d"},
}
SIZES = {"word": 4, "byte": 1, "float": 4, "double": 8}
TINY = {4: Fraction(1, 2**126), 8: Fraction(1, 2**1022)}
DIGITS = {4: 24, 8: 53}


@dataclass
class Numbers:
    """The elements in the order of memory, and whether their type is one of whole numbers."""

    elements: list[int | float]
    whole: bool


@dataclass
class Held:
    """What memory holds: its bytes, its elements, their type, and how many lost something."""

    content: bytes
    elements: list[int | float]
    kind: str
    rounded: int = 0
    small: int = 0


def npy(data: bytes) -> Numbers:
    """Read the one array of a file, row by row.

    Raises
    ------
    Refused
        It is none, or none of real numbers.
    NotJudged
        Spellings that this reader does not know, and numbers of 80 or 128 bits.
    """
    refuse_unless(data[:6] == b"\x93NUMPY" and len(data) >= 10, "no magic")
    refuse_unless(data[6:8] in (b"\x01\0", b"\x02\0", b"\x03\0"), "version")
    width = 2 if data[6] == 1 else 4
    length = int.from_bytes(data[8 : 8 + width], "little")
    begin = 8 + width + length
    refuse_unless(len(data) >= begin, "cut off in the header")
    try:
        text = data[8 + width : begin].decode("utf-8" if data[6] == 3 else "latin-1")
        header = ast.literal_eval(text.strip(" \n"))
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        if "L" in str(data[10:begin]):
            raise NotJudged("a header of Python 2") from error
        refuse_unless(False, "the header is no dictionary")
    refuse_unless(isinstance(header, dict) and set(header) == {"descr", "fortran_order", "shape"}, "keys")
    shape, order, descr = header["shape"], header["fortran_order"], header["descr"]
    refuse_unless(isinstance(shape, tuple) and all(type(n) in (int, bool) for n in shape), "shape")
    refuse_unless(isinstance(order, bool), "order")
    if not isinstance(descr, str):
        raise NotJudged("a type of several parts")
    if descr[:1] not in ("<", ">", "|", "=") or not (descr.isascii() and descr[2:].isdigit()):
        raise NotJudged("another spelling of a type")
    kind, size, big = descr[1], int(descr[2:]), descr[0] == ">"
    count = math.prod(shape)
    refuse_unless(all(n >= 0 for n in shape), "a negative size")
    refuse_unless(kind in "iufb", "no real numbers")
    if kind == "f" and size in (12, 16):
        raise NotJudged("long numbers")
    refuse_unless((kind == "b" and size == 1) or size in CODES.get(kind, {}), "no such type")
    refuse_unless(len(data) - begin == count * size, "cut off, or more after the array")
    body = data[begin:]
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    if kind == "b":
        if any(part not in (b"\0", b"\1") for part in parts):
            raise NotJudged("booleans that are neither")
        values: list[int | float] = [part[0] for part in parts]
    else:
        code = (">" if big else "<") + CODES[kind][size]
        values = [struct.unpack(code, part)[0] for part in parts]
    return Numbers(row_by_row(values, shape) if order else values, kind != "f")


def row_by_row(values: list[int | float], shape: tuple[int, ...]) -> list[int | float]:
    """Bring what is stored column by column (the first index runs fastest) into the order of rows."""
    actual = []
    for number in range(len(values)):
        place, step, rest = 0, 1, number
        indices = []
        for length in reversed(shape):
            rest, index = divmod(rest, length)
            indices.append(index)
        for length, index in zip(shape, reversed(indices), strict=True):
            place, step = place + index * step, step * length
        actual.append(values[place])
    return actual


def held(numbers: Numbers, what: str, value_bytes: int) -> Held:
    """Return what memory holds of numbers in a type, or in the usual one."""
    refuse_unless(numbers.elements, "no elements")
    usual = "word" if numbers.whole else "float" if value_bytes == 4 else "double"
    kind = what or usual
    size = SIZES[kind]
    if kind in ("word", "byte"):
        refuse_unless(numbers.whole, "real numbers where whole ones are needed")
        for each in numbers.elements:
            refuse_unless(-(1 << 8 * size - 1) <= each < 1 << 8 * size, "does not fit")
        actual = [int(each) % (1 << 8 * size) for each in numbers.elements]
        return Held(b"".join(each.to_bytes(size, "little") for each in actual), actual, kind)
    all_whole = numbers.whole or all(
        not math.isfinite(each) or each == int(each) for each in numbers.elements
    )
    result = Held(b"", [], kind)
    for each in numbers.elements:
        content = one(each, size, result, all_whole)
        result.content += content
        result.elements.append(struct.unpack("<f" if size == 4 else "<d", content)[0])
    return result


def one(number: int | float, size: int, result: Held, all_whole: bool) -> bytes:
    """Return the bytes of a number as a float, and count what it loses."""
    if isinstance(number, float) and not math.isfinite(number):
        return struct.pack("<f" if size == 4 else "<d", number)
    exact = Fraction(number)
    negative = math.copysign(1.0, number) < 0 if isinstance(number, float) else number < 0
    bits = nearest_bits(exact, size, negative=negative)
    refuse_unless(bits is not None, "infinite")
    value = of_bits(bits % (1 << 8 * size - 1), size)
    lost = value != abs(exact)
    result.rounded += lost and all_whole
    result.small += lost and value < TINY[size]
    return bits.to_bytes(size, "little")


def differ(actual: Held, memory: bytes, tolerance: float) -> int:
    """Count the elements of memory that differ from what is expected."""
    size = SIZES[actual.kind]
    count = 0
    for number, wanted in enumerate(actual.elements):
        part = memory[size * number : size * (number + 1)]
        if actual.kind in ("word", "byte"):
            count += int.from_bytes(part, "little") != wanted
            continue
        value = struct.unpack("<f" if size == 4 else "<d", part)[0]
        if math.isnan(wanted) or math.isnan(value):
            count += not (math.isnan(wanted) and math.isnan(value))
        elif math.isinf(wanted) or math.isinf(value):
            count += wanted != value
        else:
            count += abs(value - wanted) > tolerance * max(abs(wanted), 1.0)
    return count
