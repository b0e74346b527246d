"""How every run of the command line ends: exit codes, and one line for a mistake."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from vecsim.cli.printing.console import warn
from vecsim.cli.printing.streams import in_one_line, prepare_streams
from vecsim.support.claimed_files import files_of_one_command
from vecsim.support.errors import AssemblyError, MatrixWarning, UserError
from vecsim.support.shown_text import printable

MISTAKE = 2
"""Exit code when something the user gave is wrong."""
INTERRUPTED = 130
READER_GONE = 141
"""What a shell reports of a program that wrote to a closed pipe."""


def ended(run: Callable[[], int]) -> int:
    """Run a command and say how it ended.

    Parameters
    ----------
    run
        Gives 0, or 1 if a result is not good enough. Its `SystemExit` means a closed pipe.

    Returns
    -------
    int
        What ``run`` gave; 2, with one line on stderr, if something the user gave is wrong; 130 if
        interrupted.
    """
    prepare_streams()
    try:
        with files_of_one_command(), _warnings_in_one_line():
            code = run()
        sys.stdout.flush()
    except AssemblyError as error:
        reason, text, caret = str(error).rsplit("\n", 2)
        return _mistake("\n".join((in_one_line(reason), printable(text), caret)))
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


def _mistake(message: str) -> int:
    print(f"vecsim: error: {message}", file=sys.stderr)
    return MISTAKE


def _reader_gone() -> int:
    # What is still buffered must not be written, or the interpreter complains at its end.
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    return READER_GONE
