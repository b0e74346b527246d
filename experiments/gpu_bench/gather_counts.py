"""What gathers of x ask for, counted by the processes that make the matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from experiments.gpu_bench.matrix_supply import DTYPES, Supplied
from experiments.gpu_bench.suite import GATHERING, SuiteMatrix

if TYPE_CHECKING:
    from experiments.gpu_bench.gather_bound import GatherWork


def counted(
    matrix: SuiteMatrix, csr: Any, *, transposed: bool, multiprocessors: int, l2_bytes: int
) -> Mapping[str, NDArray[Any]]:
    """Count the gathers of a matrix, where they can be the bound: what travels with it.

    Parameters
    ----------
    matrix, csr
        Which, and as csr_array.
    transposed
        Whether the products of the transpose are counted, too, of those matrices that have them.
    multiprocessors, l2_bytes
        Of the device that measures.
    """
    from experiments.gpu_bench.gather_bound import least_work

    if matrix.class_ not in GATHERING:
        return {}
    multiplied = {"spmv": csr}
    if transposed and matrix.transposed:
        multiplied["spmv_t"] = scipy.sparse.csr_array(csr.T.tocsr())
    sizes = [np.dtype(dtype).itemsize for dtype in DTYPES]
    device = {"multiprocessors": multiprocessors, "l2_bytes": l2_bytes}
    result = {}
    for operation, each in multiplied.items():
        works = least_work(each.indices, each.shape[1], sizes, **device)
        for dtype, work in zip(DTYPES, works, strict=True):
            result[_name(operation, dtype)] = np.array(astuple(work), np.int64)
    return result


def of(built: Supplied, operation: str, dtype: str) -> GatherWork | None:
    """Return what was counted of a product; None if nothing was.

    Parameters
    ----------
    built
        The matrix.
    operation, dtype
        The product.
    """
    from experiments.gpu_bench.gather_bound import GatherWork

    result = built.more.get(_name(operation, dtype))
    return None if result is None else GatherWork(*map(int, result))


def _name(operation: str, dtype: str) -> str:
    return f"gathers {operation} {dtype}"
