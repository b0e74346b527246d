"""The words next to the numbers."""

from __future__ import annotations

from experiments.papers.layouts.results import Results

ABSENT = "not measured yet"
_READING = (
    "A search measures what a model of bytes and registers does not rule out: each layout under its "
    "likeliest schedule, then all schedules in the two best layouts and in the natural one, then all layouts "
    "again under the best schedule. The paper measures all variants. The best three of each search are timed "
    "again, in turn with cuSPARSE.",
    "The natural layout is CSR with arrays of structures. “As the paper” has its layouts (CSR, ELLPACK-R, "
    "slices of 16 and 32; AoS and SoA) and its schedules (static and dynamic with a thread a row). Ours add "
    "sorted rows, 16-bit columns, more orders of components, a block for each chunk of rows, and several "
    "threads a row.",
    "Of the paper's matrices only mhd1280b can be had here. Surfaces, tetrahedra and Helmholtz equations "
    "of like size stand for others, with other patterns.",
)
STREAMED = (
    "Plain reads: what reading an array of as many bytes takes, again and again: the entries, columns of 16 "
    "bits, and both vectors, each once. It is no lower bound: where a share is above 100 %, the L2 cache "
    "keeps more of a product, such as x, than of one array that is read through."
)


VECTORS = "layouts of vectors"
"""The fact that says which layouts of vectors the searches tried."""


def reading_of(results: Results) -> tuple[str, ...]:
    """Return how the numbers are to be read."""
    tried = results.facts.get(VECTORS)
    if tried is None:
        return _READING
    return (
        *_READING,
        f"Of vectors the searches tried {tried}. Groups of 32 elements, which `vecsim gpu tune` also tries, "
        "are left out, since their kernels take too long to compile.",
    )


def remarks_of(results: Results) -> tuple[str, ...]:
    """Return what a reader must know about the verdict as a whole."""
    return (
        f"Measured on {results.gpu}; the paper has a Quadro K2000, a GTX 980 and a GP100, so that none of "
        "its 78 gains can be tested.",
    )
