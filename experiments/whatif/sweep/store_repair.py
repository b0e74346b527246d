"""What a database of cells must look like, and what happens to one that does not: it is set aside.

Nothing is deleted. The file takes another name, what can still be read of it goes into a new one, and the
rest is computed again. A file that never was a store stays as it is, and the user is asked for another name.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from vecsim.support.errors import UserError

LAYOUT = 2
"""Of the tables; a store of another one is set aside."""
APPLICATION = 0x76735357
"""What a database says in its head that it is of (``PRAGMA application_id``)."""
TABLES = {
    name: f"CREATE TABLE {name} (key TEXT PRIMARY KEY, content TEXT NOT NULL, checksum TEXT NOT NULL) "
    "WITHOUT ROWID"
    for name in ("cells", "images")
}
"""The tables, each as it is made."""

_BEGINS = {name: f"CREATE TABLE {name} (key" for name in TABLES}
"""How the tables of every version begin."""
_HEAD, _AT = 72, 68
"""Bytes of a database up to and from where it says what it is of."""
_MAGIC = b"SQLite format 3\0"
_WHOLE = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOLFS,
    }
)
"""Errors of SQLite that say nothing of what is in the file."""
ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What Python raises for a damaged database, whose message may not be text."""
MOST_BYTES = 1 << 24
"""Of a row; a damaged one may claim any number."""


class DamagedError(Exception):
    """A database is not as a store has it."""


Row = tuple[bytes, object, object]
"""Key, content and checksum."""


def connected(path: Path, wait: float) -> sqlite3.Connection:
    """Open a database, which is made if there is none; texts come as bytes, for they may be damaged.

    Raises
    ------
    sqlite3.Error
        It cannot be opened.
    UserError
        It is a file of a few bytes that never was a store: SQLite takes some of them for new databases.
    """
    with suppress(FileNotFoundError):
        if 0 < path.stat().st_size < _HEAD and not _was_store(path):
            raise UserError(f"{path}: is not a store of cells: name another --store")
    database = sqlite3.connect(path, timeout=wait, isolation_level=None)
    database.text_factory = bytes
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    return database


def connected_for_reading(path: Path) -> sqlite3.Connection:
    """Open a database without changing anything, not even the files that SQLite puts next to it.

    Raises
    ------
    sqlite3.Error
        It cannot be opened.
    """
    others_write = path.with_name(f"{path.name}-wal").exists()
    mode = "mode=ro" if others_write else "mode=ro&immutable=1"
    database = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None)
    database.text_factory = bytes
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    return database


def require_store(path: Path) -> None:
    """Refuse a file that never was a store.

    Raises
    ------
    UserError
        It is none.
    """
    if not _was_store(path):
        raise UserError(f"{path}: is not a store of cells: name another --store")


def prepare(database: sqlite3.Connection, path: Path) -> None:
    """Make the tables in a new database; look at those of another one.

    Raises
    ------
    DamagedError
        It is a store, and not as this version writes it.
    UserError
        It is the database of another program; it stays as it is.
    """
    result, number = _tables(database), _number(database, "application_id")
    layout = _number(database, "user_version")
    if not result and number == layout == 0:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("BEGIN IMMEDIATE")
        if not _tables(database):  # another process may have been faster
            for text in TABLES.values():
                database.execute(text)
            database.execute(f"PRAGMA user_version={LAYOUT}")
            database.execute(f"PRAGMA application_id={APPLICATION}")
        database.execute("COMMIT")
    elif (result, number, layout) != (TABLES, APPLICATION, LAYOUT):
        ours = all(result.get(name, "").startswith(begin) for name, begin in _BEGINS.items())
        if number != APPLICATION and not ours:
            raise UserError(f"{path}: is a database of another program: name another --store")
        raise DamagedError("its tables are not those of this version of vecsim")
    database.execute("PRAGMA synchronous=NORMAL")


def _tables(database: sqlite3.Connection) -> dict[str, str]:
    """Return how everything in a database was made, by name."""
    rows = database.execute("SELECT name, sql FROM sqlite_schema").fetchall()
    return {_text(name): _text(built) for name, built in rows}


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _number(database: sqlite3.Connection, name: str) -> int:
    (number,) = database.execute(f"PRAGMA {name}").fetchone()
    return int(number)


def reason(error: BaseException, path: Path) -> str:
    """Return why a database cannot be used, if its content is the reason.

    Raises
    ------
    UserError
        The reason is another one: no room, no permission, a writer that does not end.
    """
    if isinstance(error, sqlite3.Error) and (code := getattr(error, "sqlite_errorcode", None)) is not None:
        # The version of writers in its head decides, too, whether it can be written.
        writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
        denied = code & 0xFF == sqlite3.SQLITE_READONLY and not writable
        if code & 0xFF in _WHOLE or denied:
            raise UserError(f"{path}: {error}; stored cells are kept, name another --store") from None
    words = str(error) if isinstance(error, sqlite3.Error | DamagedError) else "its content is not a store"
    return "".join(
        letter if letter.isprintable() else "?" for letter in words
    )  # some are of the damaged file


def identity(path: Path) -> tuple[int, int] | None:
    """Name the file that has a name now; None if there is none."""
    try:
        result = path.stat()
    except OSError:
        return None
    return result.st_dev, result.st_ino


def set_aside(path: Path, damaged: tuple[int, int] | None) -> Path | None:
    """Rename a database; None if another process has done so.

    Raises
    ------
    UserError
        It cannot be renamed, or never was a store.
    """
    from filelock import FileLock

    try:
        with FileLock(path.with_name(f"{path.name}.lock")):
            if identity(path) != damaged or damaged is None:
                return None
            require_store(path)
            numbers = iter(range(1, 1_000_000))
            aside = next(name for n in numbers if not (name := path.with_name(f"{path.name}.{n}")).exists())
            path.rename(aside)
            for suffix in ("-wal", "-shm"):
                with suppress(FileNotFoundError):
                    path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
            return aside
    except OSError as error:
        raise UserError(
            f"{path}: is damaged and cannot be renamed ({error.strerror or error}): name another --store"
        ) from None


def _was_store(path: Path) -> bool:
    """Return whether a file is a store, as far as its head or its first pages tell."""
    with path.open("rb") as file:
        first = file.read(1 << 16)
    if len(first) < _HEAD:
        return _MAGIC.startswith(first[: len(_MAGIC)])
    of = int.from_bytes(first[_AT:_HEAD], "big")
    return of == APPLICATION or all(begin.encode() in first for begin in _BEGINS.values())


def rows_of(path: Path, table: str) -> Iterator[Row]:
    """Yield the rows of a damaged database, from both ends up to the first page that cannot be read."""
    for order in ("ASC", "DESC"):
        with suppress(*ERRORS), closing(connected(path, 0.0)) as database:
            database.execute("PRAGMA query_only=ON")
            question = f"SELECT key, content, checksum FROM {table} ORDER BY key {order}"
            yield from database.execute(question)
