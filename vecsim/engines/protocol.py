"""What every engine offers.

An engine is started on a program, a memory and a machine. It advances to a cycle or by a number of
instructions, and can be copied and set back at any such point. :mod:`vecsim.engines.running` starts engines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from isa.program import Program
from isa.state import State
from vecsim.engines.record import Snapshot
from vecsim.engines.result import Run
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import Machine


class Engine(Protocol):
    """A program in flight, stopped at the boundary between two cycles.

    All engines stop at the same boundaries, in the same state, whatever the way there.
    """

    @property
    def cycle(self) -> int:
        """The cycle that comes next, so as many as have passed; once finished, the cycles of the run.

        After a fault it is the cycle in which the instruction would have issued.
        """

    @property
    def pc(self) -> int:
        """Number of the instruction that issues next."""

    @property
    def finished(self) -> bool:
        """True when halt has issued and everything has retired: ``cycle`` is that of the last retirement."""

    @property
    def state(self) -> State:
        """Registers and memory, as of the instructions issued so far."""

    def advance(self, *, cycle: int | None = None, instructions: int | None = None) -> None:
        """Go on to the boundary that is first of those asked for, or to the end of the program.

        Parameters
        ----------
        cycle
            The number of a cycle: stop before it. One that has passed moves nothing.
        instructions
            This many further instructions: stop after the cycle in which the last of them issues. Others may
            issue in it too, on a machine that issues several in a cycle. Less than 1 moves nothing; after
            halt, where no instruction comes any more, it goes to the end.

        Raises
        ------
        Fault
            The program does what the machine cannot do, before that boundary; also when it is asked to go on
            after that, until a snapshot is restored.
        """

    def snapshot(self) -> Snapshot:
        """Copy everything that decides what happens next."""

    def restore(self, snapshot: Snapshot) -> None:
        """Go back, or forward, to a snapshot of the same program on the same machine.

        The timeline restarts there; rows of instructions that had left flight are not in a snapshot.

        Raises
        ------
        UserError
            The snapshot is of another program or another machine.
        """

    def result(self) -> Run:
        """Return what the run has come to."""


StartEngine = Callable[[Program, npt.NDArray[np.uint8], Machine, TimelineRequest | None], Engine]
