"""The text that somebody hands in: a regular file of a limited size."""

from __future__ import annotations

import os
from dataclasses import dataclass

from vecsim.support.input_files import SUBMISSION, read_input

MOST_LINES = 4000
"""Of a text."""
LONGEST_LINE = 1000
"""Letters of a line."""


@dataclass(frozen=True)
class Submission:
    """A text, and what messages call it."""

    name: str
    content: bytes


def read_submission(file: str, name: str = "") -> Submission:
    """Read a file that is nothing but a file; messages call it `name`, or by its path.

    Raises
    ------
    UserError
        It cannot be read, is too large, or is a link, a pipe, a device or a folder.
    """
    content = read_input(file, SUBMISSION, name)
    return Submission(name or os.fsencode(file).decode("utf-8", "backslashreplace"), content)
