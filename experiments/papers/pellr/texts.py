"""The words next to the numbers: what a matrix is, how often it fills the GPU, how a figure is to be read."""

from __future__ import annotations

from experiments.papers.kit.numbers import mean_ratio, rank_correlation
from experiments.papers.pellr.methods import PUBLISHED_BYTES
from experiments.papers.pellr.results import (
    BY_WARP,
    CUT_PELLR,
    NEAR,
    PARTS,
    PELLR,
    MatrixRecord,
    Results,
    waves_of_the_paper,
)
from experiments.papers.pellr.subjects import KINDS, MOST_FILLED_ENTRIES, QUADRO_P600_THREADS

SPELLED = {"sigma": "sigma", "mean": "mean", "range": "longest - shortest"}
"""How the printed statistics are called."""


HYB_STAND_IN = (
    "HYB is a stand-in: cuSPARSE no longer has it. Ours has its rule of a third, and kernels of ours for "
    "both parts. Coordinates cost about 14 us here, however few they are, and most of these matrices take "
    "less in all. So the table of claims also has what becomes of the ratio without them: over the ELL part "
    "alone, as if coordinates cost nothing, and over HYB by our rule, which avoids them. A number over HYB "
    "is not testable; a claim is, where it is the same with our coordinates and if they cost nothing."
)


def subject_label(matrix: MatrixRecord) -> str:
    """Name a matrix, and which one of the paper it is or stands for."""
    if matrix.group == "filled" and matrix.stands_for and matrix.of != matrix.stands_for:
        return f"{matrix.name} (for {matrix.stands_for})"
    if matrix.group == "stand-in":
        return f"{matrix.name} (stand-in for {matrix.stands_for})"
    if matrix.group == "pattern":
        return f"{matrix.name} ({matrix.stands_for})"
    return matrix.name


def matrix_note(matrix: MatrixRecord, results: Results, method: str = "") -> str:
    """Return what decides the time of a matrix: row lengths, iterations of warps, waves of threads."""
    parts = [
        f"sigma {matrix.sigma:.1f}, mean {matrix.mean:.1f}, longest {matrix.longest:,}",
        f"{results.waves(matrix):.2g} waves",
        f"iterations {matrix.iterations.get('ellr', 0):,} in order, "
        f"{matrix.iterations.get('pellr', 0):,} sorted",
    ]
    if method == "ellr" and results.own_of(matrix) == CUT_PELLR:
        parts.append(f"both cut: one slice would take over {PUBLISHED_BYTES // 10**9} GB")
    return "; ".join(parts)


def notes_of(results: Results) -> tuple[str, ...]:
    """Return notes on how to read the figures, with the numbers that explain them."""
    kinds = dict.fromkeys(matrix.group for matrix in results.matrices)
    return (
        f"Measured on {results.gpu}: products by replay of CUDA graphs, warm (the same buffers again, as in "
        "an iterative solver), x and y in the original order, the permutation included; medians. "
        f"Made {results.made}.",
        "Matrices: " + "; ".join(f"{kind}: {KINDS[kind]}" for kind in kinds) + ".",
        f"A wave is the {results.threads:,} threads that the GPU holds at once; the paper's Quadro P600 "
        f"holds {QUADRO_P600_THREADS:,}. {waves_text(results)}",
        times_text(results),
        slices_text(results),
        HYB_STAND_IN,
        locality_text(results),
    )


def waves_text(results: Results) -> str:
    """Return how often the matrices fill both GPUs, and what follows."""
    alone = results.sets["alone"]
    small = [matrix for matrix in alone if results.waves(matrix) < 1]
    text = (
        f"{len(small)} of the {len(alone)} matrices of the collections do not fill the GPU once. All their "
        "warps then run at the same time, and the product takes as long as its longest row: sorting rows "
        "spares warps work, but no time. "
    )
    memplus = next((matrix for matrix in alone if matrix.name == "memplus"), None)
    if memplus is not None:
        text += (
            f"memplus, for one, fills {results.waves(memplus):.2f} of this GPU and "
            f"{waves_of_the_paper(memplus):.1f} times the paper's. "
        )
        time = results.time(memplus, "pellr", "float64")
        if time is not None:
            text += (
                f"Its {time:.0f} us are {1000 * time / memplus.longest:.0f} ns for each of the "
                f"{memplus.longest} entries of its longest row: the latency of a load, shared by the steps "
                "that are running at once. "
            )
    return text + (
        "So the matrices that the paper names are measured a second time, repeated along the diagonal until "
        "they fill this GPU as often as they fill the paper's, or have "
        f"{MOST_FILLED_ENTRIES // 10**6} million non-zeros."
    )


def times_text(results: Results) -> str:
    """Return what the time of PELLR correlates with: the longest row, or the non-zeros."""
    parts = []
    for part, words in (("alone", "as they are"), ("filled", "repeated")):
        matches = [
            (matrix, time)
            for matrix in results.sets[part]
            if (time := results.time(matrix, "pellr", "float64")) is not None
        ]
        times = [time for _, time in matches]
        by_length = rank_correlation([matrix.longest for matrix, _ in matches], times)
        by_size = rank_correlation([matrix.nnz for matrix, _ in matches], times)
        if by_length is not None and by_size is not None:
            parts.append(
                f"on matrices {words} {by_length:.2f} with the longest row, {by_size:.2f} with the non-zeros"
            )
    return (
        "What decides a time: the rank correlation of PELLR's time in float64 is "
        f"{'; '.join(parts) or 'not known: too few matrices'}."
    )


def slices_text(results: Results) -> str:
    """Return why PELLR can be slower where only latency counts, and what its other forms give."""
    forms = ((CUT_PELLR, "cut into slices of a warp"), (BY_WARP, "with a length for each warp alone"))
    parts = []
    for form, words in forms:
        means = [
            f"{mean.value:.2f} ({PARTS[part]})"
            for part in ("alone", "filled")
            if (mean := mean_ratio(_longer(results, part, form)))
        ]
        parts.append(f"{words} {' and '.join(means) or 'not measured'}")
    return (
        "Where latency alone counts PELLR can be the slower one: the longest rows, which run nearly alone in "
        "their warps in ELLR, share one warp in PELLR, whose every iteration gathers 32 elements of x. In "
        f"float64 PELLR takes, times as long as published: {'; '.join(parts)}."
    )


def _longer(results: Results, part: str, form: str) -> dict[str, float]:
    """Return how many times as long as PELLR as published another form of it takes, by matrix."""
    return results.ratios(results.sets[part], form, "float64", PELLR)


def locality_text(results: Results) -> str:
    """Return what sorting costs: rows that run together are no longer adjacent."""
    parts = []
    for part in ("filled", "generated"):
        mean = mean_ratio(results.ratios(results.sets[part], CUT_PELLR, "float64", NEAR))
        if mean is not None:
            parts.append(f"{mean.value:.2f} on matrices {PARTS[part]}")
    return (
        "Sorting has a price that the formulas do not know: rows that run at the same time are stored far "
        "apart and read x at many places. With the slices of a warp taken in the order of their first rows "
        "(“near”) neighbours run together again: in float64 the time as sorted over that is "
        f"{', '.join(parts) or 'not measured'}."
    )
