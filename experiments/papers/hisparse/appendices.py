"""What stands after the items of the HiSparse paper: the methods, the matrices, every time, the GPU."""

from __future__ import annotations

from collections.abc import Callable

from experiments.papers.hisparse.methods import METHODS, OPERATIONS, SUMS, Method
from experiments.papers.hisparse.results import Level, MatrixRecord, Results, Tree
from experiments.papers.kit.results import Record
from experiments.papers.kit.tables import gpu_appendix, table
from experiments.report.item import Appendix
from experiments.report.number_tables import number_text, three_digits


def make(results: Results) -> tuple[Appendix, ...]:
    """Make the methods, and what was measured."""
    levels = [
        (matrix, tree, number, level)
        for matrix in results.measured
        for tree in matrix.trees
        for number, level in enumerate(tree.levels)
    ]
    sums = [each for each in results.records if each.operation in SUMS and each.parts]
    return (
        Appendix(
            "",
            "The methods of the HiSparse paper's comparison",
            table=table(METHODS.values(), NAMES, slice(0)),
        ),
        Appendix(
            "hisparse-matrices",
            "The matrices of the HiSparse paper's comparison",
            ("They are those of `vecsim gpu bench`; “for” is the paper's matrix that one stands for.",),
            table(results.matrices, MATRICES, slice(3, -1)),
        ),
        Appendix(
            "hisparse-trees",
            "Their trees, level by level",
            ("Level 0 has the leaves. Bytes are those of all nodes as they are stored.",),
            table(levels, LEVELS, slice(1, None), "type"),
        ),
        Appendix(
            "hisparse-times",
            "Every time of the HiSparse paper's comparison",
            (
                "; ".join(f"{name}: {what}" for name, what in OPERATIONS.items())
                + ". Medians of warm runs by replay of CUDA graphs; the spread is the interquartile range as "
                "a share of the median. Bytes are of the matrix on the device with all that its kernels "
                "keep: of HiSparse for both products together.",
            ),
            table(results.records, TIMES, slice(4, 8)),
        ),
        Appendix(
            "hisparse-sums",
            "The passes of every sum of the HiSparse paper's comparison",
            (
                "Microseconds: symbolic is the pass that counts the entries of the sum, numeric the one that "
                "writes them, conversion all that makes transposes. Each is timed alone; of ours “us” is the "
                "time of all in one graph, of cuSPARSE their sum.",
            ),
            table(sums, PASSES, slice(4, None)),
        ),
        gpu_appendix("The GPU that measured the HiSparse paper", results),
    )


NAMES: dict[str, Callable[[Method], object]] = {
    "method": lambda m: m.label,
    "in files": lambda m: m.name,
    "what it is": lambda m: m.what,
}
MATRICES: dict[str, Callable[[MatrixRecord], object]] = {
    "matrix": lambda m: m.name,
    "class": lambda m: m.group,
    "for": lambda m: m.stands_for,
    "rows": lambda m: m.rows,
    "columns": lambda m: m.columns,
    "non-zeros": lambda m: m.nnz,
    "mean": lambda m: three_digits(m.mean),
    "sigma": lambda m: three_digits(m.sigma),
    "longest": lambda m: m.longest,
    "remark": lambda m: m.missing,
}
LEVELS: dict[str, Callable[[tuple[MatrixRecord, Tree, int, Level]], object]] = {
    "matrix": lambda of: of[0].name,
    "d": lambda of: of[1].node_size,
    "type": lambda of: of[1].dtype,
    "level": lambda of: of[2],
    "sparse": lambda of: of[3].sparse,
    "dense": lambda of: of[3].dense,
    "sparse entries": lambda of: of[3].sparse_entries,
    "dense entries": lambda of: of[3].dense_entries,
    "bytes of all": lambda of: "" if of[2] else of[1].nbytes,
}
OF_A_RECORD: dict[str, Callable[[Record], object]] = {
    "matrix": lambda r: r.matrix,
    "operation": lambda r: r.operation,
    "method": lambda r: r.method,
    "type": lambda r: r.dtype,
    "us": lambda r: number_text(r.median_us),
}
TIMES: dict[str, Callable[[Record], object]] = {
    **OF_A_RECORD,
    "spread": lambda r: number_text(r.spread, "{:.3f}"),
    "bytes": lambda r: number_text(r.nbytes, "{:d}"),
    "relative error": lambda r: number_text(r.error, "{:.1e}"),
    "which": lambda r: r.chosen,
    "remark": lambda r: r.reason if r.status == "ok" else r.remark,
}
PASSES: dict[str, Callable[[Record], object]] = {
    **OF_A_RECORD,
    "symbolic": lambda r: number_text(r.parts.get("symbolic")),
    "numeric": lambda r: number_text(r.parts.get("numeric")),
    "conversion": lambda r: number_text(r.parts.get("conversion")),
}
"""Columns of the tables."""
