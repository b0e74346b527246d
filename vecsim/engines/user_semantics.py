"""User-defined semantics in plain Python, with the checks that compiled ones have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from isa.declaration import Instruction
from isa.state import State
from vecsim.engines.rebinding import functions_within
from vecsim.engines.user_code import failure, is_ours
from vecsim.engines.user_numbers import interpreted_semantics
from vecsim.engines.user_values import Int64, guarded
from vecsim.support.errors import is_interrupt


def is_users(row: Instruction) -> bool:
    """Return whether a user wrote the semantics of an instruction."""
    return not is_ours(row.semantics.__code__.co_filename)


def users_semantics(rows: Iterable[Instruction], m: State) -> dict[int, Callable[..., Any]]:
    """Return ``f(n, *operands)`` by the opcode of each instruction whose semantics a user wrote.

    Parameters
    ----------
    m
        The state, as :func:`isa.state.interpreted` returns it.
    """
    own = [row for row in rows if is_users(row)]
    checked = guarded(m) if own else m
    return {row.opcode: _caught(row, checked) for row in own}


def _caught(row: Instruction, m: State) -> Callable[..., Any]:
    """Return semantics whose errors are failures of user-defined code."""
    semantics = interpreted_semantics(row.semantics)

    def execute(n: int, *operands: int) -> Any:
        try:
            return semantics(m, Int64(n), *map(Int64, operands))
        except BaseException as error:
            if is_interrupt(error):
                raise
            raise failure(error, functions_within(row.semantics, set())) from error

    return execute
