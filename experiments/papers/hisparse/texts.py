"""The words that items share: what a matrix stands for, how times were measured."""

from __future__ import annotations

from experiments.papers.hisparse.results import MatrixRecord, Results

GTX_1080 = "a GeForce GTX 1080 (320 GB/s)"
"""The paper's GPU."""
AT_LEAST = 0.8
"""A number that the paper calls about so is met from this share of it on."""


def category(matrix: MatrixRecord) -> str:
    """Name it below a group of bars."""
    return f"{matrix.name}\n({matrix.stands_for})" if matrix.stands_for else matrix.name


def remarks_of(results: Results) -> tuple[str, ...]:
    """Return what a reader must know about the verdict as a whole."""
    return (
        f"Measured on {results.gpu}, on stand-ins: nearly all printed numbers that are compared are of other "
        "matrices or milliseconds of another GPU, so few can be met.",
        "The paper's HiSparse is scheduled while it runs; this one by lists made beforehand.",
    )


def notes_of(results: Results) -> tuple[str, ...]:
    """Return notes on how to read the times."""
    return (
        f"Measured on {results.gpu}, {results.made}: medians of replays of CUDA graphs, warm (the same "
        "buffers again). Conversion to a format, uploads and cuSPARSE's analysis are not in it. The paper "
        f"measured on {GTX_1080}, so its milliseconds and GFLOPS say nothing about these; ratios of "
        "libraries do.",
        "The paper's matrices are files of a collection that cannot be had here. Nine of the GPU suite stand "
        "for nine of its fourteen: generated with their rows, non-zeros and row lengths, not their "
        "structure. None stands for cage12, kkt_power, mip1, poisson3Da and webbase.",
    )
