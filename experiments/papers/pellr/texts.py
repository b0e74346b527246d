"""The words next to the numbers: what a matrix is, how often it fills the GPU, how a figure is to be read."""

from __future__ import annotations

from experiments.papers.kit.numbers import geometric_mean, rank_correlation
from experiments.papers.pellr.methods import METHODS
from experiments.papers.pellr.results import CUT_ELLR, DTYPES, NEAR, MatrixRecord, Results, waves_of_the_paper
from experiments.papers.pellr.subjects import KINDS, MOST_FILLED_ENTRIES, QUADRO_P600_THREADS

SPELLED = {"sigma": "sigma", "mean": "mean", "range": "longest - shortest"}
"""How the printed statistics are called."""


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
    if method == "ellr" and results.ellr(matrix) == CUT_ELLR and matrix.group != "filled":
        parts.append("ELLR cut into slices: as published it would take over four times CRS")
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
        locality_text(results),
        iterations_text(results),
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
    """Return why PELLR can be slower where only latency counts, and what slices cost."""
    pairs = {
        dtype: [
            cut / whole
            for matrix in results.sets["alone"]
            if (whole := results.time(matrix, "ellr", dtype)) is not None
            and (cut := results.time(matrix, CUT_ELLR, dtype)) is not None
        ]
        for dtype in DTYPES
    }
    costs = ", ".join(
        f"{mean:.2f} times in {dtype}" for dtype, each in pairs.items() if (mean := geometric_mean(each))
    )
    return (
        "Where latency alone counts PELLR can be the slower one: the longest rows, which run nearly alone in "
        "their warps in ELLR, share one warp in PELLR, whose every iteration gathers 32 elements of x. What "
        f"the slices themselves cost: ELLPACK-R cut into slices takes {costs or 'not measured'} as long."
    )


def locality_text(results: Results) -> str:
    """Return what sorting costs: rows that run together are no longer adjacent."""
    parts = []
    for part, words in (("filled", "repeated"), ("generated", "generated")):
        ratios = results.ratios(results.sets[part], "pellr", "float64", NEAR)
        mean = geometric_mean(ratios.values())
        if mean is not None:
            parts.append(f"{mean:.2f} on matrices {words}")
    return (
        "Sorting has a price that the formulas do not know: rows that run at the same time are stored far "
        "apart and read x at many places. With the same slices taken in the order of their first rows "
        "(“near”) neighbours run together again: in float64 PELLR's time over that is "
        f"{', '.join(parts) or 'not measured'}."
    )


def iterations_text(results: Results) -> str:
    """Return whether formula (1) foretells the ratio of ELLPACK-R to PELLR."""
    parts = []
    for part, word in (("alone", "as they are"), ("filled", "repeated"), ("generated", "generated")):
        matches = [
            (matrix.iterations["ellr"] / matrix.iterations["pellr"], ratio)
            for matrix in results.sets[part]
            if (ratio := results.ratio(matrix, "ellr", "float64")) is not None
            and matrix.iterations.get("pellr")
        ]
        correlation = rank_correlation([pair[0] for pair in matches], [pair[1] for pair in matches])
        if correlation is not None:
            parts.append(f"{correlation:.2f} on matrices {word} ({len(matches)})")
    return (
        "Formula (1) foretells how many fewer iterations PELLR takes. Its rank correlation with the measured "
        f"ratio of {METHODS['ellr'].label} to PELLR in float64: {'; '.join(parts) or 'too few matrices'}."
    )
