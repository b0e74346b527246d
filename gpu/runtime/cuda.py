"""The one place where CUDA comes from: everything in `gpu` takes ``cuda`` from here.

A switch to numba-cuda-mlir is the one import in `vecsim.support.numba_cuda`. In the CUDA simulator
(``NUMBA_ENABLE_CUDASIM=1``, set before Numba is imported) ``cuda`` is an object that stands for the running
kernel's: the simulator exchanges the module's ``cuda`` of a kernel alone, and device functions of other
modules need it too.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from gpu.runtime.cuda_driver import NoGpuError, not_installed
from vecsim.support.errors import UserError

try:
    from vecsim.support.numba_cuda import SIMULATED, cuda, why_unusable
except ImportError as error:
    raise UserError(
        f"the GPU part needs Numba CUDA, and {error.name} is missing: pip install 'vecsim[gpu]'"
    ) from error

if not SIMULATED and find_spec("numba_cuda") is None:  # the CUDA support built into Numba lacks much of it
    raise not_installed()

if SIMULATED:
    from gpu.runtime import simulator_shim

    cuda = simulator_shim.installed()

WARP = 32
EVERY_LANE = 0xFFFFFFFF
THREADS_PER_BLOCK = 64 if SIMULATED else 256
"""Of kernels by default. A simulated thread is a thread of the host, so there are few of them."""

__all__ = ["EVERY_LANE", "SIMULATED", "THREADS_PER_BLOCK", "WARP", "cuda", "device_function", "require_gpu"]


def device_function(function: Callable[..., Any]) -> Any:
    """Compile a function that kernels call; in the simulator it stays as it is."""
    return function if SIMULATED else cuda.jit(device=True)(function)


def require_gpu() -> None:
    """Raise NoGpuError, in one line, unless there is a GPU that can be used, or the simulator."""
    if reason := why_unusable():
        raise NoGpuError(
            f"no NVIDIA GPU can be used ({reason})",
            "use a machine with one, or set NUMBA_ENABLE_CUDASIM=1 for the CUDA simulator and tiny matrices",
        )
