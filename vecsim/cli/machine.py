"""``vecsim machine``: the presets, one machine in full, and whether a description is valid."""

from __future__ import annotations

from typing import Annotated

import typer

from vecsim.cli.console import fill, table
from vecsim.cli.options import JsonOption, SetOption

machines = typer.Typer(help="List, show and check machine descriptions.")

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
    from vecsim.cli.output import Output
    from vecsim.machine import load_machine, presets

    output = Output(json)
    found = [load_machine(name) for name in presets()]
    rows = ([machine.name, *(getattr(machine, field) for field in SHOWN)] for machine in found)
    output.table(fill(table(["preset"], [field.replace("_", "\n") for field in SHOWN]), rows))
    output.finish({"machines": [machine.model_dump() for machine in found]})


@machines.command("show")
def show(
    name: Annotated[str, typer.Argument(metavar="PRESET|FILE.toml", help="The machine.")],
    set_: SetOption = None,
    json: JsonOption = None,
) -> None:
    """Print a machine as TOML, with what each number means."""
    from vecsim.cli.output import Output
    from vecsim.machine import load_machine, to_toml

    output = Output(json, inputs=[name])
    machine = load_machine(name, set_ or ())
    output.text(to_toml(machine).rstrip())
    output.finish(machine.model_dump())


@machines.command("check")
def check(
    file: Annotated[str, typer.Argument(metavar="FILE.toml", help="A machine description.")],
    set_: SetOption = None,
) -> None:
    """Say whether a machine description is valid; exit code 2 and the reason if it is not."""
    from vecsim.machine import load_machine

    machine = load_machine(file, set_ or ())
    typer.echo(f"{file}: a valid machine, {machine.name} (section size {machine.section_size})")
