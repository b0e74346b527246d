"""Suites of matrices by name: ``suite:hism``, or ``suite:hism:30000`` for those of up to 30,000 entries.

A member by itself is ``suite:hism/NAME``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

PREFIX = "suite:"
HISM = "hism"
"""The suite of the HiSM paper's experiments, `experiments.papers.hism.suite`."""
_FORM = re.compile(rf"{PREFIX}(\w+)(?:/(.+?)|:(\d+))?")


def expanded(names: Iterable[str]) -> tuple[str, ...]:
    """Put the members of suites in their places, as far as they can be had here; other names stay.

    Raises
    ------
    UserError
        There is no such suite, or none of its matrices can be had.
    """
    found: list[str] = []
    for name in names:
        found += _members(name) if name.startswith(PREFIX) else [name]
    return tuple(found)


def _members(name: str) -> list[str]:
    from experiments.papers.hism.suite import members, missing

    match = _FORM.fullmatch(name)
    if match is None or match[1] != HISM:
        raise UserError(f"{name}: no such suite; write {PREFIX}{HISM} or {PREFIX}{HISM}:MOST_ENTRIES")
    if match[2]:
        return [name]
    lost = {member.name for member in missing()}
    chosen = [m for m in members() if match[3] is None or m.size <= int(match[3])]
    there = [f"{PREFIX}{HISM}/{m.name}" for m in chosen if m.name not in lost]
    if not there:
        raise UserError(
            f"{name}: none of {counted(len(chosen), 'matrix')} can be had here; see docs/reproducing.md"
        )
    return there


def load_member(name: str) -> tuple[str, Any]:
    """Give a member's own name and its matrix, a SciPy CSR array.

    Raises
    ------
    UserError
        There is no such member, or it cannot be had here.
    """
    from experiments.papers.hism.suite import load, member

    own = name.removeprefix(f"{PREFIX}{HISM}/")
    try:
        return own, load(member(own))
    except KeyError as error:
        raise UserError(f"{name}: {error.args[0]}") from None
