"""One matrix of a collection, as its index describes it."""

from dataclasses import dataclass
from pathlib import Path

from vecsim.data.collections.collection import Collection
from vecsim.support.suggestions import counted


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
