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
            "hbp-allocation",
            "Section III-C",
            "blocks allocated beforehand and by competition",
            f"{HERE}.allocation:make",
        ),
        Experiment(
            "hbp-fig8",
            "Figure 8",
            "products, next to the paper's on Orin",
            f"{HERE}.products:speeds",
            arguments=("Orin",),
        ),
        Experiment(
            "hbp-fig9", "Figure 9", "product and combine step as matrices grow", f"{HERE}.combining:make"
        ),
        Experiment(
            "hbp-fig10",
            "Figure 10",
            "products, next to the paper's on a 4090",
            f"{HERE}.products:speeds",
            arguments=("4090",),
        ),
        Experiment("hbp-table2", "Table II", "memory throughput, counted", f"{HERE}.memory:make"),
    ),
    f"{HERE}.appendices:make",
    "vecsim reproduce hbp",
    f"{HERE}.remarks:remarks_of",
    HERE,
    stand_in_programs=(
        "a counting sort in shared memory for sort2D",
        "a dynamic programme written from the paper's description for DP2D",
        "a kernel with a thread a row for the paper's CSR",
    ),
)
