"""Tables 1 and 3 as items of a report: they need the six matrices, and no simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from experiments.comparison import Comparison
from experiments.hism import table1, table3
from experiments.hism.six_matrices import MATRICES, not_at_hand
from experiments.hism.suite import suite_matrix_folders
from experiments.report.beside import paper_beside_ours
from experiments.report.item import Item
from experiments.request import Request
from vecsim.data import Matrix, NotAtHandError, load

KEY = "the six matrices of Tables 1 and 3"


def make_table1(request: Request) -> Item:
    """Make Table 1 of the matrices at hand."""
    return _item(
        "hism-table1",
        table1.TITLE,
        table1.CAPTION,
        table1.rows,
        table1.NOTES,
        "bytes of HiSM / bytes of the other format",
        request,
    )


def make_table3(request: Request) -> Item:
    """Make Table 3 of the matrices at hand."""
    return _item(
        "hism-table3",
        table3.TITLE,
        table3.CAPTION,
        table3.rows,
        table3.NOTES,
        "steps / steps of HiSM (vs_bbcs: steps of HiSM)",
        request,
        logarithmic=True,
    )


def six_matrices(request: Request) -> dict[str, Matrix]:
    """Read the matrices of the two tables that are at hand, once for each request.

    Returns
    -------
    dict
        By name, explicit zeros kept. Nothing is downloaded.

    Raises
    ------
    UserError
        A file is there and cannot be read.
    """
    if KEY not in request.kept:
        found = {matrix.name: _load(matrix.name) for matrix in MATRICES}
        request.kept[KEY] = {name: matrix for name, matrix in found.items() if matrix is not None}
    loaded: dict[str, Matrix] = request.kept[KEY]
    return loaded


def _load(name: str) -> Matrix | None:
    try:
        return load(name, folders=suite_matrix_folders(), download=False)
    except NotAtHandError:
        return None


def _item(
    name: str,
    title: str,
    summary: str,
    fill: Callable[[Mapping[str, Any]], list[Comparison]],
    notes: Sequence[str],
    value_label: str,
    request: Request,
    *,
    logarithmic: bool = False,
) -> Item:
    matrices = six_matrices(request)
    rows = fill({found: matrix.csr for found, matrix in matrices.items()})
    return Item(
        name=name,
        title=title,
        summary=summary,
        rows=tuple(rows),
        chart=paper_beside_ours(title, value_label, rows, logarithmic=logarithmic),
        notes=tuple(notes),
        gaps=tuple(f"{not_at_hand(matrix)}." for matrix in MATRICES if matrix.name not in matrices),
    )
