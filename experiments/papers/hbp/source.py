"""Where results come from: a file that was given, a GPU, or the file that comes with the package."""

from __future__ import annotations

from pathlib import Path

from experiments.papers.hbp import results
from experiments.papers.hbp.paper import KIND
from experiments.papers.hbp.results import Results
from experiments.papers.kit.request import Request, Watch
from experiments.papers.kit.source import found_results

RECORDED = Path(__file__).with_name("recorded")
"""The results that come with the package."""


def results_for(request: Request) -> Results | None:
    """Give the results that a request is to show, once for all items; None if there are none to be had.

    Those of the file that was given; else what the GPU of this machine measures, which is written to the
    folder of the report; else those that come with the package, the newest.

    Raises
    ------
    UserError
        A file cannot be read, is no file of results, or cannot be written.
    """
    if KIND not in request.kept:
        found = request.kept[KIND] = _found(request)
        measured = () if found is None else found.matrices
        request.matrices.update({m.name: {"matrix_sha256": m.sha256} for m in measured if m.sha256})
    kept: Results | None = request.kept[KIND]
    return kept


def _found(request: Request) -> Results | None:
    return found_results(request, KIND, RECORDED, results.read, _measured, results.to_json)


def _measured(watch: Watch) -> Results:
    from experiments.papers.hbp.measurement import measure

    return measure(watch)
