"""The arrays of a hart for compiled code: a table of their addresses and lengths."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isa.riscv.state import Hart

DTYPES = {
    "x": "int64",
    "f": "uint64",
    "v8": "int8",
    "v16": "int16",
    "v32": "int32",
    "v64": "int64",
    "memory": "uint8",
    "control": "int64",
    "code": "int64",
    "cache": "uint8",
    "addresses": "int64",
}
"""The types of the elements of a hart's arrays."""
SEMANTICS = len(DTYPES)
"""The place, after those of the hart, of the addresses of semantics by the number of an instruction."""


class Table(NamedTuple):
    """Addresses and lengths, and the arrays, so that they stay."""

    numbers: npt.NDArray[np.int64]
    kept: tuple[Any, ...]


NODES, NUMBERS, WORDS, PATCHES = range(SEMANTICS + 1, SEMANTICS + 5)
"""The places after it, of what the recording loop reads and writes (:mod:`vecsim.riscv.timing.recording`)."""


def table_of(hart: Hart, semantics: npt.NDArray[np.int64], *more: npt.NDArray[Any]) -> Table:
    """Lay the arrays of a hart out for compiled code; ``more`` are those of the recording loop."""
    arrays: tuple[npt.NDArray[Any], ...] = (*hart, semantics, *more)
    for name, array in zip(Hart._fields, arrays, strict=False):
        if str(array.dtype) != DTYPES[name] or not array.flags.c_contiguous:
            raise AssertionError(f"{name} is no contiguous array of {DTYPES[name]}")
    return Table(np.array([[each.ctypes.data, len(each)] for each in arrays], np.int64), arrays)
