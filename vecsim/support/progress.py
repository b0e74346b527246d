"""How far a long piece of work is: a bar on stderr, the same for runs, reports and downloads."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from enum import Enum
from importlib.util import find_spec
from types import TracebackType
from typing import Any, Protocol, Self

from vecsim.support.suggestions import counted, shown

PATIENCE = 1.0
"""Seconds after which work counts as long."""
NAME_WIDTH = 28
"""Columns kept for what goes on, so that the bar stands still."""
LONGEST_NAME = 60
"""Letters of it that are shown at most."""


class Measure(Enum):
    """What stands after a bar."""

    SHARE = "share"
    """Percent."""
    CYCLES = "cycles"
    """The note: simulated cycles."""
    BYTES = "bytes"
    """Bytes, bytes a second and the time that is left."""


class Clocked(Protocol):
    """What simulates: it knows its cycle."""

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""


class Progress:
    """A bar on stderr; nothing if that is no terminal, or if rich is not installed.

    Parameters
    ----------
    measure
        What stands after the bar.
    patience
        Seconds after which it appears. It is wiped out at the end.
    """

    def __init__(self, measure: Measure = Measure.SHARE, patience: float = PATIENCE) -> None:
        self._measure = measure
        self._patience = patience
        self._began = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    @property
    def is_seen(self) -> bool:
        """Whether there is anybody to show anything to."""
        return sys.stderr.isatty() and find_spec("rich") is not None

    def show(self, doing: str, done: float, total: float | None = 1.0, note: str = "") -> None:
        """Show how far the work is.

        Parameters
        ----------
        doing
            What goes on, as it is; letters that a terminal would obey are escaped.
        done
            How much of it is done.
        total
            Of how much; None if that is not known: the bar only moves.
        note
            What `Measure.CYCLES` shows after the bar.
        """
        if not self.is_seen:
            return
        if self._bar is None and time.monotonic() - self._began >= self._patience:
            self._open()
        if self._bar is not None:
            self._bar.update(
                self._task, description=shown(doing, LONGEST_NAME), completed=done, total=total, note=note
            )
            self._bar.start()

    def simulating(self, program: str, number: int, programs: int) -> Callable[[Clocked], None] | None:
        """Return what the engine of a program is to call now and then; None if nobody would see it.

        Parameters
        ----------
        program
            Its name.
        number, programs
            Which of how many it is, from 0. How long a single one will take is not known.
        """
        if not self.is_seen:
            return None
        total = programs if programs > 1 else None
        return lambda engine: self.show(program, number, total, f"{counted(engine.cycle, 'cycle')}")

    def _open(self) -> None:
        from rich import progress
        from rich.console import Console
        from rich.table import Column

        behind: dict[Measure, list[Any]] = {
            Measure.SHARE: [progress.TaskProgressColumn(), progress.TimeElapsedColumn()],
            Measure.CYCLES: [
                progress.TextColumn("{task.fields[note]}", markup=False),
                progress.TimeElapsedColumn(),
            ],
            Measure.BYTES: [
                progress.DownloadColumn(),
                progress.TransferSpeedColumn(),
                progress.TimeRemainingColumn(),
            ],
        }
        name = Column(min_width=NAME_WIDTH if self._measure is Measure.SHARE else None)
        self._bar = progress.Progress(
            progress.TextColumn("{task.description}", markup=False, table_column=name),
            progress.BarColumn(),
            *behind[self._measure],
            console=Console(file=sys.stderr, markup=False, highlight=False, emoji=False),
            transient=True,
        )
        self._task = self._bar.add_task("", total=None, note="")
