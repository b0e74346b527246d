"""The best machine under a limit of cost, or the front of cycles and cost: a search that the engines time."""

from experiments.whatif.optimise.optimum import Answer, Optimum
from experiments.whatif.optimise.running import optimise

__all__ = ["Answer", "Optimum", "optimise"]
