"""Where cells are kept: an SQLite database, which several processes write at once.

A cell that was put in survives the end of any process; a loss of power may cost the last ones. What a cell is
filed under is a digest of all that decides it, so that no sweep computes it again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from vecsim.errors import UserError
from vecsim.input_files import DATABASE, require_regular

LAYOUT = 1
"""Of the tables; a store of another one is refused."""
WAIT_SECONDS = 60.0
"""How long a writer waits for another."""
AT_ONCE = 500
"""Keys in a question, at most."""

_TABLES = """
CREATE TABLE IF NOT EXISTS cells (key TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS images (key TEXT PRIMARY KEY, digest TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Cell:
    """What a program took on a matrix and a machine.

    Attributes
    ----------
    cycles, instructions, bytes_moved
        Of the run; 0 if it failed.
    peak_share
        Share of the ports' peak bandwidth, 0 to 1.
    relative_error
        Of the result; see `vecsim.formats.accuracy`.
    storage_bytes
        Bytes of the matrix in its format.
    charged
        Cycles by cause, by name.
    fault
        Why there is no result; empty if there is one.
    """

    cycles: int = 0
    instructions: int = 0
    bytes_moved: int = 0
    peak_share: float = 0.0
    relative_error: float = 0.0
    storage_bytes: int = 0
    charged: dict[str, int] | None = None
    fault: str = ""


class Keeper(Protocol):
    """Where work puts what it makes: a :class:`Store`, or what a worker without one sends home."""

    def digests(self, keys: Iterable[str]) -> dict[str, str]:
        """Give those of some images' digests that are kept, by key."""

    def keep(self, key: str, cell: Cell) -> None:
        """Put a cell in."""

    def keep_digest(self, key: str, digest: str) -> None:
        """Put the digest of an image in."""


class Store:
    """An open store.

    Parameters
    ----------
    path
        It is made if there is none; its folder, too.

    Raises
    ------
    UserError
        It is something else, cannot be opened or written; also from every method.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{path}: cannot be made: {error.strerror or error}") from None
        with self._told():
            self._open()

    def _open(self) -> None:
        require_regular(self.path, DATABASE)
        self._database = sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=NORMAL")
        (layout,) = self._database.execute("PRAGMA user_version").fetchone()
        if layout not in (0, LAYOUT):
            raise UserError(f"{self.path}: was written by another version of vecsim; name another --store")
        if layout == 0:
            self._database.executescript(f"BEGIN IMMEDIATE;{_TABLES}PRAGMA user_version={LAYOUT};COMMIT;")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise UserError(f"{self.path}: {error}; what was kept before stays") from None

    def cells(self, keys: Iterable[str]) -> dict[str, Cell]:
        """Give those of some cells that are kept, by key; what is damaged is not."""
        found = ((key, _cell(content)) for key, content in self._found("cells", "content", keys))
        return {key: cell for key, cell in found if cell is not None}

    def kept(self, keys: Iterable[str]) -> frozenset[str]:
        """Tell which of some cells are kept, by key."""
        return frozenset(self.cells(keys))

    def digests(self, keys: Iterable[str]) -> dict[str, str]:
        """Give those of some images' digests that are kept, by key."""
        return dict(self._found("images", "digest", keys))

    def _found(self, table: str, column: str, keys: Iterable[str]) -> Iterator[tuple[str, Any]]:
        wanted = list(dict.fromkeys(keys))
        for begin in range(0, len(wanted), AT_ONCE):
            some = wanted[begin : begin + AT_ONCE]
            question = f"SELECT key, {column} FROM {table} WHERE key IN ({','.join('?' * len(some))})"
            with self._told():
                yield from self._database.execute(question, some).fetchall()

    def keep(self, key: str, cell: Cell) -> None:
        """Put a cell in; it is there when this returns."""
        content = json.dumps(vars(cell), separators=(",", ":"), allow_nan=True)
        with self._told():
            self._database.execute("INSERT OR REPLACE INTO cells VALUES (?, ?)", (key, content))

    def keep_digest(self, key: str, digest: str) -> None:
        """Put the digest of an image in."""
        with self._told():
            self._database.execute("INSERT OR REPLACE INTO images VALUES (?, ?)", (key, digest))


def _cell(content: object) -> Cell | None:
    """Read a cell; None if it is none."""
    try:
        cell = Cell(**json.loads(str(content)))
        counts = cell.cycles, cell.instructions, cell.bytes_moved, cell.storage_bytes
        numbers = *counts, cell.peak_share, cell.relative_error, *(cell.charged or {}).values()
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return cell if {*map(type, numbers)} <= {int, float} else None
