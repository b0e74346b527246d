"""Figure 4: the matrices, and the nodes and leaves of their trees with d = 128."""

from __future__ import annotations

from experiments.papers.hisparse.printed import DENSE, FIGURE_4, NO_TREE, NODE_SIZE, Nodes, PrintedMatrix
from experiments.papers.hisparse.results import MatrixRecord, Results
from experiments.papers.hisparse.storage import nodes_of
from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict
from experiments.report.paper_chart import paper_beside_ours

SUMMARY = (
    "Rows, non-zeros and row lengths of each matrix, and its tree with d = 128 in single precision: inner "
    "nodes and leaves, sparse and dense, and their mean entries; of leaves that of the sparse ones. Next "
    "to each printed matrix stands the one of the GPU suite that was generated in its place, with another "
    "structure: so its nodes cannot confirm the printed ones. Only the dense matrix is the same, and its "
    "numbers count. The others have no number of the paper."
)
NOTES = (
    "Six stand-ins have the rows and non-zeros of the paper's matrices; those for bone010, ldoor and "
    "parabolic_fem have others. Nodes and leaves are not adjusted: they say how alike the structures are.",
    "For dense, in-2004 and mip1, the matrices with dense leaves, the mean entries of inner nodes that the "
    "paper prints cannot be: one inner node over 1,600 leaves is said to have 16,373.3. The nodes below "
    "inner nodes divided by these are 1,600, 33 and 330.",
)
ABSENT = "no stand-in"
CHARTED = ("leaves", "leaves: mean", "inner nodes")


def make(results: Results) -> Item:
    """Make the item."""
    by_name = {each.stands_for: each for each in results.of_the_paper}
    rows = [row for name, printed in FIGURE_4.items() for row in _rows(name, printed, by_name.get(name))]
    rows += [
        Comparison(matrix.label, what, "", value)
        for matrix in results.measured
        if not matrix.stands_for
        for what, value in _numbers_of(matrix).items()
    ]
    charted = [row for row in rows if row.quantity in CHARTED and row.ours is not None]
    return results.item(
        "hisparse-fig4",
        "Figure 4: statistics of the matrices in CSR and HiSparse",
        SUMMARY,
        tuple(rows),
        chart=paper_beside_ours(
            "Nodes of the trees: the paper's matrices and those that stand for them",
            "number",
            charted,
            logarithmic=True,
        ),
        verdicts=_verdicts(results),
        notes=NOTES,
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
            name,
            what,
            _written(numbers[what]) if what in numbers else "",
            ours.get(what),
            note,
            ABSENT,
            implied=name != DENSE,
            measure="counted",
        )
        for what in dict.fromkeys((*numbers, *ours))
    ]


def _of_nodes(inner: Nodes, leaves: Nodes) -> dict[str, float]:
    return {
        f"{what}{part}": number
        for what, nodes in (("inner nodes", inner), ("leaves", leaves))
        for part, number in (("", nodes.count), (": dense", nodes.dense), (": mean", nodes.mean))
    }


def _printed_numbers(name: str, printed: PrintedMatrix) -> dict[str, float]:
    numbers = _of_nodes(printed.inner, printed.leaves)
    if name in NO_TREE:
        del numbers["inner nodes: mean"]
    # Nothing is this many per cent above 0.
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
    if tree is None:
        return numbers
    return numbers | _of_nodes(nodes_of(tree, leaves=False), nodes_of(tree, leaves=True))


def _impossible(printed: PrintedMatrix) -> str:
    inner = printed.inner
    below = (inner.count + printed.leaves.count - 1) / inner.count
    return f"{inner.mean:,.1f} for {below:,.0f} nodes below each"


def _written(number: float) -> str:
    return f"{number:.0f}" if number == int(number) else f"{number:g}"


def _verdicts(results: Results) -> list[Verdict]:
    trees = [(m, tree) for m in results.measured if (tree := m.tree(NODE_SIZE, "float32")) is not None]
    few = [m.name for m, tree in trees if nodes_of(tree, leaves=False).count >= tree.leaves > 0]
    counted = sum(len(_printed_numbers(name, each)) for name, each in FIGURE_4.items() if name != DENSE)
    return [
        Verdict(
            f"The {counted} printed numbers of nodes and leaves of all matrices but the dense one",
            None,
            "they are of files that are not available; matrices of other structures stand in for them",
        ),
        Verdict(
            f"The mean entries of inner nodes of {', '.join(NO_TREE)}",
            False,
            "they cannot be, by the other numbers of the figure: "
            + "; ".join(_impossible(FIGURE_4[name]) for name in NO_TREE),
        ),
        Verdict(
            "There are fewer inner nodes than leaves (section 3.3: N < L)",
            not few if trees else None,
            f"on {len(trees) - len(few)} of {len(trees)}" + (f", not on {', '.join(few)}" if few else ""),
        ),
    ]
