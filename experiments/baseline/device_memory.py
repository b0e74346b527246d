"""Plain memory of the device, which libraries are given by its address."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from gpu.runtime.cuda_driver import Handle, call, synchronize


class DeviceMemory(Handle):
    """Memory of the device.

    Parameters
    ----------
    nbytes
        Its size; 0 takes none (address 0).

    Attributes
    ----------
    address
        Where it lies, a multiple of 256.
    nbytes
        Its size.

    Raises
    ------
    OutOfDeviceMemoryError
        There is not as much.
    """

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self.address = int(call("cuMemAlloc", nbytes)) if nbytes else 0

    @classmethod
    def holding(cls, array: npt.NDArray[Any]) -> Self:
        """Allocate as much as an array needs and copy it there."""
        built = cls(array.nbytes)
        try:
            built.write(array)
        except BaseException:
            built.close()
            raise
        return built

    def write(self, array: npt.NDArray[Any]) -> None:
        """Copy an array of the host to the beginning; it is complete when this returns."""
        source = np.ascontiguousarray(array)
        if source.nbytes > self.nbytes:
            raise ValueError(f"{source.nbytes} bytes do not fit; at most {self.nbytes} are possible")
        if source.nbytes:
            call("cuMemcpyHtoD", self.address, source.ctypes.data, source.nbytes)
            synchronize()

    def read(self, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Copy the first ``count`` elements to the host, once the device has done all its work."""
        result = np.empty(count, dtype)
        if result.nbytes > self.nbytes:
            raise ValueError(f"{result.nbytes} bytes do not fit; at most {self.nbytes} are possible")
        synchronize()
        if result.nbytes:
            call("cuMemcpyDtoH", result.ctypes.data, self.address, result.nbytes)
        return result

    def close(self) -> None:
        """Free it."""
        if self.address:
            address, self.address = self.address, 0
            call("cuMemFree", address)
