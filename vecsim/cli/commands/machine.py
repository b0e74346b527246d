"""``vecsim machine``: the presets, one machine in full, and whether a description is valid."""

from __future__ import annotations

from typing import Annotated

import typer

from vecsim.cli import completion
from vecsim.cli.options import ExtendOption, JsonOption, SetOption, chosen_machine
from vecsim.cli.printing.console import fill, table
from vecsim.cli.printing.output import Output
from vecsim.support.shown_text import printable

machines = typer.Typer(
    help="List, show and check machine descriptions. A machine file states its numbers, or only those that "
    "differ from the preset that it names as based_on."
)

SHOWN = (
    "section_size",
    "vector_registers",
    "memory_ports",
    "words_per_cycle",
    "addresses_per_cycle",
    "banks",
    "lanes",
    "peak_bytes_per_cycle",
)
"""What the list of presets shows of each."""


@machines.command("list")
def list_presets(json: JsonOption = None) -> None:
    """List the presets."""
    from vecsim.machine import load_machine, presets

    output = Output(json)
    results = [load_machine(name) for name in presets()]
    rows = ([machine.name, *(getattr(machine, field) for field in SHOWN)] for machine in results)
    output.table(fill(table(["preset"], [field.replace("_", "\n") for field in SHOWN]), rows))
    output.finish("vecsim machine list", {"machines": [machine.to_dict() for machine in results]})


@machines.command("show")
def show(
    name: Annotated[
        str,
        typer.Argument(metavar="PRESET|FILE.toml", help="The machine.", autocompletion=completion.presets),
    ],
    set_: SetOption = None,
    extend: ExtendOption = None,
    json: JsonOption = None,
) -> None:
    """Print a machine as TOML, with the meaning of each number, its preset and the differences from that.

    The output is a machine file: edit it and use it with --machine.
    """
    from vecsim.machine import to_toml

    output = Output(json, inputs=[name])
    machine = chosen_machine(name, set_, extend)
    output.text(to_toml(machine).rstrip())
    output.finish("vecsim machine show", {"machine": machine.to_dict()})


@machines.command("check")
def check(
    file: Annotated[str, typer.Argument(metavar="FILE.toml", help="A machine description.")],
    set_: SetOption = None,
    extend: ExtendOption = None,
) -> None:
    """Check a machine description; exit code 2 and the reason if it is not valid."""
    from vecsim.engines.user_rules import check_user_rules
    from vecsim.machine import load_machine

    machine = load_machine(file, set_ or (), extend or ())
    check_user_rules(machine.extensions)
    typer.echo(printable(f"{file}: a valid machine: {machine.label_with_digest}"))
    if machine.origin.taken:
        typer.echo(f"from {machine.based_on}, not stated in the file: {', '.join(machine.origin.taken)}")
