"""What an exercise is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

HERE = Path(__file__).parent
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
class Exercise:
    """An exercise.

    Attributes
    ----------
    number, title
        ``exercise-03`` is number 3.
    cases
        Draws the cases, or what products are to be run.
    hints
        What to look at, by what is not right (:data:`experiments.course.grading.PROBLEMS`).
    forbidden
        Mnemonics, without what follows their dot, that a text must not have.
    needed
        Mnemonics that must process every element of a case, and from which the results must come.
    what_if
        Changes of the machine; the cycles of the largest case are reported for each.
    """

    number: int
    title: str
    cases: Callable[[np.random.Generator], Iterable[Case]] | Products
    hints: Mapping[str, str]
    forbidden: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    what_if: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What commands call it."""
        return f"exercise-{self.number:02}"

    @property
    def starter(self) -> Path:
        """The text to begin with."""
        return HERE / "starters" / f"{self.name}.s"

    @property
    def solution(self) -> Path:
        """A right text."""
        return HERE / "solutions" / f"{self.name}.s"

    @property
    def statement(self) -> str:
        """What is asked: the comment on top of the starter."""
        lines = []
        for line in self.starter.read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                break
            lines.append(line[1:].removeprefix(" "))
        return "\n".join(lines)
