"""Times of variants, kept in SQLite so that a search goes on after a kill."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from gpu.compound.tuning.search import Timing
from vecsim.support.errors import UserError
from vecsim.support.input_files import DATABASE, require_regular

_TABLES = """
CREATE TABLE IF NOT EXISTS searches (
    id INTEGER PRIMARY KEY, device TEXT, entry TEXT, real TEXT, matrix TEXT, features TEXT,
    UNIQUE (device, entry, real, matrix));
CREATE TABLE IF NOT EXISTS times (
    search INTEGER REFERENCES searches, variant TEXT, us REAL, bytes INTEGER,
    PRIMARY KEY (search, variant));
"""


@dataclass(frozen=True)
class Search:
    """What times belong to.

    Attributes
    ----------
    device, entry, real
        Names of the device, the entry type and the type of real components.
    matrix
        Whatever tells the matrix from others: a name, or a digest.
    """

    device: str
    entry: str
    real: str
    matrix: str


class TuningStore:
    """A file of times; each is on disk when `add` returns.

    Parameters
    ----------
    path
        The file; made if it is missing.

    Raises
    ------
    UserError
        If the file is no such store, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            require_regular(path, DATABASE)
            self._file = sqlite3.connect(path)
            self._file.executescript(_TABLES)
        except (sqlite3.Error, OSError) as error:
            raise UserError(f"{path} cannot store results of tuning: {error}; name another file") from error

    def __enter__(self) -> "TuningStore":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def begin(self, search: Search, features: Mapping[str, float]) -> None:
        """Note a search with the features of its matrix; what is known of it stays."""
        key = (search.device, search.entry, search.real, search.matrix)
        with self._file:
            self._file.execute(
                "INSERT INTO searches (device, entry, real, matrix, features) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (device, entry, real, matrix) DO UPDATE SET features = excluded.features",
                (*key, json.dumps(dict(features), sort_keys=True)),
            )

    def searches(self) -> list[Search]:
        """Return all searches, in the order in which they were begun."""
        rows = self._file.execute("SELECT device, entry, real, matrix FROM searches ORDER BY id")
        return [Search(*row) for row in rows]

    def add(self, search: Search, variant: str, timing: Timing | None) -> None:
        """Keep the time of a variant; None says that the matrix has no such form."""
        us, nbytes = (None, None) if timing is None else (timing.us, timing.nbytes)
        with self._file:
            self._file.execute(
                "INSERT OR REPLACE INTO times VALUES (?, ?, ?, ?)", (self._id(search), variant, us, nbytes)
            )

    def known(self, search: Search) -> dict[str, Timing | None]:
        """Return what is kept of a search, by the names of variants."""
        rows = self._file.execute(
            "SELECT variant, us, bytes FROM times WHERE search = ?", (self._id(search),)
        )
        return {name: None if us is None else Timing(us, nbytes) for name, us, nbytes in rows}

    def features(self, search: Search) -> dict[str, float]:
        """Return the features of the matrix of a search."""
        row = self._file.execute("SELECT features FROM searches WHERE id = ?", (self._id(search),)).fetchone()
        return dict(json.loads(row[0]))

    def _id(self, search: Search) -> int:
        row = self._file.execute(
            "SELECT id FROM searches WHERE device = ? AND entry = ? AND real = ? AND matrix = ?",
            (search.device, search.entry, search.real, search.matrix),
        ).fetchone()
        if row is None:
            raise UserError(
                f"no result is stored for {search.matrix} with {search.entry} entries, "
                f"{search.real}: run the search first"
            )
        return int(row[0])
