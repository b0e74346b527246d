"""The page: style, scripts and data in one file that asks no network."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import jinja2

from vecsim.engines.cause import WAITS, Cause
from vecsim.trace.phases import QUEUEING, WAITING
from vecsim.view.packing import packed
from vecsim.view.recording import Recorded

AFTER_ISSUE = sorted({*QUEUEING, *WAITING})
"""The causes for which an instruction waits between issue and its first element."""
SCRIPTS = ("data", "model", "scale", "density", "draw", "registers", "panels", "search", "main")
"""Files of the page's scripts, in the order in which they stand in it."""


def page_of(runs: Sequence[Recorded], title: str, about: Mapping[str, Any]) -> str:
    """Give the page of one run, or of several one above the other.

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
    folder = files("vecsim.view") / "page"
    blocks = [packed(run.columns()) for run in runs]
    facts = [{**run.facts(), "columns": block.columns} for run, block in zip(runs, blocks, strict=True)]
    document = {
        "runs": facts,
        "causes": [Cause(i).label for i in range(WAITS)],
        "afterIssue": AFTER_ISSUE,
        "about": dict(about),
    }
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string((folder / "page.html.j2").read_text(encoding="utf-8"))
    return template.render(
        title=title,
        style=(folder / "view.css").read_text(encoding="utf-8"),
        script="\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS),
        document=_in_script(json.dumps(document, separators=(",", ":"), allow_nan=False)),
        blocks=[block.text for block in blocks],
    )


def _in_script(text: str) -> str:
    """Give JSON as it may stand in a script element."""
    return text.replace("<", "\\u003c")
