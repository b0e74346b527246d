"""The GPU's part: the product of a format on the device, its bytes and its time."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from vecsim.support.errors import UserError

CRS_KERNELS = ("crs", "crs-split", "crs-adaptive")
"""Kernels of `gpu.KERNELS` for the very same arrays of CRS; where there is a clock, the fastest counts."""
SECONDS = 0.06
"""How long a product is timed."""
SIMULATOR = "CUDA simulator"
"""What stands for a GPU where NUMBA_ENABLE_CUDASIM is set: results, but no times."""


@dataclass(frozen=True)
class Device:
    """What computes the products of formats on a GPU.

    Attributes
    ----------
    name
        Of the GPU, or :data:`SIMULATOR`.
    timed
        Whether its times mean something.
    """

    name: str
    timed: bool


@dataclass(frozen=True)
class DeviceProduct:
    """A product on the device.

    Attributes
    ----------
    y
        The result, or None where the format cannot be on this device.
    kernel
        Name of the kernel, of those for the format the fastest.
    nbytes
        Bytes of the matrix there, with what its kernels need next to it.
    median_us, spread
        Time of a product with the same buffers again and again, microseconds, by replays of a CUDA graph; and
        the interquartile range as a share of it. None where nothing is timed.
    status
        Why there is no result; empty if there is one.
    """

    y: npt.NDArray[np.floating] | None = None
    kernel: str = ""
    nbytes: int | None = None
    median_us: float | None = None
    spread: float | None = None
    status: str = ""


def find_device() -> tuple[Device | None, str]:
    """Return the device that was found, or None and the reason in a line."""
    if os.environ.get("NUMBA_ENABLE_CUDASIM", "0") in ("", "0"):
        from gpu.runtime.cuda_driver import NoGpuError, driver

        try:
            driver()
        except NoGpuError as error:
            return None, str(error)
    try:
        from gpu.runtime.cuda import SIMULATED, require_gpu

        require_gpu()
    except UserError as error:
        return None, str(error)
    if SIMULATED:
        return Device(SIMULATOR, timed=False), ""
    from gpu.runtime.device_info import device_info

    return Device(device_info().name, timed=True), ""


def multiply(name: str, host: Any, x: npt.NDArray[np.floating], device: Device) -> DeviceProduct:
    """Multiply a matrix on the device.

    Parameters
    ----------
    name
        Of the format.
    host
        The matrix in it, taken as it is.
    x
        One element a column, of the type of the values.
    device
        What multiplies.

    Returns
    -------
    DeviceProduct
        Its `status` reports a format that the device cannot hold.
    """
    from gpu.kernel_registry import KERNELS

    names = [kernel for kernel in CRS_KERNELS if kernel in KERNELS] if name == "crs" else [name]
    try:
        results = [_product(kernel, host, x, device) for kernel in (names if device.timed else names[:1])]
    except UserError as error:
        return DeviceProduct(status=str(error))
    return min(results, key=lambda product: product.median_us or 0.0)


def _product(kernel: str, host: Any, x: npt.NDArray[np.floating], device: Device) -> DeviceProduct:
    """Multiply with one kernel, and time it where there is a clock."""
    from gpu.device_matrix import DeviceMatrix
    from gpu.kernel_registry import KERNELS
    from gpu.runtime.cuda import THREADS_PER_BLOCK, cuda

    product = KERNELS[kernel].product(host, THREADS_PER_BLOCK)
    built = DeviceMatrix(product, shape=host.shape, dtype=host.dtype, format=kernel, nnz=host.nnz)
    y = built @ x
    # A device has no arrays without elements.
    if not device.timed or 0 in built.shape:
        return DeviceProduct(y, kernel, built.nbytes)
    from gpu.measure.timing import measure

    on_device, result = cuda.to_device(x), cuda.device_array(len(y), dtype=y.dtype)
    results = measure([lambda stream: built.matvec(on_device, out=result, stream=stream.address)], SECONDS)
    return DeviceProduct(result.copy_to_host(), kernel, built.nbytes, results.median_us, results.spread)
