"""A million machines and programs of the grid, sampled at random and timed together.

Machines are sampled in families: what decides a program or the sizes of a machine (`vecsim.engines.many`) is
sampled once for a family, every other choice for each of its machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.made_by import digest_of
from experiments.papers.hism.calibration.choices import (
    CHOICES,
    Choice,
    Value,
    machine_of,
    options_of,
    uncalibrated,
)
from experiments.papers.hism.calibration.simulation import Variant
from experiments.papers.hism.measurements import VALUE_BYTES
from experiments.papers.hism.timing import METHODS
from programs.measurement import Prepared, multiplicand, on_same_memory, prepare
from programs.registry import find
from vecsim.data import load, values_as
from vecsim.engines.many.batch import Group, group_of, is_timed, numbers_of, sizes_of, time_group
from vecsim.engines.many.trace import Trace, record_trace
from vecsim.engines.trace_timing.places import NUMBERS, Sizes
from vecsim.machine import Machine
from vecsim.support.errors import UserError

FAMILIES, EACH = 8192, 128
"""Families, and machines of each: 2^20 in all."""
SEED = 2003
"""Of the random numbers; the sample is always the same."""
FEW = 32, 4
"""Families, and machines of each, whose cycles tell whether timing has changed since tables were recorded."""
SMALL = "laplace2d-12"
"""The matrix that they run on."""

Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]
Places = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Family:
    """Machines that differ in numbers alone, and the programs that they run.

    Attributes
    ----------
    machine
        One of them.
    variants
        Programs with their options, as in :data:`METHODS`.
    """

    machine: Machine
    variants: tuple[Variant, ...]


@dataclass(frozen=True, eq=False)
class Sample:
    """Machines at random.

    Attributes
    ----------
    choices
        The grid, without what cannot be timed together.
    values
        (M, choices) which value of each choice a machine has.
    families
        Of the machines: the first has as many as each other one, from machine 0 on.
    """

    choices: tuple[Choice, ...]
    values: Places
    families: tuple[Family, ...]

    @property
    def each(self) -> int:
        """Machines of a family."""
        return len(self.values) // len(self.families)

    def fixed_cycles(self, members: Ints) -> Ints:
        """Return the (m,) cycles that are added to every run of some machines."""
        total = np.zeros(len(members), np.int64)
        for place, choice in enumerate(self.choices):
            cycles = np.array([value.cycles for value in choice.values], np.int64)
            total += cycles[self.values[members, place]]
        return total

    def numbers(self, members: Ints) -> Numbers:
        """Return the (NUMBERS, m) numbers of some machines."""
        result = np.repeat(numbers_of([self.families[0].machine]), len(members), axis=1)
        for place, choice in enumerate(self.choices):
            for field in set(choice.values[0].machine) & set(NUMBERS):
                table = np.array([value.machine[field] for value in choice.values], np.int32)
                result[NUMBERS.index(field)] = table[self.values[members, place]]
        return result

    def machine(self, member: int, base: Machine) -> Machine:
        """Return a machine, made of its choices."""
        named = {
            choice.name: choice.values[value].name
            for choice, value in zip(self.choices, self.values[member], strict=True)
        }
        return machine_of(named, base, self.choices)


def is_free(choice: Choice) -> bool:
    """Return whether machines of one family may differ in a choice."""
    return all(not value.options and set(value.machine) <= set(NUMBERS) for value in choice.values)


def draw(base: Machine, families: int = FAMILIES, each: int = EACH, seed: int = SEED) -> Sample:
    """Draw machines: every value of a choice is as likely as the others, and choices are independent.

    Parameters
    ----------
    base
        The machine whose fields hold where no choice sets them.
    families, each
        How many, and how many machines each has.
    seed
        Of the random numbers.
    """
    choices = timed_together(base)
    generator = np.random.Generator(np.random.PCG64(seed))
    sizes = [len(choice.values) for choice in choices]
    values = generator.integers(0, sizes, (families, each, len(choices))).astype(np.int8)
    for place, choice in enumerate(choices):
        if not is_free(choice):
            values[:, :, place] = values[:, :1, place]
    result = tuple(_family(choices, of[0], base) for of in values)
    return Sample(choices, values.reshape(-1, len(choices)), result)


def digest_of_sample(base: Machine) -> str:
    """Return a digest of the cycles of some machines, sampled as the others are, on a small matrix.

    Parameters
    ----------
    base
        The machine whose fields hold where no choice sets them.
    """
    families, each = FEW
    sample = draw(base, families, each)
    return digest_of(cycles_of(sample, load(SMALL).csr, np.arange(families * each)))


def timed_together(base: Machine) -> tuple[Choice, ...]:
    """Return the grid without the values of machines that cannot be timed together."""
    first = uncalibrated()
    results = []
    for choice in CHOICES:
        usable = [v for v in choice.values if is_timed(machine_of({**first, choice.name: v.name}, base))]
        if len(usable) > 1:
            results.append(Choice(choice.name, tuple(usable), choice.why, choice.paper))
    return tuple(results)


def _family(choices: Sequence[Choice], values: Places, base: Machine) -> Family:
    taken: dict[str, Value] = {c.name: c.values[v] for c, v in zip(choices, values, strict=True)}
    named = {name: value.name for name, value in taken.items()}
    options = options_of(named, tuple(choices))
    variants = tuple(Variant(program, tuple(sorted(options[program].items()))) for program in METHODS)
    return Family(machine_of(named, base, tuple(choices)), variants)


class Records:
    """Runs of the programs on a matrix, recorded when they are first needed.

    Parameters
    ----------
    csr
        The matrix, (m, n) sparse.
    """

    def __init__(self, csr: Any) -> None:
        self._values, _ = values_as(csr, VALUE_BYTES)
        self._images: dict[tuple[str, str | None], Prepared] = {}
        self._traces: dict[Variant, Trace] = {}

    def group(self, variant: Variant, machine: Machine, numbers: Numbers) -> Group:
        """Return machines of a family as a group on the record of a program.

        Parameters
        ----------
        variant
            The program.
        machine
            One of the machines.
        numbers
            (NUMBERS, m) of all.

        Raises
        ------
        UserError
            There is no record of the program.
        """
        if variant not in self._traces:
            prepared = self._prepared(variant, machine)
            record = record_trace(prepared.program, prepared.loaded.memory, machine)
            if record is None:
                raise UserError(f"{variant.program}: its run cannot be recorded")
            self._traces[variant] = record
        return group_of(self._traces[variant], machine, numbers)

    def _prepared(self, variant: Variant, machine: Machine) -> Prepared:
        options = dict(variant.options)
        key = find(variant.program).format, options.get("positions")
        if key not in self._images:
            x = multiplicand(self._values.shape[1], 0, self._values.dtype)
            self._images[key] = prepare(variant.program, self._values, machine, x, options)
        return on_same_memory(self._images[key], variant.program, options)


def cycles_of(sample: Sample, csr: Any, members: Ints) -> Ints:
    """Time machines on a matrix.

    Parameters
    ----------
    sample
        The machines.
    csr
        The matrix, (m, n) sparse.
    members
        (k,) which machines, ascending.

    Returns
    -------
    (programs, k) cycles, the fixed ones included.

    Raises
    ------
    UserError
        A program cannot be recorded.
    """
    records = Records(csr)
    results = np.empty((len(METHODS), len(members)), np.int64)
    numbers, of = sample.numbers(members), members // sample.each
    begins = np.flatnonzero(np.diff(of, prepend=-1))
    places = dict(zip(of[begins].tolist(), pairwise([*begins.tolist(), len(members)]), strict=True))
    for place in range(len(METHODS)):
        alike: dict[tuple[Variant, Sizes], list[int]] = {}
        for family in places:
            of_family = sample.families[family]
            alike.setdefault((of_family.variants[place], sizes_of(of_family.machine)), []).append(family)
        for (variant, _), families in alike.items():
            chosen = np.concatenate([np.arange(*places[family]) for family in families])
            machine = sample.families[families[0]].machine
            group = records.group(variant, machine, np.ascontiguousarray(numbers[:, chosen]))
            results[place, chosen] = time_group(group).cycles
    total: Ints = results + sample.fixed_cycles(members)
    return total
