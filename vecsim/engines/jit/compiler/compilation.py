"""Compilation of plain functions by Numba and LLVM into an object file.

Numba is used as a front end: it makes a module of LLVM's language of each function. All of them are linked
into one, which LLVM optimises and compiles once. Numba itself links and optimises again for every function
that calls others, which takes longer than all the rest.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba.core.typing.templates import Signature

from vecsim.engines.jit.compiler.functions import function
from vecsim.engines.jit.compiler.target import Module, front_end, target

SPEED_LEVEL = 3


class Exported(NamedTuple):
    """A plain function that an object file offers, and its types."""

    plain: Callable[..., Any]
    signature: Signature


def compile_object(exported: Mapping[str, Exported]) -> bytes:
    """Compile functions, with all that they call, into an object file that offers them by these names."""
    return object_file(linked_module(exported), target.target_context.codegen().machine)


def linked_module(exported: Mapping[str, Exported]) -> Any:
    """Return LLVM's module of functions, with all that they call, that offers them by these names."""
    with front_end(), _without_collections():
        compiled = {name: function(each.plain).result(each.signature) for name, each in exported.items()}
    module = _linked([result.library for result in compiled.values()])
    symbols = {result.fndesc.llvm_func_name: name for name, result in compiled.items()}
    for each in module.functions:
        if each.is_declaration:
            continue
        if each.name in symbols:
            each.name = symbols[each.name]
            each.linkage = "external"
        else:
            each.linkage = "internal"
        # A function that holds all others has no registers to spare: only what is marked goes into others.
        if b"alwaysinline" not in b" ".join(each.attributes):
            each.add_function_attribute("noinline")
    return module


def object_file(module: Any, machine: Any) -> bytes:
    """Optimise LLVM's module of functions for one of LLVM's machines, and return the object file."""
    first = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(0))
    passes = first.getModulePassManager()
    passes.add_loop_rotate_pass()
    passes.add_instruction_combine_pass()
    passes.add_jump_threading_pass()
    passes.run(module, first)
    options = llvm.create_pipeline_tuning_options(SPEED_LEVEL)
    options.loop_vectorization, options.slp_vectorization = True, False
    second = llvm.create_pass_builder(machine, options)
    second.getModulePassManager().run(module, second)
    content: bytes = machine.emit_object(module)
    return content


def _linked(libraries: list[Any]) -> Any:
    """Link the modules of libraries and of all that they use, each once."""
    module = target.target_context.codegen().empty("vecsim")
    seen: set[int] = set()
    while libraries:
        library = libraries.pop()
        if id(library) in seen:
            continue
        seen.add(id(library))
        if isinstance(library, Module):
            module.link_in(library.llvm_module, preserve=True)
            libraries += library.called
        else:  # compiled by others, with all that it uses inside
            module.link_in(library._get_module_for_linking(), preserve=True)
    return module


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


_FORWARDED = re.compile(r"Failed in .* pipeline|\s*$")
_PLACE = re.compile(r" at (\S.*?) \((\d+)\)")
REASON = "vecsim says: "
"""The beginning of a reason that vecsim gives, among the messages of Numba."""
LONGEST = 200
"""Letters of a reason that are shown."""


def in_one_line(message: str) -> str:
    """Return where in the user's code it went wrong, what Numba says of it, and what helps."""
    reason = next((line for line in message.splitlines() if not _FORWARDED.match(line)), "")
    if REASON in message:
        reason = message.partition(REASON)[2].partition("\n")[0]
    if len(reason) > LONGEST:
        reason = f"{reason[:LONGEST]} ..."
    place = _PLACE.search(message)
    where = f"{place[1]}:{place[2]}: " if place else ""
    return (
        f"{where}this cannot be compiled: {reason.rstrip(' :')}; docs/extending.md says what semantics and "
        "rules may do, and engine='simpy' takes any Python"
    )
