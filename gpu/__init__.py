"""The sparse formats of :mod:`vecsim.formats` on real GPUs, through Numba CUDA.

``gpu.prepare`` puts a matrix on the device::

    import gpu

    M = gpu.prepare(A)          # any SciPy sparse matrix
    y = M @ x                   # NumPy in, NumPy out; a device array in, one of its kind out

Names are loaded when they are first used, so that who needs no GPU imports none of CUDA.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpu.adding import add
    from gpu.device_matrix import DeviceMatrix
    from gpu.hisparse.device_hisparse import DeviceHiSparse
    from gpu.kernel_registry import KERNELS
    from gpu.loading import load
    from gpu.preparation import prepare
    from gpu.solving import solve
    from gpu.sums.device_csr import DeviceCsr

_HOME = {
    "KERNELS": "gpu.kernel_registry",
    "DeviceCsr": "gpu.sums.device_csr",
    "DeviceHiSparse": "gpu.hisparse.device_hisparse",
    "DeviceMatrix": "gpu.device_matrix",
    "add": "gpu.adding",
    "load": "gpu.loading",
    "prepare": "gpu.preparation",
    "solve": "gpu.solving",
}

__all__ = ["KERNELS", "DeviceCsr", "DeviceHiSparse", "DeviceMatrix", "add", "load", "prepare", "solve"]


def __getattr__(name: str) -> Any:
    """Load a public name from the module where it lives."""
    if name not in _HOME:
        raise AttributeError(f"module 'gpu' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)
