"""Vectors of CuPy as a launch takes them, without views of Numba, which take longer than a small product."""

import ctypes
import functools
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.runtime.cuda_driver import driver
from gpu.runtime.vectors import LEGACY_DEFAULT_STREAM, stream_of


@dataclass(frozen=True)
class Borrowed:
    """A vector on the device: what a launch reads of Numba's.

    Attributes
    ----------
    device_ctypes_pointer
        Where it begins.
    size
        Its elements.
    """

    device_ctypes_pointer: ctypes.c_void_p
    size: int


@dataclass(frozen=True)
class CupyVectors:
    """The vectors of a product.

    Attributes
    ----------
    x, y
        As a launch takes them.
    result
        The array of CuPy that y is.
    stream
        CuPy's current one, as `gpu.runtime.vectors.stream_of` returns it.
    """

    x: Borrowed
    y: Borrowed
    result: Any
    stream: Any


def cupy_vectors(
    x: Any, out: Any, shape: tuple[int, int], dtype: np.dtype[Any], device: int
) -> CupyVectors | None:
    """Return the vectors of a product if both are plain ones of CuPy, on the current device.

    Parameters
    ----------
    x, out
        What the caller gave; without `out` a vector is made.
    shape, dtype, device
        Of the matrix.

    Returns
    -------
    CupyVectors or None
        None for all others, and for what is to be refused.
    """
    if not _is_of_cupy(x.__class__) or not _fits(x, shape[1], dtype, device) or not shape[0]:
        return None
    if out is not None and not (_is_of_cupy(out.__class__) and _fits(out, shape[0], dtype, device)):
        return None
    # Fails in a thread that has no context yet.
    status, current = driver().cuCtxGetDevice()
    if int(status) != 0 or int(current) != device:
        return None
    cupy = sys.modules["cupy"]
    result = cupy.empty(shape[0], dtype) if out is None else out
    begin, into = int(x.data.ptr), int(result.data.ptr)
    if begin < into + shape[0] * dtype.itemsize and into < begin + shape[1] * dtype.itemsize:
        return None
    stream = int(cupy.cuda.get_current_stream().ptr)
    return CupyVectors(
        Borrowed(ctypes.c_void_p(begin), shape[1]),
        Borrowed(ctypes.c_void_p(into), shape[0]),
        result,
        stream_of(0 if stream == LEGACY_DEFAULT_STREAM else stream),
    )


@functools.cache
def _is_of_cupy(kind: Any) -> bool:
    is_array: bool = kind.__module__.partition(".")[0] == "cupy" and kind.__name__ == "ndarray"
    return is_array


def _fits(array: Any, size: int, dtype: np.dtype[Any], device: int) -> bool:
    plain = bool(array.ndim == 1 and array.flags.c_contiguous and array.size == size > 0)
    return plain and bool(array.dtype == dtype and array.data.device_id == device)
