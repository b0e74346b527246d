"""What an exercise is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from vecsim.engines.result import Run

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Case:
    """A program is run on these arrays, and must leave those.

    Attributes
    ----------
    name
        What reports call it.
    inputs
        Arrays in memory by the symbol of their address; they must not be changed.
    expected
        What the arrays of these symbols must hold afterwards.
    budget
        Cycles that it may take.
    constants
        Symbols next to addresses.
    work
        Elements that an instruction on which the exercise insists must process.
    """

    name: str
    inputs: Arrays
    expected: Arrays
    budget: int
    constants: Mapping[str, int] = field(default_factory=dict)
    work: int = 0


Draw = Callable[[np.random.Generator], Iterable[Case]]
"""Draws the cases of an exercise."""


@dataclass(frozen=True)
class NamedMatrix:
    """A random SciPy csr_array of float32, and what reports call it."""

    name: str
    csr: Any


@dataclass(frozen=True)
class Products:
    """Residuals y = b - A x of random sparse matrices.

    Attributes
    ----------
    like
        The program whose format, symbols and options it has.
    matrices
        Draws the matrices.
    share
        Cycles that it may take, as a share of those of the program of this name for A x.
    options
        Of the program that is compared with, and of this one.
    extra
        Cycles that it may take on top of that.
    """

    like: str
    matrices: Callable[[np.random.Generator], list[NamedMatrix]]
    share: float
    options: Mapping[str, str] = field(default_factory=dict)
    extra: int = 0


@dataclass(frozen=True)
class Band:
    """Points for a right text that takes at most this share of its budget in every case."""

    share: float
    points: float


@dataclass(frozen=True)
class Points:
    """What a text earns.

    Attributes
    ----------
    right
        Points for right results: as many of them as cases are right.
    bands
        More points if all are right, by the case that takes the largest share of its budget: those of the
        first band that it keeps.
    """

    right: float = 60
    bands: tuple[Band, ...] = (Band(1.0, 40), Band(1.5, 20), Band(2.0, 10))

    @property
    def most(self) -> float:
        """What a text can earn."""
        return self.right + max((band.points for band in self.bands), default=0)


@dataclass(frozen=True)
class Finished:
    """A run that was right, and how many elements its case has."""

    work: int
    run: Run


CyclesOn = Callable[[str], int]
"""Returns the cycles of the last case on a machine with a change, such as ``lanes=4``."""
Measured = Callable[[Sequence[Finished], CyclesOn], float]
"""Measures something from the runs of the two last cases."""


@dataclass(frozen=True)
class Claim:
    """A number that a text must state by ``.equ``.

    Attributes
    ----------
    symbol, what
        Its name, and what it is.
    measure, tolerance
        What it must be, and by how much it may be off.
    """

    symbol: str
    what: str
    measure: Measured
    tolerance: float


@dataclass(frozen=True)
class Design:
    """What a text must declare: instructions from which its results come, and numbers that argue for them.

    Attributes
    ----------
    most
        What all its instructions may cost together, by :data:`isa.declared.COST`.
    claims
        What it must state.
    """

    most: int
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class Exercise:
    """An exercise.

    Attributes
    ----------
    name, title
        What commands call it, and what it is about.
    number
        With a seed it decides the cases; ``exercise-03`` is number 3.
    starter
        The text to begin with; the comment on top says what is asked.
    cases
        Draws the cases, or what products are to be run.
    hints
        What to look at, by what is not right (:data:`experiments.course.grades.PROBLEMS`).
    forbidden
        Mnemonics, without what follows their dot, that a text must not have.
    needed
        Mnemonics that must process every element of a case, and from which the results must come.
    what_if
        Changes of the machine; the cycles of the largest case are reported for each.
    points
        What a text earns.
    design
        What instructions a text declares; None if it must not declare any.
    folder, sha256
        Where a teacher's own exercise lies, and a digest of all that it consists of; empty for those that
        come with vecsim.
    """

    name: str
    title: str
    number: int
    starter: str
    cases: Draw | Products
    hints: Mapping[str, str]
    forbidden: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    what_if: tuple[str, ...] = ()
    points: Points = Points()
    design: Design | None = None
    folder: str = ""
    sha256: str = ""

    @property
    def statement(self) -> str:
        """What is asked: the comment on top of the text to begin with."""
        lines = []
        for line in self.starter.splitlines():
            if not line.startswith("#"):
                break
            lines.append(line[1:].removeprefix(" "))
        return "\n".join(lines)
