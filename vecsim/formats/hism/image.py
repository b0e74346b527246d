"""How a hierarchical sparse matrix lies in memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.array_types import FloatArray, IntArray
from vecsim.formats.hism.level import Level
from vecsim.formats.image import Image, Layout, allocate, blank, int32, value_field, write_fields
from vecsim.support.errors import UserError

POINTER_BYTES = 4
LENGTH_BYTES = 4
BYTE_SECTION_SIZE = 256
"""The largest section whose positions fit one byte."""


def default_position_bytes(section_size: int) -> int:
    """Return the bytes of a row or column position: 1 for section sizes up to 256, otherwise 2."""
    return 1 if section_size <= BYTE_SECTION_SIZE else 2


@dataclass(frozen=True, eq=False)
class _Place:
    """Addresses of one level's block arrays and of the lengths after each (none at level 0)."""

    arrays: IntArray
    lengths: IntArray | None


def hism_image(
    layout: Layout, section_size: int, levels: Sequence[Level], values: FloatArray, position_bytes: int | None
) -> Image:
    """Build the image of the levels, with the symbols LEVELS, POSITION_BYTES, ROOT and ROOT_LENGTH.

    Parameters
    ----------
    layout
        Where the image starts, the type of the values and the alignment.
    section_size
        s, the side of a block.
    levels
        Level 0 first.
    values
        float32 or float64, one an entry of level 0.
    position_bytes
        Of a row or column position: 1 or 2; None takes the narrower one that is possible.

    Raises
    ------
    UserError
        If the image does not fit the address space or the positions do not fit their bytes.
    """
    width = _position_bytes(section_size, position_bytes)
    places, end = _places(layout, levels, width)
    data = blank(layout, end)
    for number, (level, place) in enumerate(zip(levels, places, strict=True)):
        if number == 0:
            contents: NDArray[Any] = value_field(layout, values)
        else:
            contents = int32(places[number - 1].arrays)
        first = contents.itemsize
        fields = [
            (0, contents),
            (first, level.column.astype(f"<u{width}")),
            (first + width, level.row.astype(f"<u{width}")),
        ]
        write_fields(data, _offsets(layout, level, place.arrays, first + 2 * width), fields)
        if place.lengths is not None:
            children = int32(np.diff(levels[number - 1].array_ptr))
            write_fields(data, _offsets(layout, level, place.lengths, LENGTH_BYTES), [(0, children)])
    symbols = {
        "LEVELS": len(levels),
        "POSITION_BYTES": width,
        "ROOT": int(places[-1].arrays[0]),
        "ROOT_LENGTH": levels[-1].entries,
    }
    return Image(layout.base, data, symbols)


def _position_bytes(section_size: int, position_bytes: int | None) -> int:
    narrowest = default_position_bytes(section_size)
    if position_bytes is None:
        return narrowest
    if position_bytes not in (1, 2):
        raise UserError(f"a position must have 1 or 2 bytes, not {position_bytes}")
    if position_bytes < narrowest:
        raise UserError(
            f"positions of 1 byte reach to section size {BYTE_SECTION_SIZE}, "
            f"but the section size is {section_size}: use 2 bytes"
        )
    return position_bytes


def _places(layout: Layout, levels: Sequence[Level], width: int) -> tuple[list[_Place], int]:
    places = []
    end = layout.base
    for number, level in enumerate(levels):
        lengths = np.diff(level.array_ptr)
        if number == 0:
            arrays, end = allocate(layout, end, lengths * (layout.value_bytes + 2 * width))
            places.append(_Place(arrays, None))
        else:
            # Array and lengths alternate: array 0, lengths 0, array 1, lengths 1, ...
            record = np.array([POINTER_BYTES + 2 * width, LENGTH_BYTES])
            pieces, end = allocate(layout, end, np.outer(lengths, record).ravel())
            places.append(_Place(pieces[0::2], pieces[1::2]))
    return places, end


def _offsets(layout: Layout, level: Level, addresses: IntArray, record: int) -> IntArray:
    # The place of each entry's record, from the addresses of the pieces that hold one record an entry.
    lengths = np.diff(level.array_ptr)
    ordinal = np.arange(level.entries) - np.repeat(level.array_ptr[:-1], lengths)
    return np.repeat(addresses - layout.base, lengths) + ordinal * record
