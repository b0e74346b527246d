"""The standard streams: what may reach a terminal, and a place for text where a stream is closed."""

from __future__ import annotations

import io
import os
import re
import sys

from vecsim.support.shown_text import printable

LONGEST_WORD = 500
"""Letters of a word that a message repeats; a path is rarely longer."""
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD},}}")


def prepare_streams() -> None:
    """Let names of files that are no text be printed, and open what the caller has closed.

    Whoever closes stdout wants no tables; but the number of a closed stream would be given to the next file
    that is opened.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
        elif isinstance(stream, io.TextIOWrapper) and mode == "w":
            stream.reconfigure(errors="backslashreplace")


def stdout_is_closed() -> bool:
    """Return whether the caller has closed stdout, so that what is printed goes nowhere."""
    return sys.stdout is None or getattr(sys.stdout, "name", "") == os.devnull


def in_one_line(message: str) -> str:
    r"""Write a message without control characters, newlines as ``\n``; cut words of hundreds of letters."""
    line = printable(message).replace("\n", "\\n")
    return _LONG_WORD.sub(lambda word: f"{word[0][: LONGEST_WORD // 2]}...{word[0][-20:]}", line)
