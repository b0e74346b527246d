"""What may be chosen: candidates.csv, and how its matrices belong together."""

import re
from dataclasses import dataclass
from functools import lru_cache

from experiments.papers.hism.suite.member import Member, read_members
from experiments.papers.hism.suite.stated_by_paper import NAMED
from vecsim.data.collections import MATRIX_MARKET, Entry, counterpart, entries

CANDIDATES_FILE = "candidates.csv"


@dataclass(frozen=True)
class Candidate:
    """A matrix that may be chosen.

    Attributes
    ----------
    member
        The row that it would be in suite.csv.
    letters
        Of the original's name in the Matrix Market, without the numbers.
    """

    member: Member
    letters: str

    @property
    def family(self) -> str:
        """Set of the collection and letters of the name."""
        return f"{self.member.collection}/{self.letters}"

    @property
    def is_named(self) -> bool:
        """Whether the paper names it, or what it stands for."""
        return self.member.original in NAMED


def candidates() -> list[Candidate]:
    """Return the candidates, by rising size."""
    return [
        Candidate(member, re.sub("[^a-z]", "", matrix_market()[member.original].name))
        for member in read_members(CANDIDATES_FILE)
    ]


@lru_cache(maxsize=1)
def matrix_market() -> dict[str, Entry]:
    """Return the Matrix Market by name: its own names, and SuiteSparse's for what both have."""
    listed = [entry for entry in entries() if entry.collection is MATRIX_MARKET]
    twins = {twin.name: entry for entry in listed if (twin := counterpart(entry))}
    return {entry.name: entry for entry in listed} | twins
