"""The HiSparse paper, and what makes its tables and figures."""

from experiments.papers.kit.experiment import Experiment, Paper

HERE = "experiments.papers.hisparse"

PAPER = Paper(
    "hisparse",
    "A. Derler, R. Zayer, H.-P. Seidel, M. Steinberger: Dynamic Scheduling for Efficient Hierarchical Sparse "
    "Matrix Operations on the GPU, ICS 2017.",
    (
        Experiment(
            "hisparse-fig2",
            "Figure 2",
            "bytes a non-zero against COO and CSR, by the formulas and of real trees",
            f"{HERE}.figure2:make",
        ),
        Experiment("hisparse-fig4", "Figure 4", "matrices, their nodes and leaves", f"{HERE}.figure4:make"),
        Experiment(
            "hisparse-fig5",
            "Figure 5",
            "GFLOPS of the product, direct and transposed",
            f"{HERE}.products:figure5",
        ),
        Experiment("hisparse-table1", "Table 1", "mean times of both products", f"{HERE}.products:table1"),
        Experiment(
            "hisparse-fig6", "Figure 6", "GFLOPS of sums, direct and transposed", f"{HERE}.sums:figure6"
        ),
        Experiment("hisparse-table2", "Table 2", "mean times of sums", f"{HERE}.sums:table2"),
        Experiment(
            "hisparse-edits", "Section 3.2", "bytes and time of edits that share nodes", f"{HERE}.edits:make"
        ),
    ),
    f"{HERE}.appendices:make",
    "vecsim reproduce hisparse",
    f"{HERE}.texts:remarks_of",
    HERE,
    stand_in_programs=(
        "a controller that gives work to blocks that stand by, for kernels started by dynamic parallelism",
        "launches by level and bitmaps, for the controller and for sorting in sums",
        "cuSPARSE of CUDA 13, for that of 2017",
    ),
)
