"""A few variants that are measured: together they should hold a good one, whatever the prediction errs in.

The variants with the least predicted times are near alike and fail together. Each is chosen here for what it
adds: it lowers the least time of those chosen, as each of many predictions sees it, by most in the mean.
"""

import numpy as np
from numpy.typing import NDArray

DIGITS = 9
"""To which expected times are told apart."""


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
