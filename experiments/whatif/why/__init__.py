"""Why a program takes the cycles that it takes: where they go, what bounds them, what would help."""

from experiments.whatif.why.explanation import Explanation, ProductExplanation, why, why_program

__all__ = ["Explanation", "ProductExplanation", "why", "why_program"]
