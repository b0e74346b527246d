"""Where results come from: a file that was given, a GPU, or the file that comes with the package."""

from __future__ import annotations

from pathlib import Path

from experiments.papers.kit.request import Request, Watch
from experiments.papers.kit.source import found_results
from experiments.papers.layouts import results
from experiments.papers.layouts.paper import KIND
from experiments.papers.layouts.results import Results

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
        request.kept[KIND] = _found(request)
    kept: Results | None = request.kept[KIND]
    return kept


def _found(request: Request) -> Results | None:
    return found_results(request, KIND, RECORDED, results.read, _measured, results.to_json)


def _measured(watch: Watch) -> Results:
    from experiments.papers.layouts.measurement import measure

    return measure(watch)
