"""The tables of a calibration: grid, standards, spread, groups, sensitivities, all of the finalists."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from statistics import median

from experiments.made_by import made_by
from experiments.papers.hism.calibration.against_the_paper import (
    CLOSE,
    Distance,
    Sensitivity,
    lost,
    readings,
)
from experiments.papers.hism.calibration.calibration import PROPOSED, Calibration
from experiments.papers.hism.calibration.choices import STANDARDS, Candidate, options_of, uncalibrated
from experiments.papers.hism.calibration.finalists import Finalist
from experiments.papers.hism.calibration.headings import DIFFERENCES, appendix
from experiments.papers.hism.calibration.matrices import LARGEST
from experiments.papers.hism.table2 import GROUPS, PRINTED
from experiments.papers.hism.timing import METHODS
from experiments.report.item import Appendix
from vecsim.machine import to_toml

SHOWN_BREAKS = 6
"""Single changes that are named in the table of sensitivities; the others are counted."""


def appendices(result: Calibration, engine: str) -> tuple[Appendix, ...]:
    """Return all tables of a calibration, and the machine."""
    return (
        choices(result),
        sensitivities(result),
        shares(result),
        least(result),
        spread(result),
        standards(result),
        conclusions_by_standard(result),
        groups(result),
        single_changes(result),
        candidates(result),
        of_readings(result),
        machine(result),
        search_provenance(result, engine),
    )


def changes(candidate: Candidate, of: Candidate) -> str:
    """Describe how a candidate differs from another."""
    messages = [f"{choice} {value}" for choice, value in candidate.items() if of[choice] != value]
    return "; ".join(messages) or "none"


def choices(result: Calibration) -> Appendix:
    """List the grid, and what is proposed."""
    columns = ("choice", "values", "proposed", "why they are plausible", "what the paper says")
    rows = [
        (
            choice.name,
            " | ".join(value.name for value in choice.values),
            result.proposal.candidate[choice.name],
            choice.why,
            choice.paper,
        )
        for choice in result.choices
    ]
    return appendix("choices", columns, rows)


def sensitivities(result: Calibration) -> Appendix:
    """Count, for each conclusion of the paper, the machines that it holds on."""
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
        for s in result.sensitivities
    ]
    return appendix("sensitivity", columns, rows)


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - SHOWN_BREAKS
    return "; ".join(texts[:SHOWN_BREAKS]) + (f"; and {more} more" if more > 0 else "")


def _word(holds: bool | None) -> str:
    return "unknown" if holds is None else "holds" if holds else "fails"


def shares(result: Calibration) -> Appendix:
    """Return for each value of each choice the share of candidates on which each conclusion holds."""
    messages: list[Sensitivity] = [s for s in result.sensitivities if s.extent == "some"]
    columns = ("choice", "value", *(s.conclusion for s in messages))
    rows = [
        (choice.name, value.name, *(_share(s, choice.name, value.name) for s in messages))
        for choice in result.choices
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


def single_changes(result: Calibration) -> Appendix:
    """Return the distance of every candidate that differs from the proposal in one choice."""
    proposal = result.single[0].candidate
    rows = [
        (changes(e.candidate, proposal), *_distances(e.distance), *_numbers(e.distance))
        for e in result.single
    ]
    return appendix("single-changes", ("change", *DISTANCES, *NUMBERS), rows)


def candidates(result: Calibration) -> Appendix:
    """Return the finalists with all numbers."""
    first = uncalibrated(result.choices)
    rows = [
        (
            _name(result, finalist, rank),
            f"{finalist.as_near:.3f}",
            "no" if finalist.alike else "yes",
            str(lost(finalist.concluded)),
            str(finalist.changed),
            *_distances(finalist.evaluated.distance),
            changes(finalist.evaluated.candidate, first),
            *_numbers(finalist.evaluated.distance),
        )
        for rank, finalist in enumerate(result.finalists, 1)
    ]
    columns = ("rank", "as near", "distinguishable", "conclusions that fail", "choices changed")
    return appendix("candidates", (*columns, *DISTANCES, DIFFERENCES, *NUMBERS), rows)


def _name(result: Calibration, finalist: Finalist, rank: int) -> str:
    names = {id(result.now): "today's", id(result.before): "uncalibrated"}
    other = names.get(id(finalist.evaluated), "")
    return f"{rank}, {other}" if other else str(rank)


def least(result: Calibration) -> Appendix:
    """Return for each value of each choice the least score of the candidates that have it."""
    rows = []
    for choice in result.choices:
        for value in choice.values:
            scores = [e.distance.score for e in result.examined if e.candidate[choice.name] == value.name]
            least = f"{min(scores):.4f}" if scores else ""
            rows.append((choice.name, value.name, str(len(scores)), least))
    return appendix("least", ("choice", "value", "candidates", "least score"), rows)


def spread(result: Calibration) -> Appendix:
    """Return the six averages of the proposal with what another draw of the suite does to them."""
    head = (
        *("row", "paper", "proposed machine", "difference in per cent", "spread in per cent"),
        *("today's", "uncalibrated"),
    )
    numbers = result.proposal.distance
    rows = [
        (
            row,
            PRINTED[row][0],
            f"{numbers.numbers[row, 'all']:.3f}",
            f"{100 * (numbers.ratio(row, 'all') - 1):+.1f}",
            f"{100 * share:.1f}",
            f"{result.now.distance.numbers[row, 'all']:.3f}",
            f"{result.before.distance.numbers[row, 'all']:.3f}",
        )
        for row, share in result.spread.items()
    ]
    return appendix("spread", head, rows)


def standards(result: Calibration) -> Appendix:
    """Return the proposed machine's averages with all programs plain, pipelined, and as proposed."""
    proposal = result.finalists[0]
    of = {**proposal.by_standard, PROPOSED: proposal.evaluated}
    rows = []
    for words, e in of.items():
        known = [holds for holds in _concluded(proposal, words).values() if holds is not None]
        averages = [f"{e.distance.numbers[row, 'all']:.3f}" for row in PRINTED]
        rows.append((words, *averages, f"{e.distance.score:.4f}", str(sum(known)), str(len(known))))
    columns = ("programs", *(f"{row}, all" for row in PRINTED), "score", "conclusions that hold", "of")
    return appendix("standards", columns, rows)


def conclusions_by_standard(result: Calibration) -> Appendix:
    """Count, for each conclusion and standard of the programs, the machines that it holds on."""
    proposal, labels = result.finalists[0], (*STANDARDS, PROPOSED)
    messages = [f"{what}, {words}" for what in ("proposal", "machines") for words in labels]
    columns = ("conclusion", *messages, "of", "machines within the spread", "of these")
    alike = [finalist for finalist in result.finalists if finalist.alike]
    rows = []
    for conclusion in proposal.concluded:
        of_proposal = [_concluded(proposal, words).get(conclusion) for words in labels]
        counts = [
            sum(_concluded(finalist, words).get(conclusion) is True for finalist in result.finalists)
            for words in labels
        ]
        survives = sum(finalist.concluded.get(conclusion) is True for finalist in alike)
        totals = map(str, (*counts, len(result.finalists), survives, len(alike)))
        rows.append((conclusion, *map(_word, of_proposal), *totals))
    return appendix("conclusions-by-standard", columns, rows)


def _concluded(finalist: Finalist, words: str) -> Mapping[str, bool | None]:
    return finalist.concluded if words == PROPOSED else finalist.concluded_by_standard[words]


def groups(result: Calibration) -> Appendix:
    """Return how many choices of matrices near the points of Figure 2 meet the groups of Table 2."""
    programs = [program for program in METHODS if program != "chism"]
    ratios = [f"{METHODS[program]}, ours / paper's" for program in programs]
    columns = ("programs", "group", "choices", "met", "share in per cent", "best", *ratios)
    rows = [
        (
            words,
            group.group,
            str(group.choices),
            str(group.met),
            f"{100 * group.met / group.choices:.2f}",
            ", ".join(group.best),
            *(f"{group.ratios[program]:.2f}" for program in programs),
        )
        for words, of in result.groups.items()
        for group in of
    ]
    return appendix("groups", columns, rows)


def of_readings(result: Calibration) -> Appendix:
    """Return the distance of the proposal by every reading of average and of small, medium and large."""
    rows = []
    for words, evaluated in (("proposal", result.proposal), ("uncalibrated", result.before)):
        read: Mapping[str, Distance] = readings(
            evaluated.cycles, result.ground.groups, result.ground.of_figures()
        )
        rows += [(label, words, *_distances(d), *_numbers(d)) for label, d in read.items()]
    return appendix("readings", ("how the table is averaged", "machine", *DISTANCES, *NUMBERS), rows)


def machine(result: Calibration) -> Appendix:
    """Return the proposed machine, and the options of the programs."""
    chosen = options_of(result.proposal.candidate, result.choices)
    options = "; ".join(
        f"{program}: {', '.join(f'{name}={value}' for name, value in options.items())}"
        for program, options in chosen.items()
        if options
    )
    return Appendix(
        "",
        "The proposed machine",
        (f"{result.machine.label_with_digest}.", f"Options of the programs: {options}."),
        listing=to_toml(result.machine),
    )


def search_provenance(result: Calibration, engine: str) -> Appendix:
    """Return the date, code, matrices and extent of the search."""
    members = sorted(result.ground.members.values(), key=lambda member: member.name)
    suite = "\n".join(f"{member.name} {member.pattern_sha256}" for member in members)
    rows = (
        *made_by().items(),
        ("engine", engine),
        ("matrices", str(len(members))),
        ("not found", ", ".join(result.ground.missing) or "none"),
        ("SHA-256 of names and patterns", hashlib.sha256(suite.encode()).hexdigest()[:16]),
        ("proposed machine", result.machine.label_with_digest),
        ("searches asked for", str(result.effort.begun)),
        ("searches that came to their end", str(result.finished)),
        ("limit of the search", f"{result.effort.candidates} candidates"),
        ("candidates examined", str(len(result.examined))),
        ("each of them on", f"a sample of {len(result.sample)} matrices up to {LARGEST:,} entries"),
        ("the sample's error, measured on finalists", _error(result)),
        ("finalists, on all matrices", str(len(result.finalists))),
        (
            "it took",
            f"{result.seconds[0] / 60:.1f} minutes, {result.seconds[1] / 60:.1f} of processors' time",
        ),
    )
    return appendix("provenance", ("what", "which"), rows)


def _error(result: Calibration) -> str:
    if not result.held_out:
        return "no finalist was left that it had not been chosen by"
    middle, most = median(result.held_out), max(result.held_out)
    return f"{100 * middle:.1f} % in the middle, {100 * most:.1f} % at most, of an average over all matrices"
