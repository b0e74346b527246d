"""Arrays on the device: uploads, and the arrays that callers bring."""

import functools
import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.errors import UserError

from .cuda import SIMULATED, cuda


def upload(array: NDArray[Any]) -> Any:
    """Copy a host array to the device. An empty one becomes one element, since a device has no empty arrays.

    Raises
    ------
    UserError
        If the device has too little memory.
    """
    contiguous = np.ascontiguousarray(array) if array.size else np.zeros(1, dtype=array.dtype)
    try:
        return cuda.to_device(contiguous)
    except MemoryError as error:
        raise _out_of_memory(contiguous.nbytes) from error
    except Exception as error:
        if "OUT_OF_MEMORY" in str(error):
            raise _out_of_memory(contiguous.nbytes) from error
        raise


def _out_of_memory(nbytes: int) -> UserError:
    return UserError(f"the device has too little memory for another {nbytes} bytes: use a smaller format")


def real_type(values: NDArray[Any]) -> Any:
    """Give the type that a kernel computes in: np.float32 or np.float64."""
    return values.dtype.type


def is_on_device(array: Any) -> bool:
    """Return whether an array lies on the device: CuPy's, torch's, Numba's, anything that says so."""
    if SIMULATED:
        return bool(getattr(array, "__cuda_ndarray__", False))
    return hasattr(array, "__cuda_array_interface__")


def as_device_array(array: Any) -> Any:
    """View a caller's device array as Numba's, without a copy and without waiting for its stream."""
    return array if SIMULATED else cuda.as_cuda_array(array, sync=False)


def like(array: Any, length: int) -> Any:
    """Allocate a device vector of the same library, type and device as `array`."""
    library = type(array).__module__.partition(".")[0]
    if library == "torch":
        return array.new_empty(length)
    if library == "cupy":
        return importlib.import_module(library).empty(length, dtype=array.dtype)
    return cuda.device_array(length, dtype=as_device_array(array).dtype)


def stream_of(stream: Any) -> Any:
    """Give what a launch takes for a stream: Numba's, cuda.core's, CuPy's, torch's, or a handle."""
    if stream is None:
        return 0
    for handle in ("ptr", "cuda_stream"):
        if isinstance(getattr(stream, handle, None), int):
            stream = getattr(stream, handle)
    if isinstance(stream, int) and stream:
        return _external(stream)
    return stream


@functools.lru_cache(maxsize=64)
def _external(handle: int) -> Any:
    # The same object for a handle each time: launches are configured, and kept, by stream object.
    return cuda.external_stream(handle)
