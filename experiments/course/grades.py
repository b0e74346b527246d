"""What comes of a text: its grade, and what to look at where it is not right."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from experiments.course.exercise import Exercise

NO_CASE = "the text"
"""In the place of a case, of a text that cannot be run on any."""
PROBLEMS = (
    "limits",
    "assembly",
    "uses",
    "fault",
    "endless",
    "stray",
    "unwritten",
    "wrong",
    "budget",
    "claim",
)
"""What can be not right, in the order in which it is looked for."""

SEEDS = 1 << 31
"""How many seeds there are."""

GENERAL_HINTS = {
    "limits": "docs/tutorial/exercises.md says how long and how large a text may be",
    "uses": "the statement names the instruction, `vecsim isa NAME` says how it is written",
    "assembly": "the message names the place in the text; `vecsim isa` lists all instructions, "
    "`vecsim isa NAME` says how one is written",
    "fault": "`vecsim debug` stops there: look at the registers that give the address, and go back to where "
    "they became so",
    "endless": "which register does the branch at the end of the loop test, and does it come to that value? "
    "`vecsim debug` with `watch` on it shows",
    "stray": "how many elements has the last strip, and does setvl say so? An address may also run past its "
    "array",
    "unwritten": "the loop ends before all strips are done, a store is missing, or it stores what was loaded "
    "from memory that nobody wrote",
    "wrong": "`vecsim debug` with `until` on the address of that element stops where it is written",
    "budget": "`vecsim why` and the extended view of `vecsim debug` show what waits for what",
    "claim": "vecsim grade prints the cycles of each case, and `vecsim exec --set` runs a text on another "
    "machine: the statement says how to get the number",
}


BY_ELEMENTS = (
    "addresses count bytes: after a strip they move on by 4 for each of its elements (slli by 2), not by 1"
)
"""The hint if every strip begins a quarter of the strip before it further on."""


@dataclass(frozen=True)
class Result:
    """What came of a case.

    Attributes
    ----------
    case
        Its name.
    problem
        One of :data:`PROBLEMS`, empty if it is right.
    text
        What is not right.
    cycles, budget
        That it took and might take; None where it did not end.
    hint
        What to look at, if that is known better than by the problem.
    """

    case: str
    problem: str = ""
    text: str = ""
    cycles: int | None = None
    budget: int | None = None
    hint: str = ""


@dataclass(frozen=True)
class Grade:
    """What came of a text.

    Attributes
    ----------
    exercise, seed
        The name of the exercise, and the seed of its cases.
    results
        Of each case up to the first that did not end.
    cases
        How many cases there are.
    hint
        What to look at first, empty if all is right.
    what_if
        Cycles of the last case on machines with one thing changed.
    """

    exercise: str
    seed: int
    results: tuple[Result, ...]
    cases: int = 0
    hint: str = ""
    what_if: tuple[tuple[str, int], ...] = ()

    @property
    def passed(self) -> bool:
        """Whether all is right."""
        return not any(result.problem for result in self.results)


def first_problem(results: Sequence[Result]) -> Result | None:
    """Return the first case that is wrong; if none is, the first that is too slow, if any."""
    problems = [result for result in results if result.problem]
    wrong = [result for result in problems if result.problem != "budget"]
    return next(iter(wrong or problems), None)


def failed(exercise: Exercise, seed: int, problem: str, text: str) -> Grade:
    """Return the grade of a text that cannot be run on any case.

    Parameters
    ----------
    exercise, seed
        The exercise, and the seed of its cases.
    problem, text
        The kind of problem, which has the hint, and the line that says what is wrong.
    """
    result = Result(NO_CASE, problem, text)
    return Grade(exercise.name, seed, (result,), hint=hint_for(exercise, problem))


def hint_for(exercise: Exercise, problem: str) -> str:
    """Return what to look at first."""
    return exercise.hints.get(problem) or GENERAL_HINTS.get(problem, "")


def fresh_seed() -> int:
    """Return a seed that nobody has chosen."""
    return secrets.randbelow(SEEDS)
