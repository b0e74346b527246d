"""The progress bar of long runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from vecsim.cli.streams import printable

if TYPE_CHECKING:
    from vecsim.engines.protocol import Engine

PATIENCE = 1.0
"""Seconds after which a run counts as long."""


class Progress:
    """A bar over several programs on stderr, with the simulated cycles of the one that runs.

    It appears when the run has taken :data:`PATIENCE` seconds, and only if stderr is a terminal.
    """

    def __init__(self, programs: int) -> None:
        self._programs = programs
        self._done = -1
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

    def of(self, program: str) -> Callable[[Engine], None] | None:
        """Begin with the next program; give what its engine is to call now and then."""
        self._done += 1
        if not sys.stderr.isatty():
            return None

        def show(engine: Engine) -> None:
            if self._bar is None and time.monotonic() - self._began >= PATIENCE:
                self._open()
            if self._bar is not None:
                self._bar.update(
                    self._task,
                    description=printable(program),
                    cycles=f"{engine.cycle:,}",
                    completed=self._done,
                )

        return show

    def _open(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        from vecsim.cli.console import console

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[cycles]} cycles"),
            TimeElapsedColumn(),
            console=console(stderr=True),
            transient=True,
        )
        # How long one program will take is not known; its bar only moves.
        total = self._programs if self._programs > 1 else None
        self._task = self._bar.add_task("", total=total, cycles="0")
        self._bar.start()
