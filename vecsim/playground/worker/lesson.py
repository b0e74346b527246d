"""A program, a product or an exercise to begin with, as the page's folder has it."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

OWN_BYTES = 1 << 16
"""Memory of a program without a lesson."""
SHOWN = 16
"""Elements of a result that are shown."""
Entry = tuple[int, int, float]
"""Row, column and value of an entry of a matrix."""


@dataclass(frozen=True)
class Lesson:
    """What a text runs on.

    Attributes
    ----------
    key, group, title, about
        What links call it, where it stands in the list, its name, and what it asks or shows.
    text
        The text to begin with.
    symbols, memory
        Constants given from outside, and the bytes of memory before the run.
    pieces
        Of memory that are shown, such as ``Y:16:float``.
    exercise
        The number of an exercise, 0 for none.
    included
        The texts that the text may include, by their paths.
    shape, entries
        Rows and columns of its matrix, and its entries; without one 0 and none.
    """

    key: str = ""
    group: str = ""
    title: str = "own program"
    about: str = ""
    text: str = ""
    symbols: Mapping[str, int] = field(default_factory=dict)
    memory: bytes = bytes(OWN_BYTES)
    pieces: tuple[str, ...] = ()
    exercise: int = 0
    included: Mapping[str, str] = field(default_factory=dict)
    shape: tuple[int, int] = (0, 0)
    entries: tuple[Entry, ...] = ()

    def array(self) -> npt.NDArray[np.uint8]:
        """Return memory before the run, a copy."""
        return np.frombuffer(bytearray(self.memory), np.uint8)

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data for JSON."""
        return {
            **vars(self),
            "symbols": dict(self.symbols),
            "included": dict(self.included),
            "memory": packed(self.memory),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Lesson:
        """Return the lesson of plain data."""
        given = dict(plain)
        given["memory"], given["pieces"] = unpacked(given["memory"]), tuple(given["pieces"])
        given["shape"], given["entries"] = tuple(given["shape"]), tuple(map(tuple, given["entries"]))
        return cls(**given)


def packed(content: bytes) -> str:
    """Return bytes as a short text."""
    return base64.b64encode(zlib.compress(content, 9)).decode("ascii")


def unpacked(text: str) -> bytes:
    """Return the bytes of such a text."""
    return zlib.decompress(base64.b64decode(text))
