"""The constants of user-defined semantics, as numbers that random states hold too.

Code may do something only where an element equals a constant, which no random number does.
"""

from __future__ import annotations

import enum
import math
import random
import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from isa.declaration import Instruction
from vecsim.engines.rebinding import functions_within, global_names
from vecsim.engines.user_code import is_ours

NEAR = 2
"""Up to this magnitude the numbers around a constant are in random states anyway."""
SECTION = 8
"""Elements of a section in random states."""
MOST_RUNS = 24
WORDS = 1 << 63


class Form(enum.Enum):
    """What the elements of a state are."""

    INTEGER = ()
    SINGLE = ("vs", "fs", "cs")
    DOUBLE = ("vd", "fd", "cd")


@dataclass(frozen=True)
class Constants:
    """What the elements and the scalars of one random state are.

    Attributes
    ----------
    form
        Of the elements.
    integers, floats
        The constants, then the numbers around them.
    run
        The number of the run: it says which constant comes first.
    """

    form: Form
    integers: tuple[int, ...]
    floats: tuple[float, ...]
    run: int = 0

    @property
    def values(self) -> tuple[float, ...]:
        """Return what elements are."""
        return self.integers if self.form == Form.INTEGER else self.floats

    def rotated(self, by: int) -> tuple[float, ...]:
        """Return the values, from another one on."""
        begin = by % len(self.values)
        return self.values[begin:] + self.values[:begin]

    def others(self, source: random.Random) -> Constants:
        """Return other numbers of these magnitudes."""
        integers = {source.randrange(2 * abs(each) + 2 * SECTION) for each in self.integers}
        floats = {source.uniform(-2, 2) * (abs(each) + 1) for each in self.floats}
        return replace(
            self,
            integers=tuple(integers.difference(self.integers)) or self.integers,
            floats=tuple(floats.difference(self.floats)) or self.floats,
        )


def states_of_constants(row: Instruction) -> list[Constants]:
    """Return what random states for an instruction hold, so that each has every constant at some time."""
    users = [each for each in functions_within(row.semantics, set()) if _is_read(row, each)]
    names = {name for function in users for name in _names(function.__code__)}
    integers, floats = _ordered({number for function in users for number in _numbers(function)})
    scalars = {"x" if operand.kind not in "fv" else operand.kind for operand in row.operands}
    states = []
    for form in Form:
        values = integers if form == Form.INTEGER else floats
        if values and (form == Form.INTEGER or names.intersection(form.value)):
            runs = 2 * -(-len(values) // SECTION)
            if ("x" if form == Form.INTEGER else "f") in scalars:
                runs = max(runs, len(values))
            states += [Constants(form, integers, floats, run) for run in range(min(runs, MOST_RUNS))]
    return states


def _is_read(row: Instruction, function: types.FunctionType) -> bool:
    return function is row.semantics or not is_ours(function.__code__.co_filename)


def _ordered(numbers: set[float]) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return integers and floats, the constants before those around them."""
    exact = sorted(numbers)
    around = [number + step for number in exact if abs(number) > NEAR for step in (-1, 1)]
    both = dict.fromkeys([*exact, *around])
    whole = dict.fromkeys(number for each in both for number in (math.floor(each), math.ceil(each)))
    integers = tuple(each for each in whole if -WORDS <= each < WORDS)
    floats = dict.fromkeys(float(each) for each in both if abs(each) <= WORDS or isinstance(each, float))
    return integers, tuple(floats)


def _numbers(function: types.FunctionType) -> Iterator[float]:
    """Return the finite numbers in the code of a function, and those that it names."""
    yield from _within(function.__code__)
    for name, _ in global_names(function.__code__):
        yield from _within(function.__globals__.get(name))
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    yield from _within((*cells, *(function.__defaults__ or ())))


def _within(value: Any) -> Iterator[float]:
    if isinstance(value, types.CodeType):
        yield from _within(value.co_consts)
    elif isinstance(value, tuple | frozenset):
        for each in value:
            yield from _within(each)
    elif isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        number = value.item() if isinstance(value, np.generic) else value
        if math.isfinite(number):
            yield number


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _names(part)
