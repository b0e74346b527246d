"""A product on a matrix that the page has edited, laid out in the format of its program."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse

from programs.loading import ALLOWED_ERROR, layout_for, place_vectors
from programs.registry import find
from vecsim.machine import Machine
from vecsim.playground.worker.lesson import SHOWN, Entry, Lesson
from vecsim.support.errors import UserError

MOST = (2 - 2**-23) * 2.0**127
"""The largest number of 32 bits."""
LARGEST = 64
"""Rows and columns of a matrix that is edited."""


def on_matrix(lesson: Lesson, matrix: Mapping[str, Any], machine: Machine) -> Lesson:
    """Return the lesson of a product on another matrix and for the section size of a machine.

    x has the numbers of the lesson's x, again from the first where there are more columns.

    Parameters
    ----------
    lesson
        Of a product.
    matrix
        ``shape``, and ``entries``, each with row, column and value, as the page has it.
    machine
        Its section size decides the layout.

    Raises
    ------
    UserError
        The matrix is none that can be edited.
    """
    shape, entries = _checked(matrix)
    rows, columns = shape
    values = np.array([value for *_, value in entries], np.float32)
    places = np.array([column for _, column, _ in entries], np.int32)
    begins = [sum(row < end for row, *_ in entries) for end in range(rows + 1)]
    csr = scipy.sparse.csr_array((values, places, np.array(begins, np.int32)), shape=shape)
    program = find(lesson.key.partition("-")[0])
    options = program.symbols(program.choose({}))
    image = program.load(csr, machine, layout_for(4), options)
    loaded = place_vectors(image, shape, _x(lesson, columns), machine, 4)
    return replace(
        lesson,
        symbols={name: int(value) for name, value in {**options, **loaded.symbols}.items()},
        memory=loaded.memory.tobytes(),
        pieces=(f"Y:{min(rows, SHOWN)}:float",),
        shape=shape,
        entries=entries,
    )


def _x(lesson: Lesson, count: int) -> Any:
    begin, size = lesson.symbols["X"], lesson.shape[1]
    known = lesson.array()[begin : begin + 4 * size].view(np.float32).tolist()
    return np.array([known[k % size] for k in range(count)], np.float32)


def _checked(matrix: Mapping[str, Any]) -> tuple[tuple[int, int], tuple[Entry, ...]]:
    rows, columns = (_whole(extent, 1, LARGEST, "an extent of the matrix") for extent in matrix["shape"])
    entries: dict[tuple[int, int], float] = {}
    for row, column, value in matrix["entries"]:
        place = _whole(row, 0, rows - 1, "a row"), _whole(column, 0, columns - 1, "a column")
        if not isinstance(value, int | float) or not abs(value) <= MOST:
            raise UserError(f"row {row}, column {column}: {value!r} is no number of 32 bits")
        entries[place] = float(value)
    if len(entries) < len(matrix["entries"]):
        raise UserError("an entry of the matrix is there twice; name each once")
    return (rows, columns), tuple((row, column, entries[row, column]) for row, column in sorted(entries))


def _whole(value: object, least: int, most: int, what: str) -> int:
    if not isinstance(value, int) or not least <= value <= most:
        raise UserError(f"{what} is {value!r}; it must be from {least} to {most}")
    return value


def first_wrong(lesson: Lesson, memory: Any) -> str:
    """Return which element of y is not that of the product, after a run; empty if all are right.

    Parameters
    ----------
    lesson
        Of a product, before the run.
    memory
        (n,) bytes after the run.
    """
    rows, columns = lesson.shape
    x = lesson.array()[lesson.symbols["X"] :][: 4 * columns].view(np.float32).tolist()
    y = memory[lesson.symbols["Y"] :][: 4 * rows].copy().view(np.float32).tolist()
    products: list[list[float]] = [[] for _ in range(rows)]
    for row, column, value in lesson.entries:
        products[row].append(value * x[column])
    return next(
        (
            f"y[{row}] is {y[row]:.6g}, expected {math.fsum(terms):.6g}"
            for row, terms in enumerate(products)
            if not abs(y[row] - math.fsum(terms)) <= ALLOWED_ERROR * math.fsum(map(abs, terms))
        ),
        "",
    )
