"""The command ``vecsim``: its commands put together."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from vecsim import __version__
from vecsim.cli.assemble import asm, disasm
from vecsim.cli.calibrate import calibrate
from vecsim.cli.crosscheck import crosscheck
from vecsim.cli.ending import ended
from vecsim.cli.execute import execute
from vecsim.cli.formats import formats
from vecsim.cli.gpu import gpu
from vecsim.cli.lists import lists
from vecsim.cli.machine import machines
from vecsim.cli.reference import reference
from vecsim.cli.reproduce import reproduce
from vecsim.cli.run import run
from vecsim.errors import UserError

app = typer.Typer(
    name="vecsim",
    help="A vector machine with sparse-matrix instructions: a matrix in, the cycles of five products out.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("run")(run)
app.command("exec")(execute)
app.command("asm")(asm)
app.command("disasm")(disasm)
app.command("isa")(reference)
app.add_typer(machines, name="machine")
app.command("formats")(formats)
app.command("crosscheck")(crosscheck)
app.command("reproduce")(reproduce)
app.command("calibrate")(calibrate)
app.add_typer(lists, name="list")
app.add_typer(gpu, name="gpu")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"vecsim {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _begin(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and say how it ended.

    Parameters
    ----------
    arguments
        What follows the command's name; by default the process's own.

    Returns
    -------
    int
        0; 1 if a result is not good enough; 2 if something the user gave is wrong; 130 if interrupted.
    """
    return ended(lambda: _run(sys.argv[1:] if arguments is None else list(arguments)))


def _run(arguments: list[str]) -> int:
    """Run a command. A closed pipe becomes SystemExit: outside stand-alone mode nothing else does."""
    try:
        return int(app(args=arguments, prog_name="vecsim", standalone_mode=False) or 0)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        raise UserError(_usage(error)) from None


def _usage(error: Exception) -> str:
    """Word a usage error of typer (its class has no public name in every version)."""
    message = str(getattr(error, "format_message")())  # noqa: B009
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "vecsim"
    return f"{message.rstrip('.')}; see `{command} --help`"
