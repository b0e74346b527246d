"""The parts that the compiled engine consists of, each its own object file.

A loop executes scalar instructions itself and calls the semantics of the others. The single-port loop calls
its slow paths. So they are compiled apart, at the same time. User-defined instructions are one more part, and
all others stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from numba.core import types
from numba.core.typing.templates import signature

from isa.declaration import Instruction, Timing
from vecsim.engines.jit.compiler.compilation import Exported, compile_object
from vecsim.engines.jit.interface import (
    MANY,
    MANY_WITH_MEMORY,
    MASKED,
    MASKED_ROWS,
    RECORDING,
    SINGLE_PORT,
    SLOW_PATHS,
    USER,
    VECTOR,
    VECTOR_ROWS,
    row_name,
)
from vecsim.engines.jit.multiport.loop import make_multiport_loop
from vecsim.engines.jit.semantics import base_semantics, row_functions, row_signature
from vecsim.engines.jit.single_port.loop import make_single_port_loop
from vecsim.engines.jit.single_port.slow_paths import time_slowly
from vecsim.engines.jit.traces.recording import make_recording_loop
from vecsim.engines.jit.traces.side_by_side import make_timing_loop
from vecsim.engines.user_rules import Extensions


def compile_part(
    name: str, own: Mapping[int, Instruction] | None = None, extensions: Extensions = ()
) -> bytes:
    """Compile a part; see :func:`functions_of_part`."""
    return compile_object(functions_of_part(name, own, extensions))


def functions_of_part(
    name: str, own: Mapping[int, Instruction] | None = None, extensions: Extensions = ()
) -> dict[str, Exported]:
    """Return what a part offers: a loop, ``SLOW_PATHS``, ``VECTOR``, ``MASKED``, or ``USER`` with these rows.

    The multiport loop takes the rules of extensions.
    """
    if name == USER:
        return _rows(own or {})
    if name in (VECTOR, MASKED):
        return _rows(VECTOR_ROWS if name == VECTOR else MASKED_ROWS)
    if name == SLOW_PATHS:
        return {name: Exported(time_slowly, row_signature(types.none))}
    integer = types.int64
    if name in (MANY, MANY_WITH_MEMORY):
        plain = make_timing_loop(with_memory=name == MANY_WITH_MEMORY)
    elif name == SINGLE_PORT:
        plain = make_single_port_loop(base_semantics())
    elif name == RECORDING:
        plain = make_recording_loop(base_semantics())
    else:
        plain = make_multiport_loop(base_semantics(), extensions)
    return {name: Exported(plain, signature(integer, integer, integer, integer, integer))}


def _rows(rows: Mapping[int, Instruction]) -> dict[str, Exported]:
    exported = {}
    functions = row_functions(rows.values())
    for (operation, row), plain in zip(rows.items(), functions, strict=True):
        result = types.boolean if row.timing == Timing.BRANCH else types.none
        exported[row_name(operation)] = Exported(plain, row_signature(result))
    return exported
