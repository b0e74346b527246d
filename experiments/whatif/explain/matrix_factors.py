"""The numbers of generated matrices as things that are varied, in the place of the matrix."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np

from experiments.whatif.explain.cells import ABSENT, Cells
from experiments.whatif.sweep.matrix_parameters import SEED_COLUMN


def with_matrix_parameters(cells: Cells) -> Cells:
    """Return cells in which the numbers of the matrices are varied like those of the machine.

    What is left of the matrices are their seeds; several of one kind are a sample.

    Parameters
    ----------
    cells
        Of a sweep. They stay as they are if its matrices are not every combination of the values of their
        numbers, or if one thing was varied at a time.
    """
    numbers = {name: column for name, column in cells.parameters.items() if name != SEED_COLUMN}
    seeds = cells.parameters.get(SEED_COLUMN, (0,) * len(cells.matrices))
    levels = {name: sorted(set(column)) for name, column in numbers.items()}
    kinds = sorted(set(seeds))
    alone = any((place == ABSENT).any() for place in cells.place.values())
    if not levels or alone or len(cells.matrices) != len(kinds) * prod(map(len, levels.values())):
        return cells
    place = {
        name: np.array([levels[name].index(value) for value in column])[cells.matrix]
        for name, column in numbers.items()
    }
    varied = {
        name: tuple(f"{value:g}" if isinstance(value, float) else str(value) for value in each)
        for name, each in levels.items()
    }
    return replace(
        cells,
        varied={**cells.varied, **varied},
        matrices=tuple(f"{SEED_COLUMN}={seed}" for seed in kinds),
        matrix=np.array([kinds.index(seed) for seed in seeds])[cells.matrix],
        place={**cells.place, **place},
        features={},
    )
