"""The tables of a calibration: the grid, the sensitivities, the frontier, every number of every finalist."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping, Sequence

from experiments.hism.calibration.calibration import Calibration
from experiments.hism.calibration.choices import Candidate, options_of, uncalibrated
from experiments.hism.calibration.conclusions import Sensitivity
from experiments.hism.calibration.distance import CLOSE, Distance, readings
from experiments.hism.calibration.search import LARGE, SMALL
from experiments.hism.results_file import code_fingerprint
from experiments.hism.table2 import GROUPS, PRINTED
from experiments.report.item import Appendix, Table
from vecsim.machine import to_toml
from vecsim.provenance import provenance

NAME = "hism-calibration"
"""What the names of all files of a calibration begin with."""
SHOWN_BREAKS = 6
"""Single changes that are named in the table of sensitivities; the others are counted."""

DIFFERENCES = "differs from the uncalibrated in"
"""Column that describes a candidate."""

HEADINGS = {
    "choices": ("What the paper leaves open", ("Each choice was searched among these values.",)),
    "sensitivity": (
        "Which of the paper's conclusions depend on what it leaves open",
        (
            "Every candidate that was examined is a plausible machine. Extent: whether the conclusion holds "
            "on every one, some, or none of them. The last columns change one choice of the proposal at a "
            "time. Candidates of the search know the matrices up to a size only, so claims on larger ones "
            "count fewer. The search looks longest near good machines, so the shares are no probabilities.",
        ),
    ),
    "shares": (
        "Share of the candidates with a value on which a conclusion holds",
        ("Conclusions that hold on every candidate, or on none, are left out.",),
    ),
    "frontier": (
        "The frontier of the calibration",
        (
            "Machines that no other examined one equals or beats in all of three aims: the mean distance "
            "from the paper over all matrices, the same over the small and medium groups, and how many of "
            "these groups have the paper's order of the programs. What one gains in an aim, it loses in "
            "another. Distances are means of |ln(ours / paper's)|: 0.05 is about 5 %; of machines that "
            "differ by less than 0.005 in both, one is shown. The proposed one stands first: it is chosen by "
            "the conclusions on the figures, which are no aim here, and need not be on the frontier. On the "
            "whole suite.",
        ),
    ),
    "single-changes": (
        "One choice of the calibrated machine changed at a time",
        (
            "On the part of the suite that is searched on and the matrices of the figures. Distances are "
            "means of |ln(ours / paper's)|.",
        ),
    ),
    "candidates": ("The nearest candidates on the whole suite", ()),
    "readings": (
        "Every reading of Table 2",
        ("The first is what the paper's own numbers and words imply.",),
    ),
    "provenance": ("How the machine was calibrated", ()),
}
"""Title and paragraphs of each table, by the end of its name."""

TEXTS = frozenset(
    (
        "choice",
        "values",
        "value",
        "proposed",
        "why they are plausible",
        "what the paper says",
        "conclusion",
        "extent",
        "proposal",
        "fails with",
        "holds only with",
        "change",
        "rank",
        "orders kept",
        DIFFERENCES,
        "how the table is averaged",
        "machine",
        "what",
        "which",
    )
)
"""Columns without numbers."""


def appendix(table: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Appendix:
    """Give one of the tables of :data:`HEADINGS` as a part of a report."""
    title, paragraphs = HEADINGS[table]
    made = Table(tuple(columns), tuple(map(tuple, rows)), frozenset(columns) - TEXTS)
    return Appendix(f"{NAME}-{table}", title, paragraphs, made)


def appendices(found: Calibration, engine: str) -> tuple[Appendix, ...]:
    """Give all tables of a calibration, and the machine."""
    return (
        choices(found),
        sensitivities(found),
        shares(found),
        frontier(found),
        single_changes(found),
        candidates(found),
        of_readings(found),
        machine(found),
        search_provenance(found, engine),
    )


def changes(candidate: Candidate, of: Candidate) -> str:
    """Say in what a candidate differs from another."""
    told = [f"{choice} {value}" for choice, value in candidate.items() if of[choice] != value]
    return "; ".join(told) or "none"


def choices(found: Calibration) -> Appendix:
    """List the grid, and what is proposed."""
    columns = ("choice", "values", "proposed", "why they are plausible", "what the paper says")
    rows = [
        (
            choice.name,
            " | ".join(value.name for value in choice.values),
            found.proposal.candidate[choice.name],
            choice.why,
            choice.paper,
        )
        for choice in found.choices
    ]
    return appendix("choices", columns, rows)


def sensitivities(found: Calibration) -> Appendix:
    """Say of each conclusion of the paper on which machines it holds."""
    columns = ("conclusion", "holds on", "of", "extent", "proposal", "fails with", "holds only with")
    rows = [
        (
            s.conclusion,
            str(s.holds),
            str(s.examined),
            s.extent,
            _word(s.at_proposal),
            _listed(s.breaks),
            _listed(s.mends),
        )
        for s in found.sensitivities
    ]
    return appendix("sensitivity", columns, rows)


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - SHOWN_BREAKS
    return "; ".join(texts[:SHOWN_BREAKS]) + (f"; and {more} more" if more > 0 else "")


def _word(holds: bool | None) -> str:
    return "unknown" if holds is None else "holds" if holds else "fails"


def shares(found: Calibration) -> Appendix:
    """Give for each value of each choice the share of candidates on which each conclusion holds."""
    told: list[Sensitivity] = [s for s in found.sensitivities if s.extent == "some"]
    columns = ("choice", "value", *(s.conclusion for s in told))
    rows = [
        (choice.name, value.name, *(_share(s, choice.name, value.name) for s in told))
        for choice in found.choices
        for value in choice.values
    ]
    return appendix("shares", columns, rows)


def _share(s: Sensitivity, choice: str, value: str) -> str:
    share = s.by_value.get((choice, value))
    return "" if share is None else f"{share:.2f}"


DISTANCES = (
    "score",
    "all",
    "small",
    "medium",
    "large",
    "of all within 10 %",
    "of 18 within 15 %",
    "of 24 within 15 %",
    "orders kept",
)
NUMBERS = tuple(f"{row}, {group}" for row in PRINTED for group in GROUPS)


def _distances(distance: Distance) -> tuple[str, ...]:
    return (
        f"{distance.score:.4f}",
        *(f"{distance.of(group):.4f}" if group in distance.groups else "" for group in GROUPS),
        str(distance.within(10, "all")),
        str(distance.within(15, *CLOSE)),
        str(distance.within(15, *GROUPS)),
        ", ".join(group for group in distance.groups if distance.keeps_order(group)) or "none",
    )


def _numbers(distance: Distance) -> tuple[str, ...]:
    return tuple(
        f"{distance.numbers[row, group]:.3f}" if (row, group) in distance.numbers else ""
        for row in PRINTED
        for group in GROUPS
    )


def single_changes(found: Calibration) -> Appendix:
    """Give the distance of every candidate that differs from the proposal in one choice."""
    proposal = found.single[0].candidate
    rows = [
        (changes(e.candidate, proposal), *_distances(e.distance), *_numbers(e.distance)) for e in found.single
    ]
    return appendix("single-changes", ("change", *DISTANCES, *NUMBERS), rows)


def frontier(found: Calibration) -> Appendix:
    """Give the candidates that no other beats over all matrices, in the groups, and in orders."""
    first, proposal = uncalibrated(found.choices), found.proposal
    others = [e for e in found.frontier if e.candidate != proposal.candidate]
    rows = [
        (rank, *_distances(e.distance), changes(e.candidate, first), *_numbers(e.distance))
        for rank, e in [("proposed", proposal), *(("", e) for e in others)]
    ]
    return appendix("frontier", ("rank", *DISTANCES, DIFFERENCES, *NUMBERS), rows)


def candidates(found: Calibration) -> Appendix:
    """Give the finalists with all numbers."""
    first = uncalibrated(found.choices)
    rows = [
        (
            str(rank),
            *_distances(e.distance),
            str(sum(holds is False for holds in concluded.values())),
            changes(e.candidate, first),
            *_numbers(e.distance),
        )
        for rank, (e, concluded) in enumerate(zip(found.finalists, found.concluded, strict=True), 1)
    ]
    rows.append(
        ("uncalibrated", *_distances(found.before.distance), "", "none", *_numbers(found.before.distance))
    )
    return appendix("candidates", ("rank", *DISTANCES, "conclusions that fail", DIFFERENCES, *NUMBERS), rows)


def of_readings(found: Calibration) -> Appendix:
    """Give the distance of the proposal by every reading of average and of small, medium and large."""
    rows = []
    for words, evaluated in (("proposal", found.proposal), ("uncalibrated", found.before)):
        read: Mapping[str, Distance] = readings(
            evaluated.cycles, found.ground.groups, found.ground.of_figures()
        )
        rows += [(label, words, *_distances(d), *_numbers(d)) for label, d in read.items()]
    return appendix("readings", ("how the table is averaged", "machine", *DISTANCES, *NUMBERS), rows)


def machine(found: Calibration) -> Appendix:
    """Give the proposed machine, and the options of the programs."""
    chosen = options_of(found.proposal.candidate, found.choices)
    options = "; ".join(
        f"{program}: {', '.join(f'{name}={value}' for name, value in options.items())}"
        for program, options in chosen.items()
        if options
    )
    return Appendix(
        "",
        "The proposed machine",
        (f"{found.machine.label_with_digest}.", f"Options of the programs: {options}."),
        listing=to_toml(found.machine),
    )


def search_provenance(found: Calibration, engine: str) -> Appendix:
    """Say when, by which code and on which matrices the search was made, and how far it went."""
    limit, made = found.effort.minutes, provenance()
    members = sorted(found.ground.members.values(), key=lambda member: member.name)
    suite = "\n".join(f"{member.name} {member.pattern_sha256}" for member in members)
    rows = (
        ("made", f"{made.begun:%Y-%m-%d %H:%M} UTC"),
        ("command", shlex.join(made.command)),
        ("vecsim", made.versions["vecsim"]),
        ("commit", str(made.commit)),
        ("code that decides cycles", code_fingerprint()[:16]),
        ("engine", engine),
        ("matrices", str(len(members))),
        ("not found", ", ".join(found.ground.missing) or "none"),
        ("SHA-256 of names and patterns", hashlib.sha256(suite.encode()).hexdigest()[:16]),
        ("proposed machine", found.machine.label_with_digest),
        ("searches asked for", str(found.effort.begun)),
        ("searches that came to their end", str(found.finished)),
        ("limit of the search", "none" if limit is None else f"{limit:g} minutes"),
        ("candidates examined", str(len(found.examined))),
        (
            "each of them on",
            f"matrices up to {SMALL:,} entries and, counting for all larger ones, those up to {LARGE:,}",
        ),
        ("finalists, on all matrices", str(len(found.finalists))),
    )
    return appendix("provenance", ("what", "which"), rows)
