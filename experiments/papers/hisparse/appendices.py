"""What stands behind the items of the HiSparse paper: the methods, the matrices, every time, the GPU."""

from __future__ import annotations

import shlex

from experiments.papers.hisparse.measured import Measured
from experiments.papers.hisparse.methods import METHODS, OPERATIONS
from experiments.papers.hisparse.results import MatrixRecord, Record
from experiments.report.item import Appendix, Table
from experiments.report.number_tables import three_digits

PARTS = ("symbolic", "numeric", "conversion")
"""Of a sum, as `Record.parts` has them."""


def make(measured: Measured | None) -> tuple[Appendix, ...]:
    """Give the methods, and what was measured."""
    methods = Table(
        ("method", "in files", "what it is"),
        tuple((each.label, each.name, each.what) for each in METHODS.values()),
    )
    found = [Appendix("", "The methods of the HiSparse paper's comparison", table=methods)]
    if measured is not None:
        found += [_matrices(measured), _trees(measured), _times(measured)]
        found += [_sums(measured)] * any(each.parts for each in measured.results.records)
        found.append(_gpu(measured))
    return tuple(found)


def _matrices(measured: Measured) -> Appendix:
    columns = ("matrix", "class", "for", "rows", "columns", "non-zeros", "mean", "sigma", "longest", "remark")
    return Appendix(
        "hisparse-matrices",
        "The matrices of the HiSparse paper's comparison",
        ("They are those of `vecsim gpu bench`; “for” is the paper's matrix that one stands for.",),
        Table(columns, tuple(map(_matrix, measured.results.matrices)), frozenset(columns[3:-1])),
    )


def _matrix(matrix: MatrixRecord) -> tuple[str, ...]:
    return (
        matrix.name,
        matrix.group,
        matrix.stands_for,
        str(matrix.rows),
        str(matrix.columns),
        str(matrix.nnz),
        three_digits(matrix.mean),
        three_digits(matrix.sigma),
        str(matrix.longest),
        matrix.missing,
    )


def _trees(measured: Measured) -> Appendix:
    columns = (
        "matrix",
        "d",
        "type",
        "level",
        "sparse",
        "dense",
        "sparse entries",
        "dense entries",
        "bytes of all",
    )
    rows = tuple(
        (
            matrix.name,
            str(tree.node_size),
            tree.dtype,
            str(number),
            str(level.sparse),
            str(level.dense),
            str(level.sparse_entries),
            str(level.dense_entries),
            "" if number else str(tree.nbytes),
        )
        for matrix in measured.matrices
        for tree in matrix.trees
        for number, level in enumerate(tree.levels)
    )
    return Appendix(
        "hisparse-trees",
        "Their trees, level by level",
        ("Level 0 has the leaves. Bytes are those of all nodes as they are stored.",),
        Table(columns, rows, frozenset((columns[1], *columns[3:]))),
    )


def _times(measured: Measured) -> Appendix:
    columns = (
        "matrix",
        "operation",
        "method",
        "type",
        "us",
        "spread",
        "bytes",
        "relative error",
        "which",
        "remark",
    )
    return Appendix(
        "hisparse-times",
        "Every time of the HiSparse paper's comparison",
        (
            "; ".join(f"{name}: {what}" for name, what in OPERATIONS.items())
            + ". Medians of warm runs by replay of CUDA graphs; the spread is the interquartile range as a "
            "share of the median. Bytes are of the matrix on the device with all that its kernels keep: of "
            "HiSparse for "
            "both products together.",
        ),
        Table(columns, tuple(map(_time, measured.results.records)), frozenset(columns[4:8])),
    )


def _sums(measured: Measured) -> Appendix:
    columns = ("matrix", "operation", "method", "type", "us", *PARTS)
    rows = tuple(
        (
            each.matrix,
            each.operation,
            each.method,
            each.dtype,
            _shown(each.median_us, "{:.4g}"),
            *(_shown(each.parts.get(part), "{:.4g}") for part in PARTS),
        )
        for each in measured.results.records
        if each.parts
    )
    return Appendix(
        "hisparse-sums",
        "The passes of every sum of the HiSparse paper's comparison",
        (
            "Microseconds: symbolic is the pass that counts the entries of the sum, numeric the one that "
            "writes them, conversion all that makes transposes. Each is timed alone; of ours “us” is the "
            "time of all in one graph, of cuSPARSE their sum.",
        ),
        Table(columns, rows, frozenset(columns[4:])),
    )


def _time(record: Record) -> tuple[str, ...]:
    return (
        record.matrix,
        record.operation,
        record.method,
        record.dtype,
        _shown(record.median_us, "{:.4g}"),
        _shown(record.spread, "{:.3f}"),
        _shown(record.nbytes, "{:d}"),
        _shown(record.error, "{:.1e}"),
        record.chosen,
        record.reason if record.status == "ok" else f"{record.status}: {record.reason}",
    )


def _shown(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)


def _gpu(measured: Measured) -> Appendix:
    results = measured.results
    rows = [
        ("GPU", results.gpu.name),
        ("measured", results.made),
        ("command", shlex.join(results.command)),
        ("commit", results.commit or "unknown"),
        *results.versions.items(),
        *((name, fact) for name, fact in results.gpu.facts.items() if name not in results.versions),
        *((f"{what}, of another run", when) for what, when in results.added.items()),
        *((f"seconds: {phase}", str(spent)) for phase, spent in results.seconds.items()),
    ]
    return Appendix(
        "", "The GPU that measured the HiSparse paper", table=Table(("what", "which"), tuple(rows))
    )
