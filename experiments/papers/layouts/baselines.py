"""What the products of compound entries are compared with: cuSPARSE, and real products of blocks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from experiments.gpu_bench.methods import Launched
from experiments.papers.kit.measurement import one_line
from experiments.papers.kit.results import Record
from experiments.papers.layouts.results import REAL
from gpu.compound import CompoundMatrix
from gpu.compound.standard_types import blocks

if TYPE_CHECKING:
    from experiments.baseline.cusparse_forms import CusparseForm

THREADS_PER_BLOCK = 256
REAL_PRODUCTS = ("sell-c-sigma-blocks-3", "sliced-ell-blocks-3-threads")
"""Kernels of `gpu` for real matrices of dense blocks of 3 x 3."""


@dataclass(frozen=True, eq=False)
class Waiting:
    """A product on the device, checked, that waits for its turn; or why there is none.

    Attributes
    ----------
    record
        All but its time.
    enqueue
        Puts it on a stream; None if it failed.
    """

    record: Record
    enqueue: Callable[[Any], None] | None = None


def library_products(
    name: str, matrix: CompoundMatrix, x: Any, exact: Any, open_: ExitStack
) -> list[Waiting]:
    """Put every form of cuSPARSE on the device; one that does not fit must not cost the others.

    Parameters
    ----------
    name
        Of the matrix.
    matrix
        In the type that is measured.
    x, exact
        The vector in this type, (N, components), and the exact product.
    open_
        Frees them.
    """
    from experiments.baseline.cusparse_forms import cusparse_forms
    from gpu.runtime.cuda_driver import Stream

    def placed(form: CusparseForm, blank: Record) -> Waiting:
        with ExitStack() as of_form:
            product = form.product()
            of_form.enter_context(product)
            product.write_x(form.vector(x))
            with Stream() as stream:
                product.enqueue(stream)
                stream.synchronize()
            error = _error(form.result(product.read_y()), exact)
            open_.enter_context(of_form.pop_all())
        return Waiting(replace(blank, nbytes=product.nbytes, error=error), product.enqueue)

    blanks = [(form, Record(name, form.name, matrix.dtype.name)) for form in cusparse_forms(matrix)]
    return [_safely(partial(placed, *each), each[1]) for each in blanks]


def real_products(name: str, matrix: CompoundMatrix, x: Any, exact: Any, open_: ExitStack) -> list[Waiting]:
    """Put this project's products of real matrices of 3 x 3 blocks on the device; none for other entries.

    Parameters
    ----------
    name, matrix, x, exact, open_
        As of `library_products`.
    """
    from gpu.kernel_registry import KERNELS

    if matrix.entry is not blocks(3):
        return []
    values = np.stack(matrix.components, axis=1).reshape(-1, 3, 3)
    shape = (3 * matrix.shape[0], 3 * matrix.shape[1])
    csr = scipy.sparse.csr_matrix(scipy.sparse.bsr_matrix((values, matrix.indices, matrix.indptr), shape))

    def placed(kernel: str, blank: Record) -> Waiting:
        product = KERNELS[kernel].product(KERNELS[kernel].convert(csr), THREADS_PER_BLOCK)
        launched = Launched(product, x.ravel(), shape[0])
        error = _error(launched.result().reshape(-1, 3), exact)
        open_.callback(launched.close)
        return Waiting(replace(blank, nbytes=launched.nbytes, error=error), launched.enqueue)

    blanks = [(kernel, Record(name, f"{REAL}, {kernel}", matrix.dtype.name)) for kernel in REAL_PRODUCTS]
    return [_safely(partial(placed, *each), each[1]) for each in blanks]


def _safely(place: Callable[[], Waiting], blank: Record) -> Waiting:
    """Return a product, or why it failed."""
    try:
        return place()
    except Exception as error:
        return Waiting(replace(blank, status="failed", reason=one_line(error)))


def _error(y: Any, exact: Any) -> float:
    return float(np.abs(y - exact).max() / max(np.abs(exact).max(), np.finfo(np.float32).tiny))
