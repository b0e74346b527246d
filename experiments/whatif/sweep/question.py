"""The question of a sweep: where one program is faster than another, ``jd<hism``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

_FORM = re.compile(
    r"\s*(?P<first>[^<]+?)\s*<\s*(?:(?P<factor>[0-9]*\.?[0-9]+)\s*\*\s*)?(?P<second>[^<]+?)\s*"
)


@dataclass(frozen=True)
class Question:
    """Where a program takes fewer cycles than another, or than a share or a multiple of them.

    Attributes
    ----------
    first, second
        Names of the programs.
    factor
        What the cycles of the second are multiplied by.
    """

    first: str
    second: str
    factor: float = 1.0

    def __str__(self) -> str:
        factor = "" if self.factor == 1 else f"{self.factor:g}*"
        return f"{self.first}<{factor}{self.second}"

    @property
    def threshold(self) -> float:
        """The logarithm of the ratio of their cycles below which the answer is yes."""
        return log(self.factor)


def read_question(text: str, programs: Sequence[str]) -> Question:
    """Read a question.

    Parameters
    ----------
    text
        ``jd<hism``: JD takes fewer cycles than HiSM. ``jd<2*hism``: fewer than twice as many.
    programs
        Those of the sweep.

    Raises
    ------
    UserError
        It is no question, or is about programs that the sweep does not have.
    """
    match = _FORM.fullmatch(text)
    if match is None or float(match["factor"] or 1) == 0:
        raise UserError(
            f"question = {text!r}: is not a question; write PROGRAM<PROGRAM or PROGRAM<FACTOR*PROGRAM, such "
            "as jd<hism or jd<2*hism"
        )
    for name in (match["first"], match["second"]):
        if name not in programs:
            raise UserError(
                f"question = {text!r}: the sweep has no program {name!r}; use two of {', '.join(programs)}"
                f"{nearest(name, programs)}"
            )
    if match["first"] == match["second"]:
        raise UserError(f"question = {text!r}: compares a program with itself; name two")
    return Question(match["first"], match["second"], float(match["factor"] or 1))
