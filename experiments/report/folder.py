"""The files of a report, written as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from experiments.report.charts import draw
from experiments.report.csv_files import comparisons_csv, table_csv, values_csv, verdicts_csv
from experiments.report.item import Report
from experiments.report.tally import summary
from experiments.report.text import html, markdown
from vecsim.results.result_folder import write_folder
from vecsim.support.claimed_files import claim_folder
from vecsim.support.errors import UserError
from vecsim.support.shown_text import utf8

PAGE = "report.html"
"""The page with everything in it."""
SUFFIXES = (".csv", ".html", ".md", ".png", ".svg")
"""Of the files of a report."""


def check_folder(name: str, suffixes: Collection[str] = SUFFIXES) -> Path:
    """Find out, before any work is done, whether a report can be written to a folder.

    Parameters
    ----------
    name
        Its path; neither it nor the folders above it need to be there.
    suffixes
        Of the files that are written there.

    Raises
    ------
    UserError
        It is no folder, it or its parent cannot be written, or the command writes another such file there.
    """
    path = Path(os.path.realpath(name))
    try:
        above = next(folder for folder in (path, *path.parents) if folder.exists())
    except OSError as error:
        raise UserError(
            f"{name}: cannot be written: {error.strerror or error}; choose another folder"
        ) from None
    if not above.is_dir():
        raise UserError(f"{name}: {above} is a file; name a folder")
    try:
        Path(tempfile.mkdtemp(prefix=".", suffix=".partial", dir=above)).rmdir()
    except OSError as error:  # found out by trying: rights do not tell it all, least of all to root
        raise UserError(
            f"{name}: cannot be written: {(error.strerror or str(error)).lower()}; choose another folder"
        ) from None
    claim_folder(path, "--out", suffixes)
    return path


def files_of(report: Report) -> dict[str, bytes]:
    """Make every file of a report, by name: CSV, Markdown, SVG and PNG of each item, and the page last."""
    pictures = {item.name: draw(item.chart) for item in report.items if item.chart is not None}
    texts: dict[str, str] = {}
    images: dict[str, bytes] = {}
    for item in report.items:
        texts[f"{item.name}.csv"] = (comparisons_csv if report.compares else values_csv)(item.rows)
        texts[f"{item.name}.md"] = markdown(item)
        if item.verdicts:
            texts[f"{item.name}-claims.csv"] = verdicts_csv(item.verdicts)
        if item.chart is not None:
            images[f"{item.name}.svg"] = pictures[item.name].svg
            images[f"{item.name}.png"] = pictures[item.name].png
    for appendix in report.appendices:
        if appendix.name and appendix.table is not None:
            texts[f"{appendix.name}.csv"] = table_csv(appendix.table)
    if report.compares:
        texts["papers.csv"] = table_csv(summary(report.parts))
    texts[PAGE] = html(report, {name: picture.svg for name, picture in pictures.items()})
    return images | {name: utf8(text) for name, text in texts.items()}


def write(files: Mapping[str, bytes], name: str) -> None:
    """Put the files of a report into a folder, all at once: `vecsim.results.result_folder.write_folder`.

    Raises
    ------
    UserError
        The folder cannot be written.
    """
    write_folder(check_folder(name), files)
