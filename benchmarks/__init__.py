"""Measurements of speed that developers run again, from a clone; no part of what is installed.

=======================  =====================================================================================
``simulator``            engine speed and memory, with ``simulator_matrices`` and ``simulator_report``
``sweep``                10,000 cells, first and again
``conversion``           formats from SciPy and back, and reading of files
``fit_auto``             what `auto` knows of a device: ``measure_choice`` times the formats on the
                         ``choice_matrices`` of ``choice_families``, ``choice_times`` reads the times
=======================  =====================================================================================

The GPU suite is `vecsim gpu bench`. README.md has the results.
"""

import sys
from types import TracebackType

from vecsim.support.errors import UserError


def _told_in_one_line(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """End with exit code 2 where something is not installed, which shows before `main` is there to say so."""
    if isinstance(error, UserError):
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2)
    sys.__excepthook__(kind, error, traceback)


sys.excepthook = _told_in_one_line
