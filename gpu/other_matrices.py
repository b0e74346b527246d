"""Sparse matrices of other libraries and of the device: as CSR on the device, or as SciPy's."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse

from gpu.runtime.cuda import cuda
from gpu.runtime.vectors import is_on_device
from gpu.sums.device_csr import REALS, DeviceCsr
from vecsim.formats.canonical_csr import MAX_COUNT
from vecsim.support.errors import UserError


def taken_from(matrix: Any) -> Any:
    """Return what `gpu.prepare` takes for a matrix of another library: a `gpu.DeviceCsr`, or SciPy's.

    What is on the device stays there: CuPy and torch convert COO and CSC into CSR there. It is copied to the
    host where values are not float32 or float64.

    Parameters
    ----------
    matrix
        A sparse matrix of CuPy; a sparse tensor of torch in the layout COO, CSR or CSC; an object with device
        arrays indptr, indices and data in CSR; anything else is returned as it is.

    Raises
    ------
    UserError
        If a tensor of torch is dense, or of another layout; or columns do not ascend in each row.
    """
    library = type(matrix).__module__.partition(".")[0]
    if library == "cupyx":
        return _of_cupy(matrix)
    if library == "torch":
        return _of_torch(matrix)
    parts = [getattr(matrix, part, None) for part in ("indptr", "indices", "data")]
    if getattr(matrix, "format", "") == "csr" and is_on_device(parts[2]):
        return _on_device(parts, matrix.shape)
    return matrix


def _on_device(parts: Sequence[Any], shape: Any) -> DeviceCsr:
    # The library may still be writing them, on another stream than those that read them next.
    if max(*shape, parts[2].shape[0]) > MAX_COUNT:
        raise UserError(
            f"a matrix of {shape[0]} x {shape[1]} with {parts[2].shape[0]} entries cannot be counted in 32 "
            f"bits: rows, columns and entries must each be at most {MAX_COUNT}"
        )
    cuda.synchronize()
    pointers, columns, values = parts
    return DeviceCsr.from_arrays(pointers, columns, values, (int(shape[0]), int(shape[1])))


def _of_cupy(matrix: Any) -> Any:
    if np.dtype(matrix.dtype) not in REALS:
        return matrix.get()
    csr = matrix.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    parts = csr.indptr.astype(np.int32), csr.indices.astype(np.int32), csr.data
    return _on_device(parts, csr.shape)


def _of_torch(tensor: Any) -> Any:
    layout = str(tensor.layout).removeprefix("torch.")
    if layout not in ("sparse_coo", "sparse_csr", "sparse_csc"):
        raise UserError(f"a tensor of layout {layout} cannot be prepared: use tensor.to_sparse_csr()")
    tensor = tensor.coalesce() if layout == "sparse_coo" else tensor
    if tensor.is_cuda and str(tensor.dtype) in ("torch.float32", "torch.float64"):
        csr = tensor if layout == "sparse_csr" else tensor.to_sparse_csr()
        parts = csr.crow_indices().int(), csr.col_indices().int(), csr.values().detach()
        return _on_device(parts, tensor.shape)
    shape = tuple(int(length) for length in tensor.shape)
    if layout == "sparse_coo":
        rows, columns = _numpy(tensor.indices())
        return scipy.sparse.coo_array((_numpy(tensor.values()), (rows, columns)), shape=shape)
    if layout == "sparse_csr":
        arrays = tensor.values(), tensor.col_indices(), tensor.crow_indices()
        return scipy.sparse.csr_array(tuple(map(_numpy, arrays)), shape=shape)
    arrays = tensor.values(), tensor.row_indices(), tensor.ccol_indices()
    return scipy.sparse.csc_array(tuple(map(_numpy, arrays)), shape=shape)


def _numpy(tensor: Any) -> Any:
    return tensor.detach().cpu().numpy()
