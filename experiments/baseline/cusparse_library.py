"""The functions of cuSPARSE that a product needs, called through ctypes, with errors by name."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import ExitStack
from ctypes import POINTER, c_int, c_int64, c_size_t, c_void_p
from functools import cache
from typing import Any

from experiments.baseline.device_memory import DeviceMemory
from gpu.runtime import library_search
from gpu.runtime.cuda_driver import Handle, NoGpuError, Stream, driver

NOT_SUPPORTED = 10
"""CUSPARSE_STATUS_NOT_SUPPORTED."""
INDEX_32 = 2
"""CUSPARSE_INDEX_32I."""
BASE_ZERO = 0
"""CUSPARSE_INDEX_BASE_ZERO."""
LEAST_BYTES = 16
"""Even what is empty gets an address: a null pointer is an error to cuSPARSE."""

_OUT = POINTER(c_void_p)
_PRODUCT = [c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_int]
"""Handle, operation, alpha, matrix, x, beta, y, type of the computation, algorithm."""

PROTOTYPES: dict[str, list[Any]] = {
    "cusparseCreate": [_OUT],
    "cusparseDestroy": [c_void_p],
    "cusparseSetStream": [c_void_p, c_void_p],
    "cusparseCreateCsr": [_OUT, *[c_int64] * 3, *[c_void_p] * 3, *[c_int] * 4],
    "cusparseCreateCoo": [_OUT, *[c_int64] * 3, *[c_void_p] * 3, *[c_int] * 3],
    "cusparseCreateSlicedEll": [_OUT, *[c_int64] * 5, *[c_void_p] * 3, *[c_int] * 4],
    "cusparseCreateBsr": [_OUT, *[c_int64] * 5, *[c_void_p] * 3, *[c_int] * 5],
    "cusparseDestroySpMat": [c_void_p],
    "cusparseCreateDnVec": [_OUT, c_int64, c_void_p, c_int],
    "cusparseDestroyDnVec": [c_void_p],
    "cusparseSpMV_bufferSize": [*_PRODUCT, POINTER(c_size_t)],
    "cusparseSpMV_preprocess": [*_PRODUCT, c_void_p],
    "cusparseSpMV": [*_PRODUCT, c_void_p],
}
"""The arguments of each function, as cusparse.h declares them."""


class CusparseError(Exception):
    """A call of cuSPARSE failed; the message gives the function and the status by name.

    Attributes
    ----------
    status
        The number of the status.
    """

    def __init__(self, function: str, status: int, name: str) -> None:
        super().__init__(f"{function}: {name}")
        self.status = status


class Cusparse:
    """cuSPARSE, started on the current device.

    Parameters
    ----------
    library
        The loaded library.
    """

    def __init__(self, library: Any) -> None:
        self._library = library
        self.declare(PROTOTYPES)
        library.cusparseGetErrorName.argtypes = [c_int]
        library.cusparseGetErrorName.restype = ctypes.c_char_p
        self.handle = self.create("cusparseCreate")

    def declare(self, prototypes: dict[str, list[Any]]) -> None:
        """Declare the arguments of functions, by name."""
        for name, arguments in prototypes.items():
            getattr(self._library, name).argtypes = arguments

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function.

        Raises
        ------
        CusparseError
            It does not succeed.
        """
        status = int(getattr(self._library, name)(*arguments))
        if status:
            raise CusparseError(name, status, self._library.cusparseGetErrorName(status).decode())

    def create(self, name: str, *arguments: Any) -> c_void_p:
        """Call a function whose first argument is where it puts what it creates."""
        result = c_void_p()
        self.call(name, ctypes.byref(result), *arguments)
        return result

    def close(self) -> None:
        """Release the handle."""
        if self.handle.value:
            self.call("cusparseDestroy", self.handle)
            self.handle = c_void_p()


class Operation(Handle):
    """What cuSPARSE does again and again, ready to be enqueued; `close` frees what it took.

    Parameters
    ----------
    prototypes
        The arguments of functions next to `PROTOTYPES`.
    library
        cuSPARSE; by default that of this process.
    """

    def __init__(self, prototypes: dict[str, list[Any]], library: Cusparse | None = None) -> None:
        self._library = library or cusparse()
        self._library.declare(prototypes)
        self._resources = ExitStack()
        # The stream of the last operation may be gone.
        self._library.call("cusparseSetStream", self._library.handle, None)

    def _opened(self, put: Callable[[ExitStack], None]) -> None:
        """Call what opens resources; if it fails, those that it had opened are closed."""
        with ExitStack() as open_:
            put(open_)
            self._resources = open_.pop_all()

    def _on(self, stream: Stream) -> None:
        """Put what follows on a stream; it may be under capture."""
        self._library.call("cusparseSetStream", self._library.handle, stream.address)

    def _buffer_for(self, open_: ExitStack, ask: Callable[[Any], None]) -> tuple[DeviceMemory, int]:
        """Allocate the buffer whose size `ask` writes to its argument; return it and the size."""
        size = c_size_t()
        ask(ctypes.byref(size))
        return open_.enter_context(DeviceMemory(max(size.value, LEAST_BYTES))), size.value

    def close(self) -> None:
        """Free everything; a second time does nothing."""
        self._resources.close()


@cache
def cusparse() -> Cusparse:
    """Return cuSPARSE on device 0, the same for the whole process.

    Raises
    ------
    NoGpuError
        There is no GPU, or no cuSPARSE.
    """
    driver()  # makes the context current
    library = library_search.load("cusparse")
    if library is None:
        raise NoGpuError("cuSPARSE was not found: pip install nvidia-cusparse, or install the CUDA toolkit")
    return Cusparse(library)
