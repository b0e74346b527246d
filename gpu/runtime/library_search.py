"""Where CUDA's libraries lie: in wheels, a toolkit, conda, the system, or next to CuPy."""

from __future__ import annotations

import ctypes
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

SUFFIXES = {"cusparse": ("12",), "cudart": ("13", "12")}
"""Versions in the names of the libraries, the newest first."""


def load(name: str) -> ctypes.CDLL | None:
    """Load a library of CUDA.

    Parameters
    ----------
    name
        cusparse or cudart.

    Returns
    -------
    ctypes.CDLL or None
        The library that NVIDIA's cuda-pathfinder finds, as Numba does; otherwise one that the system finds or
        that lies in a wheel's folder or next to CuPy; None if there is none.
    """
    try:
        pathfinder = importlib.import_module("cuda.pathfinder")
        return ctypes.CDLL(str(pathfinder.load_nvidia_dynamic_lib(name).abs_path))
    except (ImportError, OSError, RuntimeError):  # its DynamicLibNotFoundError is a RuntimeError
        pass
    for candidate in candidates(name):
        try:
            return ctypes.CDLL(candidate)
        except OSError:
            continue
    return None


def candidates(name: str) -> Iterator[str]:
    """Yield the names and files to try, the system's first."""
    files = [f"lib{name}.so.{version}" for version in SUFFIXES[name]]
    yield from files
    for folder in sys.path:
        for pattern in ("nvidia/*/lib", "cupy/.data/lib"):
            for place in sorted(Path(folder or ".").glob(pattern)):
                yield from (str(place / file) for file in files if (place / file).is_file())
