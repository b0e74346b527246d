"""The architectural state: what instructions read and write, as flat NumPy arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isa.declaration import REGISTERS, SPECIAL_REGISTERS

STACK_POINTER = 2
"""x2 holds the stack pointer; it starts at the end of memory and the stack grows downwards."""


class State(NamedTuple):
    """Flat arrays that hold all that a program can see; s is the section size, V the registers.

    A register element is a 64-bit container that holds an integer, a float32 or a float64. A 32-bit
    value is in its low half, the upper half is zero. ``vw``, ``vs`` and ``vd`` are views of the same
    bytes as int32, float32 and float64: element e of the containers is ``vw[2 * e]``, ``vs[2 * e]`` and
    ``vd[e]``; the same holds for ``fs``/``fd`` and ``cs``/``cd``.
    """

    x: npt.NDArray[np.int64]
    """(32,) scalar integers, sign-extended from 32 bits; x[0] is 0."""
    f: npt.NDArray[np.int64]
    """(32,) containers of the scalar float registers."""
    fs: npt.NDArray[np.float32]
    fd: npt.NDArray[np.float64]
    special: npt.NDArray[np.int64]
    """(4,) vl, blocklen, rowptr, rowcount."""
    v: npt.NDArray[np.int64]
    """(V * s,) containers of the vector registers; register r starts at r * s."""
    vw: npt.NDArray[np.int32]
    vs: npt.NDArray[np.float32]
    vd: npt.NDArray[np.float64]
    mask: npt.NDArray[np.uint8]
    """(s,) the vector mask, 0 or 1."""
    cache: npt.NDArray[np.int64]
    """(s * s,) containers of the vector cache; slice i starts at i * s."""
    cs: npt.NDArray[np.float32]
    cd: npt.NDArray[np.float64]
    memory: npt.NDArray[np.uint8]
    """Simulated memory, bytes, little-endian."""
    words: npt.NDArray[np.uint32]
    """The same memory as aligned words."""
    address: npt.NDArray[np.int64]
    """(s,) byte addresses of the access that executes, set before its semantics run. A contiguous access sets
    the first alone, the others each element's."""
    row: npt.NDArray[np.int64]
    """(s,) set by the sparse instructions: the row that each entry adds to, -1 for none. In a recorded
    program an element may have several entries, and there is room for all."""
    section: int
    """The section size s."""


def new_state(
    section_size: int, vector_registers: int, memory: npt.NDArray[np.uint8], entries: int = 0
) -> State:
    """Return a zeroed state around ``memory``, the stack pointer at its end.

    Parameters
    ----------
    section_size, vector_registers
        Elements of a vector register, and how many there are.
    memory
        Bytes, a whole number of words, used in place.
    entries
        How many a sparse instruction has at most, if not one an element.
    """
    x = np.zeros(REGISTERS, np.int64)
    x[STACK_POINTER] = len(memory) & ~0xF
    f = np.zeros(REGISTERS, np.int64)
    v = np.zeros(vector_registers * section_size, np.int64)
    cache = np.zeros(section_size * section_size, np.int64)
    return State(
        x=x,
        f=f,
        fs=f.view(np.float32),
        fd=f.view(np.float64),
        special=np.zeros(len(SPECIAL_REGISTERS), np.int64),
        v=v,
        vw=v.view(np.int32),
        vs=v.view(np.float32),
        vd=v.view(np.float64),
        mask=np.zeros(section_size, np.uint8),
        cache=cache,
        cs=cache.view(np.float32),
        cd=cache.view(np.float64),
        memory=memory,
        words=memory.view(np.uint32),
        address=np.zeros(section_size, np.int64),
        row=np.zeros(max(section_size, entries), np.int64),
        section=section_size,
    )


ARCHITECTURAL = ("x", "f", "special", "v", "mask", "cache", "memory")
"""The fields that own the state; the others are views of them or scratch."""


def copy_into(target: State, source: State | dict[str, npt.NDArray[Any]]) -> None:
    """Overwrite every architectural array of ``target`` with that of ``source``, in place."""
    for name in ARCHITECTURAL:
        values = source[name] if isinstance(source, dict) else getattr(source, name)
        getattr(target, name)[...] = values


def interpreted(state: State) -> State:
    """Return the same state for semantics that Python interprets, one element after the other.

    The integer arrays are memoryviews on the same bytes: they give and take Python integers, several times
    faster than NumPy scalars. The float arrays stay, since NumPy scalars round as the machine does.
    """
    fields = {
        name: memoryview(values)
        for name, values in state._asdict().items()
        if isinstance(values, np.ndarray) and values.dtype.kind in "iu"
    }
    return state._replace(**fields)  # type: ignore[arg-type]
