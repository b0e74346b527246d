"""Which matrices a statement of the paper is about."""

from __future__ import annotations

from collections.abc import Callable

from experiments.papers.pellr.results import MatrixRecord

LARGE_SIGMA, SMALL_SIGMA = 10.0, 3.0
"""The paper's bounds of the standard deviation of row lengths."""
LONG_MEAN, LARGE_RANGE = 20.0, 10
"""Bounds of the mean and of longest less shortest row in its general remark on Figure 6."""
LONG_ROWS = 16.0
"""Mean from which on the paper finds that CSRV performs well."""

Choice = Callable[[MatrixRecord], bool]


def every(matrix: MatrixRecord) -> bool:
    """Choose all matrices."""
    return True


def large(matrix: MatrixRecord) -> bool:
    """Return whether the paper would call the sigma of a matrix large."""
    return matrix.sigma > LARGE_SIGMA


def not_large(matrix: MatrixRecord) -> bool:
    """Choose the others."""
    return not large(matrix)


def small(matrix: MatrixRecord) -> bool:
    """Return whether the paper would call the sigma of a matrix small."""
    return matrix.sigma < SMALL_SIGMA


def remarked(matrix: MatrixRecord) -> bool:
    """Choose the matrices of the general remark on Figure 6."""
    return large(matrix) and matrix.mean > LONG_MEAN and matrix.longest - matrix.shortest > LARGE_RANGE


def long_and_large(matrix: MatrixRecord) -> bool:
    """Return whether mean and sigma are large."""
    return large(matrix) and matrix.mean > LONG_ROWS


def stands_for(*names: str) -> Choice:
    """Choose the matrices that are, or stand for, some of the paper's."""
    return lambda matrix: matrix.stands_for in names
