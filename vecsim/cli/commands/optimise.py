"""``vecsim optimise``: the best machine under a limit of cost, or the front of cycles and cost."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import completion, options
from vecsim.cli.printing.console import fill, table, tell, warn
from vecsim.cli.printing.output import Output
from vecsim.cli.products import chosen_programs
from vecsim.support.progress import Progress
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from rich.table import Table

    from experiments.whatif.optimise import Answer, Optimum

SPECIFICATION = ".toml"
MOST_SHOWN = 20
"""Machines of a front that are printed; the file has all."""
CERTAINTY = {
    "exact": "exact: every machine within the limit was timed",
    "local": "searched: no machine that differs in one number, or in two by one value each, is better",
    "spent": "searched until the budget was spent: with a larger --budget there may be better ones",
}


def optimise(
    context: typer.Context,
    given: Annotated[
        list[str],
        typer.Argument(
            metavar="SPEC.toml|MATRIX...",
            help="A specification file (docs/reference/optimise.md), which other arguments and options "
            "change; or matrices as for `vecsim run`.",
            autocompletion=completion.matrices,
        ),
    ],
    program: options.ProgramOption = None,
    like: options.LikeOption = None,
    machine: options.MachineOption = "vs2003",
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUES",
            help="Values to choose from, as for `vecsim sweep`: banks=8,16,32, startup=0:40:10 or "
            "section_size=16:256:x2; also option.schedule=plain,pipelined. Repeatable.",
        ),
    ] = None,
    extend: options.ExtendOption = None,
    limit: Annotated[
        float | None, typer.Option("--limit", metavar="COST", help="What a machine may cost, at most.")
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option(
            "--goal",
            metavar="cycles|front",
            help="cycles: the fastest machine; front: every machine that is faster than all that are as "
            "cheap or cheaper. Default cycles.",
        ),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="N", help="Time at most N machines; default 100000."),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of the search; default 0.")] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Threads; default as many as there are cores.")
    ] = None,
    gpu: Annotated[
        bool,
        typer.Option("--gpu", help="Time machines on an NVIDIA GPU (docs/reference/many-machines.md)."),
    ] = False,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="DIR", help="Folder for the machines (CSV, JSON) and the fastest one (TOML)."
        ),
    ] = None,
    json: options.JsonOption = None,
) -> None:
    """Search for the fastest machine within a limit of cost, or for the front of cycles and cost."""
    from experiments.report.folder import check_folder
    from experiments.whatif.optimise import optimise as search
    from experiments.whatif.sweep import Sweep
    from vecsim.results.result_folder import write_folder

    stated: dict[str, Any] = {
        "programs": tuple(chosen_programs(program, like)) if program or like else None,
        "machine": machine if _is_stated(context, "machine") else None,
        "extend": extend,
        "set": set_,
    }
    stated = {name: value for name, value in stated.items() if value is not None}
    what: Sweep | str
    if given[0].endswith(SPECIFICATION):
        what = given[0]
        stated |= {"matrices": tuple(given[1:])} if given[1:] else {}
    else:
        what, stated = Sweep(matrices=tuple(given), **stated), {}
    folder = None if out is None else check_folder(out, (".csv", ".json", SPECIFICATION))
    output = Output(json, inputs=[given[0]] if isinstance(what, str) else [])
    began = time.monotonic()
    with Progress() as progress:

        def watch(done: int, most: int) -> None:
            rate = done / max(time.monotonic() - began, 1e-9)
            progress.show(f"{done:,} of {counted(most, 'machine')}, {rate:,.0f} a second", done / most)

        result = search(
            what, limit=limit, goal=goal, budget=budget, seed=seed, jobs=jobs, gpu=gpu, watch=watch, **stated
        )
    seconds = time.monotonic() - began
    _show(result, output, seconds)
    if folder is not None:
        files = result.folder_files()
        write_folder(folder, files)
        tell(f"{', '.join(files)} are in {out}")
    output.finish("vecsim optimise", result.to_dict())


def _is_stated(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _show(result: Optimum, output: Output, seconds: float) -> None:
    output.table(_machines(result))
    if len(result.answers) == 1 and len(result.best.cycles) > 1:
        output.table(_products(result.best, result.base))
    within = "" if result.within is None else f", {result.within:,} within the limit"
    output.text(
        f"{counted(result.combinations, 'machine')}{within}; {result.evaluations:,} were timed in "
        f"{seconds:.1f} s"
    )
    output.text(CERTAINTY[result.certainty])
    answers = "it" if len(result.answers) == 1 else f"all {len(result.answers)} of the front"
    output.text(f"the engine {result.engine} ran {answers} again: the same cycles")
    if result.fault:
        warn(f"some machines have no result; the first: {result.fault}")


def _machines(result: Optimum) -> Table:
    """Return the machines: of a long front some, the first and the last among them."""
    answers, last = result.answers, len(result.answers) - 1
    some = {round(each * last / (MOST_SHOWN - 1)) for each in range(MOST_SHOWN)}
    rows: list[tuple[object, ...]] = [
        (f"{each.cost:.2f}", _mean(each), _ratio(each.mean, result.base), _chosen(each))
        for at, each in enumerate(answers)
        if at in some or len(answers) <= MOST_SHOWN
    ]
    if result.base is not None:
        rows.append((f"{result.base.cost:.2f}", _mean(result.base), "1.000", "the machine as it is"))
    head = "cycles,\ngeometric mean" if len(result.best.cycles) > 1 else "cycles"
    return fill(table([], ["cost", head, "ratio"], last="machine"), rows)


def _products(best: Answer, base: Answer | None) -> Table:
    """Return what each program takes on the best machine."""
    rows = [
        (matrix, program, cycles, None if base is None else f"{cycles / base.cycles[matrix, program]:.3f}")
        for (matrix, program), cycles in best.cycles.items()
    ]
    return fill(table(["matrix", "program"], ["cycles", "ratio"]), rows)


def _mean(answer: Answer) -> object:
    return round(answer.mean) if len(answer.cycles) == 1 else f"{answer.mean:,.1f}"


def _ratio(mean: float, base: Answer | None) -> str | None:
    return None if base is None else f"{mean / base.mean:.3f}"


def _chosen(answer: Answer) -> str:
    return ", ".join(f"{name}={str(value).lower()}" for name, value in answer.chosen.items())
