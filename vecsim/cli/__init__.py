"""The command line: it parses, calls and shows; what is computed is computed elsewhere."""

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, `vecsim.cli.application.main`; end with 2 where a library is not installed."""
    with _silent_interrupt():
        try:
            from vecsim.cli.application import main as run
        except ModuleNotFoundError as error:
            print(f"vecsim: error: {error.name} is not installed: pip install .", file=sys.stderr)
            return 2
        from vecsim.results.provenance import of_command
        from vecsim.support.project_packages import project_packages
    given = sys.argv[1:] if arguments is None else list(arguments)
    with project_packages(), of_command(["vecsim", *given]):
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
