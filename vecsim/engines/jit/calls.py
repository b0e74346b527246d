"""Calls of compiled semantics by their address, which the table has for each instruction.

So the loops do not contain the semantics: both are compiled at the same time, and an instruction of the
user's own needs no new loop.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import Signature, signature
from numba.extending import intrinsic

from vecsim.engines.jit.cells import Cells

TABLE = Cells(types.int64)
OPERANDS = 5


def row_signature(result: types.Type) -> Signature:
    """Give the signature of the compiled semantics of a row: ``(w, n, f0..f4)``."""
    return signature(result, TABLE, *[types.int64] * (1 + OPERANDS))


def _calling(result: types.Type) -> Any:
    called = row_signature(result)

    @intrinsic
    def call(
        typing_context: Any, address: Any, w: Any, n: Any, f0: Any, f1: Any, f2: Any, f3: Any, f4: Any
    ) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            convention = context.call_conv
            kind = convention.get_function_type(called.return_type, called.args)
            callee = builder.inttoptr(args[0], ir.PointerType(kind))
            status, value = convention.call_function(
                builder, callee, called.return_type, called.args, args[1:]
            )
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return value

        return signature(result, types.int64, *called.args), code

    return call


call_row = _calling(types.none)
"""``call_row(address, w, n, f0..f4)``: execute an instruction that is no branch."""
call_branch = _calling(types.boolean)
"""``call_branch(address, w, n, f0..f4)``: execute a branch; true if it is taken."""
