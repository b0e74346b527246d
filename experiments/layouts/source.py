"""Where results come from: a file that was given, a GPU, or the file that comes with the package."""

from __future__ import annotations

from pathlib import Path

from experiments.layouts import results
from experiments.layouts.paper import KIND
from experiments.layouts.results import Results
from experiments.recorded import has_gpu, newest
from experiments.report.folder import write
from experiments.request import Request

RECORDED = Path(__file__).with_name("recorded")
"""The results that come with the package."""
FILE = "layouts-results.json"
"""The name of the file that a measurement writes into the folder of the report."""


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
    given = request.recorded.get(KIND)
    if given is not None:
        return results.read(given)
    if has_gpu():
        from experiments.layouts.measurement import measure

        found = measure(request.watch)
        if request.folder is not None:
            write({FILE: results.to_json(found)}, str(request.folder))
        return found
    recorded = newest(RECORDED)
    return None if recorded is None else results.read(recorded)
