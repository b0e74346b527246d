"""Numba CUDA, or its simulator where ``NUMBA_ENABLE_CUDASIM=1``: the one place that imports it.

The GPU formats and the engine on a GPU take it from here, and each says in its own words what is missing.
"""

import numpy as np

# NumPy 2.5 dropped three names that numba-cuda 0.30 still imports.
for _name, _alias in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(np, _name):
        setattr(np, _name, getattr(np, _alias))

from numba import config, cuda  # noqa: E402

# A small problem fills a part of the device only, and may.
config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
SIMULATED = bool(config.ENABLE_CUDASIM)

__all__ = ["SIMULATED", "cuda", "why_unusable"]


def why_unusable() -> str:
    """Return why no GPU can be used; empty if one can, or the simulator."""
    if SIMULATED:
        return ""
    try:
        return "" if cuda.is_available() else "no driver and GPU found"
    except Exception as error:  # a driver can fail in many ways
        return " ".join(str(error).split())
