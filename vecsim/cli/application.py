"""The command ``vecsim``: its commands put together, and how each run of it ends."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Annotated, Any

import typer

from vecsim import __version__
from vecsim.cli.commands.assemble import asm, disasm
from vecsim.cli.commands.calibrate import calibrate
from vecsim.cli.commands.course import course
from vecsim.cli.commands.crosscheck import crosscheck
from vecsim.cli.commands.debug import debug
from vecsim.cli.commands.execute import execute
from vecsim.cli.commands.export import export
from vecsim.cli.commands.formats import formats
from vecsim.cli.commands.gpu import gpu
from vecsim.cli.commands.grade import grade
from vecsim.cli.commands.lists import lists
from vecsim.cli.commands.machine import machines
from vecsim.cli.commands.optimise import optimise
from vecsim.cli.commands.playground import playground
from vecsim.cli.commands.reference import reference
from vecsim.cli.commands.reorder import reorder
from vecsim.cli.commands.reproduce import reproduce
from vecsim.cli.commands.results import compare, rerun
from vecsim.cli.commands.run import run
from vecsim.cli.commands.sweep import explain, sweep
from vecsim.cli.commands.view import view
from vecsim.cli.commands.why import why
from vecsim.cli.printing.console import warn
from vecsim.cli.printing.streams import in_one_line, prepare_streams
from vecsim.support.claimed_files import files_of_one_command
from vecsim.support.errors import AssemblyError, MatrixWarning, UserError, UserErrors
from vecsim.support.shown_text import printable

MISTAKE = 2
"""Exit code when something the user gave is wrong."""
INTERRUPTED = 130
READER_GONE = 141
"""What a shell reports of a program that wrote to a closed pipe."""
COMPLETES = "_VECSIM_COMPLETE"
"""The environment variable with which a shell asks for completions of what was typed."""

COMMANDS: dict[str, Callable[..., None] | typer.Typer] = {
    "run": run,
    "exec": execute,
    "debug": debug,
    "course": course,
    "grade": grade,
    "playground": playground,
    "why": why,
    "reorder": reorder,
    "view": view,
    "sweep": sweep,
    "explain": explain,
    "optimise": optimise,
    "compare": compare,
    "rerun": rerun,
    "export": export,
    "asm": asm,
    "disasm": disasm,
    "isa": reference,
    "machine": machines,
    "formats": formats,
    "crosscheck": crosscheck,
    "reproduce": reproduce,
    "calibrate": calibrate,
    "list": lists,
    "gpu": gpu,
}
"""The commands, and the groups of commands, in the order of the help."""


@cache
def command_line(*names: str) -> Any:
    """Put commands together; by default all.

    Reading the options of all takes longer than many commands, so a run reads only those of its command.

    Parameters
    ----------
    names
        Of `COMMANDS`.

    Returns
    -------
    click.Group
        ``vecsim``, with these commands.
    """
    app = typer.Typer(
        name="vecsim",
        help="A vector machine with sparse-matrix instructions: "
        "a matrix in, the cycles of five products out.",
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
    )
    for name in names or COMMANDS:
        command = COMMANDS[name]
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    app.callback(invoke_without_command=True)(_begin)
    return typer.main.get_command(app)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"vecsim {__version__}")
        raise typer.Exit


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
    """Run a command. Outside stand-alone mode only shell completion and a closed pipe become SystemExit."""
    try:
        return int(_named(arguments).main(args=arguments, prog_name="vecsim", standalone_mode=False) or 0)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except SystemExit as end:
        if COMPLETES in os.environ or {"--install-completion", "--show-completion"} & set(arguments):
            return int(end.code or 0)
        raise
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        raise UserError(_usage(error, arguments)) from None


def _named(arguments: Sequence[str]) -> Any:
    """Return the command line with the command that arguments name; with all where they may name another."""
    return command_line(*(name for name in arguments[:1] if name in COMMANDS and COMPLETES not in os.environ))


def _usage(error: Any, arguments: Sequence[str]) -> str:
    """Word a usage error of typer (its class has no public name in every version)."""
    path, command = _command(arguments)
    message = str(error.format_message()).rstrip(".")
    option = getattr(error, "option_name", None)
    if message.endswith("requires an argument"):
        kinds = next((p.metavar for p in command.params if option in p.opts and p.metavar), "VALUE")
        message = (
            f"{option} needs a value: write {' or '.join(f'{option} {kind}' for kind in kinds.split('|'))}"
        )
    return f"{message}; see `{path} --help`"


def _command(arguments: Sequence[str]) -> tuple[str, Any]:
    """Return the command that arguments name, with its full name: an error does not always know it."""
    command = _named(arguments)
    path = ["vecsim"]
    for argument in arguments:
        inner = getattr(command, "commands", {}).get(argument)
        if inner is None:
            break
        command = inner
        path.append(argument)
    return " ".join(path), command


def ended(run: Callable[[], int]) -> int:
    """Run a command and say how it ended.

    Parameters
    ----------
    run
        Returns 0, or 1 if a result is not good enough. Its `SystemExit` means a closed pipe.

    Returns
    -------
    int
        What ``run`` gave; 2, with a line on stderr for each mistake, if something the user gave is wrong; 130
        if interrupted.
    """
    prepare_streams()
    try:
        with files_of_one_command(), _warnings_in_one_line():
            code = run()
        sys.stdout.flush()
    except AssemblyError as error:
        return max(map(_mistake, _assembly_messages(error)))
    except UserErrors as error:
        return max(_mistake(in_one_line(line)) for line in error.lines)
    except UserError as error:
        return _mistake(in_one_line(str(error)))
    except MemoryError:
        return _mistake("not enough memory on this computer for what was asked")
    except KeyboardInterrupt:
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):
        return _reader_gone()
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return _mistake(in_one_line(f"{name}{error.strerror or error}"))
    return code


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    """Show what warns of changed values as the command line does: a line, without the place in the code."""
    shown = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
        if not issubclass(category, MatrixWarning):
            shown(message, category, *rest, **more)
            return

        warn(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", MatrixWarning)
        warnings.showwarning = show
        yield


def _assembly_messages(error: AssemblyError) -> Iterator[str]:
    for each in (error, *error.following):
        reason, text, caret = each.alone()
        yield "\n".join((in_one_line(reason), printable(text), caret))
    yield from map(in_one_line, error.rest())


def _mistake(message: str) -> int:
    print(f"vecsim: error: {message}", file=sys.stderr)
    return MISTAKE


def _reader_gone() -> int:
    # What is still buffered must not be written, or the interpreter complains at its end.
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    return READER_GONE
