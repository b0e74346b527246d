"""What is run: a program that is the same on every machine, or one that a machine makes another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from isa.program import Program
from vecsim.machine import Machine


class Runnable(NamedTuple):
    """A program, memory before its run, and the machine, as :func:`vecsim.engines.running.run` takes them."""

    program: Program
    memory: npt.NDArray[np.uint8]
    machine: Machine


class Source(Protocol):
    """Returns a program for each machine."""

    def on(self, machine: Machine) -> Runnable:
        """Return what runs on a machine.

        Raises
        ------
        UserError
            The program cannot run on it.
        """


@dataclass(frozen=True)
class Fixed:
    """A program that is the same on every machine, and memory before its run."""

    program: Program
    memory: npt.NDArray[np.uint8]

    def on(self, machine: Machine) -> Runnable:
        """Return it with the machine."""
        return Runnable(self.program, self.memory, machine)
