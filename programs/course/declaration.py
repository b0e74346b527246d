"""What a program of the course is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from programs.course.problem import Problem
from vecsim.machine import Machine

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Setting:
    """What a problem is made for.

    Attributes
    ----------
    machine
        Its section size is that of blocks and slices.
    value_type
        float32 or float64.
    rng
        Where numbers come from.
    size
        Elements, or rows of a square matrix; of programs that take no sparse matrix.
    matrix
        SciPy's compressed rows, in the value type; of programs that take one.
    """

    machine: Machine
    value_type: np.dtype[Any]
    rng: np.random.Generator
    size: int = 0
    matrix: Any = None

    @property
    def words(self) -> int:
        """Words of a value."""
        return self.value_type.itemsize // 4

    def numbers(self, *shape: int) -> Any:
        """Draw small whole numbers, so that no sum depends on its order."""
        return self.rng.integers(-8, 9, shape).astype(self.value_type)


@dataclass(frozen=True)
class CourseProgram:
    """A program of the course.

    Attributes
    ----------
    name, title, summary
        As commands take it, as tables show it, and what can be learned from it.
    problem
        Makes what it is run on.
    size
        Elements, or rows, if the user names none; 0: it takes a sparse matrix.
    """

    name: str
    title: str
    summary: str
    problem: Callable[[Setting], Problem]
    size: int = 0

    @property
    def takes_matrix(self) -> bool:
        """Whether it runs on a sparse matrix."""
        return not self.size

    @property
    def file(self) -> Path:
        """Its assembly file."""
        return HERE / f"{self.name.replace('-', '_')}.s"
