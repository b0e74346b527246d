"""Files of results measured on a GPU: what they are of, and those that come with the package."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vecsim.support.errors import UserError
from vecsim.support.input_files import RESULTS
from vecsim.support.structured_text import read_json

DATE = len("2026-11-22")
"""Letters of the date with which their names end."""


def newest(folder: Path) -> Path | None:
    """Return the newest file of results in a folder, by the date in its name; None if there is none."""
    return max(folder.glob("*.json"), default=None, key=lambda path: path.stem[-DATE:])


def kind_of(path: Path) -> str:
    """Return what a file of results says it is of; empty if it says nothing.

    Raises
    ------
    UserError
        It cannot be read, or is no JSON.
    """
    document = read_json(path, RESULTS)
    return str(document.get("kind", "")) if isinstance(document, dict) else ""


def json_lines(rest: Mapping[str, Any], tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> bytes:
    """Write a JSON object, the rows of some tables a line each.

    Parameters
    ----------
    rest
        Its other values.
    tables
        The rows, by the name of the table; they come last.
    """
    parts = [json.dumps(rest, indent=1)[:-2]]
    for name, rows in tables.items():
        lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
        parts.append(f' "{name}": [\n{lines}\n ]')
    return (",\n".join(parts) + "\n}\n").encode("utf-8")


def has_gpu() -> bool:
    """Return whether something can be timed here; the simulator of CUDA times nothing."""
    try:
        from gpu.runtime.cuda import SIMULATED, require_gpu

        require_gpu()
    except UserError:
        return False
    return not SIMULATED
