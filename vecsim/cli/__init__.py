"""The command line: it parses, calls and shows; what is computed is computed elsewhere."""

from collections.abc import Sequence
from importlib.util import find_spec

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, `vecsim.cli.application.main`; without typer, what `vecsim.cli.gpu_alone` can."""
    if find_spec("typer") is None:
        from vecsim.cli.gpu_alone import main as run
    else:
        from vecsim.cli.application import main as run
    return run(arguments)
