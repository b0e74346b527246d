"""Stores of sweeps, damaged or of others: ``python -m tests.fuzz.sweep_stores --count 20000``.

With ``--one-byte`` as the first argument each case is a store with one changed byte, anywhere.

A case is the database of a sweep, and its log if it has one, after something happened to them. The next sweep
must give the table that it gave before, with lines that say so where cells are computed again, and the one
after it must find all of them. What never was a store is refused in one line, and stays as it is.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from experiments.whatif.sweep import Sweep, sweep
from experiments.whatif.sweep.cell import KINDS, checksum_of
from tests.fuzz.campaign import MOST_SECONDS, Case, fault_of, main
from tests.fuzz.damage import damaged
from vecsim.support.errors import UserError

SPEC = Sweep(("laplace2d-2",), ("crs", "jd"), set={"banks": (4, 8, 16, 32, 64)})
NAME = "cells.sqlite"
PAGE = 4096
SERVE = "--serve"
FOREIGN, TWO = "foreign", "two processes"
"""Marks of cases: what never was a store, and what two processes sweep at once."""
STRANGE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 1e400, float("nan"), 2**63, 10**30, "", "5", "text", [], [1], {},
    {"port": 1}, {"port": 1.5}, {"port": -1},
)  # fmt: skip
CONTENTS: tuple[Any, ...] = (
    "", "{", "[]", "null", "5", "{}", "[" * 20_000, '{"fault":' * 20_000, b"\xff\xfe", b"\0" * 100, 5, 1.5,
    '{"cycles":0}', '{"cycles":[1]}', '{"cycles":1e0}', '{"program":"x"}', "x" * 100_000,
)  # fmt: skip


@dataclass(frozen=True)
class Base:
    """A whole store: its bytes, those of one with a log, that log, and the table that it gives."""

    data: bytes
    logged: bytes
    log: bytes
    columns: dict[str, list[Any]]


@cache
def base() -> Base:
    """Sweep once in this process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, NAME)
        table = sweep(SPEC, store=path, jobs=1)
        data = path.read_bytes()
        half = Path(folder, "half")
        sweep(Sweep(**{**vars(SPEC), "set": {"banks": (4, 8)}}), store=half, jobs=1)
        with closing(sqlite3.connect(half, isolation_level=None)) as database:
            database.execute("SELECT count(*) FROM cells").fetchone()  # from now on it keeps the log
            sweep(SPEC, store=half, jobs=1)
            logged, log = half.read_bytes(), half.with_name("half-wal").read_bytes()
        return Base(data, logged, log, table.columns)


Way = Callable[[random.Random, bytes], bytes]


def _one_byte(source: random.Random, data: bytes) -> bytes:
    place = source.randrange(len(data))
    return data[:place] + bytes([data[place] ^ source.randrange(1, 256)]) + data[place + 1 :]


def _byte_in_use(source: random.Random, data: bytes) -> bytes:
    """Change a byte that is not one of many zeros: of the head, the schema or a row."""
    places = [place for place, byte in enumerate(data) if byte]
    place = source.choice(places)
    return data[:place] + bytes([data[place] ^ source.randrange(1, 256)]) + data[place + 1 :]


def _several_bytes(source: random.Random, data: bytes) -> bytes:
    for _ in range(source.choice((2, 5, 50, 500))):
        data = source.choice((_one_byte, _byte_in_use))(source, data)
    return data


def _digit(source: random.Random, data: bytes) -> bytes:
    """Change a digit into another one."""
    places = [place for place, byte in enumerate(data) if 48 <= byte < 58]
    place = source.choice(places)
    return data[:place] + str(source.randrange(10)).encode() + data[place + 1 :]


def _cut(source: random.Random, data: bytes) -> bytes:
    return data[: source.choice((0, 1, 16, 99, 100, PAGE - 1, source.randrange(len(data))))]


def _longer(source: random.Random, data: bytes) -> bytes:
    return data + source.randbytes(source.choice((1, 100, PAGE)))


def _page(source: random.Random, data: bytes) -> bytes:
    """Replace a page: by zeros, by anything, by another page."""
    pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    place = source.randrange(len(pages))
    pages[place] = source.choice((bytes(PAGE), source.randbytes(PAGE), source.choice(pages)))
    return b"".join(pages)


def _exchanged_pages(source: random.Random, data: bytes) -> bytes:
    pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    first, second = (source.randrange(1, len(pages)) for _ in range(2))
    pages[first], pages[second] = pages[second], pages[first]
    return b"".join(pages)


def _any_damage(source: random.Random, data: bytes) -> bytes:
    return damaged(source, data, source.choice((1, 2, 5)))


def _by_sql(change: Callable[[random.Random, sqlite3.Connection], None]) -> Way:
    def changed(source: random.Random, data: bytes) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, NAME)
            path.write_bytes(data)
            with closing(sqlite3.connect(path, isolation_level=None)) as database:
                database.execute("PRAGMA writable_schema=ON")
                with contextlib.suppress(sqlite3.Error):
                    change(source, database)
            return path.read_bytes()

    return changed


def _row(source: random.Random, database: sqlite3.Connection, table: str) -> tuple[str, str, str]:
    return source.choice(database.execute(f"SELECT key, content, checksum FROM {table}").fetchall())


def _content(source: random.Random, database: sqlite3.Connection) -> None:
    """Change what a row has; with its right checksum if that is no record."""
    table = source.choice(sorted(KINDS))
    key, content, checksum = _row(source, database, table)
    fields = json.loads(content)
    name, way = source.choice(sorted(fields)), source.random()
    if way < 0.3:
        content = source.choice(CONTENTS)
    elif way < 0.6:
        fields[name] = source.choice(STRANGE)
        content = json.dumps(fields)
    elif way < 0.7:
        del fields[name]
        content = json.dumps(fields)
    elif way < 0.8:
        fields[source.choice(("more", "", "cycles "))] = source.choice(STRANGE)
        content = json.dumps(fields)
    else:  # a wrong number of the right kind: the checksum alone tells
        fields["cycles"] = fields.get("cycles", 0) + source.choice((1, -1, 10))
        database.execute(f"UPDATE {table} SET content = ? WHERE key = ?", (json.dumps(fields), key))
        return
    if source.random() < 0.5 and isinstance(content, str) and _is_no_record(table, fields, name, content):
        checksum = checksum_of(KINDS[table], key, content.encode()).decode()
    database.execute(f"UPDATE {table} SET content = ?, checksum = ? WHERE key = ?", (content, checksum, key))


def _is_no_record(table: str, fields: dict[str, Any], name: str, content: str) -> bool:
    """Return whether no program could take a content for a record, since a number is of the wrong kind."""
    if content in CONTENTS:
        return True
    counts = ("cycles", "instructions")
    return table == "cells" and name in counts and not (type(fields.get(name)) is int and fields[name] > 0)


def _places(source: random.Random, database: sqlite3.Connection) -> None:
    """Exchange what two rows have: their contents, their keys, their checksums."""
    table = source.choice(sorted(KINDS))
    one, other = (_row(source, database, table) for _ in range(2))
    for column in source.sample(("content", "checksum"), source.choice((1, 2))):
        place = ("key", "content", "checksum").index(column)
        for key, value in ((one[0], other[place]), (other[0], one[place])):
            database.execute(f"UPDATE {table} SET {column} = ? WHERE key = ?", (value, key))


def _keys(source: random.Random, database: sqlite3.Connection) -> None:
    """Change, remove or add keys."""
    table = source.choice(sorted(KINDS))
    key, content, checksum = _row(source, database, table)
    way = source.randrange(4)
    if way == 0:
        database.execute(f"DELETE FROM {table} WHERE key = ?", (key,))
    elif way == 1:
        other = source.choice((key[:-1], key.upper(), "", "x", 5, b"\xff", None))
        database.execute(f"UPDATE {table} SET key = ? WHERE key = ?", (other, key))
    elif way == 2:
        database.execute(
            f"INSERT INTO {table} VALUES (?, ?, ?)", (source.choice(("", "x", 5)), content, checksum)
        )
    else:
        other = "images" if table == "cells" else "cells"
        database.execute(f"INSERT OR REPLACE INTO {other} SELECT * FROM {table}")


SCHEMAS = (
    "DROP TABLE cells", "DROP TABLE images", "ALTER TABLE cells ADD COLUMN more", "CREATE TABLE more (x)",
    "ALTER TABLE cells RENAME COLUMN content TO other", "ALTER TABLE images RENAME TO pictures",
    "CREATE INDEX i ON cells (content)", "CREATE VIEW v AS SELECT * FROM cells",
    "CREATE TRIGGER t AFTER INSERT ON cells BEGIN DELETE FROM cells; END",
    "CREATE TRIGGER t BEFORE INSERT ON images BEGIN SELECT RAISE(ABORT, 'no'); END",
    "PRAGMA user_version=1", "PRAGMA user_version=3", "PRAGMA user_version=-1", "PRAGMA application_id=0",
    "PRAGMA application_id=5", "PRAGMA journal_mode=DELETE", "PRAGMA auto_vacuum=FULL; VACUUM",
    "PRAGMA page_size=512; PRAGMA journal_mode=DELETE; VACUUM", "ANALYZE", "VACUUM",
    "DELETE FROM cells", "DELETE FROM images", "DELETE FROM sqlite_schema",
    "UPDATE sqlite_schema SET sql = 'x'", "UPDATE sqlite_schema SET sql = NULL",
    "UPDATE sqlite_schema SET rootpage = 1", "UPDATE sqlite_schema SET rootpage = 5 - rootpage",
    "UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '')",
    "UPDATE sqlite_schema SET sql = replace(sql, 'WITHOUT ROWID', '')",
    "UPDATE sqlite_schema SET sql = replace(sql, 'checksum', 'check sum')",
    "UPDATE sqlite_schema SET name = upper(name)", "UPDATE sqlite_schema SET type = 'view'",
)  # fmt: skip


def _schema(source: random.Random, database: sqlite3.Connection) -> None:
    database.executescript(source.choice(SCHEMAS))


SIMPLE: tuple[Way, ...] = (_one_byte, _byte_in_use, _digit)
WAYS: tuple[Way, ...] = (
    _several_bytes, _cut, _longer, _page, _exchanged_pages, _any_damage,
    *(_by_sql(_content),) * 4, _by_sql(_places), _by_sql(_keys), *(_by_sql(_schema),) * 2,
)  # fmt: skip


def _foreign(source: random.Random) -> bytes:
    """Make up a file that never was a store."""
    way = source.randrange(4)
    if way == 0:
        return source.choice((b"a,b\n1,2\n", b"text " * 999, b"\0" * 5000, b"PK\3\4" + source.randbytes(99)))
    if way == 1:
        return source.randbytes(source.choice((1, 50, 5000)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, NAME)
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            statement = source.choice(
                (
                    "CREATE TABLE a (b); INSERT INTO a VALUES (1)",
                    "CREATE TABLE images (id INTEGER PRIMARY KEY, name TEXT)",
                    "CREATE TABLE cells (x, y)",
                    "PRAGMA user_version=1",
                    "PRAGMA application_id=1; CREATE TABLE cells (key TEXT)",
                    "PRAGMA journal_mode=WAL; CREATE TABLE a (b)",
                )
            )
            database.executescript(statement)
        return path.read_bytes()


def make(source: random.Random) -> Case:
    """Make up a store: often with one byte that is another one, otherwise with more damage, or of others."""
    known, way, marks, beside = base(), source.random(), [], {}
    if way < 0.5:
        data = source.choice(SIMPLE)(source, known.data)
    elif way < 0.8:
        data = source.choice(WAYS)(source, known.data)
    elif way < 0.95:
        data, log = known.logged, known.log
        damage = source.choice((*SIMPLE, _several_bytes, _cut, _longer, _page, _exchanged_pages))
        if source.random() < 0.8:
            log = damage(source, log)
        else:
            data = damage(source, data)
        beside["-wal"] = log
        if source.random() < 0.2:
            beside["-shm"] = source.choice((b"", source.randbytes(100), source.randbytes(32768)))
        if source.random() < 0.1:
            beside["-journal"] = source.choice((b"", source.randbytes(100), source.randbytes(PAGE)))
    else:
        data, marks = _foreign(source), [FOREIGN]
    if FOREIGN not in marks and source.random() < 0.02:
        marks.append(TWO)
    things = json.dumps({suffix: content.decode("latin-1") for suffix, content in beside.items()})
    return Case(NAME, data, (things, *marks))


def single_byte(seed: int) -> Case:
    """Return a store with one changed byte, anywhere."""
    return Case(NAME, _one_byte(random.Random(f"one byte {seed}"), base().data), ("{}",))


@dataclass(frozen=True)
class StoreFuzzer:
    """How stores are tried."""

    name: str = "sweep_stores"
    one_byte: bool = False

    def case(self, seed: int) -> Case:
        """Return the case of a seed."""
        return single_byte(seed) if self.one_byte else make(random.Random(f"{self.name} {seed}"))

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Sweep twice; return a word for what came of it, and what is wrong with that or nothing."""
        work = folder / "store"
        work.mkdir()
        path, began = work / case.name, time.monotonic()
        path.write_bytes(case.data)
        for suffix, text in json.loads(case.arguments[0]).items():
            path.with_name(case.name + suffix).write_bytes(text.encode("latin-1"))
        try:
            word, wrong = self._tried(case, path)
        except Exception:
            return "traceback", traceback.format_exc()
        finally:
            shutil.rmtree(work)
        seconds = time.monotonic() - began
        return ("slow", f"took {seconds:.1f} s") if seconds > MOST_SECONDS else (word, wrong)

    def _tried(self, case: Case, path: Path) -> tuple[str, str]:
        if TWO in case.arguments:
            actual, other = _swept_twice(path)
            if wrong := _fault(actual, path) or _fault(other, path):
                return "two processes", wrong
        else:
            actual = _swept(path)
        if isinstance(actual, str):
            return self._refused(case, path, actual)
        if FOREIGN in case.arguments and case.data[:16] != b"SQLite format 3\0"[: len(case.data[:16])]:
            return "accepted", "it never was a store"
        if wrong := _fault(actual, path):
            return "wrong", wrong
        again = _swept(path)
        if wrong := _fault(again, path):
            return "wrong", f"the next time: {wrong}"
        if again[1:] != (0, []):
            return "wrong", f"the next time {again[1]} cells are computed, {again[2]}"
        if actual[2]:
            return ("aside" if any("set aside" in line for line in actual[2]) else "again"), ""
        return ("missing" if actual[1] else "same"), ""

    def _refused(self, case: Case, path: Path, message: str) -> tuple[str, str]:
        if fault := fault_of(message, path):
            return "message", f"{fault}: {message!r}"
        if path.read_bytes() != case.data:
            return "wrong", "the file was refused, and changed"
        if self.one_byte or _may_be_known(case):
            return "too strict", message
        return "refused", ""


Found = tuple[dict[str, list[Any]], int, list[str]] | str
"""The columns of a table, how many cells were computed, the lines that were printed; or why there is none."""


def _swept(path: Path) -> Found:
    try:
        with contextlib.redirect_stderr(io.StringIO()) as said:
            table = sweep(SPEC, store=path, jobs=1)
    except UserError as error:
        return str(error)
    return table.columns, table.computed, said.getvalue().splitlines()


def _serve() -> None:
    """Sweep with stores that are named on the standard input, in its own process."""
    for line in sys.stdin:
        pickle.dump(_swept(Path(json.loads(line))), sys.stdout.buffer)
        sys.stdout.buffer.flush()


@cache
def _other() -> subprocess.Popen[bytes]:
    """Start the other process, which ends with this one."""
    command = [sys.executable, "-m", "tests.fuzz.sweep_stores", SERVE]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


def _swept_twice(path: Path) -> tuple[Found, Found]:
    """Sweep here and in the other process at once."""
    other = _other()
    assert other.stdin is not None and other.stdout is not None
    other.stdin.write(json.dumps(str(path)).encode() + b"\n")
    other.stdin.flush()
    return _swept(path), pickle.load(other.stdout)


def _fault(actual: Found, path: Path) -> str:
    """Return what is wrong with what a sweep found; empty if nothing is."""
    if isinstance(actual, str):
        return actual
    columns, _, lines = actual
    if columns != base().columns:
        return "the table is another one"
    return next((f"{fault}: {line!r}" for line in lines if (fault := fault_of(line, path))), "")


def _may_be_known(case: Case) -> bool:
    """Return whether a file still tells what it was: by its head, or by how both tables begin."""
    if FOREIGN in case.arguments:
        return False
    known = base().data
    return len(case.data) > 100 and case.data[:100] == known[:100]


FUZZER = StoreFuzzer()
ONE_BYTE = StoreFuzzer("sweep_stores_one_byte", True)

if __name__ == "__main__":
    if sys.argv[1:] == [SERVE]:
        raise SystemExit(_serve())
    one = sys.argv[1:2] == ["--one-byte"]
    raise SystemExit(main(ONE_BYTE if one else FUZZER, sys.argv[2:] if one else sys.argv[1:]))
