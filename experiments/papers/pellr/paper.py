"""The PELLR paper, and what makes its tables and figures."""

from experiments.papers.kit.experiment import Experiment, Paper

HERE = "experiments.papers.pellr"


def _figure(number: int, shows: str, maker: str = "ratio_item") -> Experiment:
    made_by = f"{HERE}.figures:{maker}"
    return Experiment(f"pellr-fig{number}", f"Figure {number}", shows, made_by, arguments=(number,))


PAPER = Paper(
    "pellr",
    "Z. Wang, T. Gu: PELLR: A Permutated ELLPACK-R Format for SpMV on GPUs, Journal of Computer and "
    "Communications 8, 2020.",
    (
        Experiment(
            "pellr-claims",
            "Claims",
            "every number of the text for PELLR, ours next to it",
            f"{HERE}.claims:make",
        ),
        Experiment(
            "pellr-iterations",
            "Formulas 1, 2",
            "iterations of warps and work, with the paper's example",
            f"{HERE}.example:make",
        ),
        _figure(6, "PELLR against ELLPACK-R"),
        Experiment(
            "pellr-fig7", "Figure 7", "the structure of memplus and row statistics", f"{HERE}.structure:make"
        ),
        _figure(8, "PELLR against HYB"),
        _figure(9, "PELLR against BiELL"),
        _figure(10, "PELLR against BiJAD"),
        _figure(11, "speeds of PELLR, HYB, BiELL and BiJAD", "speed_item"),
        _figure(12, "speeds of all formats", "speed_item"),
    ),
    f"{HERE}.appendices:make",
    "vecsim reproduce pellr",
    measured=HERE,
    stand_in_programs=(
        "HYB by kernels of ours for that of cuSPARSE, which no longer has it",
        "BiELL and BiJAD as we read their papers",
        "JAD with several warps for very long rows",
        "kernels through Numba for those of CUDA-ITSOL, without texture memory",
    ),
)
