"""Sparse matrices of other libraries and of the device, as SciPy matrices."""

from typing import Any

import scipy.sparse

from gpu.sums.device_csr import DeviceCsr
from vecsim.support.errors import UserError


def as_scipy(matrix: Any) -> Any:
    """Copy a sparse matrix of the device or of another library to the host; return all others as they are.

    Parameters
    ----------
    matrix
        A `gpu.DeviceCsr`, a sparse matrix of CuPy, a sparse tensor of torch in the layout COO, CSR or CSC, or
        anything else.

    Raises
    ------
    UserError
        If a tensor of torch is dense, or of another layout.
    """
    if isinstance(matrix, DeviceCsr):
        return matrix.to_scipy()
    library = type(matrix).__module__.partition(".")[0]
    if library == "cupyx":
        return matrix.get()
    return _of_torch(matrix) if library == "torch" else matrix


def _of_torch(tensor: Any) -> Any:
    layout = str(tensor.layout).removeprefix("torch.")
    shape = tuple(int(length) for length in tensor.shape)
    if layout == "sparse_coo":
        tensor = tensor.coalesce()
        rows, columns = _numpy(tensor.indices())
        return scipy.sparse.coo_array((_numpy(tensor.values()), (rows, columns)), shape=shape)
    if layout == "sparse_csr":
        arrays = tensor.values(), tensor.col_indices(), tensor.crow_indices()
        return scipy.sparse.csr_array(tuple(map(_numpy, arrays)), shape=shape)
    if layout == "sparse_csc":
        arrays = tensor.values(), tensor.row_indices(), tensor.ccol_indices()
        return scipy.sparse.csc_array(tuple(map(_numpy, arrays)), shape=shape)
    raise UserError(f"a tensor of layout {layout} cannot be prepared: use tensor.to_sparse_csr()")


def _numpy(tensor: Any) -> Any:
    return tensor.detach().cpu().numpy()
