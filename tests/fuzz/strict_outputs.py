"""Readers of everything that a command writes, as strict as other programs are."""

from __future__ import annotations

import csv
import io
import json
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.traces.as_konata import read_konata
from tests.traces.as_perfetto import imported
from vecsim.cli.printing.streams import LONGEST_WORD

COMPUTED = "=+-@\t\r"
"""A cell that begins so is computed by a spreadsheet, unless it is a number."""
TAG = "zz-element"
"""An element that only the name of a file would bring into a page."""


class Fault(Exception):
    """What a strict reader refuses."""


def refuse(text: str) -> Any:
    raise Fault(f"{text} is not JSON")


def _json(content: bytes) -> None:
    document = json.loads(content.decode("utf-8"), parse_constant=refuse)
    _check_strings(document)
    if isinstance(document, dict) and "traceEvents" in document:
        imported(content)


def _check_strings(value: Any) -> None:
    if isinstance(value, str):
        value.encode("utf-8")
    for inner in (*value.keys(), *value.values()) if isinstance(value, dict) else ():
        _check_strings(inner)
    for inner in value if isinstance(value, list) else ():
        _check_strings(inner)


def _text(content: bytes) -> str:
    text = content.decode("utf-8")
    strange = next((c for c in text if not c.isprintable() and c not in "\n\t"), None)
    if strange is not None:
        raise Fault(f"it has the letter {strange!r}")
    return text


def _html(content: bytes) -> None:
    if f"<{TAG}" in _text(content):
        raise Fault("a name is an element")


def _csv(content: bytes) -> None:
    rows = list(csv.reader(io.StringIO(content.decode("utf-8"), newline=""), strict=True))
    if {len(row) for row in rows} != {len(rows[0])}:
        raise Fault("its rows differ in length")
    for cell in (cell for row in rows for cell in row if cell.startswith(tuple(COMPUTED))):
        try:
            float(cell)
        except ValueError:
            raise Fault(f"a spreadsheet would compute {cell!r}") from None


def _svg(content: bytes) -> None:
    ElementTree.fromstring(content)


def _png(content: bytes) -> None:
    if not content.startswith(b"\x89PNG\r\n") or len(content) < 1000:
        raise Fault("it is no picture")


def _array(content: bytes) -> None:
    np.load(io.BytesIO(content), allow_pickle=False)


READERS: dict[str, Callable[[bytes], object]] = {
    ".json": _json,
    ".json.gz": imported,
    ".kanata": lambda content: read_konata(content, "a.kanata"),
    ".vsx": _json,
    ".html": _html,
    ".md": _html,
    ".csv": _csv,
    ".svg": _svg,
    ".png": _png,
    ".npy": _array,
    ".toml": lambda content: tomllib.loads(_text(content)),
    ".s": lambda content: content.decode("utf-8"),
}
"""By the end of a file's name."""


def check_file(path: Path) -> str:
    """Return what a strict reader finds wrong with a file; empty if nothing is."""
    reader = next((each for end, each in READERS.items() if path.name.endswith(end)), None)
    try:
        if reader is not None:
            reader(path.read_bytes())
    except Exception as error:
        return f"{path.name!a}: {type(error).__name__}: {error}"
    return ""


def check_streams(code: int, out: str, err: str) -> str:
    """Return what is wrong with what a command printed; empty if nothing is."""
    for name, text in (("stdout", out), ("stderr", err)):
        strange = next((c for c in text if not c.isprintable() and c not in "\n\t"), None)
        if strange is not None:
            return f"{name} has the letter {strange!r}"
    lines = err.splitlines()
    if any(not line.startswith("vecsim: ") for line in lines):
        return f"a line of stderr is not vecsim's: {err!r}"
    if code == 2 and (len(lines) != 1 or not err.startswith("vecsim: error: ") or out):
        return f"it is not one line: {out!r}, {err!r}"
    if any(len(word) > 2 * LONGEST_WORD for word in err.split()):
        return f"a word of it is endless: {err!r}"
    return "" if code in (0, 1, 2) else f"it ended with {code}"
