"""``vecsim list``: the matrices and programs that come with vecsim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from vecsim.cli.console import fill, table
from vecsim.cli.options import JsonOption

if TYPE_CHECKING:
    from programs.registry import SmvmProgram

lists = typer.Typer(help="List what comes with vecsim.")


@lists.command("matrices")
def matrices(json: JsonOption = None) -> None:
    """List the built-in matrices; in a family, N stands for a number."""
    from vecsim.cli.output import Output
    from vecsim.data import BUILTINS, DEFAULT_BUILTIN

    output = Output(json)
    found = [
        {
            "name": builtin.name,
            "smallest": builtin.limits[0] if builtin.is_family else None,
            "largest": builtin.limits[1] if builtin.is_family else None,
            "description": builtin.description,
            "source": builtin.source,
        }
        for builtin in BUILTINS.values()
    ]
    rows = (
        (
            b["name"],
            f"{b['smallest']} to {b['largest']}" if b["largest"] else None,
            b["description"],
            b["source"],
        )
        for b in found
    )
    output.table(fill(table(["name", "N", "what it is", "defined by"]), rows))
    output.text(f"without a matrix, commands take {DEFAULT_BUILTIN}")
    output.finish({"matrices": found, "default": DEFAULT_BUILTIN})


@lists.command("programs")
def programs(json: JsonOption = None) -> None:
    """List the programs with their options."""
    from programs.registry import PROGRAMS
    from vecsim.cli.output import Output

    output = Output(json)
    rows = ((p.name, p.title, p.summary, p.source) for p in PROGRAMS.values())
    output.table(fill(table(["program", "title", "what it is", "source"]), rows))
    options = [
        (p.name, option.name, ", ".join(option.values), option.default, option.summary)
        for p in PROGRAMS.values()
        for option in p.options
    ]
    columns = ["program", "option", "values", "default", "what it decides"]
    output.table(fill(table(columns), options))
    output.finish({"programs": [_program(program) for program in PROGRAMS.values()]})


def _program(program: SmvmProgram) -> dict[str, Any]:
    return {
        "name": program.name,
        "title": program.title,
        "summary": program.summary,
        "source": str(program.source),
        "options": [
            {
                "name": option.name,
                "values": list(option.values),
                "default": option.default,
                "summary": option.summary,
            }
            for option in program.options
        ],
    }
