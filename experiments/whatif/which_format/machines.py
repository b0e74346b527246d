"""The machines of the study, and their cycles: every combination of sizes, the other numbers at random."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.made_by import digest_of
from experiments.papers.hism.assignment import options_of_the_paper
from experiments.papers.hism.timing import METHODS
from programs.measurement import prepare_product
from vecsim.data import load
from vecsim.engines.many.batch import group_of, numbers_of, time_group
from vecsim.engines.many.trace import record_trace
from vecsim.engines.trace_timing.places import NUMBERS
from vecsim.machine import Machine, load_machine
from vecsim.support.errors import UserError

MATRICES = ("laplace2d-30", "wathen-8", "mycielskian8", "uniform-1000-3")
"""Built-in ones: a grid, finite elements, a graph with dense parts, and entries anywhere."""
SMALL = "laplace2d-12"
"""The matrix whose cycles tell whether timing has changed since tables were recorded."""
EACH = 13_108
"""Machines of every combination of sizes: over a million in all."""
SEED = 2026

SIZES: Mapping[str, tuple[int, ...]] = {
    "section_size": (16, 32, 64, 128, 256),
    "banks": (8, 16, 32, 64),
    "accesses_in_flight": (1, 2, 4, 8),
}
"""Every combination of these numbers is tried."""
ARITHMETIC = "latency of arithmetic"
FREE: Mapping[str, tuple[int, ...]] = {
    "bank_busy": (1, 2, 4, 8),
    "startup": (0, 10, 20, 40, 80),
    "words_per_cycle": (1, 2, 4, 8),
    "addresses_per_cycle": (1, 2, 4, 8),
    "lanes": (1, 2, 4, 8),
    "sparse_unit.p": (1, 2, 4, 8),
    "sparse_unit.r": (1, 2, 4, 8),
    "sparse_unit.latency": (6, 10, 16, 24, 32),
    ARITHMETIC: (2, 4, 8, 16),
    "latency.extract": (1, 2, 4, 8),
    "scalar_load_latency": (1, 2, 6, 12),
    "branch_penalty": (0, 1, 3, 8),
    "issue_width": (1, 2, 4),
}
"""Each machine has one value of each of these at random, every value as likely as the others."""
FIELDS = {ARITHMETIC: ("latency.add", "latency.multiply", "latency.multiply_add", "latency.sum")}
"""Numbers of the machine that have a value together."""
PARAMETERS: Mapping[str, tuple[int, ...]] = {**SIZES, **FREE}

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int8]


def draw(each: int = EACH) -> Places:
    """Return the (M, parameters) places of the machines' values among :data:`PARAMETERS`.

    Parameters
    ----------
    each
        Machines of every combination of sizes, which stand one after the other.
    """
    generator = np.random.Generator(np.random.PCG64(SEED))
    sizes = np.array(list(itertools.product(*(range(len(values)) for values in SIZES.values()))))
    free = generator.integers(0, [len(v) for v in FREE.values()], (len(sizes) * each, len(FREE)))
    return np.hstack([np.repeat(sizes, each, axis=0), free]).astype(np.int8)


def cycles_on(matrix: str, places: Places, each: int = EACH) -> Ints:
    """Return the (programs, M) cycles of the five programs, as the paper's are assigned, on a matrix.

    Parameters
    ----------
    matrix
        Its name.
    places
        What :func:`draw` returns.
    each
        As there.

    Raises
    ------
    UserError
        The matrix cannot be loaded, or a program cannot be recorded.
    """
    options = options_of_the_paper()
    results = np.empty((len(METHODS), len(places)), np.int64)
    for section_size, families in itertools.groupby(_families(places, each), lambda of: of[0].section_size):
        machines = list(families)
        for place, program in enumerate(METHODS):
            first = machines[0][0]
            prepared = prepare_product(program, load(matrix), first, options=options[program])
            trace = record_trace(prepared.program, prepared.loaded.memory, first)
            if trace is None:
                raise UserError(f"{program} on {matrix}, section size {section_size}: it cannot be recorded")
            for machine, chosen in machines:
                group = group_of(trace, machine, numbers(machine, places[chosen]))
                results[place, chosen] = time_group(group).cycles
    return results


def digest_of_sample() -> str:
    """Return a digest of the cycles of one machine of every combination of sizes, on a small matrix."""
    return digest_of(cycles_on(SMALL, draw(1), 1))


def numbers(machine: Machine, places: Places) -> npt.NDArray[np.int32]:
    """Return the (NUMBERS, m) numbers of machines.

    Parameters
    ----------
    machine
        One with their sizes.
    places
        (m, parameters) of their values.
    """
    result = np.repeat(numbers_of([machine]), len(places), axis=1)
    for column, (name, values) in enumerate(PARAMETERS.items()):
        for field in FIELDS.get(name, (name,)):
            if field in NUMBERS:
                result[NUMBERS.index(field)] = np.array(values)[places[:, column]]
    return result


def _families(places: Places, each: int) -> Iterator[tuple[Machine, slice]]:
    """Yield a machine of every combination of sizes, with where the others are."""
    base: dict[str, Any] = load_machine("vs2003").model_dump()
    for first in range(0, len(places), each):
        chosen = zip(SIZES.items(), places[first], strict=False)
        sizes = {name: values[place] for (name, values), place in chosen}
        yield Machine.model_validate(base | sizes), slice(first, first + each)
