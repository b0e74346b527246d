"""What the HiSM paper states of its suite (section 3.1.1, Tables 1 and 3, the text of section 3.1.2)."""

from experiments.papers.hism.suite.member import Criterion

SUITE_SIZE = 132

RANGES: dict[Criterion, tuple[float, float]] = {
    "size": (48, 3_753_461),
    "locality": (0.07, 12.85),
    "average_per_row": (1, 172),
}
MEANS: dict[Criterion, float] = {"size": 115_081, "locality": 2.18, "average_per_row": 15.9}

NAMED: tuple[str, ...] = (
    # The ends of the ranges, and shl_0 of Figure 3.
    *("bcsstm01", "s3dkt3m2", "bcspwr10", "qc324", "bcsstm20", "psmigr_1", "shl_0"),
    # Tables 1 and 3.
    *("cavity16", "gre_185", "memplus", "fs_183_3", "mbeause", "tols90"),
)
"""By their names in the Matrix Market's own lists, as far as they have letters, digits and single
underscores."""

FIGURE_LENGTH = 10
"""The paper: "From each of the previous sortings of the matrices we have chosen 10 matrices"."""
NAMED_IN_FIGURES: dict[Criterion, tuple[str, ...]] = {
    "size": ("bcsstm01", "s3dkt3m2"),
    "locality": ("bcspwr10", "qc324"),
    "average_per_row": ("bcsstm20", "shl_0", "psmigr_1"),
}
"""The first and last of each figure, and others that the paper names."""

LOG_STEPS: dict[Criterion, float] = {
    criterion: (high / low) ** (1 / (FIGURE_LENGTH - 1)) for criterion, (low, high) in RANGES.items()
}
"""The factor from one matrix of a figure to the next; the paper says "approximately 3.5" for the size."""
