"""The host's fused multiply-add, in the place of the functions of soft float that name it."""

from __future__ import annotations

import platform
from typing import Any

import llvmlite.binding as llvm
from numba.core import types
from numba.core.typing.templates import signature
from numba.extending import intrinsic

from isa.riscv.semantics import soft_float


def has_fused() -> bool:
    """Return whether the host has the instruction; without it LLVM would call the slow function of C."""
    arm = platform.machine() in ("aarch64", "arm64")
    return arm or bool(llvm.get_host_cpu_features().get("fma", False))


def _fused(kind: types.Float) -> Any:
    @intrinsic
    def fused(typing_context: Any, x: Any, y: Any, z: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.fma(*args)

        return signature(kind, kind, kind, kind), code

    return fused


FUSED: dict[int, Any] = (
    {id(soft_float.fused_s): _fused(types.float32), id(soft_float.fused_d): _fused(types.float64)}
    if has_fused()
    else {}
)
"""By the identity of a plain function what stands for it: what ``rebound`` takes as known."""
