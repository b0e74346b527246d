"""The words beside the numbers."""

from __future__ import annotations

from experiments.papers.layouts.results import MatrixRecord, Results

NOTHING = "Nothing was measured: there are no results with the package, and no file of them was given."
NOT_MEASURED = (
    "Not measured yet: these results were made without a GPU. `vecsim reproduce layouts` measures on the "
    "NVIDIA GPU of the machine that it runs on."
)
ABSENT = "not measured yet"
READING = (
    "A search measures what a model of bytes and registers does not rule out: each layout under its "
    "likeliest schedule, then all schedules in the two best layouts and in the natural one, then all layouts "
    "once more under the best schedule. The paper measures all variants.",
    "The natural layout is CSR with arrays of structures, as in the paper; its schedules have several "
    "threads a row, too, which the paper's have not.",
    "The paper's matrices but for mhd1280b cannot be had here. Surfaces, tetrahedra and Helmholtz equations "
    "of like size stand for its own, with other patterns.",
)


def label(matrix: MatrixRecord) -> str:
    """Name a matrix, and the one of the paper that it stands for."""
    same = matrix.stands_for in ("", matrix.name)
    return matrix.name if same else f"{matrix.name} (for {matrix.stands_for})"


def remarks_of(results: Results | None) -> tuple[str, ...]:
    """Say what a reader must know of the verdict as a whole."""
    if results is None:
        return ()
    if results.gpu:
        return (f"Measured on {results.gpu}; the paper has a Quadro K2000, a GTX 980 and a GP100.",)
    return ("No GPU has measured yet: what is here was counted on a CPU.",)


def gaps_of(results: Results) -> tuple[str, ...]:
    """Say which matrices and searches are missing, and why."""
    found = [f"{each.name}: {each.missing}" for each in results.matrices if each.missing]
    found += [
        f"{each.matrix}, {each.dtype}, {each.search}: {each.reason}"
        for each in results.searches
        if each.reason
    ]
    return tuple(f"Not measured: {each}" for each in found) + (() if results.gpu else (NOT_MEASURED,))
