"""All machines that a search chooses from: rows of places of values, and what they mean."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.whatif.sweep.attributes import Value
from experiments.whatif.sweep.cost import cost
from experiments.whatif.sweep.specification import ARGUMENT, DEFINE, OPTION, Point, Sweep, point_of
from vecsim.engines.many.batch import LARGEST_NUMBER
from vecsim.engines.trace_timing.places import FREE_NUMBERS, NUMBERS
from vecsim.machine import Machine
from vecsim.machine.description import flat
from vecsim.support.errors import UserError

Rows = npt.NDArray[np.int32]
"""(n, things) of each machine, for each thing that is varied, the place of its value."""
Floats = npt.NDArray[np.float64]

MOST_NUMBER = 1 << 30
"""What stands for larger numbers of a machine, which no machine has, or which no cost counts."""
INTERACTING = ("divide_interval", "latency.divide")
"""Numbers that limit each other: one alone does not tell whether there is such a machine."""


@dataclass(frozen=True, eq=False)
class Kind:
    """Machines that differ only in numbers that any values may have together.

    Attributes
    ----------
    machine
        One of them; None if there is none.
    point
        What is chosen for it.
    fault
        Why there is none.
    """

    machine: Machine | None
    point: Point
    fault: str = ""


class Space:
    """Every combination of the values of a sweep.

    Parameters
    ----------
    sweep
        What is varied.

    Raises
    ------
    UserError
        Nothing is varied, or something that may change what is computed; a value that no machine has.

    Attributes
    ----------
    names, values
        What is varied, and the values of each.
    count
        How many combinations there are.
    """

    def __init__(self, sweep: Sweep) -> None:
        self._sweep, self.base = sweep, sweep.base
        self.names = tuple(sweep.factors)
        self.values: tuple[tuple[Value, ...], ...] = tuple(sweep.factors.values())
        self.sizes = np.array([len(values) for values in self.values], np.int64)
        self.count = math.prod(map(len, self.values))
        if self.count < 2:
            raise UserError(
                "optimise: there is nothing to choose; give a number of the machine several values"
            )
        for name, values in zip(self.names, self.values, strict=True):
            if name.startswith((DEFINE, ARGUMENT)) and len(values) > 1:
                raise UserError(f"{name}: changes what is computed, so that cycles do not compare; name one")
        self._free = [name in FREE_NUMBERS and name not in INTERACTING for name in self.names]
        for name, values in zip(self.names, self.values, strict=True):
            for value in values if name in FREE_NUMBERS and name not in INTERACTING else ():
                self.base.changed({name: int(value)})
        self._kinds: dict[bytes, Kind] = {}

    def chosen(self, row: Rows) -> dict[str, Value]:
        """Return the value of each thing in one row."""
        return {
            name: values[place]
            for name, values, place in zip(self.names, self.values, row.tolist(), strict=True)
        }

    def point(self, row: Rows) -> Point:
        """Return what one row chooses."""
        return point_of(self.chosen(row))

    @property
    def point_of_base(self) -> Point:
        """What runs on the machine as it is: symbols and arguments have one value each."""
        named = zip(self.names, self.values, strict=True)
        return point_of({name: of[0] for name, of in named if name.startswith((DEFINE, ARGUMENT))})

    def random(self, count: int, rng: np.random.Generator) -> Rows:
        """Return (count, things) random rows."""
        return rng.integers(0, self.sizes, (count, len(self.sizes))).astype(np.int32)

    def all(self, at_once: int) -> Iterator[Rows]:
        """Return every row, some at a time, the last thing varied first."""
        for first in range(0, self.count, at_once):
            numbers = np.arange(first, min(first + at_once, self.count))
            yield np.stack(np.unravel_index(numbers, tuple(self.sizes)), axis=1).astype(np.int32)

    @property
    def most_next_to(self) -> int:
        """How many machines are next to one, at most."""
        return int(self.sizes.sum()) + 2 * len(self.sizes) * (len(self.sizes) + 14)

    def a_step_from(self, rows: Rows) -> Rows:
        """Return what differs from a row in two things by one value each, or in one by 1, 2, 4 and so on.

        No row comes twice.
        """
        moved = np.eye(len(self.names), dtype=np.int32)
        steps = [sign * each for each in moved for sign in (-1, 1)]
        pairs = [one + other for at, one in enumerate(steps) for other in steps[: at - at % 2]]
        far = [step << k for k in range(1, int(self.sizes.max()).bit_length()) for step in steps]
        reached = (rows[:, None] + np.array([*steps, *pairs, *far])).reshape(-1, len(self.names))
        inside = ((reached >= 0) & (reached < self.sizes)).all(axis=1)
        return np.unique(reached[inside], axis=0)

    def a_value_from(self, rows: Rows) -> Rows:
        """Return what differs from a row in one thing at most; no row twice."""
        parts = []
        for thing, size in enumerate(self.sizes.tolist()):
            other = np.repeat(rows, size, axis=0)
            other[:, thing] = np.tile(np.arange(size, dtype=np.int32), len(rows))
            parts.append(other)
        return np.unique(np.concatenate(parts), axis=0)

    def costs(self, rows: Rows) -> Floats:
        """Return (n,) costs of machines that serve every program."""
        numbers = {**self._numbers_of_base, **self._columns(rows)}
        bits, weights = self._sweep.value_bits, self._sweep.cost
        each = [cost(numbers, name, bits, weights) for name in self._sweep.program_names]
        dearest: Floats = np.broadcast_to(np.max(np.broadcast_arrays(*each), axis=0), len(rows))
        return dearest

    def cost_of_base(self) -> float:
        """Return what the machine costs as it is."""
        numbers, bits = self._numbers_of_base, self._sweep.value_bits
        return max(float(cost(numbers, name, bits, self._sweep.cost)) for name in self._sweep.program_names)

    def kinds(self, rows: Rows) -> tuple[list[Kind], npt.NDArray[np.intp]]:
        """Return the kinds of machines among rows, and (n,) the place of each row's kind."""
        fixed = np.where(self._free, 0, rows)
        different, which = np.unique(fixed, axis=0, return_inverse=True)
        return [self._kind(row) for row in different], which.reshape(-1)

    def by_kind(self, rows: Rows) -> npt.NDArray[np.intp]:
        """Return the order (n,) that puts machines of one kind side by side."""
        fixed = np.where(self._free, 0, rows)
        return np.lexsort((np.arange(len(rows)), *fixed.T))

    def numbers(self, rows: Rows) -> npt.NDArray[np.int32]:
        """Return (NUMBERS, n) the numbers of machines as `vecsim.engines.many.batch.numbers_of` does.

        Those that are too large to be timed are one more than the largest.
        """
        known, columns = self._numbers_of_base, self._columns(rows)
        result = np.empty((len(NUMBERS), len(rows)), np.int32)
        for place, name in enumerate(NUMBERS):
            result[place] = np.minimum(columns.get(name, known[name]), LARGEST_NUMBER + 1)
        return result

    def _kind(self, row: Rows) -> Kind:
        key = row.tobytes()
        if key not in self._kinds:
            taken = {
                name: value
                for (name, value), free in zip(self.chosen(row).items(), self._free, strict=True)
                if not free
            }
            point = point_of(taken)
            try:
                self._kinds[key] = Kind(self.base.changed(point.machine), point)
            except UserError as error:
                self._kinds[key] = Kind(None, point, str(error))
        return self._kinds[key]

    def _columns(self, rows: Rows) -> Mapping[str, npt.NDArray[np.int64]]:
        return {name: values[rows[:, place]] for place, name, values in self._of_machine}

    @cached_property
    def _numbers_of_base(self) -> Mapping[str, int | bool]:
        return flat(self.base.numbers())

    @cached_property
    def _of_machine(self) -> list[tuple[int, str, Any]]:
        return [
            (place, name, np.array([max(-MOST_NUMBER, min(int(each), MOST_NUMBER)) for each in values]))
            for place, (name, values) in enumerate(zip(self.names, self.values, strict=True))
            if not name.startswith((OPTION, DEFINE, ARGUMENT))
        ]
