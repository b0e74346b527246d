"""How much slower than the best found the predicted variants are, on families of matrices left out."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gpu.compound.tuning.predictor import Predictor, Result
from gpu.compound.tuning.variants import variant_named
from vecsim.support.errors import UserError


@dataclass(frozen=True)
class Loss:
    """What a prediction has lost on one matrix.

    Attributes
    ----------
    family, matrix
        The matrix, and the family that was left out with it.
    chosen
        The best of the variants that were predicted.
    loss
        Its time over the best that the search has found, less 1: 0.03 is 3 %.
    """

    family: str
    matrix: str
    chosen: str
    loss: float


def family_of(matrix: str) -> str:
    """Return the family that the name of a matrix begins with: that of ``torus/300 x 200`` is ``torus``."""
    return matrix.partition("/")[0]


def leave_families_out(
    results: Sequence[Result], count: int = 1, family: Callable[[str], str] = family_of
) -> list[Loss]:
    """Predict for the matrices of each family what the others teach; `losses_by_count` of one number.

    Parameters
    ----------
    results, family
        As of `losses_by_count`.
    count
        Number of predicted variants; the best of them is taken.

    Returns
    -------
    list of Loss
        One a result, by families.

    Raises
    ------
    UserError
        As `losses_by_count`.
    """
    return losses_by_count(results, (count,), family)[count]


def losses_by_count(
    results: Sequence[Result], counts: Sequence[int], family: Callable[[str], str] = family_of
) -> dict[int, list[Loss]]:
    """Predict for the matrices of each family what the others teach, and take the best of this many variants.

    The choice is among the variants that the search of the matrix has measured: of others no time is known.
    These are all layouts with one schedule or two, and all schedules of the best layouts alone: among all
    variants a prediction may lose more, or find a better one than the search.

    Parameters
    ----------
    results
        Of searches.
    counts
        Numbers of variants that are predicted.
    family
        Returns the family of a matrix by its name.

    Returns
    -------
    dict of int to list of Loss
        By the number of variants; one a result, by families.

    Raises
    ------
    UserError
        If there are fewer than two families, a number is below 1, or as `Predictor`.
    """
    families = sorted({family(each.matrix) for each in results})
    if len(families) < 2:
        raise UserError(f"families are left out: two or more are needed, there is {', '.join(families)}")
    for count in counts:
        if count < 1:
            raise UserError(f"{count} variants are not possible: use 1 or more")
    actual: dict[int, list[Loss]] = {count: [] for count in counts}
    for left_out in families:
        others = Predictor([each for each in results if family(each.matrix) != left_out])
        for each in results:
            if family(each.matrix) == left_out:
                for count, loss in _losses(others, each, left_out, counts).items():
                    actual[count].append(loss)
    return actual


def mean_loss(losses: Iterable[Loss]) -> float:
    """Return the geometric mean of the times over the best ones, less 1."""
    return float(np.expm1(np.mean([np.log1p(each.loss) for each in losses])))


def _losses(predictor: Predictor, result: Result, family: str, counts: Sequence[int]) -> dict[int, Loss]:
    times = {name: us for name, us in result.times.items() if us is not None}
    chosen = predictor.best(result.features, [variant_named(name) for name in times], max(counts))
    actual = {}
    for count in counts:  # variants are chosen one by one: the first few are those of a lesser number
        best = min((variant.name for variant in chosen[:count]), key=times.__getitem__)
        actual[count] = Loss(family, result.matrix, best, times[best] / min(times.values()) - 1.0)
    return actual
