"""Variants for a matrix that nobody has searched for: trees that have learnt from the searches of others.

The paper names this as future work (Section 6). What is learnt is how many times slower than the best of its
matrix a variant is, from the features of the matrix and the numbers that make the variant.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.compound.component_layout import ComponentLayout
from gpu.compound.device_compound import NATURAL
from gpu.compound.outer_layout import OUTER_LAYOUTS
from gpu.compound.schedule import ASSIGNMENTS
from gpu.compound.tuning.features import PLACES
from gpu.compound.tuning.store import TuningStore
from gpu.compound.tuning.variant_names import variant_named
from gpu.compound.tuning.variants import Variant
from vecsim.errors import UserError

WORST = 4.0
"""Variants that take more times the best, and those that the matrix has no form for, count as this one."""
PREDICTED = 8
"""Variants that are measured where a prediction stands for a search."""
TREES = 100
SMALLEST_LEAF = 3
SIZES = ("rows", "columns", "entries", "length_mean", "length_greatest", "bandwidth_median")
"""Features of which the logarithm counts."""
OF_ENTRIES = ("entry_bytes", "entry_components", "vector_components", "component_bytes")
OF_LENGTHS = ("deviation", "least", "lower", "median", "upper", "greatest")


@dataclass(frozen=True)
class Result:
    """What a search has found, to learn from.

    Attributes
    ----------
    matrix
        Name of the matrix.
    features
        Of `gpu.compound.tuning.features`.
    times
        Microseconds by the names of variants; None where the matrix has no such form.
    """

    matrix: str
    features: Mapping[str, float]
    times: Mapping[str, float | None]

    @property
    def best_us(self) -> float:
        """The least time."""
        return min(us for us in self.times.values() if us is not None)


def results_of(store: TuningStore, device: str) -> list[Result]:
    """Give what is kept of a device, searches without any time left out.

    Parameters
    ----------
    store
        The file.
    device
        Its name.

    Raises
    ------
    UserError
        If there is nothing.
    """
    found = []
    for search in store.searches():
        known = store.known(search) if search.device == device else {}
        times = {name: None if timing is None else timing.us for name, timing in known.items()}
        if any(us is not None for us in times.values()):
            found.append(Result(search.matrix, store.features(search), times))
    if not found:
        devices = ", ".join(sorted({search.device for search in store.searches()})) or "none"
        raise UserError(f"no search on {device} is kept to learn from; devices in the file: {devices}")
    return found


class Predictor:
    """Orders variants for a matrix by the time that is predicted for them.

    Parameters
    ----------
    results
        Searches to learn from.

    Raises
    ------
    UserError
        If scikit-learn is missing, there is no result, or a result lacks a feature.
    """

    def __init__(self, results: Sequence[Result]) -> None:
        if not results:
            raise UserError("there are no searches to learn from")
        try:
            forest = import_module("sklearn.ensemble").ExtraTreesRegressor
        except ImportError as error:
            message = f"a prediction needs scikit-learn ({error}): pip install 'vecsim[predict]'"
            raise UserError(message) from None
        self._trees = forest(TREES, min_samples_leaf=SMALLEST_LEAF, random_state=0, n_jobs=-1)
        rows = [_rows(each.features, [variant_named(name) for name in each.times]) for each in results]
        self._trees.fit(np.concatenate(rows), np.concatenate([_slowness(each) for each in results]))

    def slowness(self, features: Mapping[str, float], variants: Sequence[Variant]) -> NDArray[np.float64]:
        """Predict how many times slower than the best variant of its matrix each is.

        Parameters
        ----------
        features
            Of the matrix.
        variants
            V of them.

        Returns
        -------
        float64 of V
        """
        predicted: Any = self._trees.predict(_rows(features, variants))
        return np.exp(np.asarray(predicted, np.float64))

    def best(self, features: Mapping[str, float], variants: Sequence[Variant], count: int) -> list[Variant]:
        """Give the variants with the least predicted times, the best first; of equals the first given.

        Parameters
        ----------
        features
            Of the matrix.
        variants
            What there is to choose from.
        count
            How many at most.
        """
        if not variants:
            return []
        order = np.argsort(self.slowness(features, variants), kind="stable")
        return [variants[place] for place in order[:count]]

    def choose(self, features: Mapping[str, float], variants: Sequence[Variant]) -> list[Variant]:
        """Give the best few, then one in the natural layout if there is any, which holds every matrix.

        Parameters
        ----------
        features, variants
            As of `best`.
        """
        natural = [variant for variant in variants if variant.layout == NATURAL][:1]
        return [*self.best(features, variants, PREDICTED), *natural]


def _slowness(result: Result) -> NDArray[np.float64]:
    """Give the logarithm of each time over the best one."""
    best = result.best_us
    shares = [WORST if us is None else min(us / best, WORST) for us in result.times.values()]
    logarithms: NDArray[np.float64] = np.log(np.array(shares))
    return logarithms


def _rows(features: Mapping[str, float], variants: Sequence[Variant]) -> NDArray[np.float64]:
    """Give what the trees look at, a row for each variant."""
    try:
        of_matrix = _of_matrix(features)
        pairs = [_of_pair(features, variant) for variant in variants]
    except KeyError as error:
        raise UserError(f"a kept search lacks the feature {error}: search for its matrix again") from None
    return np.array(
        [of_matrix + pair + _of_variant(each) for pair, each in zip(pairs, variants, strict=True)]
    )


def _of_matrix(features: Mapping[str, float]) -> list[float]:
    mean = features["length_mean"] or 1.0
    return [
        *(math.log1p(features[name]) for name in SIZES),
        *(features[name] for name in OF_ENTRIES),
        *(features[f"length_{name}"] / mean for name in OF_LENGTHS),
        features["bandwidth_median"] / max(1.0, features["columns"]),
    ]


def _of_pair(features: Mapping[str, float], variant: Variant) -> list[float]:
    """Give what a matrix and a variant have together: padding, steps of a row, groups of threads."""
    sharing, places = variant.schedule.threads_per_row, features[f"{PLACES}{variant.layout.outer}"]
    return [
        places / max(1.0, features["entries"]),
        math.log1p(places * features["entry_bytes"]),
        features["length_mean"] / sharing,
        math.log1p(features["rows"] * sharing / variant.schedule.rows_per_thread),
    ]


def _of_variant(variant: Variant) -> list[float]:
    layout, schedule = variant.layout, variant.schedule
    return [
        *(float(layout.outer == outer) for outer in OUTER_LAYOUTS),
        *_of_components(layout.inner),
        *_of_components(layout.vector),
        *(float(schedule.assignment == assignment) for assignment in ASSIGNMENTS),
        schedule.threads_per_block,
        schedule.blocks_per_sm,
        schedule.threads_per_block * schedule.blocks_per_sm,
        schedule.threads_per_row,
        schedule.rows_per_thread,
        schedule.at_once or 0,
    ]


def _of_components(layout: ComponentLayout) -> list[float]:
    return [float(layout.elements == 1), float(layout.elements is None), layout.together]
