"""The experiments: the one place where each reproduced table and figure is declared.

The modules behind them are imported when they are run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.report.item import Appendix, Item, Report
from experiments.request import Request
from vecsim.errors import UserError
from vecsim.suggestions import nearest

ALL = "all"
"""Name for every experiment of every paper."""


@dataclass(frozen=True)
class Experiment:
    """A table or figure that can be reproduced.

    Attributes
    ----------
    name
        As it is typed.
    title
        As the paper calls it.
    shows
        What it shows, in a line.
    make
        Makes it.
    simulates
        Whether it is made of cycles that can be kept in a file and taken from there.
    """

    name: str
    title: str
    shows: str
    make: Callable[[Request], Item]
    simulates: bool = False


@dataclass(frozen=True)
class Paper:
    """A paper, by whose name all its experiments are asked for at once.

    Attributes
    ----------
    name
        As it is typed.
    source
        The paper, as one cites it.
    experiments
        In the paper's order.
    appendices
        Makes what stands behind them: matrices, machine.
    recorded
        The kind of the results files that it can be made of without a GPU; empty for none.
    """

    name: str
    source: str
    experiments: tuple[Experiment, ...]
    appendices: Callable[[Request], tuple[Appendix, ...]]
    recorded: str = ""


def _hism_table1(request: Request) -> Item:
    from experiments.hism import format_tables

    return format_tables.make_table1(request)


def _hism_table2(request: Request) -> Item:
    from experiments.hism import table2

    return table2.make(request)


def _hism_table3(request: Request) -> Item:
    from experiments.hism import format_tables

    return format_tables.make_table3(request)


def _hism_figure(number: int) -> Callable[[Request], Item]:
    def make(request: Request) -> Item:
        from experiments.hism import figures

        return figures.make(number, request)

    return make


def _hism_appendices(request: Request) -> tuple[Appendix, ...]:
    from experiments.hism import appendices

    return appendices.make(request)


def _pellr(item: str) -> Callable[[Request], Item]:
    def make(request: Request) -> Item:
        from experiments.pellr import items

        return items.make(item, request)

    return make


def _pellr_appendices(request: Request) -> tuple[Appendix, ...]:
    from experiments.pellr import items

    return items.appendices_of(request)


def _crosscheck(item: str) -> Callable[[Request], Item]:
    def make(request: Request) -> Item:
        from experiments.crosscheck import report

        made: Item = getattr(report, f"make_{item}")(request)
        return made

    return make


def _crosscheck_appendices(request: Request) -> tuple[Appendix, ...]:
    from experiments.crosscheck import report

    return report.appendices(request)


PAPERS = (
    Paper(
        "hism",
        "P. Stathis, S. Vassiliadis, S. Cotofana: A Hierarchical Sparse Matrix Storage Format for Vector "
        "Processors, IPDPS 2003.",
        (
            Experiment("hism-table1", "Table 1", "storage of HiSM against JD, CRS and BBCS", _hism_table1),
            Experiment(
                "hism-table2",
                "Table 2",
                "cycles of the products, averaged over groups",
                _hism_table2,
                simulates=True,
            ),
            Experiment("hism-table3", "Table 3", "steps to insert an element", _hism_table3),
            Experiment(
                "hism-fig2",
                "Figure 2",
                "cycles of ten matrices of growing size",
                _hism_figure(2),
                simulates=True,
            ),
            Experiment(
                "hism-fig3",
                "Figure 3",
                "cycles of ten matrices with ever more non-zeros a row",
                _hism_figure(3),
                simulates=True,
            ),
            Experiment(
                "hism-fig4",
                "Figure 4",
                "cycles of ten matrices of growing locality",
                _hism_figure(4),
                simulates=True,
            ),
        ),
        _hism_appendices,
    ),
    Paper(
        "pellr",
        "Z. Wang, T. Gu: PELLR: A Permutated ELLPACK-R Format for SpMV on GPUs, Journal of Computer and "
        "Communications 8, 2020.",
        tuple(
            Experiment(f"pellr-{name}", title, shows, _pellr(f"pellr-{name}"))
            for name, title, shows in (
                ("claims", "Claims", "every number of the text for PELLR, ours beside it"),
                ("iterations", "Formulas 1, 2", "iterations of warps and work, with the paper's example"),
                ("fig6", "Figure 6", "PELLR against ELLPACK-R"),
                ("fig7", "Figure 7", "the structure of memplus and row statistics"),
                ("fig8", "Figure 8", "PELLR against HYB"),
                ("fig9", "Figure 9", "PELLR against BiELL"),
                ("fig10", "Figure 10", "PELLR against BiJAD"),
                ("fig11", "Figure 11", "speeds of PELLR, HYB, BiELL and BiJAD"),
                ("fig12", "Figure 12", "speeds of all formats"),
            )
        ),
        _pellr_appendices,
        "vecsim reproduce pellr",
    ),
    Paper(
        "crosscheck",
        "No paper: the simulated vector machine beside a GPU, on the same formats and matrices.",
        (
            Experiment(
                "crosscheck-pairs",
                "Pairs",
                "cycles against GPU times, two formats each",
                _crosscheck("pairs"),
            ),
            Experiment(
                "crosscheck-rankings",
                "Rankings",
                "the order of the formats on each matrix",
                _crosscheck("rankings"),
            ),
            Experiment("crosscheck-reasons", "Reasons", "what decides in each world", _crosscheck("reasons")),
        ),
        _crosscheck_appendices,
        "vecsim crosscheck",
    ),
)
"""The papers, in the order of reports."""


def names() -> list[str]:
    """Give every name that :func:`chosen` takes."""
    found = []
    for paper in PAPERS:
        found += [paper.name, *(experiment.name for experiment in paper.experiments)]
    return [*found, ALL]


def chosen(asked: Iterable[str]) -> list[tuple[Paper, list[Experiment]]]:
    """Give what names ask for, by paper, each once and in the papers' order.

    Parameters
    ----------
    asked
        Names of experiments or papers, or ``all``.

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
                f"unknown experiment {name!r}; experiments are {', '.join(known)}{nearest(name, known)}"
            )
        wanted.add(name)
    found = []
    for paper in PAPERS:
        whole = bool(wanted & {ALL, paper.name})
        picked = [experiment for experiment in paper.experiments if whole or experiment.name in wanted]
        if picked:
            found.append((paper, picked))
    return found


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
    wanted = {paper.recorded: paper.name for paper, _ in asked if paper.recorded}
    found = {}
    for path in files:
        kind = _kind(path)
        if kind not in wanted:
            takes = "; ".join(f"{name} takes `{each}`" for each, name in wanted.items()) or "none is taken"
            raise UserError(f"{path}: holds no results of what is asked for: {takes}")
        found[kind] = path
    return found


def require_cycles(asked: Sequence[tuple[Paper, Sequence[Experiment]]], file: str) -> None:
    """Raise UserError unless something of what :func:`chosen` gave keeps its cycles in a file."""
    if not any(experiment.simulates for _, experiments in asked for experiment in experiments):
        simulating = [each.name for paper in PAPERS for each in paper.experiments if each.simulates]
        raise UserError(f"{file}: would hold cycles of {', '.join(simulating)}, none of which is asked for")


def _kind(path: Path) -> str:
    """Give what a file of results says it is."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise UserError(f"{path}: is no JSON: {error}") from None
    return str(document.get("kind", "")) if isinstance(document, dict) else ""


def reproduce(chosen: Sequence[tuple[Paper, Sequence[Experiment]]], request: Request) -> Report:
    """Make a report of what :func:`chosen` gave.

    Raises
    ------
    UserError
        Whatever the experiments object to, such as an unknown engine.
    """
    from experiments.report.environment import made_by

    items = [experiment.make(request) for _, experiments in chosen for experiment in experiments]
    appendices = [appendix for paper, _ in chosen for appendix in paper.appendices(request)]
    asked = [
        paper.name if len(experiments) == len(paper.experiments) else experiment.name
        for paper, experiments in chosen
        for experiment in experiments
    ]
    return Report(
        title="Reproduced by vecsim: " + ", ".join(dict.fromkeys(asked)),
        sources=tuple(paper.source for paper, _ in chosen),
        items=tuple(items),
        appendices=(*appendices, made_by()),
    )
