"""Cycles that a calibration has simulated, kept in a journal as they come."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from vecsim.results.journal import Journal

KIND = "vecsim calibrate"
"""What the journal says it is of."""

Cycles = Mapping[str, int]
"""By the name of the member."""


class KeptCycles:
    """Cycles by the key of a program on a machine and the name of a member, also of earlier runs.

    Parameters
    ----------
    path
        The journal; it is made if there is none. None keeps nothing beyond this process.

    Raises
    ------
    UserError
        The journal cannot be used.
    """

    def __init__(self, path: Path | None) -> None:
        self._journal = None if path is None else Journal(path, KIND, say=_say)
        self._known: dict[str, dict[str, int]] = {}
        for record in self._journal.records if self._journal else ():
            match record:
                case {"key": str(key), "cycles": dict(cycles)} if _are_counts(cycles.values()):
                    self._known.setdefault(key, {}).update(cycles)

    def find(self, key: str) -> Cycles:
        """Give what is known for a key."""
        return self._known.get(key, {})

    def keep(self, key: str, cycles: Cycles) -> None:
        """Keep cycles at once.

        Raises
        ------
        UserError
            They cannot be written.
        """
        self._known.setdefault(key, {}).update(cycles)
        if self._journal is not None:
            self._journal.append({"key": key, "cycles": dict(cycles)})

    def close(self) -> None:
        """Bring everything onto the disk."""
        if self._journal is not None:
            self._journal.close()


def _are_counts(found: Iterable[Any]) -> bool:
    """Say whether these are such numbers as `KeptCycles.keep` writes; others are of another version."""
    return all(type(count) is int and count >= 0 for count in found)


def _say(line: str) -> None:
    print(line, file=sys.stderr)
