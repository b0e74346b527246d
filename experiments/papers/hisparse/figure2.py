"""Figure 2: bytes a non-zero of HiSparse, COO and CSR: as stored, by formula, and as Figure 4 implies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean

from experiments.papers.hisparse import storage
from experiments.papers.hisparse.methods import DTYPES, OWN
from experiments.papers.hisparse.printed import BARELY, FIGURE_4, LESS_THAN_COO, LESS_THAN_CSR, NODE_SIZE
from experiments.papers.hisparse.results import MatrixRecord, Results, Tree
from experiments.papers.hisparse.texts import category
from experiments.papers.kit.charts import bars
from experiments.papers.kit.numbers import average, mean_ratio, spread
from experiments.papers.kit.results import NOT_MEASURED
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Panel, Verdict

OURS = 256
"""d that is the default here."""
VALUE_BITS = 32
FOUR_WITHIN = 0.2
"""How far from 4 bytes a non-zero what is added may be."""
STAND_INS = "matrices that stand for the paper's"
SUMMARY = (
    "Bytes a non-zero in single precision. COO and CSR have 32-bit indices. HiSparse with d = 128, as the "
    "paper has it, and with d = 256, the default here: all nodes of the real tree as they are stored, with "
    "padding to 16 bytes and a count of references a node, which the paper's nodes do not have; and by the "
    "formulas of section 3.3, summed over the nodes of the same tree. The paper prints no numbers in the "
    "figure. What follows from the nodes and leaves that its Figure 4 prints is shown as separate matrices."
)
NOTES = (
    "On the GPU, both products: all bytes that stay on the device to multiply both ways, work lists of both "
    "directions included; a product needs leaves as entries, not the tree.",
    "Approximation: the paper's (1 + N / L) nnz (2 log2 d + b) + 32 L for trees close to a full hierarchy, "
    "with coordinates of 2 log2 d bits. Where leaves are few entries it is far too large: it counts inner "
    "nodes for the entries of leaves.",
    "Bound: no tree has more nodes than equation 1 allows. It allows nodes in proportion to d^2, so for most "
    "trees it is hundreds or thousands of times what they have.",
)
CLASSES = {
    "large_structured": "large, structured",
    "skewed": "skewed",
    "small": "small",
    "other": "others",
    "uniform": "others",
}
"""Panels by class of the suite."""


def make(results: Results) -> Item:
    """Make the item."""
    rows = [*_summary_rows(results), *_device_rows(results), *_matrix_rows(results)]
    for name, printed in FIGURE_4.items():
        csr = storage.csr_bytes(printed.rows, printed.nnz, VALUE_BITS)
        rows.append(Comparison(f"{name}, as Figure 4 prints it", "CSR", "", csr))
        rows.append(
            Comparison(
                f"{name}, as Figure 4 prints it", "formula, d = 128", "", storage.printed_bytes(printed)
            )
        )
    return results.item(
        "hisparse-fig2",
        "Figure 2: bytes a non-zero of HiSparse, COO and CSR",
        SUMMARY,
        tuple(rows),
        chart=_chart(results.measured),
        verdicts=_verdicts(results),
        notes=NOTES,
    )


def savings(
    matrices: Iterable[MatrixRecord], node_size: int, other: Callable[[MatrixRecord], float]
) -> dict[str, float]:
    """Return what the stored trees save, per cent of another format, by the name of the matrix."""
    return {
        matrix.name: 100 * (1 - storage.stored_bytes(tree, matrix.nnz) / other(matrix))
        for matrix in matrices
        if (tree := matrix.tree(node_size, "float32")) is not None
    }


def printed_savings(what: str) -> dict[str, float]:
    """Return what the paper's own nodes save against CSR or COO by its formulas, per cent, by matrix."""
    saved = {}
    for name, each in FIGURE_4.items():
        csr = storage.csr_bytes(each.rows, each.nnz, VALUE_BITS)
        other = csr if what == "CSR" else storage.coo_bytes(VALUE_BITS)
        saved[name] = 100 * (1 - storage.printed_bytes(each) / other)
    return saved


def _csr(matrix: MatrixRecord) -> float:
    return storage.csr_bytes(matrix.rows, matrix.nnz, VALUE_BITS)


def _coo(matrix: MatrixRecord) -> float:
    return storage.coo_bytes(VALUE_BITS)


OTHERS = {"CSR": (_csr, LESS_THAN_CSR), "COO": (_coo, LESS_THAN_COO)}
"""What HiSparse is compared with, and the per cent that the paper says it saves."""


def _groups(results: Results) -> dict[str, list[MatrixRecord]]:
    return {
        STAND_INS: results.of_the_paper,
        "class large_structured": [m for m in results.measured if m.group == "large_structured"],
        "all": results.measured,
    }


def _summary_rows(results: Results) -> Iterator[Comparison]:
    """Yield the two means that the text prints, over several sets of matrices."""
    for what, (other, paper) in OTHERS.items():
        yield Comparison(
            "the paper's 14 matrices, by its Figure 4",
            f"saved against {what}, %",
            f"{paper:g}",
            fmean(printed_savings(what).values()),
            "nodes as printed, through the formulas of section 3.3, without padding",
            kind="decoded",
            implied=True,
            measure="share",
        )
        for group, matrices in _groups(results).items():
            for node_size in (NODE_SIZE, OURS):
                mean = average(savings(matrices, node_size, other), fmean)
                yield Comparison(
                    f"{group}, d = {node_size}",
                    f"saved against {what}, %",
                    f"{paper:g}" if (group, node_size) == (STAND_INS, NODE_SIZE) else "",
                    None if mean is None else mean.value,
                    NOT_MEASURED if mean is None else f"mean {mean}",
                    NOT_MEASURED,
                    implied=True,
                    measure="share",
                    without_one=None if mean is None else mean.without_one,
                )


def of_one_csr(results: Results, matrices: Iterable[MatrixRecord], dtype: str) -> dict[str, float]:
    """Return all bytes on the GPU to multiply both ways in parts of those of one CSR, by matrix.

    Parameters
    ----------
    results
        The results.
    matrices
        Which of them; one whose product was not measured is left out.
    dtype
        float32 or float64.
    """
    result = {}
    for matrix in matrices:
        product = results.record(matrix, OWN, dtype, "spmv")
        if product is not None and product.nbytes is not None and matrix.nnz:
            csr = storage.csr_bytes(matrix.rows, matrix.nnz, storage.VALUE_BITS[dtype]) * matrix.nnz
            result[matrix.name] = product.nbytes / csr
    return result


def _device_rows(results: Results) -> Iterator[Comparison]:
    """Yield what stays on the GPU in parts of one CSR: geometric means of sets, and each matrix."""
    for dtype, short in DTYPES.items():
        quantity = f"on the GPU, both products, of one CSR {short}"
        for group, matrices in _groups(results).items():
            mean = mean_ratio(of_one_csr(results, matrices, dtype))
            if mean is None:
                yield Comparison(group, quantity, "", None, absent=NOT_MEASURED)
                continue
            note = f"geometric mean {mean}"
            yield Comparison(group, quantity, "", mean.value, note, without_one=mean.without_one)
        for matrix in results.measured:
            share = of_one_csr(results, [matrix], dtype).get(matrix.name)
            if share is not None:
                yield Comparison(matrix.label, quantity, "", share)


def _matrix_rows(results: Results) -> Iterator[Comparison]:
    for matrix in results.measured:
        numbers: dict[str, float] = {"COO": _coo(matrix), "CSR": _csr(matrix)}
        for node_size in (NODE_SIZE, OURS):
            tree = matrix.tree(node_size, "float32")
            if tree is None:
                continue
            numbers[f"stored, d = {node_size}"] = storage.stored_bytes(tree, matrix.nnz)
            numbers[f"formula, d = {node_size}"] = storage.formula_bytes(tree, matrix.nnz)
            if node_size == NODE_SIZE:
                numbers["approximation, d = 128"] = storage.approximate_bytes(tree, matrix.nnz)
                nodes, most, _ = storage.node_bounds(matrix, tree)
                numbers["nodes, d = 128"] = nodes
                numbers["most nodes by equation 1"] = most
        product = results.record(matrix, OWN, "float32", "spmv")
        if product is not None and product.nbytes is not None:
            numbers["on the GPU, both products"] = product.nbytes / max(matrix.nnz, 1)
        yield from (Comparison(matrix.label, quantity, "", value) for quantity, value in numbers.items())


def _chart(matrices: Sequence[MatrixRecord]) -> BarChart:
    titles = dict.fromkeys(CLASSES[matrix.group] for matrix in matrices)
    return BarChart(
        title="Bytes a non-zero, single precision (less is better)",
        value_label="bytes a non-zero",
        panels=tuple(_panel(title, [m for m in matrices if CLASSES[m.group] == title]) for title in titles),
        category_label="matrix (and the paper's that it stands for)",
        description="Bars of the bytes a non-zero of COO, CSR and HiSparse; all numbers are in the table",
    )


def _stored(matrix: MatrixRecord, node_size: int) -> float | None:
    tree = matrix.tree(node_size, "float32")
    return None if tree is None else storage.stored_bytes(tree, matrix.nnz)


SERIES: dict[str, Callable[[MatrixRecord], float | None]] = {
    "COO": _coo,
    "CSR": _csr,
    "HiSparse, d = 128": lambda matrix: _stored(matrix, NODE_SIZE),
    "HiSparse, d = 256": lambda matrix: _stored(matrix, OURS),
}


def _panel(title: str, matrices: Sequence[MatrixRecord]) -> Panel:
    return bars(title, matrices, category, SERIES, lambda matrix, of: of(matrix))


def _verdicts(results: Results) -> list[Verdict]:
    pairs = [(m, tree) for m in results.measured if (tree := m.tree(NODE_SIZE, "float32")) is not None]
    return [
        *(_average(results, what) for what in OTHERS),
        *(_size_verdicts(pairs) if pairs else ()),
        _four_bytes_more(results),
        *_bound_verdicts(results),
    ]


def _average(results: Results, what: str) -> Verdict:
    """Return what is known of a printed average: it follows from nodes, and stand-ins have others."""
    other, paper = OTHERS[what]
    here = average(savings(results.of_the_paper, NODE_SIZE, other), fmean)
    by_figure_4 = fmean(printed_savings(what).values())
    return Verdict(
        f"On average HiSparse takes {paper:g} % less memory than {what}",
        None,
        "it follows from the nodes of files that are not available; by those that Figure 4 prints, without "
        f"padding, {by_figure_4:.1f} %; stand-ins, of other structures: {here or NOT_MEASURED}",
    )


def _size_verdicts(pairs: Sequence[tuple[MatrixRecord, Tree]]) -> Iterator[Verdict]:
    """Judge trees as the paper has them, with its d and in single precision."""
    number = len(pairs)
    ratios = {
        what: {m.name: storage.stored_bytes(tree, m.nnz) / other(m) for m, tree in pairs}
        for what, (other, _) in OTHERS.items()
    }
    less = {what: sum(ratio < 1 for ratio in each.values()) for what, each in ratios.items()}
    larger = {name: ratio for name, ratio in ratios["CSR"].items() if ratio > 1}
    yield Verdict(
        "HiSparse generally takes less memory than COO and CSR (here: on most matrices)",
        2 * min(less.values()) > number,
        "; ".join(f"than {what} on {count} of {number}" for what, count in less.items()),
    )
    yield Verdict(
        f"For special distributions CSR is slightly smaller (here: HiSparse at most {BARELY:.0%} larger)",
        max(larger.values()) <= 1 + BARELY if larger else None,
        f"bytes of HiSparse over CSR, on {len(larger)} of {number}: "
        + (", ".join(f"{ratio:.2f} ({name})" for name, ratio in sorted(larger.items())) or "no such matrix"),
    )
    shares = {m.name: bits[1] / bits[0] for m, tree in pairs if (bits := storage.formula_bits(tree))[0]}
    yield Verdict(
        "Inner nodes take less memory than leaves",
        max(shares.values()) < 1 if shares else None,
        f"by the formulas, of that of leaves: {spread(shares)}",
    )
    dense = [m.name for m, tree in pairs if tree.inner.dense]
    printed = [name for name, each in FIGURE_4.items() if each.inner.dense]
    yield Verdict(
        "Dense nodes reduce the memory of inner nodes in general (here: on most matrices there are any)",
        2 * len(dense) > number,
        f"inner nodes are dense on {len(dense)} of {number}; by its Figure 4 on {len(printed)} of "
        f"{len(FIGURE_4)}",
    )
    full = [tree for m, tree in pairs if m.nnz == m.rows * m.columns]
    overhead = max((100 * (tree.nbytes / (4 * sum(_entries(tree))) - 1) for tree in full), default=None)
    yield Verdict(
        "On a dense matrix the overhead over complete dense storage is negligible",
        None if overhead is None else overhead < 1,
        "no dense matrix was measured" if overhead is None else f"{overhead:.2f} %",
    )


def _four_bytes_more(results: Results) -> Verdict:
    """Judge what double precision takes more, by trees that are stored in both types."""
    more = {}
    for matrix in results.measured:
        single, double = (matrix.tree(OURS, dtype) for dtype in ("float32", "float64"))
        if single is not None and double is not None and matrix.nnz:
            more[matrix.name] = (double.nbytes - single.nbytes) / matrix.nnz
    claim = "In double precision all requirements increase by 4 bytes a non-zero (here d = 256)"
    if not more:
        return Verdict(claim, None, NOT_MEASURED)
    above = {name: each for name, each in more.items() if abs(each - 4) > FOUR_WITHIN}
    named = ", ".join(f"{each:.2f} ({name})" for name, each in sorted(above.items()))
    detail = f"within {FOUR_WITHIN:g} on {len(more) - len(above)} of {len(more)}"
    why = "sparse nodes are padded to 4 entries and 16 bytes, which counts where they have few"
    return Verdict(claim, not above, f"{detail}, not on {named}: {why}" if above else detail)


def _bound_verdicts(results: Results) -> Iterator[Verdict]:
    trees = [(m, tree) for m in results.measured if m.nnz for tree in m.trees]
    bounds = [storage.node_bounds(m, tree) for m, tree in trees]
    last = [m.nnz * tree.node_size**2 * (len(tree.levels) + 1) for m, tree in trees]
    there = (
        f"on all {len(bounds)} trees; the nearest has {{:.1e}} of the most" if bounds else "no tree was made"
    )
    yield Verdict(
        "No tree has more nodes than equation 1, nor that more than its simplification (appendix)",
        all(nodes <= most <= below for nodes, most, below in bounds) if bounds else None,
        there.format(max((nodes / most for nodes, most, _ in bounds), default=0)),
    )
    shares = [nodes / most for (nodes, _, _), most in zip(bounds, last, strict=True)]
    why = "it does not follow from the simplification, which allows more, but a non-zero has a node a level"
    yield Verdict(
        "No tree has nnz d^2 (log_d(m) + 1) nodes, what the equations are said to boil down to",
        max(shares) < 1 if shares else None,
        f"{there.format(max(shares, default=0))}; {why}" if shares else there,
    )


def _entries(tree: Tree) -> tuple[int, int]:
    return tree.levels[0].sparse_entries, tree.levels[0].dense_entries
