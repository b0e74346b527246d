"""A program in flight that stops where it is asked to, and goes back.

Forwards it is the engine that goes on; backwards an earlier snapshot is restored, and the engine goes on from
there. So every engine steps back, and what is seen at a cycle is the same, whichever way it was reached.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isa.state import State
from vecsim.debugger.operands import Operand
from vecsim.debugger.position import AT, Position
from vecsim.debugger.target import Target
from vecsim.engines.fault import Fault
from vecsim.engines.record import Snapshot
from vecsim.engines.recorded.program import RecordedProgram
from vecsim.engines.running import start
from vecsim.engines.timeline import TimelineRequest
from vecsim.support.errors import UserError
from vecsim.support.shown_text import one_line
from vecsim.support.suggestions import counted

MOST = 48
"""Checkpoints that are kept, at most."""
SPACING = 128
"""Cycles between two of them, at least, in the beginning."""


@dataclass(frozen=True)
class Checkpoint:
    """A snapshot, and the rows of the timeline of the instructions before it, by age."""

    snapshot: Snapshot
    rows: dict[int, tuple[int, ...]]

    @property
    def cycle(self) -> int:
        """The cycle that comes next."""
        return self.snapshot.cycle


class Checkpoints:
    """Checkpoints in the order of their cycles.

    When there are too many every second one is dropped, and from then on they are twice as far apart: a
    session of any length keeps few, and goes back over few cycles, as a share of those that it has run.
    """

    def __init__(self) -> None:
        self._kept: list[Checkpoint] = []
        self._spacing = SPACING

    def wanted(self, cycle: int) -> bool:
        """Return whether there is none near before this cycle."""
        before = bisect_right(self._kept, cycle, key=lambda each: each.cycle)
        return before == 0 or cycle - self._kept[before - 1].cycle >= self._spacing

    def add(self, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint."""
        self._kept.insert(bisect_right(self._kept, checkpoint.cycle, key=lambda each: each.cycle), checkpoint)
        if len(self._kept) > MOST:
            del self._kept[1::2]
            self._spacing *= 2

    def before(self, cycle: int) -> Checkpoint:
        """Return the latest at or before a cycle; the first, of cycle 0, is always there."""
        return self._kept[bisect_right(self._kept, cycle, key=lambda each: each.cycle) - 1]


ENGINE = "simpy"
"""What a session runs on if nobody says otherwise: it starts at once, and steps are short."""
KEPT_ROWS = 64
"""The least number of instructions before a stop whose times are known, next to those in flight."""
STRIDE = 512
"""Cycles after which a run looks whether it has come to a breakpoint."""
MOST_CYCLES = 1_000_000
"""Cycles that a run may take until it stops by itself."""


@dataclass(frozen=True)
class Stop:
    """Why a session has stopped: ``step``, ``cycle``, ``breakpoint``, ``watch``, ``condition``, ``end``,
    ``fault`` or ``limit``, and a line that says so; where it has stopped stands in it once, in front. Of a
    watch or a condition also how it was written.
    """

    reason: str
    text: str
    watched: str = ""


@dataclass(frozen=True)
class Watch:
    """What ends a run after the cycle in which an instruction changes it, or makes it true.

    Attributes
    ----------
    text
        What the user calls it.
    operand
        What it is made of.
    holds
        Whether it ends the run when it becomes true; otherwise when it changes.
    """

    text: str
    operand: Operand
    holds: bool = False

    def value(self, state: State) -> object:
        """Read it from the state."""
        return self.operand.value(state)


class Session:
    """A program in flight.

    Parameters
    ----------
    target
        What is debugged.
    engine
        A name of :data:`vecsim.engines.running.ENGINES`.
    most_cycles
        Cycles after which :meth:`run` stops by itself.

    Attributes
    ----------
    program, machine, names
        What runs, on what, and what its registers and places are called.
    position
        Where it has stopped.
    breakpoints
        Numbers of instructions before which a run stops.
    watches
        What ends a run when it changes.

    Raises
    ------
    AssemblyError, UserError
        The text, or its program on this machine, cannot run.
    """

    def __init__(self, target: Target, *, engine: str = ENGINE, most_cycles: int = MOST_CYCLES) -> None:
        self.target, self.engine, self.most_cycles = target, engine, most_cycles
        self.program, memory, self.machine = target.runnable()
        self.names, self._replay = target.names(self.program), target.replay()
        self.breakpoints: set[int] = set()
        self.watches: list[Watch] = []
        self._new: list[npt.NDArray[np.int64]] = []
        self._rows: dict[int, tuple[int, ...]] = {}
        self._fault = ""
        self._checkpoints = Checkpoints()
        request = TimelineRequest(sink=self._new.append)
        self._running = start(self.program, memory, self.machine, engine=engine, timeline=request)
        self._most_rows = max(KEPT_ROWS, 4 * self.machine.issue_width)
        self._passed = -1  # the cycle of a breakpoint at which it stands
        self.position = self._look()

    @property
    def ended(self) -> bool:
        """Whether nothing comes any more: the end, or a fault."""
        return self.position.finished or bool(self.position.fault)

    # Steps

    def step(self, count: int = 1) -> Stop:
        """Go on until this many further instructions have issued; others may issue in the same cycle."""
        for _ in range(count):
            if self.ended:
                break
            self._advance(instructions=1)
            while not self._fault and not self._running.finished and self.is_part(self._running.pc):
                self._advance(instructions=1)
            self.position = self._look()
        return self._stopped("step")

    def is_part(self, pc: int) -> bool:
        """Return whether a row of a recorded program is a further part of the one before it."""
        rows = self.program.rows if isinstance(self.program, RecordedProgram) else ()
        return 0 <= pc < len(rows) and rows[pc].joined

    def step_cycles(self, count: int = 1) -> Stop:
        """Go on by this many cycles."""
        self.go_to(self.position.cycle + count)
        return self._stopped("step")

    def back(self, count: int = 1) -> Stop:
        """Go back to before the latest issue, this many times."""
        for _ in range(count):
            here = self.position.cycle
            earlier = [issue + 1 for _, issue, _ in self.position.issues if issue + 1 < here]
            self.go_to(max(earlier, default=0))
        return self._stopped("step")

    def back_cycles(self, count: int = 1) -> Stop:
        """Go back by this many cycles."""
        self.go_to(max(0, self.position.cycle - count))
        return self._stopped("step")

    def go_to(self, cycle: int) -> None:
        """Go to the boundary before a cycle, forwards or backwards; at most to the end."""
        self._passed = -1
        if cycle < self._running.cycle:
            self._restore(self._checkpoints.before(cycle))
        self._advance(cycle=cycle)
        self.position = self._look()

    # Runs

    def run(
        self, *, until: Iterable[int] = (), cycle: int | None = None, condition: Watch | None = None
    ) -> Stop:
        """Go on to the first breakpoint, change of what is watched, or what is asked for here.

        Parameters
        ----------
        until
            Numbers of instructions before which to stop, next to the breakpoints.
        cycle
            The cycle before which to stop.
        condition
            What ends the run, next to the watches.
        """
        wanted = self.breakpoints | set(until)
        watches = [*self.watches, *([condition] if condition else [])]
        began, first = self.position.cycle, self.position
        at_breakpoint = self._passed == began or first.pc in wanted
        seen = began if at_breakpoint else began - 1  # the breakpoints up to this cycle do not count
        last = began + self.most_cycles if cycle is None else cycle
        while not self.ended and self.position.cycle < last:
            before = [watch.value(self._state()) for watch in watches]
            stride: dict[str, int] = {"cycle": min(last, self.position.cycle + STRIDE)}
            issued = self._advance(**stride, **({"instructions": 1} if watches else {}))
            hits = [(at, pc) for at, pc in issued if pc in wanted and at > seen]
            if hits:
                return self._break(*min(hits))
            if watches:
                try:
                    changed = _changed(watches, before, self._state())
                except UserError as error:  # it has come to lie outside
                    self.position = self._look()
                    return Stop("watch", f"cycle {self.position.cycle}, {error}")
                if changed is not None:
                    self.position = self._look()
                    reason = "condition" if changed.holds else "watch"
                    return Stop(reason, self._told(changed), changed.text)
                if self._checkpoints.wanted(self._running.cycle) or self._running.finished or self._fault:
                    self.position = self._look()
                else:
                    self.position = self._glance()
            else:
                self.position = self._look()
        self.position = self._look()
        if self.ended or cycle is not None:
            return self._stopped("cycle")
        limit = counted(self.most_cycles, "cycle")
        return Stop("limit", f"cycle {self.position.cycle}, no stop in {limit}")

    def _break(self, cycle: int, pc: int) -> Stop:
        self.go_to(cycle)
        self._passed = cycle
        return Stop("breakpoint", f"cycle {cycle}, before {self.program.where(pc)} issues")

    def _told(self, watch: Watch) -> str:
        here = self.position
        issued = [pc for _, cycle, pc in here.issues if cycle == here.cycle - 1]
        by = self.program.where(issued[0])
        if len(issued) > 1:
            lines = [self._line(pc) for pc in issued]
            by = f"one of the lines {', '.join(lines)}, which issued together"
        return f"cycle {here.cycle}, {watch.text}, by {by}"

    def _line(self, pc: int) -> str:
        source = self.program.source[pc]
        own = source.file == one_line(self.target.file)
        return f"{source.line}" if own else f"{source.file}:{source.line}"

    def _stopped(self, reason: str) -> Stop:
        here = self.position
        if here.fault:
            return Stop("fault", here.fault)
        if here.finished:
            return Stop(
                "end",
                f"the program has ended: {counted(here.cycle, 'cycle')}, "
                f"{counted(here.count, 'instruction')}",
            )
        return Stop(reason, f"cycle {here.cycle}, next is {self.program.where(here.pc)}")

    # The engine

    def _advance(self, **how: int) -> list[tuple[int, int]]:
        """Let the engine go on; return the cycle of issue and the number of each instruction that issued."""
        before = self._glance().count
        if not self._fault:
            try:
                self._running.advance(**how)
            except Fault as fault:
                self._fault = str(fault)
        self._running.result()  # hands on the rows of the timeline
        issued = []
        for table in self._new:
            for row in table.tolist():
                self._rows[row[AT["age"]]] = tuple(row)
                issued.append((row[AT["age"]], row[AT["issue"]], row[AT["pc"]]))
        self._new.clear()
        here = self._glance()
        issued += [each for each in here.issues if each[0] in here.slots]
        first = here.count - self._most_rows
        self._rows = {
            age: row for age, row in self._rows.items() if age >= first or row[AT["retire"]] > here.cycle
        }
        return [(cycle, pc) for age, cycle, pc in issued if age >= before]

    def _state(self) -> State:
        """Return registers and memory where the engine is, which may change with it."""
        return self._running.state if self._replay is None else self._glance().state

    def _glance(self) -> Position:
        """Return where the engine is."""
        done = self._running.finished
        snapshot = self._running.snapshot()
        where = (self.program, self.machine, self.names, snapshot, dict(self._rows), done, self._fault)
        return Position(*where, self._replay)

    def _look(self) -> Position:
        """Return where the engine is, and keep a checkpoint if there is none near before it."""
        here = self._glance()
        if self._checkpoints.wanted(here.cycle) and not here.fault:
            self._checkpoints.add(Checkpoint(here.snapshot, here.rows))
        return here

    def _restore(self, checkpoint: Checkpoint) -> None:
        self._running.restore(checkpoint.snapshot)
        self._rows, self._fault = dict(checkpoint.rows), ""
        self._new.clear()


def _changed(watches: list[Watch], before: list[object], state: State) -> Watch | None:
    """Return the first of those watched whose value is another than before, or that has become true."""
    for watch, was in zip(watches, before, strict=True):
        now = watch.value(state)
        if now != was and (now or not watch.holds):
            return watch
    return None
