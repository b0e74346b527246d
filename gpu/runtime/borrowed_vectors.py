"""Vectors of CuPy and torch as a launch takes them: views of Numba take longer than a small product."""

import ctypes
import functools
import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from gpu.runtime.cuda_driver import driver
from gpu.runtime.launches import Place
from gpu.runtime.vectors import LEGACY_DEFAULT_STREAM

Shape = tuple[int, ...]


class Elements(NamedTuple):
    """A place that launches read as an array of Numba.

    Attributes
    ----------
    address, size
        Where they begin, and their number.
    """

    address: int
    size: int

    @property
    def device_ctypes_pointer(self) -> ctypes.c_void_p:
        """The address, as Numba has it."""
        return ctypes.c_void_p(self.address)


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


def borrowed(
    x: Any, out: Any, shapes: tuple[Shape, Shape], dtype: np.dtype[Any], device: int
) -> Borrowed | None:
    """Return the vectors of a product if both are plain ones of CuPy, or of torch, on the current device.

    Parameters
    ----------
    x, out
        What the caller gave; without `out` a vector is made.
    shapes
        Of x and y, of one or two dimensions.
    dtype, device
        Of the matrix.

    Returns
    -------
    Borrowed or None
        None for all others, and for what is to be refused.
    """
    library = _library_of(x.__class__)
    if library is None:
        return None
    of_x, of_y = shapes
    begin = library.address(x, of_x, dtype)
    if not begin or (out is not None and _library_of(out.__class__) is not library):
        return None
    if library.device(x) != device or not _is_current(device):
        return None
    result = library.empty(x, of_y) if out is None else out
    # Arrays without elements have no address.
    into = library.address(result, of_y, dtype)
    x_size, y_size, size = math.prod(of_x), math.prod(of_y), dtype.itemsize
    if not into or library.device(result) != device:
        return None
    if begin < into + y_size * size and into < begin + x_size * size:
        return None
    return Borrowed((begin, x_size), (into, y_size), result, library.stream(device))


def borrowed_vector(array: Any, size: int, dtype: np.dtype[Any], device: int) -> tuple[Elements, int] | None:
    """Return a vector and the current stream of its library where `borrowed` would take it.

    Parameters
    ----------
    array
        What the caller gave.
    size, dtype, device
        What it must have.
    """
    library = _library_of(array.__class__)
    if library is None:
        return None
    address = library.address(array, (size,), dtype)
    if not address or library.device(array) != device or not _is_current(device):
        return None
    return Elements(address, size), library.stream(device)


def _is_current(device: int) -> bool:
    # Fails in a thread that has no context yet.
    status, current = driver().cuCtxGetDevice()
    return int(status) == 0 and int(current) == device


class _Library(Protocol):
    def address(self, array: Any, shape: Shape, dtype: np.dtype[Any]) -> int:
        """Return where an array on a GPU of this shape and type begins, row by row; 0 for another array."""

    def device(self, array: Any) -> int:
        """Return the number of the GPU of such an array."""

    def empty(self, array: Any, shape: Shape) -> Any:
        """Make an array of the type and place of another one."""

    def stream(self, device: int) -> int:
        """Return the handle of the current stream, 0 for the default one."""


class _Cupy:
    def __init__(self) -> None:
        self._module = sys.modules["cupy"]

    def address(self, array: Any, shape: Shape, dtype: np.dtype[Any]) -> int:
        item = dtype.itemsize
        strides = (item,) if len(shape) == 1 else (shape[1] * item, item)
        if array.shape != shape or array.strides != strides or array.dtype != dtype:
            return 0
        return int(array.data.ptr)

    def device(self, array: Any) -> int:
        return int(array.data.device_id)

    def empty(self, array: Any, shape: Shape) -> Any:
        return self._module.empty(shape, array.dtype)

    def stream(self, device: int) -> int:
        handle = int(self._module.cuda.get_current_stream().ptr)
        return 0 if handle == LEGACY_DEFAULT_STREAM else handle


class _Torch:
    def __init__(self) -> None:
        self._module = module = sys.modules["torch"]
        self._types = {np.dtype(np.float32): module.float32, np.dtype(np.float64): module.float64}

    def address(self, array: Any, shape: Shape, dtype: np.dtype[Any]) -> int:
        plain = (
            array.is_cuda
            and array.layout is self._module.strided
            and array.dtype is self._types.get(dtype)
            and array.shape == shape
            and array.is_contiguous()
            # What torch does not hand out: it records the gradient, or the sign is still to be changed.
            and not array.requires_grad
            and not array.is_neg()
        )
        return int(array.data_ptr()) if plain else 0

    def device(self, array: Any) -> int:
        return int(array.get_device())

    def empty(self, array: Any, shape: Shape) -> Any:
        return array.new_empty(shape)

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
