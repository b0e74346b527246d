"""The problem of a solution by conjugate gradients on HiSM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from programs.course.declaration import Setting
from programs.course.problem import Array, Needed, Problem
from programs.loading import layout_for
from vecsim.formats import HiSM
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

MOST = 200
"""Iterations at most."""
REDUCTION = {4: 1e-4, 8: 1e-8}
"""By how much the residual is to become smaller, by the bytes of a value."""


def conjugate_gradient(given: Setting) -> Problem:
    """Solve with the pattern of a matrix, made symmetric, and a diagonal that dominates it.

    The needed words are those of one iteration, times the iterations that NumPy takes in float64.
    """
    s, words = given.machine.section_size, given.words
    width: Any = given.value_type.itemsize
    matrix = dominant(given.matrix).astype(given.value_type)
    n = matrix.shape[0]
    image = HiSM.from_scipy(matrix, section_size=s).image(layout_for(width))
    b = np.asarray(matrix @ given.numbers(n))
    limit = np.array([(REDUCTION[width] * np.linalg.norm(b)) ** 2], given.value_type)
    iterations = _iterations(matrix.astype(np.float64), b.astype(np.float64), float(limit[0]))

    def check(memory: Array, symbols: Mapping[str, int]) -> str:
        done = int(memory[symbols["DONE"] :][:4].view("<i4")[0])
        x = memory[symbols["X"] :][: n * width].view(given.value_type).astype(np.float64)
        left = np.linalg.norm(b - matrix.astype(np.float64) @ x)
        small = 4 * REDUCTION[width] * np.linalg.norm(b)
        if left > small:
            return (
                f"after {counted(done, 'iteration')} the residual is {left:.3g}, expected at most {small:.3g}"
            )
        return (
            "" if abs(done - iterations) <= 2 else f"{counted(done, 'iteration')}, NumPy takes {iterations}"
        )

    padded = -(-n // s) * s * width
    product = matrix.nnz * (words + 0.5) + 2 * n * words
    once = int(product + 10 * n * words)
    return Problem(
        {"B": b, "LIMIT": limit},
        {},
        max(iterations, 1),
        "iteration",
        Needed(iterations * once, arithmetic=iterations * matrix.nnz),
        image=image,
        room={"X": padded, "R": padded, "P": padded, "Q": padded, "DONE": 4},
        constants={"N": n, "MOST": MOST},
        padding=s * s,
        check=check,
    )


def dominant(matrix: Any) -> Any:
    """Return a symmetric positive definite matrix with the pattern of a square one.

    Entries off the diagonal become -1 where either of a pair is stored; the diagonal is one more than their
    number in the row.

    Raises
    ------
    UserError
        The matrix is not square.
    """
    rows, columns = matrix.shape
    if rows != columns:
        raise UserError(f"conjugate gradients need a square matrix; this one is {rows} x {columns}")
    pattern = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), matrix.shape)
    both = (pattern + pattern.T).tocoo()
    off = both.row != both.col
    row, column = both.row[off], both.col[off]
    degree = np.bincount(row, minlength=rows)
    laplacian = sp.coo_array((-np.ones(len(row)), (row, column)), matrix.shape).tocsr()
    return (laplacian + sp.diags_array(degree + 1.0)).tocsr()


def _iterations(matrix: Any, b: Array, limit: float) -> int:
    r = b.copy()
    p, rr, done = r.copy(), float(r @ r), 0
    while rr > limit and done < MOST:
        q = matrix @ p
        r -= rr / float(p @ q) * q
        before, rr = rr, float(r @ r)
        p = r + rr / before * p
        done += 1
    return done
