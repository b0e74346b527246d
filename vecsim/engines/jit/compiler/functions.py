"""How functions of the engine are compiled: into what calls them, or as separate functions.

Numba's default passes are for NumPy arrays, objects and user code of any kind; of them only those are run
that change something here. That, and one version of a function for all constants, more than halves what
Numba takes before LLVM.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from numba.core import typed_passes, types, untyped_passes
from numba.core.compiler import Compiler, CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher
from numba.core.types import unliteral  # type: ignore[attr-defined]
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from vecsim.engines.jit.compiler.target import target

PASSES = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.IRLegalization,
    typed_passes.AnnotateTypes,
    typed_passes.NativeLowering,
    typed_passes.NoPythonBackend,
)


class _Passes(CompilerBase):  # type: ignore[misc]
    def define_pipelines(self) -> list[PassManager]:
        passes = PassManager("vecsim")
        for each in PASSES:
            passes.add_pass(each, each.__name__)
        passes.finalize()
        return [passes]


class Function(CPUDispatcher):  # type: ignore[misc]
    """A function that Numba compiles once for its types: a constant argument is one of its type."""

    targetdescr = target

    def get_call_template(self, args: tuple[types.Type, ...], kws: Any) -> Any:
        """Return how Numba calls it."""
        return super().get_call_template(tuple(unliteral(argument) for argument in args), kws)

    def result(self, signature: Signature) -> Any:
        """Compile it for a signature; give Numba's result, with its library."""
        self.compile(signature)
        return self.overloads[signature.args]


Decorator = Callable[[Callable[..., Any]], Any]


def compiling(
    *, forceinline: bool, passes: type[CompilerBase] = _Passes, boundscheck: bool | None = None
) -> Decorator:
    """Return a decorator that compiles a function, inlined or not, with these passes and array checks."""
    options = {
        "nopython": True,
        "boundscheck": boundscheck,
        "error_model": "numpy",
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
        "forceinline": forceinline,
        "_nrt": False,
    }
    return lambda plain: Function(plain, {}, options, passes)


inline = compiling(forceinline=True)
"""For functions that are small or called in one place: no call remains."""
function = compiling(forceinline=False)
"""For functions that stay functions, also in what calls them. (Without the False it would inherit the True of
a function that calls it.)"""
unabridged = compiling(forceinline=True, passes=Compiler)
"""For functions that a user wrote: into what calls them, by all passes of Numba."""


APART: set[CodeType] = set()
"""The code of plain functions that stay separate functions when they are compiled with rules."""


def apart(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Let a plain function stay a separate function: it is called in several places, or large."""
    APART.add(plain.__code__)
    return plain


def _choosing(operator: str) -> Any:
    @intrinsic
    def choose(typing_context: Any, a: Any, b: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.select(builder.icmp_signed(operator, *args), *args)

        return types.int64(types.int64, types.int64), code

    return choose


larger = _choosing(">")
smaller = _choosing("<")
"""The larger and the smaller of two integers without a branch. Numba's ``max`` compiles to one, which LLVM
turns into a conditional store where the result is stored: the slowest of all stores when it is vectorised."""


@inline
def raised(old: Any, value: Any) -> Any:
    """The larger of two integers, for a place that holds ``old`` and is overwritten.

    LLVM would make a masked store of a plain choice between both, which AMD's processors do in microcode.
    """
    return old + larger(value - old, 0)
