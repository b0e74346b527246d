"""Trefethen's matrix of primes."""

from typing import Any

import numpy as np

from vecsim.data.families.assembly import IntArray, csr


def trefethen(size: int) -> Any:
    """Return the matrix of primes of order `size`.

    The first `size` primes on the diagonal, 1 where rows and columns are 1, 2, 4, 8, ... apart. Source:
    N. Trefethen, SIAM News 35(1), 2002, problem 7. Compared with: Trefethen_20, every entry; the larger
    ones, the collection's index.
    """
    return _powers_apart(_primes(size))


def trefethen_minor(size: int) -> Any:
    """Return `trefethen` of order `size` + 1 without its first row and column.

    Compared with: Trefethen_20b, every entry; Trefethen_200b and Trefethen_20000b, the collection's index.
    """
    return _powers_apart(_primes(size + 1)[1:])


def _powers_apart(diagonal: IntArray) -> Any:
    size = len(diagonal)
    node = np.arange(size)
    rows, columns = [node], [node]
    values: list[Any] = [diagonal]
    step = 1
    while step < size:
        rows += [node[step:], node[:-step]]
        columns += [node[:-step], node[step:]]
        values += [1, 1]
        step *= 2
    return csr((size, size), rows, columns, values)


def _primes(count: int) -> IntArray:
    # The k-th prime lies below k (ln k + ln ln k) for k >= 6.
    limit = max(15, int(count * (np.log(count) + np.log(np.log(max(count, 3))))) + 1)
    prime = np.ones(limit, dtype=np.bool_)
    prime[:2] = False
    for factor in range(2, int(limit**0.5) + 1):
        if prime[factor]:
            prime[factor * factor :: factor] = False
    return np.flatnonzero(prime)[:count]
