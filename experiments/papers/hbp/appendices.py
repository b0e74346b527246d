"""What stands after the items of the HBP paper: the matrices, and what measured."""

from __future__ import annotations

from collections.abc import Callable

from experiments.papers.hbp.printed import TABLE_1, PrintedMatrix
from experiments.papers.hbp.results import Results
from experiments.papers.kit.results import MatrixRecord
from experiments.papers.kit.tables import short_gpu_appendix, table
from experiments.report.item import Appendix
from experiments.report.number_tables import three_digits

UNPRINTED = PrintedMatrix("", "", "", "")
PRINTED = {each.name: each for each in TABLE_1}


def make(results: Results) -> tuple[Appendix, ...]:
    """Make the matrices, and the device."""
    return (
        Appendix(
            "hbp-matrices",
            "The matrices of the HBP paper, and what stands for them",
            table=table(results.matrices, MATRICES, slice(2, 9)),
        ),
        short_gpu_appendix("What measured for the HBP paper", results),
    )


MATRICES: dict[str, Callable[[MatrixRecord], object]] = {
    "matrix": lambda m: m.name,
    "for": lambda m: m.stands_for,
    "rows": lambda m: f"{m.rows:,}",
    "paper": lambda m: PRINTED.get(m.stands_for, UNPRINTED).rows,
    "non-zeros": lambda m: f"{m.nnz:,}",
    "paper's": lambda m: PRINTED.get(m.stands_for, UNPRINTED).entries,
    "mean": lambda m: three_digits(m.mean),
    "sigma": lambda m: three_digits(m.sigma),
    "longest": lambda m: f"{m.longest:,}",
    "what it is": lambda m: f"not measured: {m.missing}" if m.missing else m.note,
}
"""Columns of the table."""
