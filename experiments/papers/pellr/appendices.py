"""What stands after the items of the PELLR paper: the methods, the matrices, every time, the GPU."""

from __future__ import annotations

from collections.abc import Callable

from experiments.papers.kit.results import Record
from experiments.papers.kit.tables import gpu_appendix, table
from experiments.papers.pellr.methods import METHODS, Method
from experiments.papers.pellr.results import MatrixRecord, Results
from experiments.papers.pellr.subjects import KINDS
from experiments.report.item import Appendix, Table
from experiments.report.number_tables import number_text, three_digits


def make(results: Results) -> tuple[Appendix, ...]:
    """Make the methods, and what was measured."""
    return (
        Appendix("", "The formats of the PELLR paper", table=table(METHODS.values(), NAMES, slice(0))),
        Appendix(
            "pellr-matrices",
            "The matrices of the PELLR paper",
            ("; ".join(f"{kind}: {meaning}" for kind, meaning in KINDS.items()) + ".",),
            _matrices(results),
        ),
        Appendix(
            "pellr-times",
            "Every time of the PELLR paper's comparison",
            (
                "Medians of warm products by replay of CUDA graphs; the spread is the interquartile range as "
                "a share of the median. Arrays of float32 are made from those of float64, so that "
                "conversions are timed once.",
            ),
            table(results.records, TIMES, slice(3, 8)),
        ),
        gpu_appendix("The GPU that measured", results),
    )


def _matrices(results: Results) -> Table:
    columns: dict[str, Callable[[MatrixRecord], object]] = {
        "matrix": lambda m: m.name,
        "kind": lambda m: m.group,
        "of the paper": lambda m: m.stands_for,
        "rows": lambda m: m.rows,
        "columns": lambda m: m.columns,
        "non-zeros": lambda m: m.nnz,
        "mean": lambda m: three_digits(m.mean),
        "sigma": lambda m: three_digits(m.sigma),
        "shortest": lambda m: m.shortest,
        "longest": lambda m: m.longest,
        "waves": lambda m: three_digits(results.waves(m)),
        "iterations ELLR": lambda m: m.iterations.get("ellr", ""),
        "PELLR": lambda m: m.iterations.get("pellr", ""),
        "BiELL": lambda m: m.iterations.get("biell", ""),
        "BiJAD": lambda m: m.iterations.get("bijad", ""),
        "work": lambda m: m.work,
        "remark": lambda m: f"not measured: {m.missing}" if m.missing else m.note,
    }
    return table(results.matrices, columns, slice(3, -1))


NAMES: dict[str, Callable[[Method], object]] = {
    "method": lambda m: m.label,
    "in files": lambda m: m.name,
    "what it is": lambda m: m.what,
}
TIMES: dict[str, Callable[[Record], object]] = {
    "matrix": lambda r: r.matrix,
    "method": lambda r: r.method,
    "type": lambda r: r.dtype,
    "us": lambda r: number_text(r.median_us),
    "spread": lambda r: number_text(r.spread, "{:.3f}"),
    "bytes": lambda r: number_text(r.nbytes, "{:d}"),
    "conversion us": lambda r: number_text(r.parts.get("setup"), "{:.0f}"),
    "relative error": lambda r: number_text(r.error, "{:.1e}"),
    "remark": lambda r: r.remark,
}
"""Columns of the table of times."""
