"""The members of the suite, as the data files list them."""

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

from vecsim.results.atomic_files import write_file

Provenance = Literal["file", "generated", "pattern", "stand-in"]
Criterion = Literal["size", "locality", "average_per_row"]

CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
PROVENANCES: tuple[Provenance, ...] = get_args(Provenance)
ALTERNATIVE = " | "
"""Between the origins of one matrix; the first that is available is taken."""
SUITE_FILE = "suite.csv"


@dataclass(frozen=True)
class Member:
    """One matrix of the suite: a row of suite.csv.

    Attributes
    ----------
    name
        What reports call it; unique.
    provenance
        "file": a file of the collection. "generated": the collection's matrix, made by its published
        definition, which has been compared with files of its family entry by entry. "pattern": places of
        the entries are those of the collection's matrix, values are our own (cycles do not depend on
        them). "stand-in": another matrix, of like size and kind.
    origin
        Where it comes from, see `origin.fetch`; where there are several, joined by " | ", the first that is
        available is taken.
    collection
        Collection and set of the Matrix Market that it, or the matrix it stands for, belongs to.
    application
        What it, or the matrix it stands for, comes from.
    rows, columns
        Its order.
    size
        Stored entries, explicit zeros too, symmetric ones expanded.
    locality, average_per_row
        The paper's other two criteria; see `vecsim.data.metrics`.
    pattern_sha256
        Of the places of its entries; see `vecsim.results.digests.pattern_sha256`.
    file_sha256
        Of the file it was listed from, as it lies; empty if there is none.
    stands_in_for
        The collection's matrix whose place it takes; empty if it is the collection's own.
    note
        What a reader must know next to this.
    """

    name: str
    provenance: Provenance
    origin: str
    collection: str
    application: str
    rows: int
    columns: int
    size: int
    locality: float
    average_per_row: float
    pattern_sha256: str
    file_sha256: str
    stands_in_for: str
    note: str

    @property
    def original(self) -> str:
        """The collection's matrix that it is, has the pattern of, or stands for."""
        return self.stands_in_for or self.name

    @property
    def origins(self) -> list[str]:
        """The origins, the first to be tried first."""
        return self.origin.split(ALTERNATIVE)

    @property
    def has_original_pattern(self) -> bool:
        """Whether its entries are where those of the collection's matrix do; not so for a stand-in."""
        return self.provenance != "stand-in"


@lru_cache(maxsize=1)
def members() -> tuple[Member, ...]:
    """Return the 132 members, by rising size."""
    return read_members(SUITE_FILE)


def member(name: str) -> Member:
    """Return the member of this name.

    Raises
    ------
    KeyError
        If there is none.
    """
    result = next((member for member in members() if member.name == name), None)
    if result is None:
        raise KeyError(f"the suite has no member '{name}'")
    return result


def member_for(original: str) -> Member:
    """Return the member that is the collection's matrix `original`, has its pattern, or stands for it.

    Raises
    ------
    KeyError
        If there is none.
    """
    result = next((member for member in members() if member.original == original), None)
    if result is None:
        raise KeyError(f"the suite has nothing for '{original}'")
    return result


def read_members(name: str) -> tuple[Member, ...]:
    """Return the rows of a data file of this package."""
    lines = (files("experiments.papers.hism.suite") / name).read_text(encoding="ascii").splitlines()
    return tuple(Member(**_typed(row)) for row in csv.DictReader(lines))


def write_members(rows: Iterable[Member], name: str) -> Path:
    """Write a data file of this package and return its path."""
    path = Path(__file__).with_name(name)
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Member)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    write_file(path, text.getvalue().encode("ascii"))
    return path


def _typed(row: dict[str, str]) -> dict[str, Any]:
    readers: dict[Any, Any] = {int: int, float: float}
    return {field.name: readers.get(field.type, str)(row[field.name]) for field in fields(Member)}
