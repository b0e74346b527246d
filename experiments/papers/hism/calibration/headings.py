"""What the tables of a calibration are called, and what a reader must know of each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from experiments.papers.hism.calibration.uncertainty import DRAWS, TOLD_APART, WITHIN
from experiments.papers.hism.recorded_calibration import NAME
from experiments.report.item import Appendix, Table

DIFFERENCES = "differs from the uncalibrated in"
"""Column that describes a candidate."""
STATES = ("machines at random", "fit within 1 spread", "fit within 2 spreads")
"""Columns of the tables of a million machines: the pilot, and those that fit."""

HEADINGS = {
    "choices": ("What the paper leaves open", ("Each choice was searched among these values.",)),
    "sensitivity": (
        "Which of the paper's conclusions depend on what it leaves open",
        (
            "Every candidate that was examined is a plausible machine. Extent: whether the conclusion holds "
            "on every one, some, or none of them. The last columns change one choice of the proposal at a "
            "time. Candidates of the search know the sample only, so claims on matrices outside of it count "
            "fewer. The search looks longest near good machines, so the shares are no probabilities.",
        ),
    ),
    "shares": (
        "Share of the candidates with a value on which a conclusion holds",
        ("Conclusions that hold on every candidate, or on none, are left out.",),
    ),
    "least": (
        "The least score by value",
        (
            "Of all candidates of the search that have a value, the one nearest to Table 2, on the sample. "
            "Where the values of a choice differ by less than the spread, nothing is known of it.",
        ),
    ),
    "spread": (
        "The six averages and their spread",
        (
            f"The suite was resampled {DRAWS:,} times with replacement, with as many matrices as it has. The "
            "spread is the standard deviation of an average, in per cent.",
        ),
    ),
    "standards": (
        "The averages by standard of the programs",
        (
            "The proposed machine with all programs plain, with all pipelined, each time doing the same "
            "work, and as proposed. Conclusions: on Figures 2 to 4 and the orders in Table 2.",
        ),
    ),
    "conclusions-by-standard": (
        "The paper's conclusions by standard of the programs",
        (
            "On the whole suite: whether each holds on the proposed machine, and on how many finalists. The "
            "last columns count the machines as proposed that cannot be distinguished from the nearest. A "
            "conclusion that holds on all of them survives what the paper leaves open.",
        ),
    ),
    "groups": (
        "The small, medium and large groups by every choice of matrices near the points of Figure 2",
        (
            "Of the matrices in the paper's figures only the first and the last are known. A choice takes "
            "for each point a matrix that is nearer to it than to the other points. Met: the mean times of "
            f"CRS, JD, BBCS and HiSM, CHiSM's being 1, are all within {100 * WITHIN:g} % of the paper's. "
            "Best: the choice whose largest difference is least.",
        ),
    ),
    "single-changes": (
        "One choice of the calibrated machine changed at a time",
        ("On the whole suite. Distances are means of |ln(ours / paper's)|.",),
    ),
    "candidates": (
        "The nearest candidates on the whole suite",
        (
            "The proposed one is first. As near: the share of the resamples of the suite (see the six "
            "averages and their spread) in which a candidate is at least as near as the nearest. From "
            f"{100 * TOLD_APART:g} % on the two cannot be distinguished, and neither is called better. "
            "Today's machine stays if it is one of these. Otherwise the one that keeps most of the "
            "conclusions is proposed. Among equals it is the one that changes fewest values of the "
            "uncalibrated machine, then the nearest.",
        ),
    ),
    "readings": (
        "Every reading of Table 2",
        ("The first is what the paper's own numbers and words imply.",),
    ),
    "provenance": ("How the machine was calibrated", ()),
}
"""Title and paragraphs of each table, by the end of its name."""

NUMBER = re.compile(r"[+-]?[0-9][0-9,]*(\.[0-9]+)?")


def appendix(table: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Appendix:
    """Make one of the tables of :data:`HEADINGS` a part of a report; columns of numbers are flush right."""
    title, paragraphs = HEADINGS[table]
    cells = {name: [row[place] for row in rows if row[place]] for place, name in enumerate(columns)}
    numbers = frozenset(
        name for name, result in cells.items() if result and all(map(NUMBER.fullmatch, result))
    )
    return Appendix(
        f"{NAME}-{table}", title, paragraphs, Table(tuple(columns), tuple(map(tuple, rows)), numbers)
    )
