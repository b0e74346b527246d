"""The command line: it parses, calls and shows; what is computed is computed elsewhere."""

import sys
from collections.abc import Sequence
from importlib.util import find_spec

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, `vecsim.cli.application.main`; without typer, what `vecsim.cli.gpu_alone` can."""
    from vecsim.own_packages import own_packages
    from vecsim.provenance import of_command

    if find_spec("typer") is None:
        from vecsim.cli.gpu_alone import main as run
    else:
        from vecsim.cli.application import main as run
    given = sys.argv[1:] if arguments is None else list(arguments)
    with own_packages(), of_command(["vecsim", *given]):
        return run(given)
