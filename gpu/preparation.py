"""From a SciPy matrix to a matrix on the device, by the name of a format."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from isa.errors import UserError
from vecsim.formats import COO, CRS, Sliced, Slicing

from .choice import choose
from .coo import COOProduct
from .crs import CRSProduct
from .cuda import THREADS_PER_BLOCK, require_gpu
from .device_matrix import DeviceMatrix, Product
from .kernels import ALIASES, KERNELS
from .sliced import SlicedProduct


def prepare(
    matrix: Any,
    format: str | Slicing = "auto",
    *,
    dtype: Any = None,
    threads_per_block: int = THREADS_PER_BLOCK,
) -> DeviceMatrix:
    """Convert a matrix and put it on the device.

    Parameters
    ----------
    matrix
        Any SciPy sparse matrix or array, or a `CRS`, `COO` or `Sliced` of `vecsim.formats`, taken as it is.
    format
        One of `KERNELS`; ``csr`` for ``crs``; an arrangement of the sliced container; or ``auto``, which
        takes what should be fastest by the bytes it stores and its longest chain (`gpu.choice`).
    dtype
        float32 or float64; the matrix's own without it, where all but float32 becomes float64.
    threads_per_block
        A multiple of 32, up to 1024.

    Returns
    -------
    DeviceMatrix
        For ``M @ x`` and the rest.

    Raises
    ------
    UserError
        In one line: if there is no GPU, the format is unknown or cannot hold the matrix, the matrix is not
        real or too large, or the device has too little memory.
    """
    if threads_per_block % 32 or not 32 <= threads_per_block <= 1024:
        raise UserError(
            f"threads_per_block {threads_per_block} is not possible: use a multiple of 32 up to 1024"
        )
    require_gpu()
    if isinstance(matrix, CRS | COO | Sliced):
        return _on_device(matrix, _PRODUCTS[type(matrix)], type(matrix).__name__.lower(), threads_per_block)
    matrix = _typed(matrix, dtype)
    if isinstance(format, Slicing):
        host = Sliced.from_scipy(matrix, slicing=format)
        return _on_device(host, SlicedProduct, "sliced", threads_per_block)
    name = ALIASES.get(format, format)
    if name == "auto":
        matrix = matrix.tocsr()
        name = choose(matrix)
    if name not in KERNELS:
        raise UserError(f"unknown format {format!r}: use auto or one of {', '.join(KERNELS)}")
    kernel = KERNELS[name]
    return _on_device(kernel.convert(matrix), kernel.product, name, threads_per_block)


_PRODUCTS: dict[type, Callable[[Any, int], Product]] = {
    CRS: CRSProduct,
    COO: COOProduct,
    Sliced: SlicedProduct,
}


def _on_device(
    host: Any, product: Callable[[Any, int], Product], name: str, threads_per_block: int
) -> DeviceMatrix:
    return DeviceMatrix(
        product(host, threads_per_block), shape=host.shape, dtype=host.values.dtype, format=name, nnz=host.nnz
    )


def _typed(matrix: Any, dtype: Any) -> Any:
    """Give the matrix with values of the type asked for, of its own, or of float64."""
    if dtype is not None and np.dtype(dtype) not in (np.float32, np.float64):
        raise UserError(f"dtype {np.dtype(dtype)} is not possible: use float32 or float64")
    if not scipy.sparse.issparse(matrix) or matrix.ndim != 2:
        raise UserError(f"a two-dimensional SciPy sparse matrix is needed, not {type(matrix).__name__}")
    if matrix.dtype.kind == "c":
        raise UserError("the matrix has complex values: give its real part (matrix.real)")
    own = np.float32 if matrix.dtype == np.float32 else np.float64
    return matrix.astype(own if dtype is None else np.dtype(dtype), copy=False)
