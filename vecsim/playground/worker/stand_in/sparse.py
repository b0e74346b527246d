"""Of SciPy and Numba what the conversion of a small matrix into a format meets.

A matrix is in CSR, sorted and without duplicates; what Numba would compile runs as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from vecsim.playground.worker.stand_in.kinds import dtype
from vecsim.playground.worker.stand_in.strided import ndarray


class csr_array:
    """A matrix: its values, the column of each, and where each row begins."""

    format = "csr"

    def __init__(self, content: tuple[ndarray, ndarray, ndarray], shape: tuple[int, int]) -> None:
        self.data, self.indices, self.indptr = content
        self.shape = shape

    @property
    def dtype(self) -> dtype:
        """The type of the values."""
        return self.data.dtype

    @property
    def nnz(self) -> int:
        """How many entries are stored."""
        return len(self.data)


def issparse(value: object) -> bool:
    """Return whether it is a sparse matrix."""
    return isinstance(value, csr_array)


def _as_it_is(**_: object) -> Callable[[Any], Any]:
    return lambda function: function


def modules() -> dict[str, ModuleType]:
    """Return modules to stand in place of SciPy and Numba, by their names."""
    result = {name: ModuleType(name) for name in ("scipy", "scipy.sparse", "numba")}
    vars(result["scipy"])["sparse"] = result["scipy.sparse"]
    vars(result["scipy.sparse"]).update(csr_array=csr_array, issparse=issparse)
    threads = {"get_num_threads": lambda: 1, "set_num_threads": lambda count: None}
    vars(result["numba"]).update(njit=_as_it_is, prange=range, **threads)
    return result
