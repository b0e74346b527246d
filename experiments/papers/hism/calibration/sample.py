"""A few cheap matrices that stand for the whole suite, chosen by what it takes on reference machines.

The rule: every matrix of the suite is described by the logarithms of its times, CHiSM's being 1, on all
reference machines. The matrices of the figures are taken, as far as they are cheap; then, one by one, the
cheap matrix that brings the sum of squared distances from each matrix of the suite to the nearest one taken
down most. A matrix counts for all to which it is the nearest. At last these weights are changed as little
as possible, so that on the reference machines the weighted means are those of the suite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from experiments.papers.hism.timing import METHODS, Cycles, relative

LARGEST = 50_000
"""Stored entries up to which a matrix is cheap."""
SIZE = 44
"""Matrices of the sample."""

SMALL = 0.01
"""What changes the means by less than this share of what changes them most is left as it is, lest the weights
follow the reference machines alone."""

Floats = npt.NDArray[np.float64]


def choose(
    references: Sequence[Cycles], sizes: Mapping[str, int], first: Sequence[str], size: int = SIZE
) -> dict[str, float]:
    """Choose the sample; give the weight of each of its matrices.

    Parameters
    ----------
    references
        Cycles of the whole suite on each of the reference machines.
    sizes
        Stored entries, by name, of all of the suite.
    first
        Names that are taken in any case, if they are cheap.
    size
        So many matrices are taken, or all that are cheap.
    """
    names = list(sizes)
    times = np.array([times_of(cycles, names) for cycles in references])
    features = np.log(times).transpose(1, 0, 2).reshape(len(names), -1)
    far = ((features[:, None, :] - features[None, :, :]) ** 2).sum(axis=2)
    least = min(sizes.values())
    cheap = [k for k, name in enumerate(names) if sizes[name] <= max(LARGEST, least)]
    taken = [k for k in cheap if names[k] in first] or cheap[:1]
    while len(taken) < min(size, len(cheap)):
        nearest = far[:, taken].min(axis=1)
        left = {k: float(np.minimum(nearest, far[:, k]).sum()) for k in cheap if k not in taken}
        taken.append(min(left, key=lambda k: (left[k], names[k])))
    counts = np.bincount(far[:, taken].argmin(axis=1), minlength=len(taken)) / len(names)
    weights = balanced(counts, times[:, taken].transpose(0, 2, 1), times.mean(axis=1))
    return {names[k]: float(weight) for k, weight in zip(taken, weights, strict=True)}


def times_of(cycles: Cycles, names: Sequence[str]) -> Floats:
    """Give the times of matrices, CHiSM's being 1; (names, programs but CHiSM)."""
    return np.array([[relative(cycles[name])[p] for p in METHODS if p != "chism"] for name in names])


def balanced(counts: Floats, times: Floats, wanted: Floats) -> Floats:
    """Change weights as little as possible so that weighted means are what is wanted.

    Little is by the sum of squares of the changes, each divided by its weight's size; where the means cannot
    be met, the nearest. The weights sum to 1.

    Parameters
    ----------
    counts
        (n,) the weights as they are.
    times
        (references, programs, n).
    wanted
        (references, programs) means.
    """
    scale = counts + 1 / len(counts) ** 2
    rows = np.vstack([np.ones(len(counts)), times.reshape(-1, len(counts)) / wanted.reshape(-1, 1)])
    gap = 1 - rows @ counts
    change = np.linalg.lstsq(rows * scale, gap, rcond=SMALL)[0]
    return counts + scale * change
