"""Random numbers that depend on what they are drawn for, not on the order in which they are drawn.

A number is a hash of a seed, a stream and a counter (SplitMix64: Steele, Lea and Flood, "Fast splittable
pseudorandom number generators", 2014), so loops that draw them give the same on any number of threads.
"""

from typing import Any

import numpy as np
from numba import njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST_MULTIPLIER, _SECOND_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@njit(cache=True)
def random_bits(seed: Any, stream: Any, number: Any) -> Any:
    """Give 64 random bits for a number of a stream, two rounds of SplitMix64."""
    z = np.uint64(seed) * _GOLDEN + np.uint64(stream)
    for _ in range(2):
        z = (z ^ (z >> np.uint64(30))) * _FIRST_MULTIPLIER
        z = (z ^ (z >> np.uint64(27))) * _SECOND_MULTIPLIER
        z = (z ^ (z >> np.uint64(31))) + np.uint64(number) * _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _FIRST_MULTIPLIER
    z = (z ^ (z >> np.uint64(27))) * _SECOND_MULTIPLIER
    return z ^ (z >> np.uint64(31))


@njit(cache=True)
def random_share(seed: Any, stream: Any, number: Any) -> Any:
    """Give a random number in [0, 1) for a number of a stream."""
    return np.float64(random_bits(seed, stream, number) >> np.uint64(11)) * 2.0**-53
