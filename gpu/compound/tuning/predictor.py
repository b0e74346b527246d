"""Variants for a matrix that nobody has searched for: what the searches of others have taught.

The paper names this as future work (Section 6). Two things are learnt: what each cost of a product takes
(`gpu.compound.tuning.product_costs`), and, by trees that look at these costs, how many times slower than the
best of its matrix a variant is. The costs carry over to matrices unlike all others, the trees mend them.

Of the variants a few are measured, which together should hold a good one, whatever the prediction errs in.
The variants with the least predicted times are near alike and fail together. Each is chosen here for what it
adds: it lowers the least time of those chosen, as each of many predictions sees it, by most in the mean.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from gpu.compound.device_compound import NATURAL
from gpu.compound.schedule import Schedule
from gpu.compound.tuning.features import PLACES
from gpu.compound.tuning.product_costs import Registers, costs, fitted_rates, shares_of_time, weights_of
from gpu.compound.tuning.store import TuningStore
from gpu.compound.tuning.variants import SHARED_ROWS, Variant, variant_named
from vecsim.support.errors import UserError

DIGITS = 9
"""The decimal digits to which expected times are compared."""


def diverse_choice(predictions: NDArray[np.float64], count: int) -> list[int]:
    """Choose variants one by one for the least expected time of the best of them.

    Parameters
    ----------
    predictions
        float64 of (predictions, variants): times, or their logarithms, as each of some predictions
        sees them.
    count
        How many at most.

    Returns
    -------
    list of int
        Numbers of variants. The first has the least mean; of variants that add as much, or nothing, the one
        with the lesser mean comes first, then the first given.
    """
    means = predictions.mean(axis=0)
    least = np.full(len(predictions), np.inf)
    left = list(range(predictions.shape[1]))
    chosen: list[int] = []
    while left and len(chosen) < count:
        expected = np.minimum(predictions[:, left], least[:, None]).mean(axis=0).round(DIGITS)
        place = int(np.lexsort((means[left].round(DIGITS), expected))[0])
        chosen.append(left.pop(place))
        least = np.minimum(least, predictions[:, chosen[-1]])
    return chosen


WORST = 4.0
"""Variants that take more times the best, and those that the matrix has no form for, count as this one."""
PREDICTED = 8
"""Variants that are measured where a prediction stands for a search."""
TREES, GROUPED = 100, 4
"""Trees, and how many of them make one prediction of those among which variants are chosen."""
SMALLEST_LEAF = 3
REGISTERS = (Registers(16, 0), Registers(16, 2))
"""What a thread takes next to components is not known before a kernel is compiled: few, and more."""
COMPARED = (
    Schedule(),
    Schedule(threads_per_block=512),
    *(Schedule(threads_per_row=sharing) for sharing in SHARED_ROWS),
    *(Schedule(at_once=number) for number in (2, 8)),
)
"""Times are seen relative to the least that the costs predict, of these schedules too."""
SHORT_REACH = 2.0**16
"""Columns that 16 bits tell apart."""


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


def results_of(store: TuningStore, device: str) -> list[Result]:
    """Return what is kept of a device, searches without any time left out: one that was cut at once has none.

    Parameters
    ----------
    store
        The file.
    device
        Its name.
    """
    matches = []
    for search in store.searches():
        known = store.known(search) if search.device == device else {}
        times = {name: None if timing is None else timing.us for name, timing in known.items()}
        if any(us is not None for us in times.values()):
            matches.append(Result(search.matrix, store.features(search), times))
    return matches


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
            raise UserError("the predictor needs at least one search to learn from")
        try:
            forest = import_module("sklearn.ensemble").ExtraTreesRegressor
        except ImportError as error:
            message = f"a prediction needs scikit-learn ({error}): pip install 'vecsim[predict]'"
            raise UserError(message) from None
        # Trees depend on the order of what they learn from: not on how it was stored.
        results = [replace(each, times=dict(sorted(each.times.items()))) for each in results]
        variants = [[variant_named(name) for name in each.times] for each in results]
        counts = [_counts(each.features, of) for each, of in zip(results, variants, strict=True)]
        times = [_times(each) for each in results]
        self._rates = [_rates([of[number] for of in counts], times) for number in range(len(REGISTERS))]
        of_each = zip(results, variants, counts, strict=True)
        rows = [self._rows(each.features, of, counted) for each, of, counted in of_each]
        slowness = [np.minimum(us / us.min(), WORST) for us in times]
        self._trees = forest(TREES, min_samples_leaf=SMALLEST_LEAF, random_state=0, n_jobs=-1)
        self._trees.fit(
            np.concatenate(rows),
            np.log(np.concatenate(slowness)),
            sample_weight=np.concatenate([weights_of(each) for each in slowness]),
        )

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
        return np.asarray(np.exp(self._predictions(features, variants).mean(axis=0)))

    def best(self, features: Mapping[str, float], variants: Sequence[Variant], count: int) -> list[Variant]:
        """Return variants that probably include a good one (`diverse_choice`), the expected best first.

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
        chosen = diverse_choice(self._predictions(features, variants), count)
        return [variants[place] for place in chosen]

    def choose(self, features: Mapping[str, float], variants: Sequence[Variant]) -> list[Variant]:
        """Return the best few, then one in the natural layout if there is any, which holds every matrix.

        Parameters
        ----------
        features, variants
            As of `best`.
        """
        natural = [variant for variant in variants if variant.layout == NATURAL][:1]
        return [*self.best(features, variants, PREDICTED), *natural]

    def _predictions(self, features: Mapping[str, float], variants: Sequence[Variant]) -> NDArray[np.float64]:
        """Return what groups of trees predict, logarithms of (groups, variants): one tree errs too much."""
        # Trees compare float32; each of them would convert the rows again.
        rows = self._rows(features, variants, _counts(features, variants)).astype(np.float32)
        each = np.array([tree.predict(rows) for tree in self._trees.estimators_])
        groups = np.array_split(each, max(1, len(each) // GROUPED))
        return np.array([group.mean(axis=0) for group in groups])

    def _rows(
        self,
        features: Mapping[str, float],
        variants: Sequence[Variant],
        given: Sequence[NDArray[np.float64]],
    ) -> NDArray[np.float64]:
        """Return what the trees look at, a row for each variant with its costs (`_counts`)."""
        columns = [np.array([_beside_costs(features, variant) for variant in variants])]
        compared = _counts(features, _compared(variants))
        for number, rates in enumerate(self._rates):
            us, shares = shares_of_time(given[number], rates)
            others, _ = shares_of_time(compared[number], rates)
            least = min(us.min(), others.min())
            columns += [np.log(us)[:, None], np.log(us / least)[:, None], shares]
        return np.hstack(columns)


def _rates(
    counts: Sequence[NDArray[np.float64]], times: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Fit rates to the forms that there are."""
    known = [np.isfinite(us) for us in times]
    return fitted_rates(
        [count[has] for count, has in zip(counts, known, strict=True)],
        [us[has] for us, has in zip(times, known, strict=True)],
    )


def _times(result: Result) -> NDArray[np.float64]:
    """Return microseconds, inf where the matrix has no such form."""
    return np.array([np.inf if us is None else us for us in result.times.values()])


def _counts(features: Mapping[str, float], variants: Sequence[Variant]) -> list[NDArray[np.float64]]:
    """Return the costs of variants by each estimate of registers."""
    try:
        return [
            np.array([costs(features, variant, registers) for variant in variants]) for registers in REGISTERS
        ]
    except KeyError as error:
        raise UserError(f"a stored search lacks the feature {error}: tune its matrix again") from None


def _compared(variants: Sequence[Variant]) -> list[Variant]:
    """Return what variants are compared with: the same for many schedules of a layout and for one."""
    layouts = dict.fromkeys(variant.layout for variant in variants)
    return [Variant(layout, schedule) for layout in layouts for schedule in COMPARED]


def _beside_costs(features: Mapping[str, float], variant: Variant) -> list[float]:
    """Return what the costs do not tell: neighbouring components, lengths, what layouts refuse."""
    outer, vector = str(variant.layout.outer), variant.layout.vector
    return [
        features["length_mean"],
        float(vector.elements == 1),
        float(vector.elements is None),
        features["bandwidth_greatest"] / SHORT_REACH if outer.endswith("short") else 0.0,
        features[f"{PLACES}{outer}"] / max(1.0, features["entries"]),
    ]
