"""The paper on layouts of compound entries, and what makes its tables and figures."""

from experiments.papers.kit.experiment import Experiment, Paper

HERE = "experiments.papers.layouts"


def _figure(number: int, shows: str, maker: str, *arguments: object) -> Experiment:
    made_by = f"{HERE}.figures:{maker}"
    return Experiment(
        f"layouts-fig{number}", f"Figure {number}", shows, made_by, arguments=(number, *arguments)
    )


def _table(number: int, entries: str, dtype: str) -> Experiment:
    shows = f"best layouts of {entries} entries, {dtype}"
    return Experiment(
        f"layouts-table{number}", f"Table {number}", shows, f"{HERE}.tables:make", arguments=(number,)
    )


PAPER = Paper(
    "layouts",
    "J. S. Mueller-Roemer, A. Stork, D. W. Fellner: Joint Schedule and Layout Autotuning for Sparse Matrices "
    "with Compound Entries on GPUs, VMV 2019.",
    (
        _figure(1, "speed-ups over cuSPARSE, float32", "over_cusparse", "float32"),
        _figure(3, "entries of rows", "patterns"),
        _figure(4, "bandwidths of rows", "patterns"),
        _figure(5, "speed-ups over cuSPARSE, float64", "over_cusparse", "float64"),
        *(
            _table(2 * place + 1 + double, entries, ("float32", "float64")[double])
            for place, entries in enumerate(("complex", "quaternion", "3 x 3 block"))
            for double in range(2)
        ),
    ),
    f"{HERE}.appendices:make",
    "vecsim reproduce layouts",
    f"{HERE}.texts:remarks_of",
    HERE,
    ("kernels through Numba for those in CUDA C++", "cuSPARSE of today for that of 2018"),
)
