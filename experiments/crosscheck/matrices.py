"""The matrices of the cross-check: what `matrices.toml` lists."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from experiments.gpu_bench.suite import arguments_of, generated
from vecsim.data import Matrix, load

FILE = Path(__file__).with_name("matrices.toml")


@dataclass(frozen=True)
class Listed:
    """A matrix of the list, not made yet.

    Attributes
    ----------
    name
        As reports call it.
    class_
        "real" or "generated".
    source
        Its name for `vecsim.data.load`; empty if a generator makes it.
    generator, arguments
        Module and function of `vecsim.data` that make it, and what they are given.
    """

    name: str
    class_: str
    source: str = ""
    generator: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> Matrix:
        """Read or generate it.

        Raises
        ------
        UserError
            If it is a file that is not found.
        """
        if self.source:
            return load(self.source, download=False)
        return Matrix(self.name, generated(self.generator, self.arguments), "generated")


@cache
def listed() -> tuple[Listed, ...]:
    """Return the matrices of the list, in its order."""
    return tuple(map(_read, tomllib.loads(FILE.read_text(encoding="utf-8"))["matrix"]))


def _read(entry: Mapping[str, Any]) -> Listed:
    arguments = arguments_of(entry.get("arguments", {}))
    return Listed(
        entry["name"], entry["class"], entry.get("source", ""), entry.get("generator", ""), arguments
    )
