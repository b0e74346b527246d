"""How a format takes up elements; each format defines where they belong and what is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from numpy.typing import ArrayLike, NDArray

from vecsim.formats.array_types import IntArray
from vecsim.formats.insertion.record import (
    Format,
    Insertion,
    Steps,
    check_room,
    checked_element,
    checked_positions,
    steps_of_one,
)

Places = TypeVar("Places")
Parts = TypeVar("Parts", bound=tuple[Steps[IntArray], ...])


@dataclass(frozen=True)
class InsertionRules(Generic[Format, Places, Parts]):
    """What a format says of insertions.

    Attributes
    ----------
    places
        Finds where elements belong, by their rows and columns.
    steps
        Counts, by part of the format, what each of them takes.
    stored_at
        Returns where the value of a single element is stored, None if its position is empty.
    grown
        Makes the matrix with a single new element, given its places, row, column and value.
    """

    places: Callable[[Format, IntArray, IntArray], Places]
    steps: Callable[[Format, Places], Parts]
    stored_at: Callable[[Format, Places], int | None]
    grown: Callable[[Format, Places, IntArray, IntArray, NDArray[Any]], Format]

    def insert(self, matrix: Format, row: int, column: int, value: float) -> Insertion[Format]:
        """Insert an element; see `FormatWithInsertion.insert`.

        Parameters
        ----------
        matrix
            It is left as it was.
        row, column
            The position, counted from 0.
        value
            A finite real number.
        """
        old: Any = matrix
        rows, columns, new_value = checked_element(old.shape, old.dtype, row, column, value)
        at = self.places(matrix, rows, columns)
        parts = steps_of_one(self.steps(matrix, at))
        place = self.stored_at(matrix, at)
        if place is not None:
            values = old.values.copy()
            values[place] = new_value
            return Insertion(replace(old, values=values), True, parts)
        check_room(old.nnz)
        return Insertion(self.grown(matrix, at, rows, columns, new_value), False, parts)

    def count(self, matrix: Any, rows: ArrayLike, columns: ArrayLike) -> Parts:
        """Count the steps of each of many insertions; see `FormatWithInsertion.insertion_steps`."""
        return self.steps(matrix, self.places(matrix, *checked_positions(matrix.shape, rows, columns)))
