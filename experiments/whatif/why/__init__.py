"""Why a program takes the cycles that it takes: where they go, what bounds them, what would help."""

from experiments.whatif.why.explanation import Explanation, why

__all__ = ["Explanation", "why"]
