"""The HBP paper, and what makes its tables and figures."""

from experiments.papers.kit.experiment import Experiment, Paper

HERE = "experiments.papers.hbp"

PAPER = Paper(
    "hbp",
    "C. Yan, B. Diao, H. Liu, Z. An, Y. Xu: A Nonlinear Hash-based Optimization Method for SpMV on GPUs, "
    "2025.",
    (
        Experiment(
            "hbp-fig6",
            "Figure 6",
            "how unlike the rows of a warp are, before and after",
            f"{HERE}.balance:make",
        ),
        Experiment(
            "hbp-hash",
            "Section III-B",
            "the hash: its numbers, partitions, a better one",
            f"{HERE}.hash_numbers:make",
        ),
        Experiment("hbp-fig7", "Figure 7", "preprocessing against sorting", f"{HERE}.preparation:make"),
        Experiment(
            "hbp-fig8",
            "Figure 8",
            "products, next to the paper's on Orin",
            f"{HERE}.products:speeds",
            arguments=(8, "Orin"),
        ),
        Experiment(
            "hbp-fig9", "Figure 9", "product and combine step as matrices grow", f"{HERE}.products:parts"
        ),
        Experiment(
            "hbp-fig10",
            "Figure 10",
            "products, next to the paper's on a 4090",
            f"{HERE}.products:speeds",
            arguments=(10, "4090"),
        ),
        Experiment("hbp-table2", "Table II", "memory throughput, counted", f"{HERE}.products:throughput"),
    ),
    f"{HERE}.appendices:make",
    "vecsim reproduce hbp",
    f"{HERE}.texts:remarks_of",
    HERE,
)
