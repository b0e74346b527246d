"""Where the time of a run goes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class Phases:
    """Seconds by the name of a phase; phases do not overlap, an inner one stops the outer one's clock.

    Attributes
    ----------
    seconds
        By phase.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._open: list[str] = []
        self._since = time.perf_counter()

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Count what happens inside to a phase."""
        self._settle()
        self._open.append(name)
        try:
            yield
        finally:
            self._settle()
            self._open.pop()

    def since(self, before: Mapping[str, float]) -> str:
        """Return a line on the seconds since an earlier moment, in all and by phase."""
        self._settle()
        added = {name: seconds - before.get(name, 0.0) for name, seconds in self.seconds.items()}
        longest = sorted(added.items(), key=lambda item: -item[1])
        parts = ", ".join(f"{name} {seconds:.1f}" for name, seconds in longest if seconds >= 0.05)
        return f"{sum(added.values()):.1f} s: {parts}"

    def _settle(self) -> None:
        now = time.perf_counter()
        if self._open:
            name = self._open[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now
