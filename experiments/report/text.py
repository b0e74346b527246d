"""Reports as text: Markdown for each item, one HTML page for all; templates lie beside this module."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from experiments.report.csv_files import HOLDS
from experiments.report.item import Item, Report
from experiments.report.pivot import Pivot, pivots

CLOSE, FAR = 5.0, 15.0
"""Differences in per cent up to which a number of the page counts as close, and from which on as far."""


def markdown(item: Item) -> str:
    """Write an item as Markdown; its picture is the SVG file of its name beside it."""
    tables, footnotes = pivots(item.rows)
    grids = [_grid(table) for table in tables]
    return _template("item.md.j2").render(item=item, grids=grids, footnotes=footnotes, holds=HOLDS)


def html(report: Report, pictures: Mapping[str, bytes]) -> str:
    """Write a report as one HTML page that needs nothing else.

    Parameters
    ----------
    pictures
        The SVG of each item that has a chart, by the item's name; it goes into the page.
    """
    sections = [_section(item, pictures.get(item.name)) for item in report.items]
    return _template("report.html.j2").render(report=report, sections=sections, holds=HOLDS)


def _section(item: Item, picture: bytes | None) -> dict[str, Any]:
    tables, footnotes = pivots(item.rows)
    return {
        "item": item,
        "tables": tables,
        "footnotes": footnotes,
        "picture": None if picture is None else base64.b64encode(picture).decode("ascii"),
    }


def _grid(table: Pivot) -> tuple[list[str], list[list[str]]]:
    """Give the head and the rows of a table as Markdown has them: one cell for each number."""
    head = [""]
    for quantity in table.quantities:
        head += [f"{quantity}: paper", "ours", "difference"] if table.with_paper else [quantity]
    rows = []
    for line in table.lines:
        row = [line.label + _mark(line.note)]
        for cell in line.cells:
            ours = cell.ours + _mark(cell.note)
            row += [cell.paper, ours, cell.difference] if table.with_paper else [ours]
        rows.append([*row, line.remark] if table.has_remarks else row)
    return [*head, "remark"] if table.has_remarks else head, rows


def _mark(note: int | None) -> str:
    return "" if note is None else f" [{note}]"


def _distance(percent: float | None) -> str:
    """Give the class of a difference in the page."""
    if percent is None:
        return ""
    shown = abs(round(percent, 1))
    return "close" if shown <= CLOSE else "far" if shown > FAR else "near"


def _cell_text(text: str) -> str:
    """Write text so that it stays in its cell of a Markdown table."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=name.endswith(".html.j2"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["distance"] = _distance
    environment.filters["cell"] = _cell_text
    environment.filters["zip"] = zip
    return environment.get_template(name)
