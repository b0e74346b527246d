"""The larger and the smaller of two integers without a branch.

Numba's ``max`` compiles to a branch, which LLVM turns into a conditional store where the result is stored:
the slowest of all stores when it is vectorised.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import intrinsic

from vecsim.engines.jit.compiler.functions import inline


def _choosing(operator: str) -> Any:
    @intrinsic
    def choose(typing_context: Any, a: Any, b: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.select(builder.icmp_signed(operator, *args), *args)

        return types.int64(types.int64, types.int64), code

    return choose


larger = _choosing(">")
smaller = _choosing("<")


@inline
def raised(old: Any, value: Any) -> Any:
    """The larger of two integers, for a place that holds ``old`` and is overwritten.

    LLVM would make a masked store of a plain choice between both, which AMD's processors do in microcode.
    """
    return old + larger(value - old, 0)
