"""Measurements of speed, run from a clone; no part of what is installed."""

import sys
from types import TracebackType

from vecsim.errors import UserError


def _told_in_one_line(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """End with exit code 2 where something is not installed, which shows before `main` is there to say so."""
    if isinstance(error, UserError):
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2)
    sys.__excepthook__(kind, error, traceback)


sys.excepthook = _told_in_one_line
