"""What has been compared so far, in a JSON file: on which sources, which cases, with what result."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
KEPT = (".py", ".toml", ".lark", ".s")

Span = tuple[int, int]
"""First and, exclusive, last seed."""


def source_hash(*folders: str, files: Iterable[Path] = ()) -> str:
    """Return a hash of sources: of everything that decides what a number in the report means."""
    digest = hashlib.sha256()
    actual = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in KEPT]
    for path in sorted({*actual, *files}):
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def generator_files() -> list[Path]:
    """The files that decide which case a seed names."""
    return [HERE / "builder.py", HERE / "cases.py", HERE / "rows.py", *HERE.glob("random_*.py")]


class Report:
    """One file; every entry is a table under (kind of comparison, sources, engines)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.content: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}

    def entry(self, kind: str, sources: str, engines: str) -> dict[str, Any]:
        """Return the table, to be changed in place."""
        table: dict[str, Any] = self.content.setdefault(kind, {}).setdefault(sources, {})
        entry: dict[str, Any] = table.setdefault(engines, {})
        return entry

    def save(self) -> None:
        """Write the file; whoever reads it meanwhile finds the old one or the new one."""
        temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        temporary.write_text(json.dumps(self.content, indent=1) + "\n")
        temporary.replace(self.path)


def add_span(spans: list[Span], span: Span) -> list[Span]:
    """Return sorted spans, those that touch as one."""
    joined: list[Span] = []
    for first, last in sorted([*spans, span]):
        if joined and first <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    return joined


def missing(spans: list[Span], wanted: Span) -> list[Span]:
    """Return what of ``wanted`` is in none of the sorted ``spans``."""
    first, end = wanted
    gaps = []
    for begin, last in spans:
        if first < min(begin, end):
            gaps.append((first, min(begin, end)))
        first = max(first, last)
    if first < end:
        gaps.append((first, end))
    return gaps
