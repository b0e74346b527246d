"""Arrays that offer themselves by DLPack, described as ``__cuda_array_interface__`` would.

The layout is that of dlpack.h, version 1.0 (https://dmlc.github.io/dlpack/latest/). A tensor is borrowed: its
capsule is kept as long as the view of it, and frees it then.
"""

import ctypes
from typing import Any

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
    """Give DLPack's type and number of an array's device; None where it has no such protocol."""
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
        If it has a type that no kernel computes with.
    """
    capsule = array.__dlpack__(stream=stream or LEGACY_DEFAULT_STREAM)
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
