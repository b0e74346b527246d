"""A state whose arrays tell of every element that user-defined semantics read or write."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from isa.state import State
from vecsim.engines.user_values import guarded

VIEWS = {"fs": ("f", 2), "fd": ("f", 1), "vw": ("v", 2), "vs": ("v", 2), "vd": ("v", 1)}
VIEWS |= {"cs": ("cache", 2), "cd": ("cache", 1)}
"""Arrays that see another one, and how many of their elements are one of that."""
WORD_BYTES = 4

Told = Callable[[str, int], None]
"""``(array, element)``: of an array that owns its elements; of memory, a byte."""


def watched(m: State, read: Told, write: Told) -> State:
    """Return a state, of one that :func:`isa.state.interpreted` returns, that calls these.

    An element is reported before it is written, and after it was read.
    """
    checked = guarded(m)
    arrays = {name: _watched(name, getattr(checked, name), read, write) for name in State._fields[:-1]}
    return checked._replace(**arrays)


def _watched(name: str, array: Any, read: Told, write: Told) -> Any:
    kind: Any = type(array)
    result = _watched_kind(kind)()
    for slot in (slot for each in kind.__mro__ for slot in getattr(each, "__slots__", ())):
        setattr(result, slot, getattr(array, slot))
    result.root, result.scale = ("memory", -WORD_BYTES) if name == "words" else VIEWS.get(name, (name, 1))
    result.read, result.write = read, write
    return result


@lru_cache(maxsize=16)
def _watched_kind(kind: Any) -> Any:
    """Return a kind of array that tells of its elements."""

    class Watched(kind):  # type: ignore[misc]
        __slots__ = ("read", "root", "scale", "write")

        def __init__(self) -> None:
            """Leave all to who makes it."""

        def note(self, note: Told, index: Any) -> None:
            """Report an element that exists, a word as its bytes."""
            if not 0 <= int(index) < self.length:
                return
            if self.scale > 0:
                note(self.root, int(index) // self.scale)
                return
            for byte in range(-self.scale):
                note(self.root, -self.scale * int(index) + byte)

        def __getitem__(self, index: Any) -> Any:
            value = super().__getitem__(index)
            self.note(self.read, index)
            return value

        def __setitem__(self, index: Any, value: Any) -> None:
            self.note(self.write, index)
            super().__setitem__(index, value)

        def load(self, address: int, size: int, signed: bool) -> Any:
            value = super().load(address, size, signed)
            for byte in range(address, address + size):
                self.read(self.root, byte)
            return value

        def store(self, address: int, size: int, value: int) -> None:
            for byte in range(address, address + size) if 0 <= address <= self.length - size else ():
                self.write(self.root, byte)
            super().store(address, size, value)

    return Watched
