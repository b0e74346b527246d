"""The 132 matrices that reproduce Table 2 and Figures 2 to 4 of the HiSM paper.

``suite.csv`` lists them. It was written by `selection` from what the paper states of sizes, localities and
average non-zeros per row, before any of them was run.
``python -m experiments.papers.hism.suite`` compares their distributions with the paper's.
"""

from experiments.papers.hism.suite.figures import FigureMember, Group, figure, scale
from experiments.papers.hism.suite.loading import identity, load, missing
from experiments.papers.hism.suite.member import (
    CRITERIA,
    Criterion,
    Member,
    Provenance,
    member,
    member_for,
    members,
)

__all__ = [
    "CRITERIA",
    "Criterion",
    "FigureMember",
    "Group",
    "Member",
    "Provenance",
    "figure",
    "identity",
    "load",
    "member",
    "member_for",
    "members",
    "missing",
    "scale",
]
