"""Numba as a front end: its own target, which makes a module of LLVM's language of each function.

Numba's own target links every function with all that it calls, and optimises and compiles that, before it
goes on: of functions that call each other that takes longer than all the rest. Nor does it keep what it has
found out about the types of an operation.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
from numba.core import types, typing
from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen
from numba.core.cpu import CPUContext
from numba.core.registry import CPUDispatcher, CPUTarget
from numba.core.utils import threadsafe_cached_property


class Module(CPUCodeLibrary):  # type: ignore[misc]
    """The module of one function alone, neither linked with what it calls nor optimised."""

    @property
    def llvm_module(self) -> Any:
        """The module."""
        return self._final_module

    @property
    def called(self) -> list[Any]:
        """Of the functions that it calls, what Numba has made: modules, or libraries of Numba's target."""
        return list(self._linking_libraries)

    def add_llvm_module(self, module: Any) -> None:
        """Add what Numba has made of the function."""
        self._final_module.link_in(module)

    def finalize(self) -> None:
        """Leave it as it is."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no code yet."""
        return 0


class Modules(JITCPUCodegen):  # type: ignore[misc]
    """Makes modules, and knows the processor."""

    _library_class = Module

    def _customize_tm_options(self, options: dict[str, Any]) -> None:
        super()._customize_tm_options(options)
        # Level 3 takes a tenth longer, for engines that are no faster; those of level 1 are a third slower.
        options["opt"] = 2

    def set_env(self, name: str, environment: Any) -> None:
        """Leave it: nothing is run here."""

    @property
    def machine(self) -> Any:
        """LLVM's description of the processor."""
        return self._tm

    def empty(self, name: str) -> Any:
        """Return an empty module."""
        return llvm.parse_assembly(str(self._create_empty_module(name)))


class _TypingContext(typing.Context):  # type: ignore[misc]
    """Numba's, but what a built-in operation gives for some types is worked out once."""

    def init(self) -> None:
        self._resolved: dict[tuple[int, Any], tuple[Any, Any]] = {}

    def forget(self) -> None:
        """Forget what was worked out."""
        self._resolved.clear()

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        if kws or not isinstance(func, types.Function):
            return super().resolve_function_type(func, args, kws)
        key = id(func), tuple(args)
        if key not in self._resolved:
            self._resolved[key] = func, super().resolve_function_type(func, args, kws)
        return self._resolved[key][1]


class _TargetContext(CPUContext):  # type: ignore[misc]
    def init(self) -> None:
        super().init()
        self._internal_codegen = Modules("vecsim")
        self._sizes: dict[Any, int] = {}

    def get_abi_sizeof(self, ty: Any) -> int:
        """Work it out once for a type; it is asked for every variable."""
        if ty not in self._sizes:
            self._sizes[ty] = super().get_abi_sizeof(ty)
        return self._sizes[ty]


class _Target(CPUTarget):  # type: ignore[misc]
    @threadsafe_cached_property
    def _toplevel_target_context(self) -> CPUContext:
        return _TargetContext(self.typing_context, self._target_name)

    @threadsafe_cached_property
    def _toplevel_typing_context(self) -> typing.Context:
        return _TypingContext()


target = _Target("cpu")


@contextmanager
def front_end() -> Iterator[None]:
    """Let Numba compile its own functions for this target meanwhile, such as those after ``max``.

    Numba knows one implementation of such a function for some types, that of the target that asked last. So
    what this target learnt in an earlier compilation is asked again.
    """
    before = CPUDispatcher.targetdescr
    target.typing_context.forget()
    CPUDispatcher.targetdescr = target
    try:
        yield
    finally:
        CPUDispatcher.targetdescr = before
