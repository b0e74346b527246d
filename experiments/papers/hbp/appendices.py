"""What stands behind the items of the HBP paper: the matrices, and what measured."""

from __future__ import annotations

from experiments.papers.hbp.printed import TABLE_1
from experiments.papers.hbp.results import Results
from experiments.report.item import Appendix, Table
from experiments.report.number_tables import three_digits


def make(results: Results | None) -> tuple[Appendix, ...]:
    """Give the matrices, and the device."""
    if results is None:
        return ()
    printed = {each.name: each for each in TABLE_1}
    columns = (
        "matrix",
        "for",
        "rows",
        "paper",
        "non-zeros",
        "paper's",
        "mean",
        "sigma",
        "longest",
        "what it is",
    )
    rows = tuple(
        (
            each.name,
            each.stands_for,
            f"{each.rows:,}",
            printed[each.stands_for].rows if each.stands_for in printed else "",
            f"{each.nnz:,}",
            printed[each.stands_for].entries if each.stands_for in printed else "",
            three_digits(each.mean),
            three_digits(each.sigma),
            f"{each.longest:,}",
            f"not measured: {each.missing}" if each.missing else each.note,
        )
        for each in results.matrices
    )
    facts = {"measured on": results.gpu or "no GPU", "made": results.made, **results.facts}
    seconds = {f"seconds, {name}": str(value) for name, value in results.seconds.items()}
    return (
        Appendix(
            "hbp-matrices",
            "The matrices of the HBP paper, and what stands for them",
            table=Table(columns, rows, frozenset(columns[2:9])),
        ),
        Appendix(
            "",
            "What measured for the HBP paper",
            table=Table(("what", "which"), tuple({**facts, **seconds}.items())),
        ),
    )
