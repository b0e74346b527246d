"""What a program of the course is run on: arrays in memory, and what must be there afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from programs.loading import BASE, STACK_BYTES, require_room
from vecsim.formats import Image
from vecsim.machine import Machine
from vecsim.support.errors import UserError

Array = npt.NDArray[Any]
TOLERANCE = 1e-4
"""How far a real number of a result may be off, as a share of the largest expected one."""


@dataclass(frozen=True)
class Needed:
    """What must be done, whatever the program: of it a lower bound of cycles is made.

    Attributes
    ----------
    contiguous
        Words of accesses to neighbours.
    indexed
        Words of gathers, scatters and accesses with a stride.
    arithmetic
        Element operations of the unit that has most of them.
    """

    contiguous: int = 0
    indexed: int = 0
    arithmetic: int = 0

    def cycles(self, machine: Machine) -> int:
        """Return the larger of the cycles that all memory ports together need, and the unit."""
        words = self.contiguous / machine.words_per_cycle + self.indexed / machine.addresses_per_cycle
        return int(np.ceil(max(words / machine.memory_ports, self.arithmetic / machine.lanes)))


@dataclass(frozen=True)
class Problem:
    """The memory of a program before and after it.

    Attributes
    ----------
    inputs
        Arrays of 4- or 8-byte elements by the symbol of their address.
    expected
        What arrays must hold afterwards; one that is no input begins with zeros.
    work, unit
        How many of what cycles are counted per: ``(1000, "element")``.
    needed
        For the lower bound.
    image
        A matrix in its format, with its symbols; in front of the arrays.
    room
        Bytes of further arrays, zeros, by their symbol.
    constants
        Symbols next to addresses.
    padding
        Elements after each array that may be read and written, at least a section.
    check
        Says what else is wrong with memory after the run, whose symbols it gets too; empty if nothing.
    """

    inputs: Mapping[str, Array]
    expected: Mapping[str, Array]
    work: int
    unit: str
    needed: Needed
    image: Image | None = None
    room: Mapping[str, int] = field(default_factory=dict)
    constants: Mapping[str, int] = field(default_factory=dict)
    padding: int = 0
    check: Callable[[Array, Mapping[str, int]], str] | None = None

    @property
    def units(self) -> str:
        """The unit in the plural."""
        word, of, rest = self.unit.partition(" ")
        return f"{word}s{of}{rest}"


@dataclass(frozen=True)
class Placed:
    """A problem in memory.

    Attributes
    ----------
    problem
        What was placed.
    memory
        (n,) uint8.
    symbols
        Addresses of arrays, constants, and those of the image.
    """

    problem: Problem
    memory: npt.NDArray[np.uint8]
    symbols: dict[str, int]

    def results(self, memory: npt.NDArray[np.uint8]) -> dict[str, Array]:
        """Read the arrays that the program was to write."""
        result = {}
        for name, values in self.problem.expected.items():
            begin = self.symbols[name]
            result[name] = (
                memory[begin : begin + values.nbytes].copy().view(values.dtype).reshape(values.shape)
            )
        return result

    def mistake(self, memory: npt.NDArray[np.uint8]) -> str:
        """Return what is wrong after a run; empty if nothing."""
        result = self.results(memory)
        for name, values in self.problem.expected.items():
            wrong = np.flatnonzero(~_near(result[name], values))
            if len(wrong):
                first = int(wrong[0])
                pair = f"{result[name].flat[first]!r}, expected {values.flat[first]!r}"
                return f"{name}[{first}] is {pair}; {len(wrong)} of {values.size} differ"
        return self.problem.check(memory, self.symbols) if self.problem.check else ""


def _near(result: Array, expected: Array) -> npt.NDArray[np.bool_]:
    if expected.dtype.kind != "f":
        return np.ravel(result == expected)
    scale = float(np.max(np.abs(expected), initial=1e-30))
    with np.errstate(invalid="ignore"):
        return np.ravel(np.abs(result - expected) <= TOLERANCE * scale)


def placed(problem: Problem, machine: Machine) -> Placed:
    """Place a problem in memory: the image, then each array at a multiple of 16 bytes, then the stack.

    Raises
    ------
    UserError
        It does not fit the address space.
    """
    image = problem.image
    symbols = dict(problem.constants) | (dict(image.symbols) if image else {})
    sizes = {name: values.nbytes for name, values in {**problem.inputs, **problem.expected}.items()}
    at = image.end if image else BASE
    for name, size in (sizes | dict(problem.room)).items():
        if name in symbols:
            raise UserError(f"{name} is a symbol of the image, too")
        symbols[name] = at = at + 15 & -16
        at += size + 8 * max(machine.section_size, problem.padding)
    size = (at + STACK_BYTES + 15) & -16
    require_room(size)
    memory = np.zeros(size, np.uint8)
    if image:
        memory[image.base : image.end] = image.data
    for name, values in problem.inputs.items():
        begin = symbols[name]
        memory[begin : begin + values.nbytes] = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
    return Placed(problem, memory, symbols)
