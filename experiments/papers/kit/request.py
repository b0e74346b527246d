"""What is asked of experiments: the machine, how it is simulated, and who follows the progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from vecsim.engines import DEFAULT_ENGINE
from vecsim.machine import Machine

T = TypeVar("T")
Watch = Callable[[str, float], None]
"""Called with what goes on and the share of it that is done, 0 to 1."""


def _nobody(doing: str, share: float) -> None:
    """Ignore the progress."""


@dataclass(frozen=True)
class Request:
    """What several experiments are made with.

    Attributes
    ----------
    machine
        The simulated machine.
    engine
        Name of the engine.
    jobs
        Processes that simulate at once.
    results
        File in which simulated cycles are kept from one run to the next; None for none.
    recorded
        Files of results measured elsewhere, on a GPU, by the kind that they say they are.
    folder
        Where the report goes, and files that a measurement writes; None for nowhere.
    watch
        Called with the progress of a long step.
    matrices
        Filled by the experiments: the digests of the matrices that they were made of, by name and by what
        `vecsim.results.digests` calls them, ``pattern_sha256`` or ``matrix_sha256``.
    cached
        What one experiment made that another of the same request needs too, by their own key.
    """

    machine: Machine
    engine: str = DEFAULT_ENGINE
    jobs: int = 1
    results: Path | None = None
    recorded: Mapping[str, Path] = field(default_factory=dict)
    folder: Path | None = None
    watch: Watch = _nobody
    matrices: dict[str, dict[str, str]] = field(default_factory=dict, compare=False, repr=False)
    cached: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """Make something that several experiments need, and keep it by its own key."""
        if key not in self.cached:
            self.cached[key] = make()
        result: T = self.cached[key]
        return result
