"""The functions of cuBLAS that conjugate gradients need, called through ctypes; scalars lie on the device."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_int, c_size_t, c_void_p
from typing import Any

import numpy as np

from gpu.runtime import library_search
from gpu.runtime.cuda_driver import NoGpuError, driver

DEVICE_SCALARS = 1
"""CUBLAS_POINTER_MODE_DEVICE."""
RIGHT = 1
"""CUBLAS_SIDE_RIGHT."""
_VECTOR = [c_void_p, c_int]
"""Address and stride of a vector."""
PROTOTYPES: dict[str, list[Any]] = {
    "Create_v2": [POINTER(c_void_p)],
    "Destroy_v2": [c_void_p],
    "SetStream_v2": [c_void_p, c_void_p],
    "SetPointerMode_v2": [c_void_p, c_int],
    "SetWorkspace_v2": [c_void_p, c_void_p, c_size_t],
    **{
        f"{kind}{name}": [c_void_p, *arguments]
        for kind in "SD"
        for name, arguments in {
            "dot_v2": [c_int, *_VECTOR, *_VECTOR, c_void_p],
            "axpy_v2": [c_int, c_void_p, *_VECTOR, *_VECTOR],
            "scal_v2": [c_int, c_void_p, *_VECTOR],
            "dgmm": [c_int, c_int, c_int, *_VECTOR, *_VECTOR, *_VECTOR],
        }.items()
    },
}
"""The arguments of each function without ``cublas`` before it, as cublas_v2.h declares them."""


class CublasError(Exception):
    """A call of cuBLAS failed; the message gives the function and the status."""


class Cublas:
    """cuBLAS on the current device, for vectors of one type.

    Parameters
    ----------
    dtype
        float32 or float64.
    workspace
        Address and bytes of device memory that it may use: it must not ask for any while a graph is captured.

    Raises
    ------
    NoGpuError
        There is no GPU, or no cuBLAS.
    """

    def __init__(self, dtype: np.dtype[Any], workspace: tuple[int, int]) -> None:
        driver()  # makes the context current
        library = library_search.load("cublas")
        if library is None:
            raise NoGpuError("cuBLAS was not found: pip install nvidia-cublas, or install the CUDA toolkit")
        self._library, self._kind = library, "S" if dtype == np.float32 else "D"
        for name, arguments in PROTOTYPES.items():
            getattr(library, f"cublas{name}").argtypes = arguments
        self._handle, self._workspace = c_void_p(), workspace
        self._check("Create_v2", library.cublasCreate_v2(ctypes.byref(self._handle)))
        try:
            self._call("SetPointerMode_v2", DEVICE_SCALARS)
        except CublasError:
            self.close()
            raise

    def on(self, stream: Any) -> None:
        """Put what follows on a stream of `gpu.runtime.cuda_driver`."""
        self._call("SetStream_v2", stream.address)
        self._call("SetWorkspace_v2", *self._workspace)  # which another stream forgets

    def dot(self, count: int, x: int, y: int, result: int) -> None:
        """Put x . y at an address; x and y are addresses of `count` numbers.

        Parameters
        ----------
        count, x, y, result
            Numbers, and three addresses.
        """
        self._call(f"{self._kind}dot_v2", count, x, 1, y, 1, result)

    def axpy(self, count: int, alpha: int, x: int, y: int) -> None:
        """Do ``y += alpha x``; alpha, x and y are addresses.

        Parameters
        ----------
        count, alpha, x, y
            Numbers, and three addresses.
        """
        self._call(f"{self._kind}axpy_v2", count, alpha, x, 1, y, 1)

    def scale(self, count: int, alpha: int, x: int) -> None:
        """Do ``x *= alpha``; alpha and x are addresses.

        Parameters
        ----------
        count, alpha, x
            Numbers, and two addresses.
        """
        self._call(f"{self._kind}scal_v2", count, alpha, x, 1)

    def scale_columns(self, rows: int, columns: int, matrix: int, factors: int, result: int) -> None:
        """Multiply each column of a matrix, stored by columns, by a factor of its own.

        Parameters
        ----------
        rows, columns
            Of the matrix.
        matrix, factors, result
            Addresses.
        """
        self._call(f"{self._kind}dgmm", RIGHT, rows, columns, matrix, rows, factors, 1, result, rows)

    def close(self) -> None:
        """Give the handle back."""
        if self._handle.value:
            self._call("Destroy_v2")
            self._handle = c_void_p()

    def _call(self, name: str, *arguments: Any) -> None:
        self._check(name, getattr(self._library, f"cublas{name}")(self._handle, *arguments))

    def _check(self, name: str, status: int) -> None:
        if status:
            raise CublasError(f"cublas{name}: status {status}")
