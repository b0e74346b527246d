"""``vecsim list``: the matrices that can be had by name, the formats, the programs, the experiments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli.commands.formats import described
from vecsim.cli.options import JsonOption
from vecsim.cli.printing.console import fill, table, tell
from vecsim.cli.printing.output import Output

if TYPE_CHECKING:
    from programs.declaration import SmvmProgram
    from vecsim.data.sources import Found, Source

LIST_MATRICES = "vecsim list matrices"
NO_MATCH = 1
"""Exit code when a pattern matches nothing."""

lists = typer.Typer(help="List matrices, formats, programs and experiments.")


@lists.command("matrices")
def matrices(
    pattern: Annotated[
        str | None,
        typer.Argument(
            metavar="PATTERN",
            help="Find matrices of all sources by a part of the name, or by a whole name with * and ?, "
            "such as 'bcsstk*' or 'HB/*'.",
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """List the built-in matrices (letters are numbers), or find matrices of all sources.

    Exit code 1 means that nothing matches the pattern.
    """
    output = Output(json)
    if pattern is None:
        _builtins(output)
    else:
        _matching(output, pattern)


def _builtins(output: Output) -> None:
    from vecsim.data import BUILTINS, DEFAULT_BUILTIN
    from vecsim.data.sources import sources

    results = [
        {
            "name": builtin.name,
            "parameters": [asdict(parameter) for parameter in builtin.parameters],
            "seeded": builtin.is_random,
            "description": builtin.description,
            "source": builtin.source,
        }
        for builtin in BUILTINS.values()
    ]
    rows = (
        (
            builtin.name,
            ", ".join(f"{each.letter} {each.range}" for each in builtin.parameters) or None,
            builtin.description,
            builtin.source,
        )
        for builtin in BUILTINS.values()
    )
    output.table(fill(table(["name", "numbers", "what it is", "defined by"]), rows))
    output.text("random matrices take a seed at the end of the name, as in uniform-1000-8-seed2")
    places = sources()
    output.table(fill(table(["further source"], ["matrices"]), _further(places)))
    output.text(
        "`vecsim list matrices PATTERN` searches all sources; to name a matrix of a collection downloads it"
    )
    output.text(f"without a matrix, commands take {DEFAULT_BUILTIN}")
    output.finish(
        LIST_MATRICES,
        {"matrices": results, "default": DEFAULT_BUILTIN, "sources": [asdict(place) for place in places]},
    )


def _further(places: Iterable[Source]) -> Iterator[tuple[str, int]]:
    """Name the sources other than the built-ins, each with how many matrices it has."""
    for place in places:
        if place.kind == "folder":
            missing = "" if Path(place.where).is_dir() else ", not there"
            yield f"folder {place.where} (VECSIM_MATRICES{missing})", place.matrices
        elif place.kind != "built-in":
            yield f"{place.kind} {place.where}", place.matrices


def _matching(output: Output, pattern: str) -> None:
    from vecsim.data.sources import find_matrices

    results = find_matrices(pattern)
    if results:
        rows = ((f.name, _place(f), f.rows, f.columns, f.entries) for f in results)
        output.table(fill(table(["matrix", "where"], ["rows", "columns", "entries"]), rows))
    output.finish(LIST_MATRICES, {"pattern": pattern, "found": [asdict(f) for f in results]})
    if not results:
        tell(f"no matrix matches {pattern}")
        raise typer.Exit(NO_MATCH)


def _place(results: Found) -> str:
    return results.where if results.kind in ("folder", "collection") else f"{results.kind}: {results.where}"


@lists.command("formats")
def formats(json: JsonOption = None) -> None:
    """List the formats, with what each can do; `vecsim formats MATRIX` gives their bytes."""
    from gpu.format_registry import FORMATS

    output = Output(json)
    rows = (
        (
            each.name,
            ", ".join(each.aliases) or None,
            "yes" if each.has_image else None,
            "yes" if each.takes_insertion else None,
            "yes" if each.for_gpu else None,
            each.summary,
            each.source,
        )
        for each in FORMATS.values()
    )
    columns = ["format", "also", "memory image", "insertion", "made for GPUs", "what it is", "described by"]
    output.table(fill(table(columns), rows))
    output.finish(
        "vecsim list formats", {"formats": {name: described(each) for name, each in FORMATS.items()}}
    )


@lists.command("programs")
def programs(json: JsonOption = None) -> None:
    """List the programs with their options."""
    from programs.registry import PROGRAMS

    output = Output(json)
    rows = ((p.name, p.title, p.summary, p.folder) for p in PROGRAMS.values())
    output.table(fill(table(["program", "title", "what it is", "folder"]), rows))
    options = [
        (p.name, option.name, ", ".join(option.takes), option.default, option.summary)
        for p in PROGRAMS.values()
        for option in p.options
    ]
    columns = ["program", "option", "values", "default", "what it decides"]
    output.table(fill(table(columns), options))
    output.finish("vecsim list programs", {"programs": [_program(program) for program in PROGRAMS.values()]})


def _program(program: SmvmProgram) -> dict[str, Any]:
    from programs.declaration import SCHEDULE

    return {
        "name": program.name,
        "title": program.title,
        "summary": program.summary,
        "format": program.format,
        "sources": {schedule: str(program.text(schedule).file) for schedule in SCHEDULE.values},
        "options": [
            {
                "name": option.name,
                "values": list(option.takes),
                "default": option.default,
                "summary": option.summary,
            }
            for option in program.options
        ],
    }


@lists.command("extensions")
def extensions(json: JsonOption = None) -> None:
    """List the extensions of the machine that come with vecsim, and the numbers that they add."""
    from vecsim.machine import extensions_of
    from vecsim.machine.extension_files import shipped

    output = Output(json)
    results = extensions_of(shipped())
    output.table(fill(table(["extension", "what it adds"]), ((e.name, e.description) for e in results)))
    numbers = [(f"{e.name}.{n.name}", str(n.default), n.description) for e in results for n in e.numbers]
    output.table(fill(table(["number", "default", "what it is"]), numbers))
    output.text("`--extend NAME` adds one; docs/extending-time.md describes how to write one")
    messages = [
        {
            "name": e.name,
            "description": e.description,
            "numbers": {n.name: n.default for n in e.numbers},
            "counters": {c.name: c.description for c in e.counters},
        }
        for e in results
    ]
    output.finish("vecsim list extensions", {"extensions": messages})


@lists.command("experiments")
def experiments(json: JsonOption = None) -> None:
    """List the tables and figures of papers that `vecsim reproduce` makes again."""
    from experiments.papers.kit.registry import PAPERS

    output = Output(json)
    results = [(paper, experiment) for paper in PAPERS for experiment in paper.experiments]
    rows = ((e.name, e.title, e.shows) for _, e in results)
    output.table(fill(table(["experiment", "in the paper", "what it shows"]), rows))
    for paper in PAPERS:
        output.text(f"{paper.name}: {paper.source}")
    output.text("`vecsim reproduce NAME...` takes experiments, a paper for all its experiments, or --all")
    output.finish(
        "vecsim list experiments",
        {
            "experiments": [
                {"name": e.name, "paper": paper.name, "title": e.title, "shows": e.shows}
                for paper, e in results
            ],
            "papers": [{"name": paper.name, "source": paper.source} for paper in PAPERS],
        },
    )
