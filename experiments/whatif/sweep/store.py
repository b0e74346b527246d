"""Where cells are kept: an SQLite database, which several processes write at once.

A cell that was put in survives the end of any process; a loss of power may cost the last ones. What a cell is
filed under is a digest of all that decides it, so that no sweep computes it again. Each row has a checksum
over its key and its content: a row that does not fit it, or that is no cell, counts as missing. What becomes
of a database that is damaged as a whole is in `experiments.whatif.sweep.store_repair`.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from experiments.whatif.sweep.cell import (
    KINDS,
    Cell,
    ImageRecord,
    Record,
    checksum_of,
    content_of,
    read_record,
)
from experiments.whatif.sweep.store_repair import (
    ERRORS,
    DamagedError,
    connected,
    identity,
    prepare,
    reason,
    rows_of,
    set_aside,
)
from vecsim.support.errors import UserError
from vecsim.support.input_files import DATABASE, require_regular

WAIT_SECONDS = 60.0
"""How long a writer waits for another."""
AT_ONCE = 500
"""Keys in a question, at most."""
TRIES = 3
"""How often a database may be found damaged, one after the other."""

Result = TypeVar("Result")
_TABLE_OF: dict[type, str] = {kind: table for table, kind in KINDS.items()}


class Keeper(Protocol):
    """Where work puts what it makes: a :class:`Store`, or what a worker without one sends home."""

    def image(self, key: str) -> ImageRecord | None:
        """Return the record of an image, if there is one."""

    def keep(self, records: Mapping[str, Cell | ImageRecord]) -> None:
        """Put cells or records of images in, by key."""


def say(line: str) -> None:
    """Print what happens to a store."""
    print(line, file=sys.stderr, flush=True)


class Store:
    """An open store.

    Parameters
    ----------
    path
        It is made if there is none; its folder, too.
    say
        Called with a line if the database was damaged and is set aside.

    Attributes
    ----------
    damaged
        Keys of the rows that were found damaged.

    Raises
    ------
    UserError
        It is something else, cannot be opened or written; also from every method.
    """

    def __init__(self, path: Path, say: Callable[[str], None] = say) -> None:
        self.path = path
        self.damaged: set[str] = set()
        self._say = say
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"{path}: cannot be created: {error.strerror or error}; name another --store"
            ) from None
        require_regular(path, DATABASE)
        self._database: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._do(lambda database: None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def cells(self, keys: Iterable[str]) -> dict[str, Cell]:
        """Return those of some cells that are kept, by key; what is damaged is not."""
        return self._records(Cell, keys)

    def stored_keys(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the keys of the cells that are kept."""
        return frozenset(self.cells(keys))

    def image(self, key: str) -> ImageRecord | None:
        """Return the record of an image, if there is one."""
        return self._records(ImageRecord, [key]).get(key)

    def keep(self, records: Mapping[str, Cell | ImageRecord]) -> None:
        """Put cells or records of images in, by key; they are there when this returns."""
        self._put(records.items())

    def _records(self, kind: type[Record], keys: Iterable[str]) -> dict[str, Record]:
        wanted, result = list(dict.fromkeys(keys)), {}
        for begin in range(0, len(wanted), AT_ONCE):
            rows = self._do(partial(_rows, _TABLE_OF[kind], wanted[begin : begin + AT_ONCE]))
            for key, record in _read(kind, rows):
                if record is None:
                    self.damaged.add(key)
                else:
                    result[key] = record
        return result

    def _put(self, records: Collection[tuple[str, Cell | ImageRecord]]) -> None:
        def insert(database: sqlite3.Connection) -> None:
            if len(records) > 1:
                database.execute("BEGIN IMMEDIATE")
            for key, record in records:
                content = content_of(record)
                row = key, content.decode(), checksum_of(type(record), key, content).decode()
                database.execute(f"INSERT OR REPLACE INTO {_TABLE_OF[type(record)]} VALUES (?, ?, ?)", row)
            if database.in_transaction:
                database.execute("COMMIT")

        self._do(insert)

    def _do(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do something with the database, or with a new one if this one is damaged."""
        for _ in range(TRIES):
            try:
                return work(self._opened())
            except sqlite3.ProgrammingError:
                raise
            except (*ERRORS, DamagedError) as error:
                self._close()
                self._set_aside(reason(error, self.path))
        raise UserError(f"{self.path}: is damaged again and again: name another --store")

    def _opened(self) -> sqlite3.Connection:
        if self._database is not None and identity(self.path) != self._identity:
            self._close()  # another process has set it aside: what is written there is lost
        if self._database is None:
            self._database = connected(self.path, WAIT_SECONDS)
            self._identity = identity(self.path)
            prepare(self._database, self.path)
        return self._database

    def abandon(self, why: str) -> None:
        """Set the database aside, whatever SQLite says of it, and go on with a new one."""
        self._close()
        self._set_aside(why)

    def _set_aside(self, why: str) -> None:
        aside = set_aside(self.path, self._identity)
        if aside is None:  # by another process
            return
        result: dict[tuple[str, str], Cell | ImageRecord] = {}
        for kind, table in _TABLE_OF.items():
            rows: Iterable[tuple[str, Cell | ImageRecord | None]] = _read(kind, rows_of(aside, table))
            result |= {(table, key): record for key, record in rows if record is not None}
        self._put([(key, record) for (_, key), record in result.items()])
        self._say(
            f"{self.path}: {why}: set aside as {aside.name}; {len(result):,} of its rows are used, all other "
            "cells are computed again"
        )

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None


def _rows(table: str, keys: Sequence[str], database: sqlite3.Connection) -> list[Any]:
    places = ",".join("?" * len(keys))
    question = f"SELECT key, content, checksum FROM {table} WHERE key IN ({places})"
    return database.execute(question, keys).fetchall()


def _read(kind: type[Record], rows: Iterable[Any]) -> Iterable[tuple[str, Record | None]]:
    for key, content, checksum in rows:
        name = key.decode("utf-8", "replace") if isinstance(key, bytes) else str(key)
        yield name, read_record(kind, name, content, checksum)
