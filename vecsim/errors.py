"""What a user's mistake raises, and what warns of changed values; the command line prints both."""


class UserError(Exception):
    """Something the user gave is wrong.

    The message is one line (an assembly error may add the source line and a caret below it) that names
    the file, line, field or program counter, says what was wrong and what would be right.
    """


class MatrixWarning(UserWarning):
    """Values of a matrix are not what the caller gave: rounded, summed, left out, or from another source."""


SHOWN_LETTERS = 240
"""Of a source line that a message repeats, those around the place, at most."""


class AssemblyError(UserError):
    """A mistake in assembly text, with the place where it stands.

    Attributes
    ----------
    file, line, column
        The place; line and column count from 1.
    text
        The source line.
    reason
        What was wrong and what would be right, one line.
    """

    def __init__(self, file: str, line: int, column: int, text: str, reason: str) -> None:
        super().__init__(file, line, column, text, reason)
        self.file = file
        self.line = line
        self.column = column
        self.text = text
        self.reason = reason

    def __str__(self) -> str:
        place = self.column - 1
        begin = max(place - SHOWN_LETTERS // 2, 0) if len(self.text) > SHOWN_LETTERS else 0
        shown = self.text[begin : begin + SHOWN_LETTERS]
        before = shown[: place - begin].ljust(place - begin)
        caret = "".join(c if c == "\t" else " " for c in before) + "^"
        return f"{self.file}:{self.line}:{self.column}: {self.reason}\n{shown}\n{caret}"
