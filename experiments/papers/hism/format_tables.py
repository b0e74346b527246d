"""Tables 1 and 3 as items of a report: they need the six matrices, and no simulation."""

from __future__ import annotations

from dataclasses import replace

from experiments.papers.hism import table1, table3
from experiments.papers.hism.six_matrices import MATRICES, why_missing
from experiments.papers.hism.suite import member_for
from experiments.papers.hism.suite.loading import load as load_member
from experiments.papers.hism.suite.origin import is_available
from experiments.papers.kit.request import Request
from experiments.report.item import Item
from experiments.report.paper_chart import paper_beside_ours
from vecsim.data import Matrix, NotFoundLocallyError, load
from vecsim.results.digests import matrix_sha256

KEY = "the six matrices of Tables 1 and 3"


TABLES = {1: table1, 3: table3}


def make(request: Request, number: int) -> Item:
    """Make Table 1 or 3 of the matrices that are found."""
    table, matrices = TABLES[number], six_matrices(request)
    remarks = {name: "; ".join(matrix.warnings) for name, matrix in matrices.items()}
    filled = table.rows({name: matrix.csr for name, matrix in matrices.items()}, remarks)
    # From the numbers that the paper prints here.
    rows = [replace(row, kind="decoded", measure="counted") for row in filled]
    missing = [why_missing(matrix) for matrix in MATRICES if matrix.name not in matrices]
    return Item(
        name=f"hism-table{number}",
        title=table.TITLE,
        summary=table.CAPTION,
        rows=(*rows, *table.of_no_matrix()),
        chart=paper_beside_ours(table.TITLE, table.VALUE_LABEL, rows, logarithmic=table.LOGARITHMIC),
        verdicts=tuple(table.verdicts(rows)),
        notes=table.NOTES,
        gaps=tuple(f"{gap}." for gap in (*missing, *filter(None, remarks.values()))),
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

    def matrices() -> dict[str, Matrix]:
        loaded = {each.name: matrix for each in MATRICES if (matrix := _load(each.name)) is not None}
        for name, matrix in loaded.items():
            request.matrices[name] = {"matrix_sha256": matrix_sha256(matrix.csr)}
        return loaded

    return request.once(KEY, matrices)


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
