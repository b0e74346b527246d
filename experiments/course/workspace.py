"""The memory of a case: arrays between strips that nobody may write, and what was done to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.course.exercise import Arrays, Case
from isa.restrictions import Restrictions
from vecsim.support.suggestions import counted

DATA = (64, 8192)
"""Addresses of the text's own data: the first, and the end. Arrays lie at higher addresses."""
SHIFTS = 64
"""Arrays begin at one of this many multiples of 16 bytes after the end of the text's data, at random."""
SCRATCH = 16384
"""Bytes that a program may use as it likes, from the symbol SCRATCH on."""
STACK = 4096
"""Bytes at the end of memory, for the stack."""
GUARD = 64
"""Least number of bytes between arrays."""
GUARDS = 16
"""Gaps are one of this many multiples of 16 bytes longer, at random."""
UNTOUCHED = 0xFFA5A5A5
"""What every word holds that nobody has written: as a float it is NaN."""


@dataclass(frozen=True)
class Wrong:
    """The first element of an array that is not as expected."""

    array: str
    element: int
    computed: float
    expected: float
    count: int
    written: bool


@dataclass(frozen=True)
class Span:
    """A piece of memory: its first address, and the end."""

    begin: int
    end: int


@dataclass(frozen=True)
class Workspace:
    """Memory before the run, what must be in it afterwards, and where a program may write.

    Attributes
    ----------
    name
        What reports call the case.
    memory
        (n,) bytes.
    symbols
        The address of each array, and constants.
    varying
        Those symbols that differ from case to case.
    inputs
        Where the inputs are, by their symbols.
    expected
        The results, by their symbols.
    writable
        Where a program may write in addition to its results.
    work
        Elements that an instruction on which the exercise insists must process.
    worked
        Which elements of each result must come from such an instruction.
    """

    name: str
    memory: npt.NDArray[np.uint8]
    symbols: dict[str, int]
    varying: frozenset[str]
    inputs: dict[str, Span]
    expected: Arrays
    writable: tuple[Span, ...]
    work: int
    worked: Mapping[str, npt.NDArray[np.bool_]]

    @property
    def restrictions(self) -> Restrictions:
        """What a text must not do when it is assembled for this case."""
        return Restrictions(self.varying, DATA)

    def stray(self, memory: npt.NDArray[np.uint8]) -> str:
        """Describe the bytes outside its own arrays that a program has changed; empty if none."""
        changed = memory[: len(self.memory)] != self.memory
        results = [self._span(name, values) for name, values in self.expected.items()]
        for span in (Span(0, DATA[1]), *results, *self.writable):
            changed[span.begin : span.end] = False
        where = np.flatnonzero(changed)
        if not len(where):
            return ""
        at = int(where[0])
        return f"byte {at} was changed, {self._place(at)}; {counted(len(where), 'byte')} in all"

    def _span(self, name: str, values: npt.NDArray[Any]) -> Span:
        return Span(self.symbols[name], self.symbols[name] + values.nbytes)

    def _place(self, at: int) -> str:
        spans = self.inputs | {name: self._span(name, values) for name, values in self.expected.items()}
        before = [name for name, span in spans.items() if span.begin <= at]
        if not before:
            return "before all arrays"
        name = max(before, key=lambda name: spans[name].begin)
        if at < spans[name].end:
            return f"which is {name}[{(at - spans[name].begin) // 4}], an input"
        return f"{counted(at - spans[name].end, 'byte')} after the end of {name}"

    def wrong(self, memory: npt.NDArray[np.uint8]) -> dict[str, npt.NDArray[np.bool_]]:
        """Return which elements of each result are not as expected; all of them are exact."""
        return {name: ~(self._found(name, memory) == values) for name, values in self.expected.items()}

    def first_wrong(self, memory: npt.NDArray[np.uint8]) -> Wrong | None:
        """Return the first element that is not as expected."""
        for name, wrong in self.wrong(memory).items():
            where = np.flatnonzero(wrong)
            if len(where):
                k, computed = int(where[0]), self._found(name, memory)
                written = int(computed.view(np.uint32)[k]) != UNTOUCHED
                actual, expected = (values[k : k + 1].item() for values in (computed, self.expected[name]))
                return Wrong(name, k, actual, expected, len(where), written)
        return None

    def _found(self, name: str, memory: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        expected = self.expected[name]
        begin = self.symbols[name]
        return memory[begin : begin + expected.nbytes].copy().view(expected.dtype)


def workspace(case: Case, random: np.random.Generator) -> Workspace:
    """Place the arrays of a case in memory, in any order; elements have 4 bytes."""
    symbols, at = dict(case.constants), first_address(random)
    arrays = {**case.inputs, **case.expected}
    names = list(arrays)
    random.shuffle(names)
    for name in names:
        symbols[name] = at
        at += (arrays[name].nbytes + GUARD + 15) & ~15
        at += 16 * int(random.integers(GUARDS))
    symbols["SCRATCH"] = at
    memory = np.full((at + SCRATCH + STACK) // 4, UNTOUCHED, np.uint32).view(np.uint8)
    memory[: DATA[1]] = 0
    for name, values in case.inputs.items():
        memory[symbols[name] : symbols[name] + values.nbytes] = values.view(np.uint8)
    return Workspace(
        name=case.name,
        memory=memory,
        symbols=symbols,
        varying=frozenset(symbols),
        inputs={name: Span(symbols[name], symbols[name] + each.nbytes) for name, each in case.inputs.items()},
        expected=case.expected,
        writable=(Span(at, len(memory)),),
        work=case.work,
        worked={name: np.ones(len(values), bool) for name, values in case.expected.items()},
    )


def first_address(random: np.random.Generator) -> int:
    """Return where the arrays begin, a multiple of 16; every address takes ``li`` two instructions."""
    return DATA[1] + 16 * int(random.integers(1, 1 + SHIFTS))
