"""The run of a program again, to any place of it: what registers and memory hold there.

The machine gives the time, the interpreter the values. An instruction has a row of the recorded program for
each of its parts, and takes effect with the first.
"""

from __future__ import annotations

from bisect import bisect_left

from isa.riscv.state import PC, TEXT, Hart
from vecsim.machine import Machine
from vecsim.riscv.execution import Execution
from vecsim.riscv.nodes.events import node_number
from vecsim.riscv.timing.source import RiscvSource

SHARED = ("code", "cache")
"""What snapshots share: the text, and the vector cache, which nothing shows."""


class Replay:
    """A run that goes forwards, and back by beginning again.

    Parameters
    ----------
    source, machine
        The program, and the machine whose registers it has.

    Raises
    ------
    UserError
        The program cannot run.
    """

    def __init__(self, source: RiscvSource, machine: Machine) -> None:
        self._source, self._vlen = source, machine.riscv.vlen
        self._parts = source.timed(machine).parts
        self._starts: list[int] = []
        self._rows = 0
        self._begin()

    def _begin(self) -> None:
        self._execution: Execution = self._source.execution(self._vlen)
        self._count = 0

    @property
    def hart(self) -> Hart:
        """The state where it is, which changes as it goes on."""
        return self._execution.hart

    @property
    def count(self) -> int:
        """How many instructions have retired where it is."""
        return self._count

    @property
    def output(self) -> bytes:
        """What the program has written where it is."""
        return self._execution.output

    def go_to(self, rows: int) -> None:
        """Go to where this many rows of the recorded program have issued."""
        while self._rows < rows and self._learn():
            pass
        count = bisect_left(self._starts, rows)
        if count < self._count:
            self._begin()
        if count > self._count:
            self._execution.advance(count)
        self._count = count

    def _learn(self) -> bool:
        """Execute the next instruction for the first time; return whether there was one."""
        if self._count < len(self._starts):
            self._execution.advance(len(self._starts))
            self._count = len(self._starts)
        control = self.hart.control
        row = int(control[PC] - control[TEXT]) >> 1
        inside = 0 <= row < len(self.hart.code)
        parts = self._parts.get(int(node_number(self.hart, row)), 0) if inside else 0
        if not parts:
            return False
        self._starts.append(self._rows)
        self._rows += parts
        self._count += 1
        return self._execution.advance(self._count) is None

    def snapshot(self, rows: int) -> Hart:
        """Return a copy of the state where this many rows have issued; `SHARED` is not copied."""
        self.go_to(rows)
        kept = {name: array.copy() for name, array in self.hart._asdict().items() if name not in SHARED}
        v = kept["v64"]
        views = {f"v{bits}": v.view(f"i{bits // 8}") for bits in (8, 16, 32)}
        return self.hart._replace(**kept | views)
