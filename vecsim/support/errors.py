"""What a user's mistake raises, and what warns of changed values; the command line prints both."""

import dis
import traceback
from collections.abc import Collection, Iterable


class UserError(Exception):
    """Something the user gave is wrong.

    The message is one line (an assembly error may add the source line and a caret below it) that names
    the file, line, field or program counter, says what was wrong and what would be right.
    """


class UserErrors(UserError):
    """Several mistakes of one input, all that were found.

    Parameters
    ----------
    lines
        A message each, as of `UserError`.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__(*lines)
        self.lines = lines

    def __str__(self) -> str:
        return "; ".join(self.lines)


LONGEST_REASON = 120
"""Letters of a foreign error's text that a message repeats, at most."""


def in_words(error: BaseException) -> str:
    """Return the type of a foreign error and the first line of its text, for a message of one line."""
    try:
        text = next(iter(str(error).splitlines()), "")
    except Exception:  # an error of the user's own, with a mistake in its text
        text = ""
    text = text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]} ..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def is_interrupt(error: BaseException) -> bool:
    """Return whether an error is the user's Ctrl-C, which arrives between statements, and no ``raise``."""
    trace = error.__traceback__
    if not isinstance(error, KeyboardInterrupt) or trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    return dis.opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]] != "RAISE_VARARGS"


def place_of(error: BaseException, files: Collection[str]) -> str:
    """Return ``FILE:LINE``, the innermost place in one of these files that an error passed; otherwise
    nothing.
    """
    frames = traceback.extract_tb(error.__traceback__)
    result = next((frame for frame in reversed(frames) if frame.filename in files), None)
    return "" if result is None else f"{result.filename}:{result.lineno}"


class MatrixWarning(UserWarning):
    """Values of a matrix are not what the caller gave: rounded, summed, left out, or from another source."""


SHOWN_LETTERS = 240
"""Of a source line that a message repeats, those around the place, at most."""


class AssemblyError(UserError):
    """A mistake in assembly text, with the place where it stands; and those that follow it.

    Attributes
    ----------
    file, line, column
        The place; line and column count from 1.
    text
        The source line.
    reason
        What was wrong and what would be right, one line.
    following
        The next mistakes in the text, in its order.
    more
        How many mistakes there are after those.
    """

    def __init__(
        self,
        file: str,
        line: int,
        column: int,
        text: str,
        reason: str,
        following: "tuple[AssemblyError, ...]" = (),
        more: int = 0,
    ) -> None:
        super().__init__(file, line, column, text, reason, following, more)
        self.file = file
        self.line = line
        self.column = column
        self.text = text
        self.reason = reason
        self.following = following
        self.more = more

    def followed_by(self, following: "Iterable[AssemblyError]", more: int) -> "AssemblyError":
        """Return this mistake with those that follow it, and how many there are after those."""
        return AssemblyError(
            self.file, self.line, self.column, self.text, self.reason, tuple(following), more
        )

    def __str__(self) -> str:
        messages = ["\n".join(each.alone()) for each in (self, *self.following)]
        return "\n".join([*messages, *self.rest()])

    def rest(self) -> list[str]:
        """Return the line that counts the mistakes that are not described, if there are any."""
        if not self.more:
            return []
        return [f"{self.file}: and {self.more:,} more mistake{'s' if self.more > 1 else ''}"]

    def alone(self) -> tuple[str, str, str]:
        """Return the lines of this mistake alone: place and reason, text, caret."""
        place = self.column - 1
        begin = max(place - SHOWN_LETTERS // 2, 0) if len(self.text) > SHOWN_LETTERS else 0
        shown = self.text[begin : begin + SHOWN_LETTERS]
        before = shown[: place - begin].ljust(place - begin)
        caret = "".join(c if c == "\t" else " " for c in before) + "^"
        return f"{self.file}:{self.line}:{self.column}: {self.reason}", shown, caret
