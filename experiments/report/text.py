"""Reports as text: Markdown for each item, one HTML page for all; templates are next to this module."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from experiments.report.agreement import rule
from experiments.report.item import Item, Part, Report
from experiments.report.number_tables import Pivot, pivots
from experiments.report.tally import summary, tallies, tally
from vecsim.support.shown_text import printable


def markdown(item: Item) -> str:
    """Write an item as Markdown; its picture is the SVG file of its name next to it."""
    tables, footnotes = pivots(item.rows)
    grids = [_grid(table) for table in tables]
    return _template("item.md.j2").render(item=item, grids=grids, footnotes=footnotes)


def html(report: Report, pictures: Mapping[str, bytes]) -> str:
    """Write a report as one HTML page that needs nothing else.

    Parameters
    ----------
    pictures
        The SVG of each item that has a chart, by the item's name; it goes into the page.
    """
    first_with: dict[tuple[str, ...], Item] = {}
    sections = [
        _section(item, pictures.get(item.name), first_with.setdefault(item.notes, item))
        for item in report.items
    ]
    verdicts = [_verdict(part) for part in report.parts]
    return _template("report.html.j2").render(
        report=report, verdicts=verdicts, sections=sections, rule=rule(), summary=summary(report.parts)
    )


def _verdict(part: Part) -> dict[str, Any]:
    """Return what the page says of a paper on top."""
    return {
        "part": part,
        "all": tally(part.items),
        "kinds": tallies(part.items),
        "items": [(item, tally([item])) for item in part.items],
        "faults": list(dict.fromkeys(fault for item in part.items for fault in item.faults)),
    }


def _section(item: Item, picture: bytes | None, first: Item) -> dict[str, Any]:
    """Return what the page says of an item; `first` is the first one with the same notes, which has them."""
    tables, footnotes = pivots(item.rows)
    return {
        "item": item,
        "tables": tables,
        "footnotes": footnotes,
        "picture": None if picture is None else base64.b64encode(picture).decode("ascii"),
        "notes_of": None if first is item else first,
    }


def _grid(table: Pivot) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table as Markdown has them: one cell for each number."""
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
        finalize=lambda value: printable(value) if isinstance(value, str) else value,
    )
    environment.filters["cell"] = _cell_text
    environment.filters["zip"] = zip
    return environment.get_template(name)
