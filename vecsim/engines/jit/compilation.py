"""Compilation of a loop for an instruction set by Numba, into an object file."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.codegen import JITCodeLibrary, JITCPUCodegen

from isa.declaration import InstructionSet
from vecsim.engines.jit.functions import function
from vecsim.engines.jit.machine_code import MachineCode
from vecsim.engines.jit.one_port import make_one_port
from vecsim.engines.jit.semantics import compile_semantics
from vecsim.engines.jit.stepwise.cycle import make_stepwise

SIGNATURE = "int64(int64, int64, int64, int64)"
MAKERS = {"one_port": make_one_port, "stepwise": make_stepwise}
"""The loops that can run a program: for a machine with one port, and for any, cycle by cycle."""


def compile_loop(instruction_set: InstructionSet, loop: str) -> MachineCode:
    """Compile a loop, a name of :data:`MAKERS`."""
    plain = MAKERS[loop](compile_semantics(instruction_set))
    run = function(plain)
    with _inner_functions_stay_inside(plain.__qualname__), _without_collections():
        run.compile(SIGNATURE)
    result = run.overloads[run.signatures[0]]
    return MachineCode(result.fndesc.llvm_func_name, result.library._get_compiled_object())


@contextmanager
def _without_collections() -> Iterator[None]:
    """Collect no garbage meanwhile: the compiler makes millions of objects that stay, and a fifth of its time
    went into looking at them.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _keep_functions_apart(library: Any) -> None:
    """Let no function be inlined that is not to be: one that holds all of them has no registers to spare."""
    for each in library._final_module.functions:
        if not each.is_declaration and b"alwaysinline" not in b" ".join(each.attributes):
            each.add_function_attribute("noinline")


def _leave(library: Any) -> None:
    """Leave a library as it is."""


@contextmanager
def _inner_functions_stay_inside(outermost: str) -> Iterator[None]:
    """Optimise the outermost function alone, with all that is inside it, and make machine code of it alone.

    Numba does both for every function that it compiles. Here all but one are only ever linked into that one,
    and doing it once takes half the time.
    """
    names = ("_optimize_functions", "_optimize_final_module", "_finalize_final_module")
    originals = {name: getattr(JITCodeLibrary, name) for name in names}
    set_environment = JITCPUCodegen.set_env

    def for_outermost(name: str, otherwise: Callable[[Any], None]) -> Callable[..., None]:
        def run(library: Any, *arguments: Any) -> None:
            if library.name == outermost:
                if name == "_optimize_final_module":
                    _keep_functions_apart(library)
                originals[name](library, *arguments)
            else:
                otherwise(library)

        return run

    def finalize(library: Any) -> None:
        library._finalize_dynamic_globals()
        library._finalized = True

    def set_where_there_is_code(codegen: Any, name: str, environment: Any) -> None:
        if codegen._engine.is_symbol_defined(name):
            set_environment(codegen, name, environment)

    for name in names:
        setattr(JITCodeLibrary, name, for_outermost(name, finalize if name == names[-1] else _leave))
    JITCPUCodegen.set_env = set_where_there_is_code
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(JITCodeLibrary, name, original)
        JITCPUCodegen.set_env = set_environment
