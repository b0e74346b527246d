r"""Names of files as text that every reader takes: terminals, CSV, HTML, JSON, traces and pictures.

A name may be any bytes but two. Python keeps those that are not UTF-8 as surrogates, which no file of text
may have.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
_OF_BYTES = range(0xDC80, 0xDD00)
"""Surrogates that stand for the bytes from 0x80 on."""

_COMPUTED = ("=", "+", "-", "@", "\t", "\r", "'")


def unicode_text(text: str) -> str:
    r"""Return a text without surrogates: a byte that is not UTF-8 is written as ``\xff``."""
    return text if text.isascii() else _SURROGATE.sub(lambda c: _escaped(c[0]), text)


def utf8(text: str) -> bytes:
    r"""Return the content of a file of text: a byte of a name that is not UTF-8 is written as ``\xff``."""
    return unicode_text(text).encode("utf-8")


def printable(text: str) -> str:
    r"""Write control characters as ``\x1b``: names of files may have any, and a terminal obeys them.

    So are those that show nothing or turn the direction of what follows. Newlines and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else _escaped(c) for c in text)


def one_line(text: str) -> str:
    r"""Return a label: a name in one line, of letters that everything shows."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def plain(value: Any) -> Any:
    """Return data as strict JSON has it: None for NaN and infinity, no surrogates, no arrays of NumPy."""
    if isinstance(value, str):
        return unicode_text(value)
    if isinstance(value, Mapping):
        return {unicode_text(str(key)): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return the text of a CSV file, each of whose cells a spreadsheet shows as it is.

    Text that a spreadsheet would compute, such as ``=1+1``, begins with ``'`` there; see `csv_cell`.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def csv_cell(cell: str) -> str:
    """Return the text that `csv_text` has made into a cell."""
    return cell.removeprefix("'")


def _cell(value: object) -> object:
    if not isinstance(value, str) or not value.startswith(_COMPUTED):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code - 0xDC00:02x}" if code in _OF_BYTES else ascii(character)[1:-1]


def to_json(document: Mapping[str, Any]) -> str:
    """Write a document as strict JSON; NaN and infinity, which JSON does not know, become null."""
    return json.dumps(plain(document), indent=2, allow_nan=False) + "\n"
