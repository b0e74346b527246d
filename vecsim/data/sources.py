"""What can be had by name, wherever it is: the folders, the cache, the built-ins, the collections."""

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from vecsim.data.builtin import BUILTINS
from vecsim.data.collections import COLLECTIONS, entries
from vecsim.data.matrix_cache import cached_files, matrix_cache
from vecsim.data.search_path import files_in, matrix_folders


@dataclass(frozen=True)
class Source:
    """A place that `load` looks for names in.

    Attributes
    ----------
    kind
        ``folder``, ``cache``, ``built-in`` or ``collection``.
    where
        Path of the folder or the cache, or the name of the collection.
    matrices
        How many it has; a family of built-ins counts once.
    """

    kind: str
    where: str
    matrices: int


@dataclass(frozen=True)
class Found:
    """A matrix that a pattern matches.

    Attributes
    ----------
    name
        What `load` takes.
    rows, columns, entries
        Its size, where it is known without reading it.
    kind, where
        As in `Source`; of a file, its path.
    """

    name: str
    kind: str
    where: str
    rows: int | None = None
    columns: int | None = None
    entries: int | None = None


def sources() -> list[Source]:
    """Return the places in the order in which they are searched."""
    offered = entries()
    return [
        *(Source("folder", str(folder), len(list(files_in(folder)))) for folder in matrix_folders()),
        Source("cache", str(matrix_cache()), len(cached_files())),
        Source("built-in", "vecsim", len(BUILTINS)),
        *(
            Source("collection", collection.name, sum(entry.collection is collection for entry in offered))
            for collection in COLLECTIONS
        ),
    ]


def find_matrices(pattern: str) -> list[Found]:
    """Return what a pattern matches, in the order in which `load` would find it.

    Parameters
    ----------
    pattern
        With ``*``, ``?`` or ``[...]`` for a whole name, otherwise a part of one; case does not count. One
        with a ``/`` is compared with ``GROUP/NAME``.
    """
    wanted = pattern.lower()
    if not set("*?[") & set(wanted):
        wanted = f"*{wanted}*"
    whole_path = "/" in wanted
    return [
        result
        for result in _all()
        if fnmatchcase(result.name.lower() if whole_path else result.name.lower().rpartition("/")[2], wanted)
    ]


def _all() -> Iterator[Found]:
    for folder in matrix_folders():
        for name, path in files_in(folder):
            yield Found(name, "folder", str(path))
    recorded = set(cached_files())
    offered = entries()
    for entry in offered:
        path = matrix_cache() / entry.cache_name
        if path in recorded:
            yield Found(entry.path, "cache", str(path), entry.rows, entry.columns, entry.entries)
    for builtin in BUILTINS.values():
        yield Found(builtin.name, "built-in", builtin.description)
    for entry in offered:
        if matrix_cache() / entry.cache_name not in recorded:
            where = entry.collection.name
            yield Found(entry.path, "collection", where, entry.rows, entry.columns, entry.entries)
