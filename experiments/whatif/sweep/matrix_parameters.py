"""Numbers in the names of generated matrices: columns of a table, and things that are varied."""

from __future__ import annotations

from collections.abc import Sequence

from vecsim.data.builtin import find_builtin
from vecsim.data.family_names import SEED

PREFIX = "matrix."
"""What the names of these numbers begin with, before their letter in the name of the family."""
SEED_COLUMN = f"{PREFIX}{SEED}"
BUILT_IN = "built-in"
"""The source of a generated matrix."""


def matrix_parameters(
    names: Sequence[str], sources: Sequence[str]
) -> tuple[dict[str, tuple[float, ...]], dict[str, str]]:
    """Return the numbers in which matrices of one family differ.

    Parameters
    ----------
    names, sources
        Of the matrices, such as ``rmat-10-8`` and ``built-in``.

    Returns
    -------
    dict
        By name, ``matrix.S``, a number for each matrix, whole ones as int; also ``matrix.seed``. Empty if a
        matrix is of no family, or of another one than the first.
    dict
        By name, what it means: the name of the family and its description.
    """
    family = find_builtin(names[0]) if names else None
    if family is None or not family.is_family or set(sources) != {BUILT_IN}:
        return {}, {}
    rows = [row for name in names if (row := family.arguments_in(name)) is not None]
    if len(rows) < len(names):
        return {}, {}
    letters = [*(each.letter for each in family.parameters), *([SEED] if family.is_random else [])]
    columns = zip(letters, zip(*rows, strict=True), strict=True)
    numbers = {f"{PREFIX}{letter}": column for letter, column in columns if len(set(column)) > 1}
    meanings = {
        name: f"{name.removeprefix(PREFIX)} in {family.name}: {family.description}"
        for name in numbers
        if name != SEED_COLUMN
    }
    return numbers, meanings
