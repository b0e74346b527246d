"""Numbers of a file that are not zero and that 64 bits hold as zero: `1e-400`."""

import re
from typing import Any

from vecsim.support.suggestions import amount, shown

_CANDIDATE = re.compile(rb"[^ \t\r\n]*(?:-0*(?:[2-9]\d\d|\d{4,})|0{100})[^ \t\r\n]*")
"""Every word below 1e-323 is of this form: its exponent is -200 or less, or a hundred zeros lead it."""
_NOT_ZERO = re.compile(rb"[+-]?[\d.]*[1-9]")


def warning(source: str, lines: Any, first_line: int) -> list[str]:
    """Return a line about such numbers, if there are some.

    Parameters
    ----------
    source
        What messages call the file.
    lines
        Its lines behind the header, numbers spelled as C does.
    first_line
        The number of the first of them.
    """
    lost = [
        found
        for found in _CANDIDATE.finditer(lines)
        if _NOT_ZERO.match(found[0]) and float(bytes(found[0])) == 0
    ]
    if not lost:
        return []
    number = first_line + bytes(lines[: lost[0].start()]).count(b"\n")
    what = amount(len(lost), "value")
    return [
        f"{source}, line {number}: {what} too small for 64 bits became zero, the first is {shown(lost[0][0])}"
    ]
