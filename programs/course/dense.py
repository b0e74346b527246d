"""Problems of arrays without a matrix's structure: axpy, dot, dense products, prefix sum, histogram."""

from __future__ import annotations

import numpy as np

from programs.course.declaration import Setting
from programs.course.problem import Needed, Problem

BINS = 256


def axpy(given: Setting) -> Problem:
    """``y = a x + y``: x and y are read, y is written."""
    n = given.size
    a, x, y = given.numbers(1), given.numbers(n), given.numbers(n)
    inputs = {"A": a, "X": x, "Y": y}
    needed = Needed(3 * n * given.words, arithmetic=n)
    return Problem(inputs, {"Y": a * x + y}, n, "element", needed, constants={"N": n})


def dot(given: Setting) -> Problem:
    """``r = x . y``."""
    n = given.size
    x, y = given.numbers(n), given.numbers(n)
    result = np.array([x @ y], given.value_type)
    needed = Needed(2 * n * given.words, arithmetic=n)
    return Problem({"X": x, "Y": y}, {"R": result}, n, "element", needed, constants={"N": n})


def gemv(given: Setting) -> Problem:
    """``y = M x``: every element of M is read once, x and y at least once."""
    n = given.size
    matrix, x = given.numbers(n, n), given.numbers(n)
    needed = Needed((n * n + 2 * n) * given.words, arithmetic=n * n)
    sizes = {"ROWS": n, "COLUMNS": n}
    return Problem({"M": matrix, "X": x}, {"Y": matrix @ x}, n * n, "element of M", needed, constants=sizes)


def gemm(given: Setting) -> Problem:
    """``C = A B``; with a section of a row of C in each of four registers, B is read once for four rows."""
    n = given.size
    a, b = given.numbers(n, n), given.numbers(n, n)
    needed = Needed((-(-n // 4) * n * n + n * n) * given.words, arithmetic=n**3)
    sizes = {"ROWS": n, "INNER": n, "COLUMNS": n}
    return Problem({"A": a, "B": b}, {"C": a @ b}, n**3, "multiply-add", needed, constants=sizes)


def prefix_sum(given: Setting) -> Problem:
    """``z[i] = x[0] + ... + x[i]``, int32: x is read, z is written."""
    n = given.size
    x = given.rng.integers(-8, 9, n).astype(np.int32)
    z = np.cumsum(x).astype(np.int32)
    return Problem({"X": x}, {"Z": z}, n, "element", Needed(2 * n), constants={"N": n})


def histogram(given: Setting) -> Problem:
    """``h[x[i]] += 1``: x is read, and a counter gathered and scattered for each element."""
    n, bins = given.size, BINS
    x = (given.rng.beta(2, 5, n) * bins).astype(np.int32)
    counts = np.bincount(x, minlength=bins).astype(np.int32)
    sizes = {"N": n, "BINS": bins}
    room = {"TAG": 4 * bins}
    return Problem({"X": x}, {"H": counts}, n, "element", Needed(n, 2 * n), room=room, constants=sizes)
