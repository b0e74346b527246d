"""Where results of a paper come from: a file that was given, a GPU, or the package."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING

from experiments.papers.kit.recorded import has_gpu, newest
from experiments.papers.kit.results import R, Results, read_results
from experiments.report.folder import write
from vecsim.support.errors import UserError

if TYPE_CHECKING:
    from experiments.papers.kit.experiment import Paper
    from experiments.papers.kit.request import Request


def results_for(paper: Paper, request: Request) -> Results:
    """Return the results that a request is to show, once for all items of a paper.

    Those of the file that was given; otherwise what the GPU of this machine measures, which is written to the
    folder of the report; otherwise those that come with the package, the newest.

    Raises
    ------
    UserError
        A file cannot be read, is no file of results, or cannot be written; there is none.
    """

    def load() -> Results:
        result = _results(paper, request)
        request.matrices.update({m.name: {"matrix_sha256": m.sha256} for m in result.matrices if m.sha256})
        return result

    return request.once(paper.name, load)


def _results(paper: Paper, request: Request) -> Results:
    type_: type[Results] = resolve_name(f"{paper.measured}.results:Results")
    given = request.recorded.get(paper.recorded_kind)
    if given is not None:
        return read_results(given, type_)
    if has_gpu():
        measured: Results = resolve_name(f"{paper.measured}.measurement:measure")(request.watch)
        if request.folder is not None:
            write({f"{paper.name}-results.json": measured.to_json()}, str(request.folder))
        return measured
    return recorded_results(type_)


def recorded_results(type_: type[R]) -> R:
    """Return the newest results that come with the package.

    Raises
    ------
    UserError
        There are none, or they cannot be read.
    """
    file = newest(type_.recorded_folder())
    if file is None:
        raise UserError(
            f"{type_.paper}: no NVIDIA GPU and no file of results was found: name a file with --results"
        )
    return read_results(file, type_)
