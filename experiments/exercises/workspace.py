"""The memory of a case: arrays between strips that nobody may write, and what was done to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.exercises.exercise import Case
from isa.program import Program

FIRST = 4096
"""Where the arrays begin; what is below is the program's own, for its data."""
SCRATCH = 16384
"""Bytes that a program may use as it likes, from the symbol SCRATCH on."""
STACK = 4096
"""Bytes at the end of memory, for the stack."""
GUARD = 64
"""Bytes between arrays."""
UNTOUCHED = 0xFFA5A5A5
"""What every word holds that nobody has written: as a float it is no number."""


@dataclass(frozen=True)
class Wrong:
    """The first element of an array that is not as expected."""

    array: str
    element: int
    found: float
    expected: float
    count: int
    written: bool


@dataclass(frozen=True)
class Workspace:
    """Memory before the run, and the address of each array by its symbol."""

    case: Case
    memory: npt.NDArray[np.uint8]
    symbols: dict[str, int]

    def stray(self, memory: npt.NDArray[np.uint8], program: Program) -> str:
        """Say which byte outside its own arrays a program has changed; empty if none."""
        changed = memory[: len(self.memory)] != self.memory
        for name, values in self.case.expected.items():
            changed[self.symbols[name] : self.symbols[name] + values.nbytes] = False
        changed[:FIRST] = False
        changed[self.symbols["SCRATCH"] :] = False
        for segment in program.data:
            changed[segment.address : segment.end] = False
        where = np.flatnonzero(changed)
        if not len(where):
            return ""
        at = int(where[0])
        return f"byte {at} was changed, {self._place(at)}; {len(where)} bytes in all"

    def _place(self, at: int) -> str:
        arrays = {**self.case.inputs, **self.case.expected}
        before = [name for name in arrays if self.symbols[name] <= at]
        if not before:
            return "before all arrays"
        name = max(before, key=lambda name: self.symbols[name])
        behind = at - self.symbols[name] - arrays[name].nbytes
        if behind < 0:
            element = (at - self.symbols[name]) // arrays[name].itemsize
            return f"which is {name}[{element}], an input"
        return f"{behind} bytes behind the end of {name}"

    def first_wrong(self, memory: npt.NDArray[np.uint8]) -> Wrong | None:
        """Give the first element that is not as expected; real numbers may be off by 1e-5."""
        for name, expected in self.case.expected.items():
            begin = self.symbols[name]
            found = memory[begin : begin + expected.nbytes].copy().view(expected.dtype)
            if expected.dtype.kind == "f":
                with np.errstate(invalid="ignore"):
                    near = np.abs(found - expected) <= 1e-5 * np.maximum(1.0, np.abs(expected))
            else:
                near = found == expected
            wrong = np.flatnonzero(~near)
            if len(wrong):
                k = int(wrong[0])
                written = int(found.view(np.uint32)[k]) != UNTOUCHED
                return Wrong(name, k, found[k].item(), expected[k].item(), len(wrong), written)
        return None


def workspace(case: Case) -> Workspace:
    """Place the arrays of a case in memory; elements have 4 bytes."""
    symbols, at = dict(case.constants), FIRST
    for name, values in {**case.inputs, **case.expected}.items():
        symbols[name] = at
        at += (values.nbytes + GUARD + 15) & ~15
    symbols["SCRATCH"] = at
    memory = np.full((at + SCRATCH + STACK) // 4, UNTOUCHED, np.uint32).view(np.uint8)
    memory[:FIRST] = 0
    for name, values in case.inputs.items():
        memory[symbols[name] : symbols[name] + values.nbytes] = values.view(np.uint8)
    return Workspace(case, memory, symbols)
