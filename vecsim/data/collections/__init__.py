"""What the collections hold, and where on the network: no network is asked for a name.

``suitesparse.csv`` lists all 2,904 matrices of the SuiteSparse collection (group, name, rows, columns,
non-zeros, explicit zeros), from the collection's own index. ``matrix_market.csv`` lists all 498 of the NIST
Matrix Market (collection, set, name), from its page "Matrices by Name", each with the matrix of SuiteSparse
that comes from the same source.
"""

import csv
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from vecsim.data.addresses import RULE, is_safe
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted


@dataclass(frozen=True)
class Collection:
    """A public collection.

    Attributes
    ----------
    name
        What messages call it.
    variable
        Environment variable that names another server: a mirror, or one for tests.
    default_url
        What stands there without it.
    suffix
        Of its files.
    folder
        Of its files, in the cache.
    """

    name: str
    variable: str
    default_url: str
    suffix: str
    folder: str

    def url(self, path: str) -> str:
        """Return the address of the matrix ``GROUP/NAME``, or ``COLLECTION/SET/NAME``.

        Raises
        ------
        UserError
            If the environment variable names no address, or one that is not safe.
        """
        base = os.environ.get(self.variable) or self.default_url
        if not is_safe(base):
            raise UserError(f"{self.variable}: '{base}' is not the address of a server: {RULE}")
        return f"{base.rstrip('/')}/{path}{self.suffix}"


SUITESPARSE = Collection(
    "SuiteSparse",
    "VECSIM_SUITESPARSE_URL",
    "https://suitesparse-collection-website.herokuapp.com/MM",
    ".tar.gz",
    "suitesparse",
)
MATRIX_MARKET = Collection(
    "Matrix Market",
    "VECSIM_MATRIX_MARKET_URL",
    "https://math.nist.gov/pub/MatrixMarket2",
    ".mtx.gz",
    "matrix-market",
)


@dataclass(frozen=True)
class Entry:
    """What a collection says of one of its matrices.

    Attributes
    ----------
    collection
        Where it is.
    path
        Its name there: ``GROUP/NAME`` in SuiteSparse, ``COLLECTION/SET/NAME`` in the Matrix Market.
    rows, columns
        Its size; None where the index does not tell.
    entries
        Stored entries, explicit zeros included, of the expanded matrix if it is symmetric; None as above.
    """

    collection: Collection
    path: str
    rows: int | None = None
    columns: int | None = None
    entries: int | None = None

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def url(self) -> str:
        """Where the file lies; see `Collection.url`."""
        return self.collection.url(self.path)

    @property
    def cache_name(self) -> Path:
        """Where the file lies in the cache of downloads."""
        return Path(self.collection.folder, self.path + self.collection.suffix)

    def __str__(self) -> str:
        size = ""
        if self.rows is not None and self.entries is not None:
            size = f" ({self.rows:,} x {self.columns:,}, {counted(self.entries, 'entry')})"
        return f"{self.collection.name} {self.path}{size}"


COLLECTIONS = (SUITESPARSE, MATRIX_MARKET)
"""In the order in which they are asked."""


class _Index(NamedTuple):
    """Entries by their path and by their name; the Matrix Market's next to SuiteSparse's, by path."""

    by_path: dict[str, Entry]
    by_name: dict[str, list[Entry]]
    counterparts: dict[str, Entry]


def entries() -> list[Entry]:
    """Return all matrices of all collections."""
    return list(_index().by_path.values())


def find_entries(name: str) -> list[Entry]:
    """Return the matrices that a name may mean, those of the first collection that knows it.

    Parameters
    ----------
    name
        ``NAME``, ``GROUP/NAME``, ``COLLECTION/SET/NAME`` or ``COLLECTION/NAME``, spelled as there.

    Returns
    -------
    list
        None if no collection knows the name, several if several groups have a matrix of this name.
    """
    index = _index()
    if name in index.by_path:
        return [index.by_path[name]]
    group, separator, last = name.rpartition("/")
    result = index.by_name.get(last, [])
    if separator:
        return [entry for entry in result if entry.path.startswith(f"{group}/")]
    return [entry for entry in result if entry.collection is result[0].collection]


def counterpart(entry: Entry) -> Entry | None:
    """Return the matrix of the other collection that comes from the same source, None if there is none.

    The two need not be equal to the last entry: the collections treat explicit zeros and duplicates
    differently (fidap007 has 54,487 entries, FIDAP/ex7 54,543).
    """
    return _index().counterparts.get(entry.path)


@lru_cache(maxsize=1)
def _index() -> _Index:
    by_path = {entry.path: entry for entry in _suitesparse()}
    counterparts: dict[str, Entry] = {}
    for row in _rows("matrix_market.csv"):
        entry = Entry(MATRIX_MARKET, f"{row['collection']}/{row['set']}/{row['name']}")
        by_path[entry.path] = entry
        if row["suitesparse"]:
            counterparts[entry.path] = by_path[row["suitesparse"]]
            counterparts[row["suitesparse"]] = entry
    by_name = defaultdict(list)
    for entry in by_path.values():
        by_name[entry.name].append(entry)
    return _Index(by_path, dict(by_name), counterparts)


def _suitesparse() -> Iterator[Entry]:
    for row in _rows("suitesparse.csv"):
        stored = int(row["nonzeros"]) + int(row["zeros"])
        yield Entry(
            SUITESPARSE, f"{row['group']}/{row['name']}", int(row["rows"]), int(row["columns"]), stored
        )


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (files("vecsim.data.collections") / name).open(encoding="ascii") as file:
        yield from csv.DictReader(file)
