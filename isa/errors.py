"""The one exception that a user's mistake raises; the command line prints it and exits with code 2."""


class UserError(Exception):
    """Something the user gave is wrong.

    The message is one line (an assembly error may add the source line and a caret below it) that names
    the file, line, field or program counter, says what was wrong and what would be right.
    """
