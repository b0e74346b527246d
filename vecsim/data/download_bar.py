"""The progress bar of a download."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vecsim.data.download import Report


@contextmanager
def download_bar(name: str) -> Iterator[Report | None]:
    """Give what a download reports to: a bar on stderr, None if that is no terminal.

    The bar is there from the beginning, while a connection or another process is waited for too, and is wiped
    out at the end.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns: list[Any] = [
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"downloading {name}", total=None)

        def report(done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total)

        yield report
