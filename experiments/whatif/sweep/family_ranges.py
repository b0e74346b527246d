"""Names of families of matrices with several values in place of a number: ``rmat-10:16:2-8``."""

from __future__ import annotations

from itertools import islice, product

from experiments.whatif.sweep.attributes import MOST_VALUES, values_of
from vecsim.data.builtin import check_builtin, family_of
from vecsim.data.family_names import SEED
from vecsim.support.errors import UserError

_SEVERAL = frozenset(":,")


def members(name: str) -> list[str]:
    """Return the names that a name with values stands for; any other name alone.

    Each number may be what `values_of` reads, a seed after the word: ``uniform-1000-4:64:x2``,
    ``powerlaw-1000-8-1.5,2,2.5``, ``laplace2d-10:50:10``, ``uniform-1000-8-seed1:5``.

    Parameters
    ----------
    name
        As a user wrote it.

    Raises
    ------
    UserError
        Values that cannot be read, too many of them, or a name that is no built-in matrix.
    """
    first, *parts = name.split("-")
    if family_of(name) is None or not any(_SEVERAL & set(part) for part in parts):
        return [name]
    choices = [_values(name, part) if _SEVERAL & set(part) else (part,) for part in parts]
    names = ["-".join((first, *chosen)) for chosen in islice(product(*choices), MOST_VALUES + 1)]
    if len(names) > MOST_VALUES:
        raise UserError(f"{name}: too many matrices; at most {MOST_VALUES:,} are possible")
    for each in names:
        check_builtin(each)
    return names


def _values(name: str, part: str) -> tuple[str, ...]:
    word = SEED if part.startswith(SEED) else ""
    values = [f"{word}{value}" for value in values_of(name, part.removeprefix(word))]
    unread = next((value for value in values if ":" in value), None)
    if unread is not None:
        raise UserError(f"{name}: {unread} is not a range of whole numbers; write a list such as 1.5,2,2.5")
    return tuple(values)
