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
    """Give the newest file of results in a folder, by the date in its name; None if there is none."""
    return max(folder.glob("*.json"), default=None, key=lambda path: path.stem[-DATE:])


def kind_of(path: Path) -> str:
    """Give what a file of results says it is of; empty if it says nothing.

    Raises
    ------
    UserError
        It cannot be read, or is no JSON.
    """
    document = read_json(path, RESULTS)
    return str(document.get("kind", "")) if isinstance(document, dict) else ""


def kept_json(document: Mapping[str, Any], tables: Sequence[str]) -> bytes:
    """Write results as JSON, the rows of some tables a line each.

    Parameters
    ----------
    document
        The results.
    tables
        Names of those of its values that are lists of dictionaries. Of these, what has nothing to say is left
        out, and what was measured is rounded to four digits.
    """
    rest = {name: value for name, value in document.items() if name not in tables}
    parts = [json.dumps(rest, indent=1)[:-2]]
    for name in tables:
        lines = ",\n".join(f"  {json.dumps(_short(row))}" for row in document[name])
        parts.append(f' "{name}": [\n{lines}\n ]')
    return (",\n".join(parts) + "\n}\n").encode("utf-8")


def _short(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _rounded(value) for name, value in row.items() if value not in (None, "", {}, ())}


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def has_gpu() -> bool:
    """Say whether something can be timed here; the simulator of CUDA times nothing."""
    try:
        from gpu.runtime.cuda import SIMULATED, require_gpu

        require_gpu()
    except UserError:
        return False
    return not SIMULATED
