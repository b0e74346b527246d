"""The page: style, scripts and data in one file that asks no network."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import jinja2
import numpy as np
import numpy.typing as npt

from vecsim.engines.cause import WAITS, Cause
from vecsim.support.errors import UserError
from vecsim.support.shown_text import one_line, plain
from vecsim.traces.phases import QUEUEING, WAITING
from vecsim.viewer.recording import Recorded

ALIGNMENT = 8
TYPES = {
    "u1": "Uint8Array",
    "u2": "Uint16Array",
    "u4": "Uint32Array",
    "i1": "Int8Array",
    "i4": "Int32Array",
    "f8": "Float64Array",
}
"""What a browser calls arrays of NumPy's types."""


@dataclass(frozen=True)
class Packed:
    """Columns as a page has them.

    Attributes
    ----------
    columns
        By name: the browser's type, the first byte and the number of elements.
    text
        The block, by gzip and in base 64.
    """

    columns: dict[str, dict[str, Any]]
    text: str


def packed(columns: Mapping[str, npt.NDArray[Any]]) -> Packed:
    """Pack columns, each in the smallest type that holds it.

    Raises
    ------
    UserError
        A number needs more than 32 bits.
    """
    places: dict[str, dict[str, Any]] = {}
    block = bytearray()
    for name, values in columns.items():
        narrow = values if values.dtype.kind == "f" else narrowed(name, values)
        kind = narrow.dtype.str.lstrip("<|=")
        places[name] = {"type": TYPES[kind], "at": len(block), "length": int(narrow.size)}
        block += narrow.tobytes()
        block += bytes(-len(block) % ALIGNMENT)
    return Packed(places, base64.b64encode(gzip.compress(bytes(block), 6, mtime=0)).decode("ascii"))


def narrowed(name: str, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return whole numbers in the smallest type that a browser has for them.

    Raises
    ------
    UserError
        One needs more than 32 bits.
    """
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    for kind in ("u1", "i1", "u2", "u4", "i4"):
        limits = np.iinfo(kind)
        if limits.min <= low and high <= limits.max:
            return np.ascontiguousarray(values, np.dtype(kind).newbyteorder("<"))
    raise UserError(f"the page's column {name!r} has {low} to {high}: more than 32 bits; take a --window")


AFTER_ISSUE = sorted({*QUEUEING, *WAITING})
"""The causes of waits between issue and the first element of an instruction."""
SCRIPTS = ("data", "model", "scale", "density", "draw", "registers", "panels", "search", "main")
"""Files of the page's scripts, in the order in which they stand in it."""


def page_of(runs: Sequence[Recorded], title: str, about: Mapping[str, Any]) -> str:
    """Return the page of one run, or of several one above the other.

    Parameters
    ----------
    runs
        What was recorded.
    title
        Of the page.
    about
        What made it; shown at its end.

    Raises
    ------
    UserError
        A number of the data is too large for the page.
    """
    folder = files("vecsim.viewer") / "page"
    blocks = [packed(run.columns()) for run in runs]
    tabs = tab_names([run.subject.name for run in runs])
    facts = [
        {**run.facts(), "columns": block.columns, "tab": tab}
        for run, block, tab in zip(runs, blocks, tabs, strict=True)
    ]
    document = {
        "runs": facts,
        "causes": [Cause(i).label for i in range(WAITS)],
        "afterIssue": AFTER_ISSUE,
        "about": dict(about),
    }
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string((folder / "page.html.j2").read_text(encoding="utf-8"))
    return template.render(
        title=one_line(title),
        style=(folder / "view.css").read_text(encoding="utf-8"),
        script="\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS),
        document=_in_script(json.dumps(plain(document), separators=(",", ":"), allow_nan=False)),
        blocks=[block.text for block in blocks],
    )


def tab_names(names: Sequence[str]) -> list[str]:
    """Return what tells runs apart: their names without the words that all begin or end with.

    Of a name that has no other words, and of a single run, the first word stays.
    """
    words = [name.split(" ") for name in names]
    least = min(map(len, words))
    if len(set(names)) < 2:
        return [each[0].rstrip(",") for each in words]
    before = next((k for k in range(least) if len({each[k] for each in words}) > 1), least)
    before -= before == least  # one of them is the beginning of another
    after = next((k for k in range(least - before) if len({each[-1 - k] for each in words}) > 1), 0)
    return [" ".join(each[before : len(each) - after]).rstrip(",") for each in words]


def _in_script(text: str) -> str:
    """Return JSON as it may stand in a script element."""
    return text.replace("<", "\\u003c")
