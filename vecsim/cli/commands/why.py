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
    like: options.LikeOption = None,
    option: options.ChoiceOption = None,
    machine: options.MachineOption = "vs2003",
    set_: options.SetOption = None,
    extend: options.ExtendOption = None,
    engine: options.EngineOption = DEFAULT_ENGINE,
    seed: options.SeedOption = 0,
    value_bits: options.ValueBitsOption = 32,
    hot: Annotated[
        int, typer.Option("--hot", min=1, help="How many instructions to show, the costliest first.")
    ] = HOTTEST,
    listing: options.ListingOption = False,
    json: options.JsonOption = None,
) -> None:
    """Explain the cycles of sparse matrix-vector products.

    An instruction's cycles lie between the retirement of all older ones and its own. What would help is run,
    each change alone and all together.
    """
    from experiments.whatif.why import why as explained
    from vecsim.data import values_as
    from vecsim.machine.recorded import machine_files

    width = options.value_bytes(value_bits)
    chosen = chosen_programs(program, like)
    choices = chosen_options(chosen, option or ())
    described = options.chosen_machine(machine, set_, extend)
    output = Output(json, inputs=[matrix] if matrix else [])
    loaded = load_matrix(matrix)
    files = machine_files(described)
    values, _ = values_as(loaded.csr, width)
    matrices = [replace(loaded, csr=values).to_dict()]
    found: list[Explanation] = []
    with Progress() as progress:
        for number, name in enumerate(chosen):

            def step(doing: str, share: float, number: int = number) -> None:
                progress.show(doing, (number + share) / len(chosen))

            how: dict[str, Any] = {"value_bits": value_bits, "seed": seed, "engine": engine}
            found.append(explained(name, loaded, described, options=choices[name], step=step, **how))
    for each in found:
        output.text(each.in_words())
    for each in found:
        schedule = each.options.get("schedule", "of your own")
        output.text(f"{each.program}, {schedule}; machine {each.machine.label_with_digest}")
        output.table(hot_table(each.lines, hot, listing))
        output.table(_causes(each))
        output.table(_bounds(each))
        output.table(_ablations(each))
    files += tuple(file for each in found for file in each.files) + loaded.files
    told = {
        "matrices": matrices,
        "files": [file.to_dict() for file in files],
        "seed": seed,
        "explanations": [each.to_dict() for each in found],
    }
    output.finish("vecsim why", told)


def _causes(found: Explanation) -> Table:
    made = table(["cycles by cause"], ["cycles", "share"], last=" ")
    named = ((label(name), cycles) for name, cycles in found.causes.items() if cycles)
    shares = ((label, cycles, cycles / found.cycles) for label, cycles in named)
    return fill(made, ((label, cycles, f"{share:.1%}", bar(share)) for label, cycles, share in shares))


def _bounds(found: Explanation) -> Table:
    made = table(["lower bound"], ["amount", "least cycles", "of all"], last="in a cycle")
    return fill(
        made,
        (
            (bound.name, bound.amount, bound.cycles, f"{bound.cycles / found.cycles:.1%}", bound.rate)
            for bound in found.bounds
        ),
    )


def _ablations(found: Explanation) -> Table:
    shown = (*found.ablations, *((found.wider,) if found.wider else ()))
    most = max(each.speedup for each in shown)
    made = table(["what would help"], ["cycles", "times as fast"], last=" ")
    rows = []
    for each in shown:
        gained = (each.speedup - 1) / (most - 1) if most > 1 and each.speedup > 1 else 0.0
        rows.append((each.name, each.cycles, f"{each.speedup:.2f}" if each.settings else None, bar(gained)))
    return fill(made, rows)
