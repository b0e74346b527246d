"""``vecsim reorder``: search for a faster order of a program's instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from vecsim.cli import completion, options
from vecsim.cli.printing.console import fill, table
from vecsim.cli.printing.output import Output
from vecsim.cli.products import chosen_options, chosen_programs, load_matrix
from vecsim.support.progress import Progress

if TYPE_CHECKING:
    from experiments.whatif.reorder.search import Found

MATRICES = ("laplace2d-30", "randomwalk-40", "boundary-1000", "stencil27-10", "dense-260", "debruijn-10")
"""Short rows, one long row, long rows, all dense, scattered; of similar size: programs have one shape."""
MOST = 1200
"""Orders of a program that are run if the user does not say."""


def reorder(
    matrix: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MATRIX...",
            help="Matrices that decide, of similar size; the first decides which blocks are hot. Default: "
            "six generated ones.",
            autocompletion=completion.matrices,
        ),
    ] = None,
    program: options.ProgramOption = None,
    like: options.LikeOption = None,
    option: options.ChoiceOption = None,
    machine: options.MachineOption = "vs2003",
    set_: options.SetOption = None,
    extend: options.ExtendOption = None,
    in_blocks: Annotated[
        bool,
        typer.Option(
            "--in-blocks", help="Keep instructions in their basic block, as for the schedule plain."
        ),
    ] = False,
    restarts: Annotated[
        int, typer.Option("--restarts", min=0, help="Number of random orders to begin with as well.")
    ] = 0,
    most: Annotated[int, typer.Option("--most", min=1, help="Run at most N orders of a program.")] = MOST,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the search.")] = 0,
    listing: Annotated[
        bool, typer.Option("--listing", help="Show the lines of the program in the fastest order.")
    ] = False,
    json: options.JsonOption = None,
) -> None:
    """Search for a faster order of a program's instructions.

    Instructions move in their basic block and into the blocks before it, and blocks are copied to where a
    branch leads to them. Each order runs on all matrices, on poisoned memory. An order that changes a bit
    of a result does not count.
    """
    from experiments.whatif.reorder.search import search
    from programs.declaration import SCHEDULE
    from programs.measurement import prepare_product

    chosen = chosen_programs(program, like)
    choices = chosen_options(chosen, option or ())
    described = options.chosen_machine(machine, set_, extend)
    output = Output(json, inputs=matrix or [])
    matrices = [load_matrix(name) for name in matrix or MATRICES]
    results: list[tuple[str, Found]] = []
    with Progress() as progress:
        for number, name in enumerate(chosen):
            prepared = [
                (prepare_product(name, each, described, options=choices[name]), described)
                for each in matrices
            ]

            def step(tried: int, ratio: float, number: int = number, name: str = name) -> None:
                words = f"{name}: {tried} orders, the fastest takes {ratio:.4f} of the cycles"
                progress.show(words, (number + tried / most) / len(chosen))

            across = not in_blocks and choices[name].get(SCHEDULE.name) != "plain"
            fastest = search(prepared, across=across, restarts=restarts, most=most, seed=seed, step=step)
            results.append((name, fastest))
    heads = ["cycles", "fastest", "ratio", "orders", "wrong"]
    rows = [
        (name, sum(fastest.before), sum(fastest.after), f"{fastest.ratio:.4f}", fastest.tried, fastest.wrong)
        for name, fastest in results
    ]
    output.text(f"machine {described.label_with_digest}; {', '.join(each.name for each in matrices)}")
    output.table(fill(table(["program"], heads), rows))
    for name, fastest in results:
        for words in fastest.words:
            output.text(f"{name}: {words}")
        if listing:
            output.text("\n".join(f"{line.line:5}  {line.text}" for line in fastest.program.source))
    output.finish(
        "vecsim reorder",
        {
            "machine": described.to_dict(),
            "matrices": [each.to_dict() for each in matrices],
            "seed": seed,
            "programs": [
                {"program": name, "options": dict(choices[name]), **fastest.to_dict()}
                for name, fastest in results
            ],
        },
    )
