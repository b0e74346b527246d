"""The parts that the compiled engine consists of, each an object file of its own.

A loop executes scalar instructions itself and calls the semantics of the others; the loop of a machine with
one port calls the general rules of time. So they are compiled apart, at the same time; a user's own
instructions are one more part, and all others stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from numba.core import types
from numba.core.typing.templates import signature

from isa.declaration import Instruction, Timing
from vecsim.engines.jit.calls import row_signature
from vecsim.engines.jit.compilation import Exported, compile_object
from vecsim.engines.jit.general import GENERAL_FUNCTIONS
from vecsim.engines.jit.general_loop import make_general_loop
from vecsim.engines.jit.machine_code import GENERAL, ONE_PORT, OWN, VECTOR, row_name
from vecsim.engines.jit.one_port import make_one_port
from vecsim.engines.jit.operations import VECTOR_ROWS
from vecsim.engines.jit.semantics import base_semantics, row_functions
from vecsim.engines.own_rules import Extensions


def compile_part(
    name: str, own: Mapping[int, Instruction] | None = None, extensions: Extensions = ()
) -> bytes:
    """Compile a part: ``ONE_PORT``, ``GENERAL_LOOP``, ``GENERAL``, ``VECTOR``, ``OWN`` with these rows.

    The general loop takes the rules of extensions.
    """
    if name == OWN:
        return _compile_rows(own or {})
    if name == VECTOR:
        return _compile_rows(VECTOR_ROWS)
    if name == GENERAL:
        called = row_signature(types.none)
        return compile_object({rule: Exported(plain, called) for rule, plain in GENERAL_FUNCTIONS.items()})
    integer, semantics = types.int64, base_semantics()
    plain = make_one_port(semantics) if name == ONE_PORT else make_general_loop(semantics, extensions)
    loop = Exported(plain, signature(integer, integer, integer, integer, integer))
    return compile_object({name: loop})


def _compile_rows(rows: Mapping[int, Instruction]) -> bytes:
    exported = {}
    functions = row_functions(rows.values())
    for (operation, row), plain in zip(rows.items(), functions, strict=True):
        result = types.boolean if row.timing == Timing.BRANCH else types.none
        exported[row_name(operation)] = Exported(plain, row_signature(result))
    return compile_object(exported)
