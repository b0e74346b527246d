"""The names of families of matrices: what stands for a number in them, and which numbers a name has."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vecsim.support.errors import UserError

SEED = "seed"
"""Before the number of a seed, the last part of a name: ``uniform-1000-8-seed2``."""
DEFAULT_SEED = 1
MOST_SEED = 2**32 - 1

_WHOLE = r"(0|[1-9]\d{0,9})"
_DECIMAL = r"((?:0|[1-9]\d{0,9})(?:\.\d{1,9})?)"


@dataclass(frozen=True)
class Parameter:
    """A number to choose in the name of a family.

    Attributes
    ----------
    letter
        What stands for it in the name of the family.
    least, most
        The smallest and the largest that is possible.
    whole
        Whether it is a whole number; otherwise it may have decimals.
    """

    letter: str
    least: float
    most: float
    whole: bool = True

    @property
    def range(self) -> str:
        """Its range, as messages and lists write it."""
        return f"{self.least} to {self.most}"


def head(name: str) -> str:
    """Return the part of a family's name, or of a name in it, before the first number."""
    return name.partition("-")[0]


def numbers_in(
    name: str, family: str, parameters: Sequence[Parameter], *, seeded: bool
) -> tuple[float, ...] | None:
    """Return the numbers that a name has, None if it is not a name of the family.

    Parameters
    ----------
    name
        What a user typed.
    family
        Name of the family, such as ``rmat-S-D``.
    parameters
        What its letters stand for.
    seeded
        Whether a seed may follow.

    Returns
    -------
    tuple of float or None
        A number for each parameter, whole ones as int, in their range or not; then the seed if `seeded`.
    """
    forms = {each.letter: _WHOLE if each.whole else _DECIMAL for each in parameters}
    pattern = "-".join(forms.get(part, re.escape(part)) for part in family.split("-"))
    match = re.fullmatch(f"{pattern}(?:-{SEED}{_WHOLE})?" if seeded else pattern, name)
    if match is None:
        return None
    chosen = [
        int(text) if each.whole else float(text)
        for each, text in zip(parameters, match.groups(), strict=False)
    ]
    return (*chosen, int(match[len(parameters) + 1] or DEFAULT_SEED)) if seeded else tuple(chosen)


def require_in_range(
    name: str, family: str, parameters: Sequence[Parameter], chosen: Sequence[float]
) -> None:
    """Refuse numbers that a family does not have.

    Parameters
    ----------
    name
        What a user typed.
    family, parameters
        As of `numbers_in`.
    chosen
        What it returned.

    Raises
    ------
    UserError
        Naming the first number that is out of its range.
    """
    seed = Parameter(SEED, 0, MOST_SEED)
    for parameter, number in zip((*parameters, seed), chosen, strict=False):
        if not parameter.least <= number <= parameter.most:
            raise UserError(
                f"'{name}' is not a built-in matrix: in {family}, {parameter.letter} must be from "
                f"{parameter.least} to {parameter.most}"
            )
