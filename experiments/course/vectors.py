"""The cases of the exercises on vectors, with random numbers and sizes.

Numbers are whole and small enough that every sum is exact in whatever order it is formed; where nothing is
summed they are any floats. A budget is a quarter above what the solution takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.course.exercise import Case
from experiments.course.matrices import whole_numbers

Floats = npt.NDArray[np.float32]
SECTION = 64
"""Elements of a vector register."""
SPARE = 1.25
"""Budgets by what the solutions take."""


@dataclass(frozen=True)
class Cost:
    """Cycles of a solution: those of every run, of each strip (or row), of each element."""

    run: float
    strip: float
    element: float

    def budget(self, strips: int, elements: int) -> int:
        """Return the cycles that a text may take."""
        return math.ceil(SPARE * (self.run + self.strip * strips + self.element * elements))


def _any(random: np.random.Generator, count: int) -> Floats:
    return random.uniform(-1000, 1000, count).astype(np.float32)


def _sizes(random: np.random.Generator, most: int) -> tuple[int, ...]:
    """Draw sizes: one element, a full strip, a strip and a short one, many strips."""
    return 1, SECTION, int(random.integers(65, 128)), int(random.integers(most * 3 // 4, most))


def _words(values: Any) -> npt.NDArray[Any]:
    """Return whole numbers as they are, and everything else as float32."""
    kind = np.int32 if np.asarray(values).dtype == np.int32 else np.float32
    return np.ascontiguousarray(values, kind)


def _case(n: int, inputs: dict[str, Any], expected: dict[str, Any], budget: int, name: str = "N") -> Case:
    results = {key: _words(values) for key, values in expected.items()}
    return Case(f"{name} = {n:,}", inputs, results, budget, {name: n}, work=n)


def _strips(n: int) -> int:
    return -(-n // SECTION)


AXPY = Cost(26, 15.3, 0.735)
DOT = Cost(68, 20.2, 0.23)
CLIP = Cost(73, 7.8, 1.96)
HORNER = Cost(28, 48.2, 0.99)
COLUMNS = Cost(44, 32, 0)
GATHER = Cost(25, 2.6, 1.7)
SUMS = Cost(990, 146.4, 0)
KEPT, STORED = Cost(23.5, 35.2, 1.52), Cost(0, 0, 0.26)
ROWS = Cost(57, 39.7, 0)
TRANSPOSED = Cost(119.6, -1.45, 1.81)
DISTANCE = Cost(24.8, 11.5, 0.739)
DIFFERENCES = Cost(86.5, 2.9, 0.487)
BETWEEN = Cost(26.2, 14.4, 0.744)
FAR = Cost(18.9, 38.8, 1.8)
LARGEST, SEARCHED = Cost(73.4, 32, 0.48), Cost(0, 104.8, 1.15)


def axpy(random: np.random.Generator) -> Iterator[Case]:
    """Draw z = a x + y."""
    for n in _sizes(random, 1200):
        a, x, y = whole_numbers(random, 1, 99), whole_numbers(random, n, 9999), whole_numbers(random, n, 9999)
        yield _case(n, {"A": a, "X": x, "Y": y}, {"Z": a * x + y}, AXPY.budget(_strips(n), n))


def dot(random: np.random.Generator) -> Iterator[Case]:
    """Draw r = x y."""
    for n in _sizes(random, 1200):
        x, y = whole_numbers(random, n, 99), whole_numbers(random, n, 99)
        yield _case(n, {"X": x, "Y": y}, {"R": [x @ y]}, DOT.budget(_strips(n), n))


def clip(random: np.random.Generator) -> Iterator[Case]:
    """Draw z = x, clipped."""
    for n in (7, SECTION, int(random.integers(65, 128)), int(random.integers(750, 1000))):
        x = _any(random, n)
        low, high = (np.array([each], np.float32) for each in random.uniform((-600, 200), (-200, 600)))
        x[:3] = random.permutation((low[0] - 9, high[0] + 9, 0))
        expected = np.clip(x, low, high)
        yield _case(n, {"LOW": low, "HIGH": high, "X": x}, {"Z": expected}, CLIP.budget(_strips(n), n))


def horner(random: np.random.Generator) -> Iterator[Case]:
    """Draw z = a polynomial of x."""
    for n in _sizes(random, 2000):
        x, c = whole_numbers(random, n, 99), whole_numbers(random, 4, 15)
        z = ((c[3] * x + c[2]) * x + c[1]) * x + c[0]
        yield _case(n, {"C": c, "X": x}, {"Z": z}, HORNER.budget(_strips(n), n))


def columns(random: np.random.Generator) -> Iterator[Case]:
    """Draw sums of columns."""
    for rows in (1, int(random.integers(40, 65)), int(random.integers(80, 121))):
        matrix = whole_numbers(random, rows * SECTION, 9999)
        sums = matrix.reshape(rows, SECTION).sum(axis=0)
        yield _case(rows, {"MATRIX": matrix}, {"S": sums}, COLUMNS.budget(rows, 0), "ROWS")


def gather(random: np.random.Generator) -> Iterator[Case]:
    """Draw z = table[index]."""
    for n in _sizes(random, 600):
        table = _any(random, 4000)
        index = random.integers(0, len(table), n).astype(np.int32)
        index[random.integers(n)] = len(table) - 1
        expected = {"Z": table[index]}
        yield _case(n, {"TABLE": table, "INDEX": index}, expected, GATHER.budget(_strips(n), n))


def running_sums(random: np.random.Generator) -> Iterator[Case]:
    """Draw z = the running sums of x; pieces of an odd number of elements meet no bank twice."""
    for piece in (1, 2 * int(random.integers(2, 6)) + 1, 2 * int(random.integers(13, 18)) + 1):
        n = SECTION * piece
        x = whole_numbers(random, n, 4999)
        yield _case(n, {"X": x}, {"Z": np.cumsum(x)}, SUMS.budget(piece, 0))


def kept(random: np.random.Generator) -> Iterator[Case]:
    """Draw z = what of x is above t; one element at least is above it, one below, and one equal."""
    for n in (7, SECTION, int(random.integers(65, 128)), int(random.integers(750, 1000))):
        x = whole_numbers(random, n, 999)
        bound = whole_numbers(random, 1, 400)
        x[random.permutation(n)[:3]] = (-1000, 1000, bound[0])
        z = x[x > bound]
        expected = {"Z": z, "K": np.array([len(z)], np.int32)}
        budget = KEPT.budget(_strips(n), n) + STORED.budget(0, len(z))
        yield _case(n, {"T": bound, "X": x}, expected, budget)


def rows(random: np.random.Generator) -> Iterator[Case]:
    """Draw y = a matrix times x."""
    for count in (1, int(random.integers(20, 41)), int(random.integers(80, 121))):
        matrix, x = whole_numbers(random, count * SECTION, 99), whole_numbers(random, SECTION, 99)
        y = matrix.reshape(count, SECTION) @ x
        yield _case(count, {"MATRIX": matrix, "X": x}, {"Y": y}, ROWS.budget(count, 0), "ROWS")


def transposed(random: np.random.Generator) -> Iterator[Case]:
    """Draw z = the transpose of x, whose columns all lie in one bank."""
    for n in (16, 32, 48):
        x = _any(random, n * n)
        yield _case(n, {"X": x}, {"Z": x.reshape(n, n).T.ravel()}, TRANSPOSED.budget(n, n * n))


def largest(random: np.random.Generator) -> Iterator[Case]:
    """Draw m = the largest of x, and the number of the first element that is as large.

    Two elements are, after the first strip if there are more, and where the last strip has no place if there
    is such a strip. Elements of one full strip are all negative.
    """
    for n in _sizes(random, 640):
        x = whole_numbers(random, n, 9999)
        if n == SECTION:
            x = -np.abs(x) - 2
        first = SECTION if n > SECTION else 0
        places = np.arange(first, n)
        beyond = places[places % SECTION >= n % SECTION]
        x[random.choice(beyond if beyond.size else places, 2)] = x.max() + 1
        k = int(x.argmax())
        before = k // SECTION
        budget = LARGEST.budget(_strips(n) - 1, min(n, SECTION))
        budget += SEARCHED.budget(before, min(n - before * SECTION, SECTION))
        expected = {"M": x.max(keepdims=True), "K": np.array([k], np.int32)}
        yield _case(n, {"X": x}, expected, budget)


def distance(random: np.random.Generator) -> Iterator[Case]:
    """Draw z = |x - y|, at most l; some are above it, some below."""
    for n in _sizes(random, 1200):
        x, y = whole_numbers(random, n, 999), whole_numbers(random, n, 999)
        most = whole_numbers(random, 1, 300) + 600
        expected = {"Z": np.minimum(np.abs(x - y), most)}
        yield _case(n, {"L": most, "X": x, "Y": y}, expected, DISTANCE.budget(_strips(n), n))


def differences(random: np.random.Generator) -> Iterator[Case]:
    """Draw r = the sum of |x - y|."""
    for n in _sizes(random, 1200):
        x, y = whole_numbers(random, n, 99), whole_numbers(random, n, 99)
        yield _case(n, {"X": x, "Y": y}, {"R": [np.abs(x - y).sum()]}, DIFFERENCES.budget(_strips(n), n))


def between(random: np.random.Generator) -> Iterator[Case]:
    """Draw z = x + t (y - x); t is a whole number of eighths, so that all is exact."""
    for n in _sizes(random, 1200):
        x, y = whole_numbers(random, n, 999), whole_numbers(random, n, 999)
        t = np.array([random.integers(1, 8) / 8], np.float32)
        yield _case(n, {"T": t, "X": x, "Y": y}, {"Z": x + t * (y - x)}, BETWEEN.budget(_strips(n), n))


def far(random: np.random.Generator) -> Iterator[Case]:
    """Draw z = the sum of the distances of x from four places."""
    for n in _sizes(random, 1200):
        x, places = whole_numbers(random, n, 999), whole_numbers(random, 4, 999)
        z = np.abs(x[:, None] - places).sum(axis=1)
        yield _case(n, {"P": places, "X": x}, {"Z": z}, FAR.budget(_strips(n), n))
