"""The words that items share: what a matrix stands for, how times were measured."""

from __future__ import annotations

from experiments.papers.hisparse.results import MatrixRecord, Results

GTX_1080 = "a GeForce GTX 1080 (320 GB/s)"
"""The paper's GPU."""


def category(matrix: MatrixRecord) -> str:
    """Name it below a group of bars."""
    return f"{matrix.name}\n({matrix.stands_for})" if matrix.stands_for else matrix.name


def remarks_of(results: Results) -> tuple[str, ...]:
    """Return what a reader must know about the verdict as a whole."""
    return (
        f"Measured on {results.gpu}, on matrices that stand in for the paper's: its numbers are of other "
        "matrices and another GPU.",
        "Claims and printed numbers are judged by HiSparse executed as published, with a controller that "
        "stands in for kernels started by dynamic parallelism. Next to it stands the flat layout of "
        "`gpu.prepare(A, 'hisparse')`, which is not the paper's.",
    )


def notes_of(results: Results) -> tuple[str, ...]:
    """Return notes on how to read the times."""
    return (
        f"Measured on {results.gpu}, {results.made}: medians of replays of CUDA graphs, warm (the same "
        "buffers again), all methods of a matrix, type and direction in turn. Conversion to a format, "
        f"uploads and cuSPARSE's analysis are not in it. The paper measured on {GTX_1080}, so its "
        "milliseconds and GFLOPS say nothing about these; ratios of libraries do.",
        "The paper's matrices are files of a collection that cannot be had here. Nine of the GPU suite stand "
        "for nine of its fourteen, generated with other structures. Six have about their rows and non-zeros; "
        "those for bone010, ldoor and parabolic_fem have 0.5 to 4 times as many. None stands for cage12, "
        "kkt_power, mip1, poisson3Da and webbase.",
        "A claim about the matrices as a whole is judged only if its outcome is the same with any one of "
        "them left out.",
    )
