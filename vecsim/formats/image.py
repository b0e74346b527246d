"""A memory image: the bytes of a matrix as the programs read it, and where each array lies in them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.array_types import FloatArray, IntArray
from vecsim.support.errors import UserError

ADDRESS_LIMIT = 2**31
"""Addresses are non-negative 32-bit integers."""

MOST_SHIFTS = 256
"""An array of a perturbed placement starts later by fewer multiples of the alignment than these."""


@dataclass(frozen=True)
class Layout:
    """Where and how an image is laid out.

    Attributes
    ----------
    base
        Address of the first byte.
    value_bytes
        Bytes of a matrix value in memory: 4 (float32) or 8 (float64).
    alignment
        Every array starts at a multiple of this many bytes, a power of two.
    placement
        0: arrays follow each other closely. The number of a perturbed placement: each starts later by a
        random multiple of the alignment (`shift`).
    """

    base: int
    value_bytes: Literal[4, 8]
    alignment: int = 16
    placement: int = 0

    def __post_init__(self) -> None:
        if self.value_bytes not in (4, 8):
            raise UserError(f"a value must have 4 or 8 bytes, not {self.value_bytes}")
        if self.base < 0:
            raise UserError(f"an image starts at address {self.base}, but must start at 0 or more")
        if self.alignment < 1 or self.alignment & (self.alignment - 1):
            raise UserError(f"an alignment of {self.alignment} bytes is not possible: use a power of two")

    @property
    def value_type(self) -> np.dtype[Any]:
        """The little-endian NumPy type of a value in memory."""
        return np.dtype(f"<f{self.value_bytes}")

    def align(self, address: int) -> int:
        """Return the first aligned address from `address` on."""
        return -(-address // self.alignment) * self.alignment

    def shift(self, name: str) -> int:
        """Return by how many bytes an array starts later: the same for a placement and a name for ever."""
        if self.placement == 0:
            return 0
        random = hashlib.sha256(f"{self.placement} {name}".encode()).digest()
        return int.from_bytes(random[:4], "little") % MOST_SHIFTS * self.alignment


@dataclass(frozen=True, eq=False)
class Image:
    """Memory bytes and the integers that a program is assembled with.

    Attributes
    ----------
    base
        Address of ``data[0]``.
    data
        uint8, the memory from `base` on.
    symbols
        Addresses and sizes by upper-case name, each within 0 .. 2**31 - 1.
    """

    base: int
    data: NDArray[np.uint8]
    symbols: Mapping[str, int]

    @property
    def end(self) -> int:
        """The first address after the image."""
        return self.base + len(self.data)


def allocate(layout: Layout, start: int, sizes: IntArray) -> tuple[IntArray, int]:
    """Place pieces one after the other from `start` on, each aligned.

    Parameters
    ----------
    layout
        Gives the alignment.
    start
        First address that is free.
    sizes
        int64, the bytes of each piece.

    Returns
    -------
    addresses
        int64, the address of each piece.
    end
        The first address after the last piece, without padding.

    Raises
    ------
    UserError
        If a piece ends beyond `ADDRESS_LIMIT`; nothing has been allocated then.
    """
    first = layout.align(start)
    padded = -(-sizes // layout.alignment) * layout.alignment
    addresses = first + np.cumsum(padded) - padded
    end = int(addresses[-1] + sizes[-1]) if len(sizes) else start
    if end > ADDRESS_LIMIT:
        raise UserError(
            "the matrix is too large for the simulated address space: "
            f"its image ends at byte {end}, at most {ADDRESS_LIMIT} are possible"
        )
    return addresses, end


def blank(layout: Layout, end: int) -> NDArray[np.uint8]:
    """Return the zeroed memory from the layout's base to `end`."""
    return np.zeros(end - layout.base, dtype=np.uint8)


def image_of_arrays(
    layout: Layout, arrays: Sequence[tuple[str, NDArray[Any]]], symbols: Mapping[str, int]
) -> Image:
    """Build an image of plain arrays, in the order given.

    Parameters
    ----------
    layout
        Where the image starts and how its arrays are aligned.
    arrays
        Symbol and little-endian contents of each array; the symbol becomes its address.
    symbols
        Further symbols.

    Raises
    ------
    UserError
        If the image does not fit below `ADDRESS_LIMIT`.
    """
    sizes = np.array([array.nbytes for _, array in arrays], dtype=np.int64)
    shifts = np.array([layout.shift(name) for name, _ in arrays], dtype=np.int64)
    addresses, end = allocate(layout, layout.base, sizes + shifts)
    addresses += shifts
    data = blank(layout, end)
    placed = dict(symbols)
    for (name, array), address in zip(arrays, addresses.tolist(), strict=True):
        placed[name] = address
        data[address - layout.base :][: array.nbytes] = np.ascontiguousarray(array).view(np.uint8)
    return Image(layout.base, data, placed)


def write_fields(
    data: NDArray[np.uint8], offsets: IntArray, fields: Sequence[tuple[int, NDArray[Any]]]
) -> None:
    """Scatter one record to each of `offsets`.

    Parameters
    ----------
    data
        The memory to write, uint8.
    offsets
        int64, the place of each record in `data`.
    fields
        Offset in the record and little-endian contents (one element a record) of each field.
    """
    for position, contents in fields:
        octets = np.ascontiguousarray(contents).view(np.uint8).reshape(len(offsets), contents.itemsize)
        # One byte of all records at a time: index arrays for whole records would be many times the image.
        for octet in range(contents.itemsize):
            data[offsets + (position + octet)] = octets[:, octet]


def int32(values: NDArray[Any]) -> NDArray[np.int32]:
    """Return `values` as the little-endian 32-bit integers of an image."""
    return values.astype("<i4")


def value_field(layout: Layout, values: FloatArray) -> NDArray[Any]:
    """Return `values` in the type they have in memory, rounded to nearest where that is narrower."""
    # What does not fit float32 was refused, or knowingly let through, when the matrix was read.
    with np.errstate(over="ignore"):
        return values.astype(layout.value_type)
