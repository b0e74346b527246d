"""What the collections hold, from the lists that come with vecsim: no network is asked for a name.

``suitesparse.csv`` lists all 2,904 matrices of the SuiteSparse collection (group, name, rows, columns,
non-zeros, explicit zeros), from the collection's own index. ``matrix_market.csv`` lists all 498 of the NIST
Matrix Market (collection, set, name), from its page "Matrices by Name", each with the matrix of SuiteSparse
that comes from the same source.
"""

import csv
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from vecsim.data.collections.collection import MATRIX_MARKET, SUITESPARSE
from vecsim.data.collections.entry import Entry


class _Index(NamedTuple):
    """Entries by their path and by their name; the Matrix Market's beside SuiteSparse's, by path."""

    by_path: dict[str, Entry]
    by_name: dict[str, list[Entry]]
    counterparts: dict[str, Entry]


def entries() -> list[Entry]:
    """Give all matrices of all collections."""
    return list(_index().by_path.values())


def find_entries(name: str) -> list[Entry]:
    """Give the matrices that a name may mean, those of the first collection that knows it.

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
    found = index.by_name.get(last, [])
    if separator:
        return [entry for entry in found if entry.path.startswith(f"{group}/")]
    return [entry for entry in found if entry.collection is found[0].collection]


def counterpart(entry: Entry) -> Entry | None:
    """Give the matrix of the other collection that comes from the same source, None if there is none.

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
