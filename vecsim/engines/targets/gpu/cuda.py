"""Numba CUDA for the engine; the GPU formats have their own way to it, `gpu.runtime.cuda`."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from vecsim.support.errors import UserError

# NumPy 2.5 dropped three names that numba-cuda 0.30 still imports.
for _name, _alias in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(np, _name):
        setattr(np, _name, getattr(np, _alias))

if find_spec("numba_cuda") is None:
    raise UserError("many machines on a GPU need Numba CUDA: pip install 'vecsim[gpu]', or leave out --gpu")

from numba import config, cuda  # noqa: E402

SIMULATED = bool(config.ENABLE_CUDASIM)

__all__ = ["SIMULATED", "cuda", "require_gpu"]


def require_gpu() -> None:
    """Find out whether there is a GPU, or the simulator.

    Raises
    ------
    UserError
        There is none.
    """
    if SIMULATED:
        return
    try:
        reason = "" if cuda.is_available() else "no driver and GPU found"
    except Exception as error:  # a driver can fail in many ways
        reason = " ".join(str(error).split())
    if reason:
        raise UserError(
            f"no NVIDIA GPU can be used ({reason}): leave out --gpu, and the processor does the same"
        )
