"""The papers that can be reproduced: listed here, and declared each in its own folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from experiments.papers.kit.experiment import Experiment, Paper
from experiments.papers.kit.recorded import kind_of
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

if TYPE_CHECKING:
    from experiments.papers.kit.request import Request
    from experiments.report.item import Report

FOLDERS = ("papers/hism", "papers/pellr", "papers/hisparse", "papers/hbp", "papers/layouts", "crosscheck")
"""The folders below ``experiments`` whose module ``paper`` declares one, in the order of reports."""


def declared(folder: str) -> Paper:
    """Return the paper that a folder below ``experiments`` declares in its module ``paper``."""
    paper: Paper = resolve_name(f"experiments.{folder.replace('/', '.')}.paper:PAPER")
    return paper


PAPERS = tuple(map(declared, FOLDERS))
"""The papers, in the order of reports."""


def names() -> list[str]:
    """Return every name that :func:`chosen` takes."""
    matches = []
    for paper in PAPERS:
        matches += [paper.name, *(experiment.name for experiment in paper.experiments)]
    return matches


def every_experiment() -> list[tuple[Paper, list[Experiment]]]:
    """Return all experiments of all papers, as :func:`chosen` does."""
    return chosen(paper.name for paper in PAPERS)


def chosen(asked: Iterable[str]) -> list[tuple[Paper, list[Experiment]]]:
    """Return what names ask for, by paper, each once and in the papers' order.

    Parameters
    ----------
    asked
        Names of experiments or papers.

    Raises
    ------
    UserError
        There is nothing of that name.
    """
    wanted = set()
    known = names()
    for name in asked:
        if name not in known:
            raise UserError(
                f"unknown experiment {name!r}; use one of {', '.join(known)}{nearest(name, known)}"
            )
        wanted.add(name)
    matches = []
    for paper in PAPERS:
        whole = paper.name in wanted
        picked = [experiment for experiment in paper.experiments if whole or experiment.name in wanted]
        if picked:
            matches.append((paper, picked))
    return matches


def recorded_files(
    asked: Sequence[tuple[Paper, Sequence[Experiment]]], files: Iterable[Path]
) -> dict[str, Path]:
    """Sort files of results by the kind that they say they are.

    Parameters
    ----------
    asked
        What :func:`chosen` gave.
    files
        JSON files that were measured on a GPU.

    Raises
    ------
    UserError
        One cannot be read, is something else, or is for nothing that is asked for.
    """
    wanted = {paper.recorded_kind: paper.name for paper, _ in asked if paper.recorded_kind}
    matches = {}
    for path in files:
        kind = kind_of(path)
        if kind not in wanted:
            takes = "; ".join(f"{name} takes `{each}`" for each, name in wanted.items()) or "none is taken"
            raise UserError(f"{path}: is not a file of results of the chosen papers: {takes}")
        matches[kind] = path
    return matches


def require_cycles(asked: Sequence[tuple[Paper, Sequence[Experiment]]], file: str) -> None:
    """Raise UserError unless something of what :func:`chosen` gave keeps its cycles in a file."""
    if not any(experiment.simulates for _, experiments in asked for experiment in experiments):
        simulating = [each.name for paper in PAPERS for each in paper.experiments if each.simulates]
        raise UserError(f"{file}: no chosen experiment stores cycles; choose one of {', '.join(simulating)}")


def reproduce(chosen: Sequence[tuple[Paper, Sequence[Experiment]]], request: Request) -> Report:
    """Make a report of what :func:`chosen` gave.

    Raises
    ------
    UserError
        Whatever the experiments object to, such as an unknown engine.
    """
    from experiments.report.environment import made_by
    from experiments.report.item import Part, Report

    parts = []
    for paper, experiments in chosen:
        source = paper.source_of(request)
        items = tuple(experiment.make(source) for experiment in experiments)
        parts.append(Part(paper.name, paper.source, items, paper.remarks(source), paper.stand_ins(source)))
    appendices = [appendix for paper, _ in chosen for appendix in paper.appendices(paper.source_of(request))]
    asked = [
        paper.name if len(experiments) == len(paper.experiments) else experiment.name
        for paper, experiments in chosen
        for experiment in experiments
    ]
    return Report(
        title="Reproduced by vecsim: " + ", ".join(dict.fromkeys(asked)),
        parts=tuple(parts),
        appendices=(*appendices, made_by()),
    )
