"""What stands behind the items of the PELLR paper: the methods, the matrices, every time, the GPU."""

from __future__ import annotations

import shlex

from experiments.papers.pellr.methods import METHODS
from experiments.papers.pellr.results import MatrixRecord, Record
from experiments.papers.pellr.speeds import STATUS_WORDS, Speeds
from experiments.papers.pellr.subjects import KINDS
from experiments.report.item import Appendix, Table
from experiments.report.number_tables import three_digits


def make(speeds: Speeds | None) -> tuple[Appendix, ...]:
    """Give the methods, and what was measured."""
    methods = Table(
        ("method", "in files", "what it is"),
        tuple((each.label, each.name, each.what) for each in METHODS.values()),
    )
    found = [Appendix("", "The formats of the PELLR paper", table=methods)]
    if speeds is not None:
        found += [_matrices(speeds), _times(speeds), _gpu(speeds)]
    return tuple(found)


def _matrices(speeds: Speeds) -> Appendix:
    columns = ("matrix", "kind", "of the paper", "rows", "columns", "non-zeros", "mean", "sigma")
    more = ("shortest", "longest", "waves", "iterations ELLR", "PELLR", "BiELL", "BiJAD", "work", "remark")
    rows = tuple(_matrix(matrix, speeds) for matrix in speeds.results.matrices)
    numbers = frozenset((*columns[3:], *more[:-1]))
    return Appendix(
        "pellr-matrices",
        "The matrices of the PELLR paper",
        ("; ".join(f"{kind}: {meaning}" for kind, meaning in KINDS.items()) + ".",),
        Table((*columns, *more), rows, numbers),
    )


def _matrix(matrix: MatrixRecord, speeds: Speeds) -> tuple[str, ...]:
    remark = f"not measured: {matrix.missing}" if matrix.missing else matrix.note
    return (
        matrix.name,
        matrix.kind,
        matrix.stands_for,
        str(matrix.rows),
        str(matrix.columns),
        str(matrix.nnz),
        three_digits(matrix.mean),
        three_digits(matrix.sigma),
        str(matrix.shortest),
        str(matrix.longest),
        three_digits(speeds.waves(matrix)),
        *(str(matrix.iterations.get(name, "")) for name in ("ellr", "pellr", "biell", "bijad")),
        str(matrix.work),
        remark,
    )


def _times(speeds: Speeds) -> Appendix:
    columns = (
        "matrix",
        "method",
        "type",
        "us",
        "spread",
        "bytes",
        "conversion us",
        "relative error",
        "remark",
    )
    return Appendix(
        "pellr-times",
        "Every time of the PELLR paper's comparison",
        (
            "Medians of warm products by replay of CUDA graphs; the spread is the interquartile range as a "
            "share of the median. Arrays of float32 are made from those of float64, so that conversions are "
            "timed once.",
        ),
        Table(columns, tuple(_time(each) for each in speeds.results.records), frozenset(columns[3:8])),
    )


def _time(record: Record) -> tuple[str, ...]:
    def shown(value: float | None, form: str) -> str:
        return "" if value is None else form.format(value)

    return (
        record.matrix,
        record.method,
        record.dtype,
        shown(record.median_us, "{:.4g}"),
        shown(record.spread, "{:.3f}"),
        shown(record.nbytes, "{:d}"),
        shown(record.setup_us, "{:.0f}"),
        shown(record.error, "{:.1e}"),
        record.reason if record.status == "ok" else f"{STATUS_WORDS[record.status]}: {record.reason}",
    )


def _gpu(speeds: Speeds) -> Appendix:
    results = speeds.results
    rows = [
        ("GPU", results.gpu.name),
        ("measured", results.made),
        ("command", shlex.join(results.command)),
        ("commit", results.commit or "unknown"),
        *results.versions.items(),
        *((name, fact) for name, fact in results.gpu.facts.items() if name not in results.versions),
        *((f"seconds: {phase}", str(spent)) for phase, spent in results.seconds.items()),
    ]
    return Appendix("", "The GPU that measured", table=Table(("what", "which"), tuple(rows)))
