"""Tables 1 and 3 as items of a report: they need the six matrices, and no simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from experiments.papers.hism import table1, table3
from experiments.papers.hism.six_matrices import MATRICES, why_missing
from experiments.papers.hism.suite import member_for
from experiments.papers.hism.suite.loading import load as load_member
from experiments.papers.hism.suite.origin import is_available
from experiments.papers.kit.request import Request
from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict
from experiments.report.paper_chart import paper_beside_ours
from vecsim.data import Matrix, NotFoundLocallyError, load
from vecsim.results.digests import matrix_sha256

KEY = "the six matrices of Tables 1 and 3"


def make_table1(request: Request) -> Item:
    """Make Table 1 of the matrices that are found."""
    return _item(
        "hism-table1",
        table1.TITLE,
        table1.CAPTION,
        table1.rows,
        table1.verdicts,
        table1.NOTES,
        "bytes of HiSM / bytes of the other format",
        request,
    )


def make_table3(request: Request) -> Item:
    """Make Table 3 of the matrices that are found."""
    return _item(
        "hism-table3",
        table3.TITLE,
        table3.CAPTION,
        table3.rows,
        table3.verdicts,
        table3.NOTES,
        "steps / steps of HiSM (vs BBCS: steps of HiSM)",
        request,
        logarithmic=True,
    )


def six_matrices(request: Request) -> dict[str, Matrix]:
    """Get the matrices of the two tables that can be had without the network, once for each request.

    Returns
    -------
    dict
        By name, explicit zeros kept. One without a file is the suite's member that has its pattern, where
        there is one; the warnings then say so.

    Raises
    ------
    UserError
        A file is there and cannot be read.
    """
    if KEY not in request.kept:
        found = {matrix.name: _load(matrix.name) for matrix in MATRICES}
        request.kept[KEY] = {name: matrix for name, matrix in found.items() if matrix is not None}
        for name, matrix in request.kept[KEY].items():
            request.matrices[name] = {"matrix_sha256": matrix_sha256(matrix.csr)}
    loaded: dict[str, Matrix] = request.kept[KEY]
    return loaded


def _load(name: str) -> Matrix | None:
    try:
        return load(name, download=False)
    except NotFoundLocallyError:
        return _made(name)


def _made(name: str) -> Matrix | None:
    """Make a matrix with the pattern of another, as the suite does; None if it cannot be made here."""
    member = member_for(name)
    origin = next(filter(is_available, member.origins), None)
    if origin is None or not member.has_original_pattern:
        return None
    remark = f"{name} is not found; taken is its pattern, made by {origin}: {member.note}"
    return Matrix(member.name, load_member(member), origin, (remark,))


def _item(
    name: str,
    title: str,
    summary: str,
    fill: Callable[[Mapping[str, Any], Mapping[str, str]], list[Comparison]],
    judge: Callable[[Sequence[Comparison]], list[Verdict]],
    notes: Sequence[str],
    value_label: str,
    request: Request,
    *,
    logarithmic: bool = False,
) -> Item:
    matrices = six_matrices(request)
    remarks = {found: "; ".join(matrix.warnings) for found, matrix in matrices.items()}
    rows = fill({found: matrix.csr for found, matrix in matrices.items()}, remarks)
    missing = [why_missing(matrix) for matrix in MATRICES if matrix.name not in matrices]
    return Item(
        name=name,
        title=title,
        summary=summary,
        rows=tuple(rows),
        chart=paper_beside_ours(title, value_label, rows, logarithmic=logarithmic),
        verdicts=tuple(judge(rows)),
        notes=tuple(notes),
        gaps=tuple(f"{gap}." for gap in (*missing, *filter(None, remarks.values()))),
    )
