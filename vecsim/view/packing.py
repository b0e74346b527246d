"""Columns of numbers as text: in one block of bytes, compressed, in base 64; and a list of what is where."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from vecsim.support.errors import UserError

ALIGNMENT = 8
TYPES = {
    "u1": "Uint8Array",
    "u2": "Uint16Array",
    "u4": "Uint32Array",
    "i1": "Int8Array",
    "i4": "Int32Array",
    "f8": "Float64Array",
}
"""What a browser calls arrays of NumPy's types."""


@dataclass(frozen=True)
class Packed:
    """Columns as a page has them.

    Attributes
    ----------
    columns
        By name: the browser's type, the first byte and the number of elements.
    text
        The block, by gzip and in base 64.
    """

    columns: dict[str, dict[str, Any]]
    text: str


def packed(columns: Mapping[str, npt.NDArray[Any]]) -> Packed:
    """Pack columns, each in the smallest type that holds it.

    Raises
    ------
    UserError
        A number needs more than 32 bits.
    """
    places: dict[str, dict[str, Any]] = {}
    block = bytearray()
    for name, values in columns.items():
        narrow = values if values.dtype.kind == "f" else narrowed(name, values)
        kind = narrow.dtype.str.lstrip("<|=")
        places[name] = {"type": TYPES[kind], "at": len(block), "length": int(narrow.size)}
        block += narrow.tobytes()
        block += bytes(-len(block) % ALIGNMENT)
    return Packed(places, base64.b64encode(gzip.compress(bytes(block), 6, mtime=0)).decode("ascii"))


def narrowed(name: str, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give whole numbers in the smallest type that a browser has for them.

    Raises
    ------
    UserError
        One needs more than 32 bits.
    """
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    for kind in ("u1", "i1", "u2", "u4", "i4"):
        limits = np.iinfo(kind)
        if limits.min <= low and high <= limits.max:
            return np.ascontiguousarray(values, np.dtype(kind).newbyteorder("<"))
    raise UserError(f"the page's column {name!r} has {low} to {high}: more than 32 bits; take a --window")
