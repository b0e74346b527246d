"""Vector registers as strips: a cell for each element, the taller the larger its magnitude."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from isa.state import State
from vecsim.debugger.operands import looks_like_floats
from vecsim.debugger.readiness import NOT_READY

BLOCKS = "▁▂▃▄▅▆▇█"
DOTTED = "⣀⣤⣶⣿"
"""The same of elements that are not ready."""
ZERO, STRANGE = "·", "?"


@dataclass(frozen=True)
class Strip:
    """A row of cells.

    Attributes
    ----------
    kind
        What the elements were read as: ``float``, ``double`` or ``word``.
    values
        Of the elements.
    """

    kind: str
    values: tuple[float, ...]

    @property
    def largest(self) -> float:
        """The largest magnitude of a finite element."""
        return max((abs(value) for value in self.values if math.isfinite(value)), default=0.0)

    def heights(self) -> list[float]:
        """Return for each cell its magnitude as a share of the largest, 0 to 1; NaN if it is not finite."""
        top = self.largest or 1.0
        return [abs(value) / top if math.isfinite(value) else math.nan for value in self.values]

    def text(self, waits: Iterable[object] = ()) -> str:
        """Return the cells as letters; those of elements that are not ready are dotted."""
        cells = zip_longest(self.heights(), waits, fillvalue=False)
        return "".join(cell(height, wait) for height, wait in cells)


def cell(height: float, wait: object = False) -> str:
    """Return the letter of a cell: a block as tall as the height, a dot for zero; dotted if it waits."""
    if math.isnan(height):
        return STRANGE
    if height == 0:
        return NOT_READY if wait else ZERO
    levels = DOTTED if wait else BLOCKS
    return levels[min(len(levels) - 1, int(height * len(levels)))]


def strip_of(containers: Any, wide: bool) -> Strip:
    """Read containers (int64) as a strip: float64 if values are wide, float32, or integers."""
    bits = np.asarray(containers, np.int64)
    if wide and (np.abs(bits) >= 1 << 32).any():
        return Strip("double", tuple(bits.view(np.float64).tolist()))
    low = bits.astype(np.uint32)
    if looks_like_floats(bits):
        return Strip("float", tuple(low.view(np.float32).astype(float).tolist()))
    return Strip("word", tuple(low.view(np.int32).tolist()))


def vector_strips(state: State, registers: Sequence[int], wide: bool) -> dict[int, Strip]:
    """Return the strips of vector registers by number."""
    s = state.section
    return {n: strip_of(state.v[n * s : (n + 1) * s], wide) for n in registers}
