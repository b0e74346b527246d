"""What Numba says of a user's code that it cannot compile, in one line of the pages that it writes."""

from __future__ import annotations

import re

_FORWARDED = re.compile(r"Failed in .* pipeline|\s*$")
_PLACE = re.compile(r" at (\S.*?) \((\d+)\)")
REASON = "vecsim says: "
"""How a reason of vecsim's own begins, among what Numba says besides."""
LONGEST = 200
"""Letters of a reason that are shown."""


def in_one_line(message: str) -> str:
    """Give where in the user's code it went wrong, what Numba says of it, and what helps."""
    reason = next((line for line in message.splitlines() if not _FORWARDED.match(line)), "")
    if REASON in message:
        reason = message.partition(REASON)[2].partition("\n")[0]
    if len(reason) > LONGEST:
        reason = f"{reason[:LONGEST]} ..."
    place = _PLACE.search(message)
    where = f"{place[1]}:{place[2]}: " if place else ""
    return (
        f"{where}this cannot be compiled: {reason.rstrip(' :')}; docs/extending.md says what semantics and "
        "rules may do, and engine='simpy' takes any Python"
    )
