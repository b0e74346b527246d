"""A store that is only read: neither the file nor its folder changes, and there may be none."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection
from pathlib import Path

from experiments.whatif.sweep.cell import Cell, ImageRecord
from experiments.whatif.sweep.store import Result, Store
from experiments.whatif.sweep.store_repair import (
    ERRORS,
    DamagedError,
    connected,
    connected_for_reading,
    prepare,
    require_store,
)

EMPTY = Path(":memory:")


class Snapshot(Store):
    """A store that is only read; what is damaged counts as missing, as it does for a sweep.

    Parameters
    ----------
    path
        Its file; without one, or where there is none, it is empty.

    Raises
    ------
    UserError
        The file is something else.
    """

    def __init__(self, path: Path | None) -> None:
        self.damaged: set[str] = set()
        self._database: sqlite3.Connection | None = None
        if path is not None and path.exists():
            try:
                self._database = connected_for_reading(path)
                prepare(self._database, path)
            except (*ERRORS, DamagedError):
                require_store(path)
                self._close()

    def _do(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        try:
            if self._database is not None:
                return work(self._database)
        except ERRORS:
            self._close()
        self._database = connected(EMPTY, 0.0)
        prepare(self._database, EMPTY)
        return work(self._database)

    def _put(self, records: Collection[tuple[str, Cell | ImageRecord]]) -> None:
        raise AssertionError("a snapshot is only read")
