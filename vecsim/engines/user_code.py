"""What user-defined code did wrong while a program ran: in one line, the same in every engine."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from types import FunctionType

from isa import declaration
from vecsim.engines.rebinding import named_values
from vecsim.machine.user_inputs import AT_LOADING
from vecsim.machine.user_questions import question_of
from vecsim.support.errors import UserError, in_words, place_of
from vecsim.support.project_packages import ROOT

MOST_TURNS = 1 << 31
"""Turns that the loops of one user-defined instruction may take, or those of rules in one cycle."""
ENDLESS = f"a loop turns more than {MOST_TURNS:,} times"
NOT_WITHIN = "what a rule gave"
"""The place of a failure that came up in a rule of vecsim."""
MOST_STILL = 100_000
"""How often in turn a part of the machine may ask to look at the cycle again in which it is."""
STANDSTILL = "no part of the machine advances; a rule must let time advance"
_OURS = tuple(f"{folder}/" for folder in (Path(declaration.__file__).parent, ROOT / "vecsim"))


class UserCodeError(Exception):
    """User-defined code failed.

    Attributes
    ----------
    place
        FILE:LINE of the user's own, or of what it called.
    reason
        What went wrong.
    rule
        Whether it was a timing rule, and not the semantics of an instruction.
    """

    def __init__(self, place: str = "", reason: str = "", rule: bool = False) -> None:
        super().__init__(place, reason, rule)
        self.place, self.reason, self.rule = place, reason, rule

    def __str__(self) -> str:
        """Return where, and what."""
        return f"{self.place or NOT_WITHIN}: {self.reason}"


@lru_cache(maxsize=1024)
def is_ours(file: str) -> bool:
    """Return whether a file of code is one of vecsim's own."""
    return file.startswith(_OURS)


def reason_of(error: BaseException) -> str:
    """Return what went wrong in words that are the same in all engines."""
    if isinstance(error, ZeroDivisionError):
        return "ZeroDivisionError: division by zero"
    if isinstance(error, IndexError) and "is not in 0 to" not in str(error):
        return "IndexError: index out of range"
    return in_words(error)


def refuse_questions(function: FunctionType, who: str) -> None:
    """Refuse code of a user that would ask the system while a program runs: no key covers the answer.

    Raises
    ------
    UserError
        It names the clock, a source of random numbers, the host or the like.
    """
    for named in named_values(function):
        what = "" if is_ours(function.__code__.co_filename) else question_of(named.value)
        if what:
            place = f"{function.__code__.co_filename}:{named.line}"
            raise UserError(f"{who}: {place}: {function.__name__} {what} by {named.name}: {AT_LOADING}")


def failure(error: BaseException, functions: Iterable[FunctionType], *, rule: bool = False) -> UserCodeError:
    """Return the failure of functions of a user by what Python raised in them or because of them."""
    files = [file for file in (each.__code__.co_filename for each in functions) if not is_ours(file)]
    return UserCodeError(place_of(error, files), reason_of(error), rule)
