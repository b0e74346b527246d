"""``vecsim why``: where the cycles of a product go, what bounds them, what would help."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import options
from vecsim.cli.printing.console import fill, table
from vecsim.cli.printing.hot import bar, hot_table
from vecsim.cli.printing.output import Output
from vecsim.cli.products import chosen_options, chosen_programs, load_matrix
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.cause import label
from vecsim.support.progress import Progress

if TYPE_CHECKING:
    from rich.table import Table

    from experiments.whatif.why import Explanation

HOTTEST = 8
"""Instructions that are shown if the user does not say."""


def why(
    matrix: Annotated[str | None, options.matrix_argument()] = None,
    program: options.ProgramOption = None,
    format_: options.FormatOption = None,
    like: options.LikeOption = None,
    option: options.ChoiceOption = None,
    machine: options.MachineOption = "vs2003",
    set_: options.SetOption = None,
    extend: options.ExtendOption = None,
    engine: options.EngineOption = DEFAULT_ENGINE,
    seed: options.SeedOption = 0,
    value_bits: options.ValueBitsOption = 32,
    hot: Annotated[
        int, typer.Option("--hot", min=1, help="Number of instructions to show, the most expensive first.")
    ] = HOTTEST,
    listing: options.ListingOption = False,
    json: options.JsonOption = None,
) -> None:
    """Explain the cycles of sparse matrix-vector products.

    An instruction's cycles are those between the retirement of all older ones and its retirement. Possible
    improvements are simulated, each alone and all together.
    """
    from experiments.whatif.why import why as explained
    from vecsim.data import values_as
    from vecsim.machine.recorded import machine_files

    width = options.value_bytes(value_bits)
    chosen = chosen_programs(program, like, format_)
    choices = chosen_options(chosen, option or ())
    described = options.chosen_machine(machine, set_, extend)
    output = Output(json, inputs=[matrix] if matrix else [])
    loaded = load_matrix(matrix)
    files = machine_files(described)
    values, _ = values_as(loaded.csr, width)
    matrices = [replace(loaded, csr=values).to_dict()]
    results: list[Explanation] = []
    with Progress() as progress:
        for number, name in enumerate(chosen):

            def step(doing: str, share: float, number: int = number) -> None:
                progress.show(doing, (number + share) / len(chosen))

            how: dict[str, Any] = {"value_bits": value_bits, "seed": seed, "engine": engine}
            results.append(explained(name, loaded, described, options=choices[name], step=step, **how))
    for each in results:
        output.text(each.in_words())
    for each in results:
        schedule = each.options.get("schedule", "user-defined")
        output.text(f"{each.program}, {schedule}; machine {each.machine.label_with_digest}")
        output.table(hot_table(each.lines, hot, listing))
        output.table(_causes(each))
        output.table(_bounds(each))
        output.table(_ablations(each))
    files += tuple(file for each in results for file in each.files) + loaded.files
    message = {
        "matrices": matrices,
        "files": [file.to_dict() for file in files],
        "seed": seed,
        "explanations": [each.to_dict() for each in results],
    }
    output.finish("vecsim why", message)


def _causes(results: Explanation) -> Table:
    result = table(["cycles by cause"], ["cycles", "share"], last=" ")
    named = ((label(name), cycles) for name, cycles in results.causes.items() if cycles)
    shares = ((label, cycles, cycles / results.cycles) for label, cycles in named)
    return fill(result, ((label, cycles, f"{share:.1%}", bar(share)) for label, cycles, share in shares))


def _bounds(results: Explanation) -> Table:
    result = table(["lower bound"], ["amount", "least cycles", "of all"], last="in a cycle")
    return fill(
        result,
        (
            (bound.name, bound.amount, bound.cycles, f"{bound.cycles / results.cycles:.1%}", bound.rate)
            for bound in results.bounds
        ),
    )


def _ablations(results: Explanation) -> Table:
    shown = (*results.ablations, *((results.wider,) if results.wider else ()))
    most = max(each.speedup for each in shown)
    result = table(["what would help"], ["cycles", "times as fast"], last=" ")
    rows = []
    for each in shown:
        gained = (each.speedup - 1) / (most - 1) if most > 1 and each.speedup > 1 else 0.0
        rows.append((each.name, each.cycles, f"{each.speedup:.2f}" if each.settings else None, bar(gained)))
    return fill(result, rows)
