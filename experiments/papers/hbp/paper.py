"""The HBP paper, and what makes its tables and figures."""

from typing import Literal

from experiments.papers.kit.experiment import Experiment, Paper

KIND: Literal["vecsim reproduce hbp"] = "vecsim reproduce hbp"
"""What files of its results say they are."""
ITEMS = "experiments.papers.hbp.items"

PAPER = Paper(
    "hbp",
    "C. Yan, B. Diao, H. Liu, Z. An, Y. Xu: A Nonlinear Hash-based Optimization Method for SpMV on GPUs, "
    "2025.",
    (
        Experiment(
            "hbp-fig6", "Figure 6", "how unlike the rows of a warp are, before and after", f"{ITEMS}:figure6"
        ),
        Experiment(
            "hbp-hash",
            "Section III-B",
            "the hash: its numbers, partitions, a better one",
            f"{ITEMS}:hashes",
        ),
        Experiment("hbp-fig7", "Figure 7", "preprocessing against sorting", f"{ITEMS}:figure7"),
        Experiment("hbp-fig8", "Figure 8", "products, beside the paper's on Orin", f"{ITEMS}:figure8"),
        Experiment("hbp-fig9", "Figure 9", "product and combine step as matrices grow", f"{ITEMS}:figure9"),
        Experiment("hbp-fig10", "Figure 10", "products, beside the paper's on a 4090", f"{ITEMS}:figure10"),
        Experiment("hbp-table2", "Table II", "memory throughput, counted", f"{ITEMS}:table2"),
    ),
    f"{ITEMS}:appendices",
    KIND,
    f"{ITEMS}:remarks",
)
