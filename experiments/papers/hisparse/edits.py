"""Section 3.2: what an edit costs in HiSparse and in CSR."""

from __future__ import annotations

from experiments.papers.hisparse.edit_measurement import INSERTED
from experiments.papers.hisparse.methods import CSR_EDIT, EDIT, METHODS, TREE_EDIT
from experiments.papers.hisparse.results import Results
from experiments.papers.hisparse.texts import notes_of
from experiments.papers.kit.numbers import spread
from experiments.papers.kit.results import NOT_MEASURED
from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict

SUMMARY = (
    f"{INSERTED:,} entries at random positions are inserted into each matrix on the GPU, float64, and both "
    "the matrix and the edited one are kept. HiSparse writes the leaves that are touched, all nodes above "
    "the leaves and the list of leaves, and shares the others. CSR is written again as a whole. Times are "
    "of the host, until the device has finished. The paper prints no numbers."
)
UNTESTED = (
    Verdict(
        "An edit of few entries that shares nodes takes fewer operations, too",
        None,
        "operations are not counted: bytes and time are judged, and time has our launches and waits in it",
    ),
    Verdict(
        "The second step of the conversion, filling the nodes, is very efficient",
        None,
        "its steps are not timed apart, and the paper prints no time",
    ),
)


def make(results: Results) -> Item:
    """Make the item."""
    rows = []
    for matrix in results.measured:
        for method in (TREE_EDIT, CSR_EDIT):
            record = results.record(matrix, method, "float64", EDIT)
            there = record is not None and record.status == "ok"
            numbers = {
                "bytes written": record.nbytes if there and record else None,
                "us": record.median_us if there and record else None,
            }
            absent = results.absent(matrix, method, "float64", EDIT)
            rows += [
                Comparison(f"{matrix.label}, {METHODS[method].label}", what, "", number, absent=absent)
                for what, number in numbers.items()
            ]
    return results.item(
        "hisparse-edits",
        "Section 3.2: edits that share nodes",
        SUMMARY,
        rows,
        verdicts=(_storage(results), _time(results), *UNTESTED),
        notes=notes_of(results),
    )


def _storage(results: Results) -> Verdict:
    """Judge by the bytes that both forms write for an edited matrix."""
    claim = "Where a matrix is kept next to an edited one, sharing nodes saves storage against CSR"
    ratios = {}
    for matrix in results.measured:
        tree, csr = (results.record(matrix, each, "float64", EDIT) for each in (TREE_EDIT, CSR_EDIT))
        if tree is not None and csr is not None and tree.nbytes and csr.nbytes:
            ratios[matrix.name] = csr.nbytes / tree.nbytes
    if not ratios:
        return Verdict(claim, None, NOT_MEASURED)
    return Verdict(claim, min(ratios.values()) > 1, f"bytes of CSR over those of HiSparse: {spread(ratios)}")


def _time(results: Results) -> Verdict:
    claim = "Editing is efficient compared to traditional formats (here: less time of the host than in CSR)"
    ratios = results.ratios(results.measured, CSR_EDIT, "float64", TREE_EDIT, EDIT)
    if not ratios:
        return Verdict(claim, None, NOT_MEASURED)
    detail = (
        f"time of CSR over that of HiSparse: {spread(ratios)}; positions all over the matrix, not local ones"
    )
    return Verdict(claim, min(ratios.values()) > 1, detail)
