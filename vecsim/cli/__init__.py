"""The command line: it parses, calls and shows; what is computed is computed elsewhere."""

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, `vecsim.cli.application.main`; without typer, what `vecsim.cli.gpu_alone` can."""
    with _silent_interrupt():
        from vecsim.results.provenance import of_command
        from vecsim.support.own_packages import own_packages

        if find_spec("typer") is None:
            from vecsim.cli.gpu_alone import main as run
        else:
            from vecsim.cli.application import main as run
    given = sys.argv[1:] if arguments is None else list(arguments)
    with own_packages(), of_command(["vecsim", *given]):
        return run(given)


@contextmanager
def _silent_interrupt() -> Iterator[None]:
    """Let an interrupt end the process at once: while modules are imported nobody could catch it."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    ours = in_main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
