"""The matrices: the GPU suite, those first that stand for matrices of the paper."""

from __future__ import annotations

from dataclasses import replace

from experiments.gpu_bench.suite import SuiteMatrix, suite

CLASSES = ("large_structured", "other", "skewed", "uniform", "small")
"""In the order in which they are measured, after those of the paper; what takes least comes last."""


def stands_for(matrix: SuiteMatrix) -> str:
    """Return the paper's name of the matrix that one of the suite stands for; empty for none."""
    return next((each["name"] for each in matrix.stands_for if each["paper"] == "hisparse"), "")


def subjects() -> tuple[SuiteMatrix, ...]:
    """Return the matrices of the suite but later ones, each to be multiplied transposed, too."""
    first = (each for each in suite() if not each.later)
    ordered = sorted(first, key=lambda each: (not stands_for(each), CLASSES.index(each.class_)))
    return tuple(replace(each, transposed=True) for each in ordered)
