"""Vectors of CuPy and torch as a launch takes them: views of Numba take longer than a small product."""

import functools
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from gpu.runtime.cuda_driver import driver
from gpu.runtime.launches import Place
from gpu.runtime.vectors import LEGACY_DEFAULT_STREAM


class Borrowed(NamedTuple):
    """The vectors of a product.

    Attributes
    ----------
    x, y
        Where they lie.
    result
        The caller's array that y is.
    stream
        Handle of the library's current one.
    """

    x: Place
    y: Place
    result: Any
    stream: int


def borrowed(x: Any, out: Any, shape: tuple[int, int], dtype: np.dtype[Any], device: int) -> Borrowed | None:
    """Return the vectors of a product if both are plain ones of CuPy, or of torch, on the current device.

    Parameters
    ----------
    x, out
        What the caller gave; without `out` a vector is made.
    shape, dtype, device
        Of the matrix.

    Returns
    -------
    Borrowed or None
        None for all others, and for what is to be refused.
    """
    rows, columns = shape
    library = _library_of(x.__class__)
    if library is None or not rows or not columns:
        return None
    begin = library.address(x, columns, dtype, device)
    if not begin or (out is not None and _library_of(out.__class__) is not library):
        return None
    # Fails in a thread that has no context yet.
    status, current = driver().cuCtxGetDevice()
    if int(status) != 0 or int(current) != device:
        return None
    result = library.empty(x, rows) if out is None else out
    into = library.address(result, rows, dtype, device)
    size = dtype.itemsize
    if not into or (begin < into + rows * size and into < begin + columns * size):
        return None
    stream = library.stream(device)
    return Borrowed((begin, columns), (into, rows), result, 0 if stream == LEGACY_DEFAULT_STREAM else stream)


class _Library(Protocol):
    def address(self, array: Any, size: int, dtype: np.dtype[Any], device: int) -> int:
        """Return where a contiguous vector of this size, type and place begins; 0 for another array."""

    def empty(self, array: Any, size: int) -> Any:
        """Make a vector of the type and place of another one."""

    def stream(self, device: int) -> int:
        """Return the handle of the current stream."""


class _Cupy:
    def __init__(self) -> None:
        self._module = sys.modules["cupy"]

    def address(self, array: Any, size: int, dtype: np.dtype[Any], device: int) -> int:
        if array.shape != (size,) or array.strides != (dtype.itemsize,) or array.dtype != dtype:
            return 0
        memory = array.data
        return int(memory.ptr) if memory.device_id == device else 0

    def empty(self, array: Any, size: int) -> Any:
        return self._module.empty(size, array.dtype)

    def stream(self, device: int) -> int:
        return int(self._module.cuda.get_current_stream().ptr)


class _Torch:
    def __init__(self) -> None:
        self._module = module = sys.modules["torch"]
        self._types = {np.dtype(np.float32): module.float32, np.dtype(np.float64): module.float64}

    def address(self, array: Any, size: int, dtype: np.dtype[Any], device: int) -> int:
        plain = (
            array.is_cuda
            and array.layout is self._module.strided
            and array.dtype is self._types.get(dtype)
            and array.shape == (size,)
            and array.is_contiguous()
            # What torch does not hand out: it records the gradient, or the sign is still to be changed.
            and not array.requires_grad
            and not array.is_neg()
        )
        return int(array.data_ptr()) if plain and array.get_device() == device else 0

    def empty(self, array: Any, size: int) -> Any:
        return array.new_empty(size)

    def stream(self, device: int) -> int:
        return int(self._module.cuda.current_stream(device).cuda_stream)


_LIBRARIES: dict[tuple[str, str], Callable[[], _Library]] = {
    ("cupy", "ndarray"): _Cupy,
    ("torch", "Tensor"): _Torch,
}


@functools.cache
def _library_of(kind: Any) -> _Library | None:
    name = (kind.__module__.partition(".")[0], kind.__name__)
    return _library(name) if name in _LIBRARIES else None


@functools.cache
def _library(name: tuple[str, str]) -> _Library:
    # One object for a library: those of x and out are compared.
    return _LIBRARIES[name]()
