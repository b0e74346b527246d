"""The words that items share: what a matrix stands for, how times were measured, what is missing."""

from __future__ import annotations

from experiments.papers.hisparse.measured import Measured
from experiments.papers.hisparse.results import MatrixRecord

WITHOUT_RESULTS = (
    "Nothing was measured: there is no NVIDIA GPU here and no file of results was given. `vecsim reproduce "
    "hisparse --results FILE` renders a file that a GPU wrote."
)
GTX_1080 = "a GeForce GTX 1080 (320 GB/s)"
"""The paper's GPU."""
AT_LEAST = 0.8
"""A number that the paper calls about so is met from this share of it on."""


def label(matrix: MatrixRecord) -> str:
    """Name a matrix, and which one of the paper it stands for."""
    return f"{matrix.name} (for {matrix.stands_for})" if matrix.stands_for else matrix.name


def category(matrix: MatrixRecord) -> str:
    """Name it below a group of bars."""
    return f"{matrix.name}\n({matrix.stands_for})" if matrix.stands_for else matrix.name


def notes_of(measured: Measured) -> tuple[str, ...]:
    """Say how times are to be read."""
    return (
        f"Measured on {measured.results.gpu.name}, {measured.results.made}: medians of replays of CUDA "
        "graphs, "
        "warm (the same buffers again). Conversion to a format, uploads and cuSPARSE's analysis are not in "
        f"it. The paper measured on {GTX_1080}, so its milliseconds and GFLOPS say nothing about these; "
        "ratios "
        "of libraries do.",
        "The paper's matrices are files of a collection that cannot be had here. Nine of the GPU suite stand "
        "for nine of its fourteen: generated with their rows, non-zeros and row lengths, not their "
        "structure. "
        "None stands for cage12, kkt_power, mip1, poisson3Da and webbase.",
    )


def gaps_of(measured: Measured) -> tuple[str, ...]:
    """Name what was not measured, and what failed."""
    found = [f"Not measured: {name}: {why}" for name, why in measured.missing.items()]
    failed = {
        f"{r.method}, {r.operation} of {r.matrix} ({r.reason})" for r in measured.results.records if r.reason
    }
    if failed:
        found.append(f"Failed, and therefore without numbers: {'; '.join(sorted(failed))}")
    return tuple(found)
