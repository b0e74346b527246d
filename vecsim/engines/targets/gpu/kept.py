"""Kernels among the compiled parts of the engine: one that a process has compiled, the others load."""

from __future__ import annotations

import hashlib
from contextlib import nullcontext
from typing import Any

from vecsim.engines.jit.object_files import cache as code_cache
from vecsim.engines.jit.object_files.fingerprints import SOURCES as OF_THE_ENGINE
from vecsim.engines.jit.object_files.fingerprints import fingerprint_of_functions
from vecsim.support.kept_kernels import KeptKernels, compiled_by

SOURCES = (*OF_THE_ENGINE, "vecsim/engines/targets/gpu/*.py")
"""What a kernel depends on next to its functions: what stands for code of the device, and named numbers.

The functions name numbers of other modules, such as `places.READY`, and those follow from further modules.
"""


def compile_or_load(kernel: Any, signature: str) -> None:
    """Load a kernel for the current device from the cache on disk, or compile it and keep it there.

    Parameters
    ----------
    kernel
        What `cuda.jit` made.
    signature
        Numba's types of its arguments, as text; launches with these compile nothing more.
    """
    name = kept_name(kernel, signature)
    kernel._cache = _Kept(name)
    with nullcontext() if code_cache.has(name) else code_cache.one_process():
        if not code_cache.has(name):
            code_cache.say("compiling the loop for this kind of GPU: up to a minute")
        kernel.compile(signature)


def kept_name(kernel: Any, signature: str) -> str:
    """Return the name in the cache of a kernel for the current device: kernels of one name are the same."""
    source = fingerprint_of_functions({"kernel": kernel.py_func}, SOURCES)
    made_from = f"{source} {compiled_by(signature)} {sorted(kernel.targetoptions.items())}"
    return f"gpu_kernel-{hashlib.sha256(made_from.encode()).hexdigest()[:16]}"


class _Kept(KeptKernels):
    def __init__(self, name: str) -> None:
        self._name, self.cache_path = name, code_cache.folder()

    def read(self, signature: Any) -> bytes | None:
        return code_cache.read(self._name)

    def write(self, signature: Any, content: bytes) -> None:
        code_cache.write(self._name, content)
