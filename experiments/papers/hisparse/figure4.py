"""Figure 4: the matrices, and the nodes and leaves of their trees with d = 128."""

from __future__ import annotations

from experiments.papers.hisparse.measured import Measured
from experiments.papers.hisparse.printed import FIGURE_4, NO_TREE, NODE_SIZE, PrintedMatrix
from experiments.papers.hisparse.results import MatrixRecord
from experiments.papers.hisparse.storage import nodes_of
from experiments.papers.hisparse.texts import WITHOUT_RESULTS, gaps_of, label
from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict
from experiments.report.paper_chart import paper_beside_ours

NAME, TITLE = "hisparse-fig4", "Figure 4: statistics of the matrices in CSR and HiSparse"
SUMMARY = (
    "Rows, non-zeros and row lengths of each matrix, and its tree with d = 128 in single precision: "
    "inner nodes "
    "and leaves, sparse and dense, and their mean entries; of leaves that of the sparse ones. Beside each "
    "printed matrix stands the one of the GPU suite that was generated in its place; the others have no "
    "number of the paper."
)
NOTES = (
    "The stand-ins were made with rows, non-zeros and row lengths of the paper's matrices. Nodes and "
    "leaves are "
    "not adjusted: they say how alike the structures are.",
    "For dense, in-2004 and mip1, the matrices with dense leaves, the mean entries of inner nodes that "
    "the paper "
    "prints cannot be: one inner node over 1,600 leaves is said to have 16,373.3. The nodes below inner "
    "nodes "
    "divided by these are 1,600, 33 and 330.",
)
ABSENT = "no stand-in"
CHARTED = ("leaves", "leaves: mean", "inner nodes")


def make(measured: Measured | None) -> Item:
    """Make the item; without results only what the paper prints."""
    by_name = {each.stands_for: each for each in measured.matrices if each.stands_for} if measured else {}
    rows = []
    for name, printed in FIGURE_4.items():
        rows += _rows(name, printed, by_name.get(name))
    for matrix in measured.matrices if measured else ():
        if not matrix.stands_for:
            rows += [
                Comparison(label(matrix), what, "", value) for what, value in _numbers_of(matrix).items()
            ]
    charted = [row for row in rows if row.quantity in CHARTED and row.ours is not None]
    return Item(
        NAME,
        TITLE,
        SUMMARY,
        tuple(rows),
        chart=paper_beside_ours(
            "Nodes of the trees: the paper's matrices and those that stand for them",
            "number",
            charted,
            logarithmic=True,
        )
        if charted
        else None,
        verdicts=tuple(_verdicts(measured)) if measured else (),
        notes=NOTES,
        gaps=(WITHOUT_RESULTS,) if measured is None else gaps_of(measured),
    )


def _rows(name: str, printed: PrintedMatrix, matrix: MatrixRecord | None) -> list[Comparison]:
    ours = {} if matrix is None else _numbers_of(matrix)
    which = "no matrix stands for it" if matrix is None else f"ours is {matrix.name}"
    note = (
        f"{which}; the paper's has {printed.rows:,.0f} rows, {printed.nnz:,.0f} non-zeros, {printed.mean:g} "
        f"({printed.sigma:g}) a row, {printed.longest:,.0f} at most"
    )
    numbers = _printed_numbers(name, printed)
    return [
        Comparison(
            name, what, _written(numbers[what]) if what in numbers else "", ours.get(what), note, ABSENT
        )
        for what in dict.fromkeys((*numbers, *ours))
    ]


def _printed_numbers(name: str, printed: PrintedMatrix) -> dict[str, float]:
    numbers = {
        "inner nodes": printed.inner.count,
        "inner nodes: dense": printed.inner.dense,
        "inner nodes: mean": printed.inner.mean,
        "leaves": printed.leaves.count,
        "leaves: dense": printed.leaves.dense,
        "leaves: mean": printed.leaves.mean,
    }
    if name in NO_TREE:
        del numbers["inner nodes: mean"]
    # Nothing is so many per cent above 0.
    return {what: number for what, number in numbers.items() if number}


def _numbers_of(matrix: MatrixRecord) -> dict[str, float]:
    numbers: dict[str, float] = {
        "rows": matrix.rows,
        "non-zeros": matrix.nnz,
        "row mean": matrix.mean,
        "row sigma": matrix.sigma,
        "row longest": matrix.longest,
    }
    tree = matrix.tree(NODE_SIZE, "float32")
    if tree is not None:
        inner, leaves = nodes_of(tree, leaves=False), nodes_of(tree, leaves=True)
        numbers |= {
            "inner nodes": inner.count,
            "inner nodes: dense": inner.dense,
            "inner nodes: mean": inner.mean,
            "leaves": leaves.count,
            "leaves: dense": leaves.dense,
            "leaves: mean": leaves.mean,
        }
    return numbers


def _written(number: float) -> str:
    return f"{number:.0f}" if number == int(number) else f"{number:g}"


def _verdicts(measured: Measured) -> list[Verdict]:
    trees = [(m, tree) for m in measured.matrices if (tree := m.tree(NODE_SIZE, "float32")) is not None]
    few = [m.name for m, tree in trees if nodes_of(tree, leaves=False).count >= tree.leaves > 0]
    return [
        Verdict(
            "There are fewer inner nodes than leaves (section 3.3: N < L)",
            not few if trees else None,
            f"on {len(trees) - len(few)} of {len(trees)}" + (f", not on {', '.join(few)}" if few else ""),
        ),
    ]
