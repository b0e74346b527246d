"""Rows: records with named fields that make up the state of a run.

A row is declared once, as a dataclass with slots. From the declaration come

- the objects that the timing rules read and write in Python (:func:`objects`, :func:`store`),
- the structured arrays of a record, of a snapshot and of a program (:func:`layout`),
- the rows of compiled code, whose fields are at the offsets of the structured array
  (:mod:`vecsim.engines.jit.arrays.rows`).

A field is an integer of 64 bits, a fixed number of them (:func:`array`), or a list of registers
(:func:`registers`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

NONE = -1
"""In place of a number that there is not."""
COUNT, NUMBERS = "count", "numbers"
"""The two parts of a list of registers in a structured array."""


class Row:
    """The base of all rows."""

    __slots__ = ()

    def copy_from(self, other: Self) -> None:
        """Set all fields to those of another row."""
        for field in fields_of(type(self)):
            if field.most:
                getattr(self, field.name)[:] = getattr(other, field.name)
            else:
                setattr(self, field.name, getattr(other, field.name))

    def reset(self) -> None:
        """Set all fields to what they are in a new row."""
        self.copy_from(type(self)())


AnyRow = TypeVar("AnyRow", bound=Row)


@dataclass(frozen=True)
class Field:
    """A field of a row.

    Attributes
    ----------
    offset, words
        Where it begins in the row, and how long it is, in integers of 64 bits.
    most
        How many numbers it has, at most; 0 for a single integer.
    counted
        Whether it is a list: its length comes first.
    initial
        What an integer, or each number of an array, is in a new row.
    """

    name: str
    offset: int
    words: int
    most: int
    counted: bool
    initial: int


def array(most: int, fill: int = 0) -> Any:
    """Declare a field of this many integers, ``list[int]``."""
    return dataclasses.field(
        default_factory=lambda: [fill] * most, metadata={"most": most, "counted": False, "fill": fill}
    )


def registers(most: int, fill: int = NONE) -> Any:
    """Declare a field of at most this many register numbers, ``list[int]``; ``fill`` stands for the
    others.
    """
    return dataclasses.field(default_factory=list, metadata={"most": most, "counted": True, "fill": fill})


@dataclass(frozen=True)
class Shape:
    """What follows from the declaration of a row.

    Attributes
    ----------
    fields
        In order.
    words
        The length of a row in integers of 64 bits.
    layout
        The type of structured arrays.
    initial
        The integers of a new row.
    """

    fields: tuple[Field, ...]
    words: int
    layout: np.dtype[Any]
    initial: npt.NDArray[np.int64]


_SHAPES: dict[type[Row], Shape] = {}


def shape_of(row: type[Row]) -> Shape:
    """Return what follows from the declaration of a row."""
    if row not in _SHAPES:
        fields = tuple(_fields(row))
        integers: list[int] = []
        for field in fields:
            integers += [0, *[field.initial] * field.most] if field.counted else [field.initial] * field.words
        layout = np.dtype([_laid_out(field) for field in fields])
        _SHAPES[row] = Shape(fields, len(integers), layout, np.array(integers, np.int64))
    return _SHAPES[row]


def _fields(row: type[Row]) -> Iterator[Field]:
    offset = 0
    for each in dataclasses.fields(row):  # type: ignore[arg-type]
        most: int = each.metadata.get("most", 0)
        counted: bool = each.metadata.get("counted", False)
        initial: Any = each.metadata["fill"] if most else each.default
        words = most + int(counted) if most else 1
        yield Field(each.name, offset, words, most, counted, initial)
        offset += words


def _laid_out(field: Field) -> Any:
    if field.counted:
        return field.name, [(COUNT, np.int64), (NUMBERS, np.int64, (field.most,))]
    return (field.name, np.int64, (field.most,)) if field.most else (field.name, np.int64)


def fields_of(row: type[Row]) -> tuple[Field, ...]:
    """Return the fields of a row in order."""
    return shape_of(row).fields


def words_of(row: type[Row]) -> int:
    """Return the length of a row in integers of 64 bits."""
    return shape_of(row).words


def layout(row: type[Row]) -> np.dtype[Any]:
    """Return the type of structured arrays of rows: int64 fields, in order, without gaps.

    Lists of registers are structures of their length, ``count``, and their ``numbers``, filled up.
    """
    return shape_of(row).layout


def new_rows(row: type[Row], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return a structured array of new rows."""
    of_row = shape_of(row)
    result = np.empty((*shape, of_row.words), np.int64)
    result[...] = of_row.initial
    return result.view(of_row.layout)[..., 0]


def objects(row: type[AnyRow], rows: npt.NDArray[Any]) -> list[AnyRow]:
    """Return an object for each row of a structured array of one dimension."""
    columns: list[list[Any]] = []
    for field in fields_of(row):
        column = rows[field.name]
        if field.counted:
            numbers, counts = column[NUMBERS].tolist(), column[COUNT].tolist()
            columns.append([each[:count] for each, count in zip(numbers, counts, strict=True)])
        else:
            columns.append(column.tolist())
    return [row(*values) for values in zip(*columns, strict=True)]


def store(rows: npt.NDArray[Any], each: list[Any]) -> None:
    """Write objects into a structured array of one dimension."""
    if not each:
        return
    for field in fields_of(type(each[0])):
        column = [getattr(one, field.name) for one in each]
        if field.counted:
            rows[field.name][COUNT] = [len(one) for one in column]
            fill = [field.initial] * field.most
            rows[field.name][NUMBERS] = [(one + fill)[: field.most] for one in column]
        else:
            rows[field.name] = column
