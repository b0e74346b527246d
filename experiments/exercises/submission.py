"""The text that somebody hands in: a regular file of a limited size."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from vecsim.errors import UserError

MOST_BYTES = 1 << 16
"""Of a text."""
MOST_LINES = 4000
"""Of a text."""
LONGEST_LINE = 1000
"""Letters of a line."""


@dataclass(frozen=True)
class Submission:
    """A text, and what messages call it."""

    name: str
    content: bytes


def read_submission(file: str) -> Submission:
    """Read a file that is nothing but a file.

    Raises
    ------
    UserError
        It cannot be read, or is a link, a pipe, a device or a folder.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        if Path(file).is_symlink():
            raise UserError(f"{file}: is a symbolic link; name the file itself")
        descriptor = os.open(file, flags)
    except (OSError, ValueError) as error:
        raise UserError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UserError(f"{file}: is no regular file; a text is graded from one")
        with os.fdopen(descriptor, "rb", closefd=False) as opened:
            name = os.fsencode(file).decode("utf-8", "backslashreplace")
            return Submission(name, opened.read(MOST_BYTES + 1))
    except OSError as error:
        raise UserError(f"{file}: {error.strerror or error}") from None
    finally:
        os.close(descriptor)
