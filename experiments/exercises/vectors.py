"""The cases of the exercises on vectors; numbers are small whole ones, so that sums do not depend on order.

A budget is a quarter above what the solution takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.exercises.exercise import Case

Floats = npt.NDArray[np.float32]


def _numbers(count: int, seed: int) -> Floats:
    return np.random.default_rng(seed).integers(-8, 9, count).astype(np.float32)


def _floats(*values: float) -> Floats:
    return np.array(values, np.float32)


def _case(n: int, inputs: dict[str, Any], expected: dict[str, Any], budget: int, name: str = "N") -> Case:
    made = {key: np.ascontiguousarray(values, np.float32) for key, values in expected.items()}
    return Case(f"{name} = {n}", inputs, made, budget, {name: n})


def axpy() -> list[Case]:
    """Z = a x + y."""
    found = []
    for n, budget in ((1, 48), (64, 105), (100, 157), (1000, 1247)):
        x, y = _numbers(n, 1), _numbers(n, 2)
        found.append(_case(n, {"A": _floats(3), "X": x, "Y": y}, {"Z": 3 * x + y}, budget))
    return found


def dot() -> list[Case]:
    """R = x y."""
    found = []
    for n, budget in ((1, 104), (64, 123), (130, 205), (1000, 759)):
        x, y = _numbers(n, 3), _numbers(n, 4)
        found.append(_case(n, {"X": x, "Y": y}, {"R": [x @ y]}, budget))
    return found


def clip() -> list[Case]:
    """Z = x, clipped."""
    found = []
    for n, budget in ((7, 114), (64, 254), (1000, 2689)):
        x = _numbers(n, 5)
        x[:3] = (-9, 9, 0)
        given = {"LOW": _floats(-3), "HIGH": _floats(5), "X": x}
        found.append(_case(n, given, {"Z": np.clip(x, -3, 5)}, budget))
    return found


def horner() -> list[Case]:
    """Z = a polynomial of x."""
    found = []
    for n, budget in ((1, 93), (64, 172), (2000, 4482)):
        x = _numbers(n, 6)
        z = ((2 * x - 3) * x + 5) * x - 7
        found.append(_case(n, {"C": _floats(-7, 5, -3, 2), "X": x}, {"Z": z}, budget))
    return found


def columns() -> list[Case]:
    """Sums of columns."""
    found = []
    for rows, budget in ((1, 93), (64, 2614), (100, 4054)):
        matrix = _numbers(rows * 64, 7)
        sums = matrix.reshape(rows, 64).sum(axis=0)
        found.append(_case(rows, {"MATRIX": matrix}, {"S": sums}, budget, "ROWS"))
    return found


def gather() -> list[Case]:
    """Z = table[index]."""
    found = []
    for n, budget in ((1, 32), (64, 174), (500, 1135)):
        index = np.random.default_rng(8).integers(0, 4000, n).astype(np.int32)
        index[0] = 3999
        table = _numbers(4000, 9)
        found.append(_case(n, {"TABLE": table, "INDEX": index}, {"Z": table[index]}, budget))
    return found


def running_sums() -> list[Case]:
    """Z = the running sums of x."""
    found = []
    for n, budget in ((64, 1427), (320, 2069), (2112, 7478)):
        x = _numbers(n, 10)
        found.append(_case(n, {"X": x}, {"Z": np.cumsum(x)}, budget))
    return found
