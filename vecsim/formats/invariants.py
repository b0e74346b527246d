"""Checks that the arrays of a format keep its invariants; what is broken is named."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def require(condition: object, invariant: str) -> None:
    """Raise ValueError naming `invariant` unless `condition` holds."""
    if not condition:
        raise ValueError(invariant)


def check_pointers(name: str, pointers: NDArray[np.integer[Any]], parts: int, end: int) -> None:
    """Check that pointers cut entries into parts: they begin at 0 and never fall.

    Parameters
    ----------
    name
        Of the array, for the message.
    pointers
        Integers: where each part begins, then the number of entries.
    parts
        How many there are: one less than pointers.
    end
        The number of entries.

    Raises
    ------
    ValueError
        If they do not.
    """
    require(len(pointers) == parts + 1, f"{name} must have {parts + 1} elements, has {len(pointers)}")
    require(pointers[0] == 0, f"{name} must start at 0, starts at {pointers[0]}")
    require(bool(np.all(np.diff(pointers) >= 0)), f"{name} must never fall")
    require(pointers[-1] == end, f"{name} must end at {end}, ends at {pointers[-1]}")


def check_range(name: str, values: NDArray[np.integer[Any]], limit: int) -> None:
    """Check that all `values` lie in 0 .. limit - 1; ValueError names what does not."""
    inside = len(values) == 0 or (values.min() >= 0 and values.max() < limit)
    require(inside, f"{name} must be from 0 to {limit - 1}")
