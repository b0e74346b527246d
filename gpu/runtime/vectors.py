"""The vectors and streams that callers bring: of CuPy, torch, Numba, DLPack, cuda.core, or the host.

Arrays that offer themselves by DLPack are described as ``__cuda_array_interface__`` would. The layout is that
of dlpack.h, version 1.0 (https://dmlc.github.io/dlpack/latest/). A tensor is borrowed: its capsule is kept as
long as the view of it, and frees it then.
"""

import ctypes
import functools
import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.cuda_driver import driver
from vecsim.support.errors import UserError

CUDA = 2
CUDA_MANAGED = 13
HOST = (1, 3, 11)
"""Memory of the host: plain, and pinned by CUDA and ROCm."""
LEGACY_DEFAULT_STREAM = 1
"""How the protocol names stream 0."""

_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
_READ_ONLY = 1


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("kind", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


def device_of(array: Any) -> tuple[int, int] | None:
    """Return DLPack's type and number of an array's device; None where it has no such protocol."""
    if not (hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__")):
        return None
    kind, number = array.__dlpack_device__()
    return int(kind), int(number)


def interface(array: Any, stream: int) -> tuple[dict[str, Any], Any]:
    """Describe an array on the device.

    Parameters
    ----------
    array
        Has ``__dlpack__``.
    stream
        The handle of the stream that the array is used on next, 0 for the default one: the array's library
        makes that stream, not the host, wait for what it has still to do.

    Returns
    -------
    interface : dict
        Of ``__cuda_array_interface__``, version 3.
    capsule
        Must live as long as the array is used.

    Raises
    ------
    UserError
        If it has a type that no kernel computes with, or its library does not hand it out.
    """
    try:
        capsule = array.__dlpack__(stream=stream or LEGACY_DEFAULT_STREAM)
    except (BufferError, RuntimeError) as error:
        raise _unusable(error) from None
    tensor, read_only = _tensor(capsule)
    if tensor.kind not in _KINDS or tensor.lanes != 1 or tensor.bits % 8:
        raise UserError(
            f"an array by DLPack has elements of code {tensor.kind}, {tensor.bits} bits and {tensor.lanes} "
            "lanes: use float32 or float64"
        )
    size = tensor.bits // 8
    shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
    strides = tuple(tensor.strides[axis] * size for axis in range(tensor.ndim)) if tensor.strides else None
    described = {
        "version": 3,
        "shape": shape,
        "strides": strides,
        "typestr": f"<{_KINDS[tensor.kind]}{size}",
        "data": ((tensor.data or 0) + tensor.byte_offset, read_only),
    }
    return described, capsule


def _tensor(capsule: Any) -> tuple[_Tensor, bool]:
    """Read a capsule: the tensor, and whether it must not be written."""
    valid, address = ctypes.pythonapi.PyCapsule_IsValid, ctypes.pythonapi.PyCapsule_GetPointer
    valid.restype, address.restype = ctypes.c_int, ctypes.c_void_p
    valid.argtypes = address.argtypes = (ctypes.py_object, ctypes.c_char_p)
    if valid(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(address(capsule, b"dltensor_versioned"))
        return versioned.tensor, bool(versioned.flags & _READ_ONLY)
    return _Tensor.from_address(address(capsule, b"dltensor")), False


def is_on_device(array: Any) -> bool:
    """Return whether an array lies on a CUDA device, by ``__cuda_array_interface__`` or DLPack.

    Raises
    ------
    UserError
        If its library does not hand it out (torch, where a gradient is recorded), or it lies on a device that
        is not CUDA's.
    """
    if isinstance(array, np.ndarray | list | tuple):
        return False
    if getattr(array, "__cuda_ndarray__", False) or _interface(array) is not None:
        return True
    device = device_of(array)
    if device is None or device[0] in HOST:
        return False
    if device[0] not in (CUDA, CUDA_MANAGED):
        raise UserError(f"an array is on a device of DLPack type {device[0]}: copy it to CUDA (2)")
    return True


def _interface(array: Any) -> dict[str, Any] | None:
    try:
        match: dict[str, Any] | None = array.__cuda_array_interface__
    except AttributeError:
        return None
    except (RuntimeError, TypeError) as error:  # of torch, for tensors with a gradient
        raise _unusable(error) from error
    return match


def _unusable(error: Exception) -> UserError:
    return UserError(f"an array cannot be used: {(str(error) or type(error).__name__).splitlines()[0]}")


def as_device_array(array: Any, stream: Any = 0, *, written: bool = False) -> Any:
    """View a caller's array on the device as Numba's, without a copy.

    Nothing waits for the streams of libraries with ``__cuda_array_interface__``; by DLPack, `stream` is made
    to wait for what the array's library has still to do, and the host is not.

    Parameters
    ----------
    array, stream
        The array, and the stream that uses it next.
    written
        Whether it is written to.

    Raises
    ------
    UserError
        If it is masked, not aligned to its elements, or is to be written and its library forbids that (JAX).
    """
    if getattr(array, "__cuda_ndarray__", False):
        return array
    described, owner = _interface(array), array
    if described is None:
        described, owner = interface(array, stream_handle(stream))
    if described.get("mask") is not None:
        raise UserError("a masked array cannot be multiplied: fill its missing values first")
    if written and described["data"][1]:
        raise UserError(f"out must not be written: {type(array).__name__} is read-only, use another array")
    address, size = described["data"][0] or 0, np.dtype(described["typestr"]).itemsize
    if address % size:
        raise UserError(f"an array begins at address {address}: use one aligned to its {size}-byte elements")
    return _view(described, owner)


def _view(described: dict[str, Any], owner: Any) -> Any:
    if not SIMULATED:
        return cuda.from_cuda_array_interface(described, owner=owner, sync=False)
    from numba.cuda.simulator.cudadrv.devicearray import FakeCUDAArray

    class OfTheHost:
        __array_interface__ = described

        def __init__(self) -> None:
            self.owner = owner

    return FakeCUDAArray(np.asarray(OfTheHost()))


def shape_of(array: Any) -> tuple[int, ...]:
    """Return the shape of an array, which may have nothing but an interface to its memory."""
    shape = getattr(array, "shape", None)
    return tuple(as_device_array(array).shape if shape is None else shape)


def swapped(array: Any) -> Any:
    """View an array of two dimensions with rows and columns exchanged, without a copy.

    Parameters
    ----------
    array
        Of the host, or on the device; of CuPy, torch and the host it stays of its kind.
    """
    if isinstance(array, np.ndarray) or type(array).__module__.partition(".")[0] in ("cupy", "torch"):
        return array.T
    view = as_device_array(array)
    described = {
        "version": 3,
        "shape": view.shape[::-1],
        "strides": view.strides[::-1],
        "typestr": np.dtype(view.dtype).str,
        "data": (span(view)[0], False),
    }
    return _view(described, view)


def span(view: Any) -> tuple[int, int]:
    """Return the address of a view's first byte and of the one after its last."""
    first = view.ctypes.data if SIMULATED else view.device_ctypes_pointer.value or 0
    return first, first + view.nbytes


def memory_of(view: Any) -> tuple[Any, int, tuple[int, ...]]:
    """View the memory of an array of any strides as a vector.

    Parameters
    ----------
    view
        Device array of Numba, with elements.

    Returns
    -------
    vector
        Contiguous device array of all elements from the lowest address to the highest.
    first : int
        Where the first element of `view` is in it.
    steps : tuple of int
        Elements from one to the next, for each dimension.

    Raises
    ------
    UserError
        If its strides are no multiples of its elements.
    """
    size = np.dtype(view.dtype).itemsize
    if any(stride % size for stride in view.strides):
        raise UserError(f"an array has strides {view.strides}: use multiples of its {size}-byte elements")
    steps = tuple(stride // size for stride in view.strides)
    ends = [(length - 1) * step for length, step in zip(view.shape, steps, strict=True)]
    lowest, highest = (sum(sign(end, 0) for end in ends) for sign in (min, max))
    described = {
        "version": 3,
        "shape": (highest - lowest + 1,),
        "strides": None,
        "typestr": np.dtype(view.dtype).str,
        "data": (span(view)[0] + lowest * size, False),
    }
    return _view(described, view), -lowest, steps


def current_device() -> int:
    """Return the number of the device that kernels are launched on.

    Raises
    ------
    UserError
        If another library has made another device the current one.
    """
    if SIMULATED:
        return 0
    number = int(cuda.get_current_device().id)
    status, current = driver().cuCtxGetDevice()
    if int(status) == 0 and int(current) != number:
        raise UserError(
            f"GPU {int(current)} is the current one, but Numba uses GPU {number}: "
            f"use `with numba.cuda.gpus[{int(current)}]:`"
        )
    return number


def device_number(array: Any, view: Any) -> int:
    """Return the number of the device that a caller's array lies on; `view` is Numba's view of it."""
    if SIMULATED or not view.size:
        device = None if getattr(array, "__cuda_ndarray__", False) else device_of(array)
        return current_device() if device is None else device[1]
    driver = importlib.import_module("cuda.bindings.driver")
    attribute = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    status, number = driver.cuPointerGetAttribute(attribute, span(view)[0])
    # Memory of the host that the device reaches belongs to none.
    return int(number) if int(status) == 0 and int(number) >= 0 else current_device()


def like(array: Any, length: int | tuple[int, int]) -> Any:
    """Make an array of the library, type and place of `array`; Numba's where it is by DLPack alone."""
    library = type(array).__module__.partition(".")[0]
    if library == "torch":
        return array.new_empty(length)
    if library == "cupy":
        with array.device:
            return importlib.import_module(library).empty(length, dtype=array.dtype)
    return cuda.device_array(length, dtype=as_device_array(array).dtype)


def host_view(array: Any) -> NDArray[Any]:
    """View an array of the host that is to be written: NumPy's, or one that shares its memory with NumPy.

    Raises
    ------
    UserError
        If it is no array, or must not be written.
    """
    shared = isinstance(array, np.ndarray) or type(array).__module__.partition(".")[0] == "torch"
    view = np.asarray(array) if shared else np.zeros(0)
    if not shared or not view.flags.writeable:
        raise UserError(f"out must be an array that can be written, not {type(array).__name__}")
    return view


def as_kind_of(array: Any, result: NDArray[Any]) -> Any:
    """Return a result on the host as a tensor where `array` is one, without a copy; otherwise as it is."""
    if type(array).__module__.partition(".")[0] == "torch":
        return importlib.import_module("torch").from_numpy(result)
    return result


def stream_of(stream: Any) -> Any:
    """Return what a launch takes for a stream: Numba's, cuda.core's, CuPy's, torch's, or a handle.

    Raises
    ------
    UserError
        If it is none of them.
    """
    if stream is None:
        return 0
    for handle in ("ptr", "cuda_stream", "address"):
        if isinstance(getattr(stream, handle, None), int):
            stream = getattr(stream, handle)
    if isinstance(stream, int):
        if stream < 0:
            raise UserError(f"{stream} is not a stream: use a handle of the driver, or 0")
        return _external(stream) if stream else 0
    if not any(hasattr(stream, name) for name in ("handle", "__cuda_stream__", "synchronize")):
        raise UserError(
            f"{type(stream).__name__} is not a stream: use one of Numba, CuPy, torch or "
            "cuda.core, or a handle"
        )
    return stream


def stream_for(stream: Any, x: Any) -> Any:
    """Return `stream_of` a stream; without one, of the stream that x names by ``__cuda_array_interface__``.

    CuPy names its current stream, Numba that of the array. torch names none: it is asked for its current one.
    """
    if stream is None and is_on_device(x):
        if type(x).__module__.partition(".")[0] == "torch":
            torch = importlib.import_module("torch")
            return stream_of(torch.cuda.current_stream(x.device))
        named = (_interface(x) or {}).get("stream") or 0
        stream = 0 if named == LEGACY_DEFAULT_STREAM else named
    return stream_of(stream)


def stream_handle(stream: Any) -> int:
    """Return the handle of what `stream_of` gave."""
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    return int(getattr(stream, "handle", 0) or 0)


@functools.lru_cache(maxsize=64)
def _external(handle: int) -> Any:
    # The same object for a handle each time: launches are configured, and kept, by stream object.
    return cuda.external_stream(handle)
