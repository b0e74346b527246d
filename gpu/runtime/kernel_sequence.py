"""How a kernel begins next to the one before it on the stream: see `gpu.runtime.launches`."""

from typing import Any

from gpu.runtime.cuda import SIMULATED

if not SIMULATED:
    from llvmlite import ir
    from numba.cuda import types
    from numba.cuda.extending import intrinsic


def instruction(text: str) -> Any:
    """Make a device function of PTX instructions without operands, which no access of memory may pass.

    Parameters
    ----------
    text
        The instructions, each with its semicolon.
    """

    @intrinsic
    def instruction(typing_context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            function = ir.FunctionType(ir.VoidType(), [])
            builder.call(ir.InlineAsm(function, text, "~{memory}", side_effect=True), [])
            return context.get_dummy_value()

        return types.void(), generate

    return instruction


def nothing() -> None:
    """Stand in for an instruction in the simulator, where blocks of threads run one after the other."""


wait_for_previous: Any = nothing if SIMULATED else instruction("griddepcontrol.wait;")
"""Device function: wait until the kernel before this one on the stream has ended and its stores are seen."""
let_next_begin: Any = nothing if SIMULATED else instruction("griddepcontrol.launch_dependents;")
"""Device function: allow the kernel after this one to begin once every block has called this or ended."""
begin_in_sequence: Any = (
    nothing if SIMULATED else instruction("griddepcontrol.launch_dependents; griddepcontrol.wait;")
)
"""Device function: both."""
