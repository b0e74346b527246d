"""``vecsim gpu``: what the GPU is and what it can reach."""

from __future__ import annotations

from typing import Annotated

import typer

from vecsim.cli import completion
from vecsim.cli.commands import gpu_commands
from vecsim.cli.options import JsonOption, finite

gpu = typer.Typer(help=gpu_commands.HELP)

OnlyOption = Annotated[
    str | None,
    typer.Option(
        "--only", metavar="CLASS|MATRIX", help=gpu_commands.ONLY_HELP, autocompletion=completion.suite
    ),
]
FormatOption = Annotated[
    list[str] | None,
    typer.Option(
        "--format", metavar="NAME", help=gpu_commands.FORMAT_HELP, autocompletion=completion.kernels
    ),
]
SecondsOption = Annotated[
    float | None,
    typer.Option("--seconds", parser=finite("--seconds"), metavar="N", help=gpu_commands.SECONDS_HELP),
]
QuickOption = Annotated[bool, typer.Option("--quick", help=gpu_commands.QUICK_HELP)]


@gpu.command("info", help=gpu_commands.info.__doc__)
def info(json: JsonOption = None) -> None:
    """Call `gpu_commands.info`."""
    gpu_commands.info(json)


@gpu.command("ceilings", help=gpu_commands.ceilings.__doc__)
def ceilings(json: JsonOption = None) -> None:
    """Call `gpu_commands.ceilings`."""
    gpu_commands.ceilings(json)


@gpu.command("bench", help=gpu_commands.bench.__doc__)
def bench(only: OnlyOption = None, quick: QuickOption = False, json: JsonOption = None) -> None:
    """Call `gpu_commands.bench`."""
    gpu_commands.bench(json, only, quick=quick)


@gpu.command("tune", help=gpu_commands.tune.__doc__)
def tune(
    matrix: Annotated[str, typer.Argument(metavar="MATRIX|FILE.npz|MESH")],
    entry: Annotated[str, typer.Option("--entry", metavar="NAME", help=gpu_commands.ENTRY_HELP)] = "complex",
    bits: Annotated[int, typer.Option("--bits", metavar="32|64", help=gpu_commands.BITS_HELP)] = 32,
    seconds: Annotated[
        float,
        typer.Option("--seconds", parser=finite("--seconds"), metavar="N", help=gpu_commands.SECONDS_HELP),
    ] = gpu_commands.TUNING_SECONDS,
    memory_weight: Annotated[
        float,
        typer.Option(
            "--memory-weight",
            parser=finite("--memory-weight"),
            metavar="WEIGHT",
            help=gpu_commands.MEMORY_HELP,
        ),
    ] = 0.0,
    store: Annotated[
        str | None, typer.Option("--store", metavar="FILE", help=gpu_commands.STORE_HELP)
    ] = None,
    schedule_only: Annotated[bool, typer.Option("--schedule-only", help=gpu_commands.SCHEDULE_HELP)] = False,
    exhaustive: Annotated[bool, typer.Option("--exhaustive", help=gpu_commands.EXHAUSTIVE_HELP)] = False,
    predict: Annotated[bool, typer.Option("--predict", help=gpu_commands.PREDICT_HELP)] = False,
    json: JsonOption = None,
) -> None:
    """Call `gpu_commands.tune`."""
    how = {"schedule_only": schedule_only, "exhaustive": exhaustive, "predict": predict}
    gpu_commands.tune(json, matrix, entry, bits, seconds, memory_weight, store, **how)


@gpu.command("check", help=gpu_commands.check.__doc__)
def check(
    only: OnlyOption = None,
    format_: FormatOption = None,
    seconds: SecondsOption = None,
    json: JsonOption = None,
) -> None:
    """Call `gpu_commands.check`."""
    if gpu_commands.check(json, only, format_, seconds):
        raise typer.Exit(1)
