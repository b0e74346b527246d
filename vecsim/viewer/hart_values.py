"""What the registers of a RISC-V program and pieces of memory held, instruction by instruction."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from isa.riscv.operands import ABI_NAMES
from isa.riscv.state import FFLAGS, LMUL, SEW, VL, VSTART, Hart
from vecsim.data.memory_files import Piece
from vecsim.riscv.registers import REGISTERS, float_values
from vecsim.riscv.timing.replay import Replay
from vecsim.viewer.values import Changes, Held

SCALARS = (
    *(f"x{i}" for i in range(REGISTERS)),
    *("vl", "sew", "lmul", "vstart", "fflags"),
    *(f"f{i}" for i in range(REGISTERS)),
)
"""Scalar registers in the order in which they are kept; ``sew`` and ``lmul`` are what vtype says."""


def held_by_hart(replay: Replay, pieces: tuple[Piece, ...], wide: bool, most_bytes: int, ages: range) -> Held:
    """Return what registers and memory held while some instructions were executed.

    Parameters
    ----------
    replay
        The run.
    pieces
        Of memory.
    wide
        Whether elements of vector registers are shown with 64 bits; with 32 otherwise.
    most_bytes
        Of contents of vector registers; when there are more, no more are noted.
    ages
        The rows of the recorded program.
    """
    replay.go_to(ages.start)
    hart = replay.hart
    section = len(hart.v8) // REGISTERS // (8 if wide else 4)
    names = {name: plain for plain, name in ABI_NAMES.items()}
    held = Held(SCALARS, section, REGISTERS, names, memory=[Changes() for _ in pieces])
    known = _Known(hart, pieces, wide)
    for changes, content in zip((held.scalars, held.vectors, *held.memory), known.contents, strict=True):
        changes.note(-1, np.arange(len(content)), content)
    held.vectors.note(-1, np.array([REGISTERS]), np.zeros((1, section), np.int64))  # there is no mask
    left, count = most_bytes, replay.count
    for age in ages:
        replay.go_to(age + 1)
        if replay.count == count:
            continue
        count = replay.count
        scalars, vectors, *memory = known.changed(replay.hart)
        held.scalars.note(age, *scalars)
        for changes, each in zip(held.memory, memory, strict=True):
            changes.note(age, *each)
        left -= vectors[1].nbytes
        if left < 0 and held.known_until is None:
            held.known_until = age
        if held.known_until is None:
            held.vectors.note(age, *vectors)
    return held


class _Known:
    """The contents that were looked at last: of scalars, of vector registers, of each piece of memory."""

    def __init__(self, hart: Hart, pieces: tuple[Piece, ...], wide: bool) -> None:
        self._pieces, self._wide = pieces, wide
        self.contents = self._look(hart)

    def _look(self, hart: Hart) -> list[npt.NDArray[Any]]:
        control = hart.control
        special = [control[VL], control[SEW], 2.0 ** control[LMUL], control[VSTART], control[FFLAGS]]
        elements = hart.v64 if self._wide else hart.v64.view(np.uint32).astype(np.int64)
        return [
            np.concatenate([hart.x.astype(np.float64), special, float_values(hart)]),
            elements.reshape(REGISTERS, -1).copy(),
            *(hart.memory[piece.address : piece.end].copy() for piece in self._pieces),
        ]

    def changed(self, hart: Hart) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[Any]]]:
        """Return of each which cells have another content now, and the content."""
        before, self.contents = self.contents, self._look(hart)
        result = []
        for old, new in zip(before, self.contents, strict=True):
            differs = old.view(np.uint8).reshape(len(old), -1) != new.view(np.uint8).reshape(len(new), -1)
            cells = np.flatnonzero(differs.any(axis=1))
            result.append((cells, new[cells]))
        return result
