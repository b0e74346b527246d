"""The report of a sweep as a function gives it, for scripts and notebooks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.report.folder import PAGE, files_of, write
from experiments.report.item import Item, Report
from experiments.whatif.explain.cells import Cells, read_cells
from experiments.whatif.explain.report import report
from experiments.whatif.studies import remarks
from experiments.whatif.sweep.table import SweepTable
from vecsim.results.result_folder import write_folder
from vecsim.support.arguments import path as path_of
from vecsim.support.overview import Overview


@dataclass(frozen=True, repr=False)
class ExplainedSweep(Overview):
    """What a sweep shows.

    Attributes
    ----------
    cells
        Its results.
    report
        Tables and figures, each with its numbers.
    """

    cells: Cells
    report: Report

    @property
    def items(self) -> tuple[Item, ...]:
        """The tables and figures."""
        return self.report.items

    @cached_property
    def files(self) -> dict[str, bytes]:
        """Every file of the report, by name: CSV, Markdown, SVG, PNG, and one HTML page."""
        return files_of(self.report)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write all files into a folder and return the path of the page.

        Raises
        ------
        UserError
            The folder cannot be written.
        """
        target = path_of("save", folder)
        write(self.files, str(target))
        return target / PAGE

    def overview(self) -> dict[str, object]:
        """Return what was varied, and the titles of what is shown."""
        return {
            "cells": len(self.cells.cycles),
            "programs": self.cells.programs,
            "matrices": 0 if self.cells.is_of_texts else len(self.cells.matrices),
            "varied": self.cells.several,
            "remarks": self.report.parts[0].remarks,
            "items": tuple(item.title for item in self.items),
        }

    def _repr_html_(self) -> str:
        """Return the overview and all figures, for a notebook."""
        figures = (self.files[name].decode() for name in self.files if name.endswith(".svg"))
        pictures = "".join(f"<div style='max-width: 60rem'>{figure}</div>" for figure in figures)
        return super()._repr_html_() + pictures


def explain(results: SweepTable | str | os.PathLike[str]) -> ExplainedSweep:
    """Explain a sweep by tables and figures.

    Parameters
    ----------
    results
        What `vecsim.sweep` returned, or the folder that ``vecsim sweep --out`` wrote.

    Raises
    ------
    UserError
        Nothing was varied, no cell has a result, or the folder is none of a sweep.

    Examples
    --------
    >>> import vecsim
    >>> table = vecsim.sweep(vecsim.Sweep(("laplace2d-5",), ("crs", "hism"), set={"banks": (8, 16)}), jobs=1)
    >>> vecsim.explain(table).items[0].title
    'Speed against banks'
    """
    if not isinstance(results, SweepTable):
        folder = path_of("explain", results)
        return _explained(folder)
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "sweep"
        write_folder(folder, results.folder_files())
        return _explained(folder)


def _explained(folder: Path) -> ExplainedSweep:
    cells = read_cells(folder)
    return ExplainedSweep(cells, report(cells, folder.resolve().name, remarks(cells)))
