"""What the products of compound entries are compared with: cuSPARSE, and real products of blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse

from experiments.gpu_bench.methods import Launched
from experiments.papers.kit.measurement import one_line
from experiments.papers.kit.results import Record
from experiments.papers.layouts.results import REAL
from gpu.compound import CompoundMatrix
from gpu.compound.standard_types import blocks

LIBRARY_SECONDS = 0.05
"""What timing a product takes."""
THREADS_PER_BLOCK = 256
REAL_PRODUCTS = ("sell-c-sigma-blocks-3", "sliced-ell-blocks-3-threads")
"""Kernels of `gpu` for real matrices of dense blocks of 3 x 3."""


def library_products(name: str, matrix: CompoundMatrix, x: Any, exact: Any) -> Iterator[Record]:
    """Measure every form of cuSPARSE; one that does not fit must not cost the others.

    Parameters
    ----------
    name
        Of the matrix.
    matrix
        In the type that is measured.
    x, exact
        The vector in this type, (N, components), and the exact product.
    """
    from gpu.compound.cusparse_forms import cusparse_forms
    from gpu.measure.timing import measure

    for form in cusparse_forms(matrix):
        blank = Record(name, form.name, matrix.dtype.name)
        try:
            with form.product() as product:
                product.write_x(form.vector(x))
                us = float(measure([product.enqueue], LIBRARY_SECONDS).median_us)
                error = _error(form.result(product.read_y()), exact)
                yield replace(blank, median_us=us, nbytes=product.nbytes, error=error)
        except Exception as error:
            yield replace(blank, status="failed", reason=one_line(error))


def real_products(name: str, matrix: CompoundMatrix, x: Any, exact: Any) -> Iterator[Record]:
    """Measure this project's products of real matrices of 3 x 3 blocks; nothing for other entries.

    Parameters
    ----------
    name, matrix, x, exact
        As of `library_products`.
    """
    from gpu.kernel_registry import KERNELS
    from gpu.measure.timing import measure

    if matrix.entry is not blocks(3):
        return
    values = np.stack(matrix.components, axis=1).reshape(-1, 3, 3)
    shape = (3 * matrix.shape[0], 3 * matrix.shape[1])
    csr = scipy.sparse.csr_matrix(scipy.sparse.bsr_matrix((values, matrix.indices, matrix.indptr), shape))
    for kernel in REAL_PRODUCTS:
        blank = Record(name, f"{REAL}, {kernel}", matrix.dtype.name)
        try:
            product = KERNELS[kernel].product(KERNELS[kernel].convert(csr), THREADS_PER_BLOCK)
            placed = Launched(product, x.ravel(), shape[0])
            us = float(measure([placed.enqueue], LIBRARY_SECONDS).median_us)
            error = _error(placed.result().reshape(-1, 3), exact)
            yield replace(blank, median_us=us, nbytes=placed.nbytes, error=error)
        except Exception as error:
            yield replace(blank, status="failed", reason=one_line(error))


def _error(y: Any, exact: Any) -> float:
    return float(np.abs(y - exact).max() / max(np.abs(exact).max(), np.finfo(np.float32).tiny))
