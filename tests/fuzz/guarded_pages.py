"""Arrays that end where a page begins that nobody may touch: an access outside of them ends the process.

Compiled code checks no bounds. An array begins after such a page as well, at most a page away.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

import isa.state
import vecsim.engines.jit.arrays.table
import vecsim.engines.jit.engine
import vecsim.engines.record
import vecsim.engines.running
from vecsim.machine.description import WORD_BYTES

PAGE = mmap.PAGESIZE
GUARDED = (isa.state, vecsim.engines.record, vecsim.engines.jit.engine, vecsim.engines.jit.arrays.table)
"""Modules whose new arrays are guarded: registers, vector cache, record, table and work space."""
_NO_ACCESS = 0
_protect = ctypes.CDLL(None, use_errno=True).mprotect
_protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def guarded(size: int) -> npt.NDArray[np.uint8]:
    """Return this many bytes of zeros; the byte after them cannot be touched."""
    pages = -(-size // PAGE)
    room = mmap.mmap(-1, (pages + 2) * PAGE)
    everything = np.frombuffer(room, np.uint8)
    begin = everything.ctypes.data
    for page in (0, pages + 1):
        if _protect(begin + page * PAGE, PAGE, _NO_ACCESS) != 0:
            raise OSError(ctypes.get_errno(), "mprotect failed")
    return everything[(pages + 1) * PAGE - size : (pages + 1) * PAGE]


def _full(shape: Any, value: Any, dtype: Any = np.float64) -> npt.NDArray[Any]:
    kind = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    built = guarded(count * kind.itemsize).view(kind).reshape(shape)
    built[...] = value
    return built


class _GuardedNumPy:
    """NumPy, but for arrays made by zeros and full."""

    def zeros(self, shape: Any, dtype: Any = np.float64) -> npt.NDArray[Any]:
        return _full(shape, 0, dtype)

    def full(self, shape: Any, value: Any, dtype: Any = np.int64) -> npt.NDArray[Any]:
        return _full(shape, value, dtype)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def _whole_words(memory: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    built = guarded(-(-len(memory) // WORD_BYTES) * WORD_BYTES)
    built[: len(memory)] = memory
    return built


@contextmanager
def guarded_engines() -> Iterator[None]:
    """Let engines that are started meanwhile keep all their arrays between pages that cannot be touched."""
    numpy = _GuardedNumPy()
    patches = [patch.object(module, "np", numpy) for module in GUARDED]
    patches.append(patch.object(vecsim.engines.running, "whole_words", _whole_words))
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()
