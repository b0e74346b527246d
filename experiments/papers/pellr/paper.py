"""The PELLR paper, and what makes its tables and figures."""

from typing import Literal

from experiments.papers.kit.experiment import Experiment, Paper

KIND: Literal["vecsim reproduce pellr"] = "vecsim reproduce pellr"
"""What files of its results say they are."""
ITEMS = "experiments.papers.pellr.items"

PAPER = Paper(
    "pellr",
    "Z. Wang, T. Gu: PELLR: A Permutated ELLPACK-R Format for SpMV on GPUs, Journal of Computer and "
    "Communications 8, 2020.",
    (
        Experiment(
            "pellr-claims", "Claims", "every number of the text for PELLR, ours beside it", f"{ITEMS}:claims"
        ),
        Experiment(
            "pellr-iterations",
            "Formulas 1, 2",
            "iterations of warps and work, with the paper's example",
            f"{ITEMS}:iterations",
        ),
        Experiment("pellr-fig6", "Figure 6", "PELLR against ELLPACK-R", f"{ITEMS}:figure6"),
        Experiment(
            "pellr-fig7", "Figure 7", "the structure of memplus and row statistics", f"{ITEMS}:figure7"
        ),
        Experiment("pellr-fig8", "Figure 8", "PELLR against HYB", f"{ITEMS}:figure8"),
        Experiment("pellr-fig9", "Figure 9", "PELLR against BiELL", f"{ITEMS}:figure9"),
        Experiment("pellr-fig10", "Figure 10", "PELLR against BiJAD", f"{ITEMS}:figure10"),
        Experiment("pellr-fig11", "Figure 11", "speeds of PELLR, HYB, BiELL and BiJAD", f"{ITEMS}:figure11"),
        Experiment("pellr-fig12", "Figure 12", "speeds of all formats", f"{ITEMS}:figure12"),
    ),
    f"{ITEMS}:appendices",
    KIND,
)
