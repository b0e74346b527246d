"""Memory of the device: uploads, and whether there is room for them."""

import gc
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.cuda_driver import OutOfDeviceMemoryError, call

T = TypeVar("T")


def upload(array: NDArray[Any], zeros: int = 0) -> Any:
    """Copy a host array to the device. An empty one becomes one element, since a device has no empty arrays.

    An array that is on the device already stays where it is, or is copied there if zeros are to be put after
    it.

    Parameters
    ----------
    array
        The array.
    zeros
        Zeros to be put after its last element.

    Raises
    ------
    OutOfDeviceMemoryError
        If the device has too little memory.
    """
    if not isinstance(array, np.ndarray):
        if not zeros:
            return array
        contiguous: Any = array
    else:
        contiguous = np.ascontiguousarray(array) if array.size else np.zeros(1, dtype=array.dtype)
    with _too_little_is_said(contiguous.nbytes):
        if zeros:
            built = cuda.device_array(len(contiguous) + zeros, contiguous.dtype)
            built[: len(contiguous)].copy_to_device(contiguous)
            built[len(contiguous) :].copy_to_device(np.zeros(zeros, contiguous.dtype))
            return built
        return cuda.to_device(contiguous)


def copied(array: Any) -> Any:
    """Return a copy of a device array of one dimension.

    Raises
    ------
    OutOfDeviceMemoryError
        If the device has too little memory.
    """
    result = empty(array.size, array.dtype)
    result.copy_to_device(array)
    return result


def empty(number: int, dtype: Any) -> Any:
    """Return a device array that nothing was written to, of one element where there are none.

    Parameters
    ----------
    number, dtype
        Of its elements.

    Raises
    ------
    OutOfDeviceMemoryError
        If the device has too little memory.
    """
    with _too_little_is_said(max(1, number) * np.dtype(dtype).itemsize):
        return cuda.device_array(max(1, number), dtype)


def zeros(number: int, dtype: Any) -> Any:
    """Return a device array of zeros, of one element where there are none, without sending them.

    Parameters
    ----------
    number, dtype
        Of its elements.

    Raises
    ------
    OutOfDeviceMemoryError
        If the device has too little memory.
    """
    if SIMULATED:
        return upload(np.zeros(number, dtype))
    built = empty(number, dtype)
    clear(built)
    cuda.synchronize()
    return built


def clear(array: Any) -> None:
    """Fill a contiguous device array with zeros, on the default stream."""
    if SIMULATED:
        array.copy_to_device(np.zeros(array.shape, array.dtype))
    else:
        call("cuMemsetD8", int(array.device_ctypes_pointer.value), 0, array.size * array.dtype.itemsize)


@contextmanager
def _too_little_is_said(nbytes: int) -> Iterator[None]:
    """Make one error of all those that say that memory ran out."""
    try:
        yield
    except Exception as error:
        if isinstance(error, MemoryError) or "OUT_OF_MEMORY" in str(error):
            raise _too_little(nbytes) from error
        raise


def on_host(array: Any) -> NDArray[Any]:
    """Return an array that is on the host: itself, or a copy of one that is on the device."""
    result: NDArray[Any] = array if isinstance(array, np.ndarray) else array.copy_to_host()
    return result


def part_of(array: Any, begin: int, end: int) -> Any:
    """Return the elements from `begin` to before `end`; without any, an empty array of the host."""
    return array[begin:end] if begin < end else np.empty(0, array.dtype)


def free_bytes() -> float:
    """Return the free memory of the current device, bytes; without end in the simulator."""
    free_what_is_dropped()
    return float(cuda.current_context().get_memory_info().free)


def free_what_is_dropped() -> None:
    """Free device arrays that nobody holds any more; Numba would do so some time later."""
    if not SIMULATED:
        cuda.current_context().deallocations.clear()


def require_room(nbytes: float) -> None:
    """Raise OutOfDeviceMemoryError, in one line, unless the current device has this many free bytes."""
    if nbytes > free_bytes():
        raise _too_little(nbytes)


def all_or_nothing(put: Callable[[], T]) -> T:
    """Call what uploads several arrays; if memory runs out, free those that had found room.

    Raises
    ------
    OutOfDeviceMemoryError
        If the device has too little memory.
    """
    try:
        return put()
    except OutOfDeviceMemoryError as error:
        # The frames that it came through hold the arrays, as long as somebody holds the error.
        _clear(error)
        message = str(error)
    gc.collect()
    free_what_is_dropped()
    raise OutOfDeviceMemoryError(message)


def _clear(error: BaseException | None) -> None:
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


def _too_little(nbytes: float) -> OutOfDeviceMemoryError:
    try:
        free = f"{cuda.current_context().get_memory_info().free:.0f}"
    except Exception:  # a device in trouble
        free = "too few"
    return OutOfDeviceMemoryError(
        f"the device has too little memory: {nbytes:.0f} bytes are needed, {free} are free; use a smaller "
        "format or dtype float32, or free other arrays"
    )


def real_type(values: NDArray[Any]) -> Any:
    """Return the type that a kernel computes in: np.float32 or np.float64."""
    return values.dtype.type
