"""The comparison of the simulated vector machine with a GPU, listed as papers are."""

from experiments.papers.kit.experiment import Experiment, Paper

KIND = "vecsim crosscheck"
"""What files of its results say they are."""

PAPER = Paper(
    "crosscheck",
    "No paper: the simulated vector machine next to a GPU, on the same formats and matrices.",
    (
        Experiment(
            "crosscheck-pairs",
            "Pairs",
            "cycles against GPU times, two formats each",
            "experiments.crosscheck.report:make_pairs",
        ),
        Experiment(
            "crosscheck-rankings",
            "Rankings",
            "the order of the formats on each matrix",
            "experiments.crosscheck.report:make_rankings",
        ),
        Experiment(
            "crosscheck-reasons",
            "Reasons",
            "what decides on the vector machine and on the GPU",
            "experiments.crosscheck.report:make_reasons",
        ),
    ),
    "experiments.crosscheck.report:appendices",
    KIND,
)
