"""The words next to the numbers."""

from __future__ import annotations

from experiments.papers.layouts.results import Results

ABSENT = "not measured yet"
READING = (
    "A search measures what a model of bytes and registers does not rule out: each layout under its "
    "likeliest schedule, then all schedules in the two best layouts and in the natural one, then all layouts "
    "again under the best schedule. The paper measures all variants.",
    "The natural layout is CSR with arrays of structures, as in the paper; its schedules have several "
    "threads a row, too, which the paper's have not.",
    "The paper's matrices but for mhd1280b cannot be had here. Surfaces, tetrahedra and Helmholtz equations "
    "of like size stand for its own, with other patterns.",
)


def remarks_of(results: Results) -> tuple[str, ...]:
    """Return what a reader must know about the verdict as a whole."""
    return (f"Measured on {results.gpu}; the paper has a Quadro K2000, a GTX 980 and a GP100.",)
