"""The values of a number that is varied: a list, a range, or powers between two bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vecsim.support.errors import UserError

Value = int | bool | str

MOST_VALUES = 10_000
"""Values of one number, at most."""

_RANGE = re.compile(r"(\d+):(\d+)(?::(x?)(\d+))?")
_WORDS: dict[str, bool] = {"true": True, "false": False, "on": True, "off": False}


def values_of(where: str, text: str) -> tuple[Value, ...]:
    """Read values as the command line gives them.

    ``8,16,32`` is a list, ``0:40:10`` a range with both ends (steps of 1 without the last number),
    ``16:256:x2`` the powers from 16 up to 256 in steps of a factor of 2; these may stand in a list, too.

    Parameters
    ----------
    where
        What messages call them.
    text
        The values.

    Raises
    ------
    UserError
        An empty value, a range that holds none or too many, or a step of 0 or by a factor below 2.
    """
    found: dict[Value, None] = {}
    for part in text.split(","):
        for value in _part(where, part.strip()):
            found[value] = None
            if len(found) > MOST_VALUES:
                raise UserError(f"{where}: {text} has more than {MOST_VALUES:,} values")
    return tuple(found)


def _part(where: str, part: str) -> Iterator[Value]:
    if not part:
        raise UserError(f"{where}: a value is missing; write 8,16,32 or 0:40:10 or 16:256:x2")
    match = _RANGE.fullmatch(part)
    if match is None:
        yield _WORDS[part] if part in _WORDS else int(part) if part.isdecimal() else part
        return
    first, last, times, step = int(match[1]), int(match[2]), match[3], int(match[4] or 1)
    if step < (2 if times else 1) or first > last or (times and first == 0):
        raise UserError(
            f"{where}: {part} is no range; write FIRST:LAST, FIRST:LAST:STEP or FIRST:LAST:xFACTOR, with "
            "FIRST up to LAST, a step of 1 or a factor of 2 or more"
        )
    value = first
    while value <= last:
        yield value
        value = value * step if times else value + step
