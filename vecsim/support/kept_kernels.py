"""Compiled CUDA kernels as bytes that another process loads, for those who keep them in files.

What Numba gives to keep is a pickle, which may run anything when it is read. So who keeps it reads only files
that nobody but the user can have written.
"""

from __future__ import annotations

import copy
import functools
import pickle
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

COMPILERS = ("numba", "numba-cuda", "cuda-core", "nvidia-nvvm", "nvidia-nvjitlink")


class KeptKernels:
    """What Numba asks for a kernel before it compiles it, and gives it to afterwards: its ``_cache``.

    Attributes
    ----------
    cache_path
        The folder, which Numba prints.
    """

    cache_path: Path

    def read(self, signature: Any) -> bytes | None:
        """Return what was kept for a signature; None if there is nothing, or nothing that may be used."""
        raise NotImplementedError

    def write(self, signature: Any, content: bytes) -> None:
        """Keep what stands for a kernel of a signature, if that can be."""
        raise NotImplementedError

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the compiled kernel, None if it is not there."""
        from numba.cuda.dispatcher import _Kernel

        try:
            content = self.read(signature)
            if content is None:
                return None
            result = _Kernel._rebuild(**pickle.loads(content))
            result.bind()
        except Exception:  # a file that must not be used, or of another version
            return None
        return result

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled kernel; what cannot be kept is compiled again."""
        from numba.cuda import serialize

        if compiled.launch_config_sensitive:
            return
        with suppress(pickle.PicklingError):
            states = compiled._reduce_states()
            states["codelibrary"] = _without_llvm(states["codelibrary"])
            self.write(signature, serialize.dumps(states))

    def flush(self) -> None:
        """Forget nothing: others may use the files."""


def compiled_by(signature: Any) -> str:
    """Name what a kernel depends on except its source: the signature, the device and what compiles it."""
    from numba.cuda.api import get_current_device

    return f"{signature} {tuple(get_current_device().compute_capability)} {_compilers()}"


def _without_llvm(library: Any) -> Any:
    """Return a compiled library without the LLVM that it was compiled from, most of its bytes."""
    slim = copy.copy(library)
    if slim._cubin_cache:
        slim._llvm_strs = []
    return slim


@functools.cache
def _compilers() -> str:
    """Return the versions of what compiles."""

    def of(name: str) -> str:
        try:
            return version(name)
        except PackageNotFoundError:
            return ""

    return " ".join(f"{name} {of(name)}" for name in COMPILERS)
