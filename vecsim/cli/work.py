"""The bar that shows how far a long piece of work is."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

from vecsim.cli.console import RICH
from vecsim.cli.progress import PATIENCE
from vecsim.cli.streams import printable

NAME_WIDTH = 28
"""Columns kept for what goes on, so that the bar stands still."""


class Work:
    """A bar on stderr, with a word of what goes on; nothing if stderr is no terminal or rich is missing.

    It appears when the work has taken :data:`vecsim.cli.progress.PATIENCE` seconds.
    """

    def __init__(self) -> None:
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

    def show(self, doing: str, share: float) -> None:
        """Say what goes on and which share of it is done, 0 to 1."""
        if not (RICH and sys.stderr.isatty()):
            return
        if self._bar is None and time.monotonic() - self._began >= PATIENCE:
            self._open()
        if self._bar is not None:
            self._bar.update(self._task, description=printable(doing), completed=share)

    def _open(self) -> None:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
        from rich.table import Column

        from vecsim.cli.console import console

        self._bar = Progress(
            TextColumn("{task.description}", table_column=Column(min_width=NAME_WIDTH)),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            console=console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("", total=1.0)
        self._bar.start()
