"""The table of all formats."""

from __future__ import annotations

from docs.tables.markdown import code, table
from gpu.format_registry import FORMATS


def page() -> str:
    """Return every format with what it is, who described it and what it can do."""
    rows = ((code(each.name), each.summary, each.source, _does(each)) for each in FORMATS.values())
    return table(["format", "what it is", "described by", "can also"], rows)


def _does(each: object) -> str:
    said = {"has_image": "simulated machine", "takes_insertion": "insertion", "for_gpu": "made for GPUs"}
    return ", ".join(text for name, text in said.items() if getattr(each, name))
