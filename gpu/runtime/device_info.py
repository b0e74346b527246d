"""What the GPU is and which software drives it."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from gpu.runtime import library_search
from gpu.runtime.cuda_driver import check, driver

MULTIPROCESSORS = 132
"""Of an H100 or H200: what estimates take for granted that are made without a device."""
PACKAGES = ("numba", "numba-cuda", "cuda-bindings", "numpy")
KERNEL_MODULE = Path("/proc/driver/nvidia/version")
"""Where Linux tells the version of the driver."""


@dataclass(frozen=True)
class DeviceInfo:
    """A GPU, its limits and its software; a version is None where it cannot be found.

    Attributes
    ----------
    name
        The product's name.
    compute_capability
        Major and minor.
    multiprocessors, threads_per_multiprocessor
        Counts.
    memory_bytes, l2_bytes, shared_bytes_per_multiprocessor
        Sizes.
    clock_mhz, memory_clock_mhz
        The highest clocks.
    memory_bus_bits
        Width of the bus to the memory.
    driver_version
        Of the kernel's driver.
    cuda_driver, cuda_runtime
        The CUDA version that the driver supports, and that of the runtime library.
    cusparse
        Version of cuSPARSE.
    packages
        Name and version of the Python packages.
    """

    name: str
    compute_capability: tuple[int, int]
    multiprocessors: int
    threads_per_multiprocessor: int
    memory_bytes: int
    l2_bytes: int
    shared_bytes_per_multiprocessor: int
    clock_mhz: int
    memory_clock_mhz: int
    memory_bus_bits: int
    driver_version: str | None
    cuda_driver: str
    cuda_runtime: str | None
    cusparse: str | None
    packages: dict[str, str | None]

    @property
    def nominal_gb_per_s(self) -> float:
        """The bandwidth of the memory by its clock and width (two transfers a cycle), GB/s."""
        return 2 * self.memory_clock_mhz * self.memory_bus_bits / 8 / 1000


def device_info() -> DeviceInfo:
    """Describe device 0.

    Raises
    ------
    NoGpuError
        There is none.
    """
    return describe(driver())


def describe(match: Any) -> DeviceInfo:
    """Describe device 0 of a driver interface that has been started."""
    device = check(match, "cuDeviceGet", 0)
    attribute = partial(_attribute, match)
    raw = check(match, "cuDeviceGetName", 128, device)
    return DeviceInfo(
        name=bytes(raw).split(b"\0")[0].decode(),
        compute_capability=(attribute("COMPUTE_CAPABILITY_MAJOR"), attribute("COMPUTE_CAPABILITY_MINOR")),
        multiprocessors=attribute("MULTIPROCESSOR_COUNT"),
        threads_per_multiprocessor=attribute("MAX_THREADS_PER_MULTIPROCESSOR"),
        memory_bytes=int(check(match, "cuDeviceTotalMem", device)),
        l2_bytes=attribute("L2_CACHE_SIZE"),
        shared_bytes_per_multiprocessor=attribute("MAX_SHARED_MEMORY_PER_MULTIPROCESSOR"),
        clock_mhz=attribute("CLOCK_RATE") // 1000,
        memory_clock_mhz=attribute("MEMORY_CLOCK_RATE") // 1000,
        memory_bus_bits=attribute("GLOBAL_MEMORY_BUS_WIDTH"),
        driver_version=_driver_version(),
        cuda_driver=cuda_version(int(check(match, "cuDriverGetVersion"))),
        cuda_runtime=_runtime_version(),
        cusparse=cusparse_version(),
        packages={name: _package_version(name) for name in PACKAGES},
    )


def l2_bytes() -> int:
    """Return the size of device 0's L2 cache."""
    return _attribute(driver(), "L2_CACHE_SIZE")


def shared_memory() -> tuple[int, int]:
    """Return the multiprocessors of device 0, and the bytes of shared memory of each."""
    attribute = partial(_attribute, driver())
    return attribute("MULTIPROCESSOR_COUNT"), attribute("MAX_SHARED_MEMORY_PER_MULTIPROCESSOR")


def _attribute(match: Any, name: str) -> int:
    """Return a number that a driver interface tells of device 0."""
    key = getattr(match.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
    return int(check(match, "cuDeviceGetAttribute", key, check(match, "cuDeviceGet", 0)))


def cuda_version(number: int) -> str:
    """Write a version as CUDA counts it: 13020 is 13.2."""
    return f"{number // 1000}.{number % 1000 // 10}"


def cusparse_version() -> str | None:
    """Return the version of cuSPARSE, such as 12.6.3; None if there is none."""
    library = library_search.load("cusparse")
    if library is None:
        return None
    parts = (ctypes.c_int(), ctypes.c_int(), ctypes.c_int())
    for which, part in enumerate(parts):  # major, minor, patch
        if library.cusparseGetProperty(which, ctypes.byref(part)):
            return None
    return ".".join(str(part.value) for part in parts)


def _runtime_version() -> str | None:
    library = library_search.load("cudart")
    number = ctypes.c_int()
    if library is None or library.cudaRuntimeGetVersion(ctypes.byref(number)):
        return None
    return cuda_version(number.value)


def _driver_version() -> str | None:
    try:
        match = re.search(r"\b(\d{3}(?:\.\d+)+)\b", KERNEL_MODULE.read_text())
    except OSError:
        return None
    return match[1] if match else None


def _package_version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
