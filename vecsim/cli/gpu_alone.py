"""``python -m vecsim gpu`` from a checkout with NumPy, SciPy, Numba and numba-cuda alone.

A machine with a GPU is often bare, and installing on it not always allowed. The same commands as in
`vecsim.cli.commands.gpu`, read by argparse; tables come as plain text (`vecsim.cli.printing.console`).
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from vecsim.cli.commands import gpu_commands
from vecsim.cli.ending import ended
from vecsim.support.decimal_text import finite_number
from vecsim.support.errors import UserError

COMMANDS: dict[str, Callable[..., int | None]] = {
    "info": gpu_commands.info,
    "ceilings": gpu_commands.ceilings,
    "bench": gpu_commands.bench,
    "check": gpu_commands.check,
    "tune": gpu_commands.tune,
}


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are mistakes like all others."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; see `{self.prog} --help`")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``vecsim gpu`` and say how it ended, as `vecsim.cli.application.main` does."""
    return ended(lambda: _run(sys.argv[1:] if arguments is None else list(arguments)))


def _run(arguments: list[str]) -> int:
    if arguments[:1] != ["gpu"]:
        raise UserError("typer is missing, without which there is `vecsim gpu` alone: pip install .")
    try:
        options = vars(_parser().parse_args(arguments[1:]))
    except SystemExit:  # help has been printed
        return 0
    return COMMANDS[options.pop("command")](**options) or 0


def _parser() -> _Parser:
    parser = _Parser(prog="vecsim gpu", description=gpu_commands.HELP, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        about = inspect.cleandoc(command.__doc__ or "")
        made = commands.add_parser(name, help=about.splitlines()[0], description=about, allow_abbrev=False)
        made.add_argument("--json", metavar="FILE|-", help="Write the results as JSON.")
        if command in (gpu_commands.bench, gpu_commands.check):
            made.add_argument("--only", metavar="CLASS|MATRIX", help=gpu_commands.ONLY_HELP)
        if command is gpu_commands.check:
            made.add_argument(
                "--format", action="append", dest="formats", metavar="NAME", help=gpu_commands.FORMAT_HELP
            )
            made.add_argument("--seconds", type=_finite, metavar="N", help=gpu_commands.SECONDS_HELP)
        if command is gpu_commands.tune:
            _add_tuning(made)
        if command is gpu_commands.bench:
            made.add_argument("--quick", action="store_true", help=gpu_commands.QUICK_HELP)
    return parser


def _finite(text: str) -> float:
    """Read an option's value, with a message of its own if it is no finite number of 0 or more."""
    try:
        return finite_number(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _add_tuning(made: argparse.ArgumentParser) -> None:
    made.add_argument("matrix", metavar="MATRIX|FILE.npz|MESH")
    made.add_argument("--entry", default="complex", metavar="NAME", help=gpu_commands.ENTRY_HELP)
    made.add_argument("--bits", type=int, default=32, metavar="32|64", help=gpu_commands.BITS_HELP)
    seconds, weight = gpu_commands.SECONDS_HELP, gpu_commands.MEMORY_HELP
    made.add_argument(
        "--seconds", type=_finite, default=gpu_commands.TUNING_SECONDS, metavar="N", help=seconds
    )
    made.add_argument("--memory-weight", type=_finite, default=0.0, metavar="WEIGHT", help=weight)
    made.add_argument("--store", metavar="FILE", help=gpu_commands.STORE_HELP)
    made.add_argument("--schedule-only", action="store_true", help=gpu_commands.SCHEDULE_HELP)
    made.add_argument("--exhaustive", action="store_true", help=gpu_commands.EXHAUSTIVE_HELP)
    made.add_argument("--predict", action="store_true", help=gpu_commands.PREDICT_HELP)
