"""Files of results measured on a GPU: what they are of, and those that come with the package."""

from __future__ import annotations

import json
from pathlib import Path

from vecsim.errors import UserError

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
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise UserError(f"{path}: is no JSON: {error}") from None
    return str(document.get("kind", "")) if isinstance(document, dict) else ""
