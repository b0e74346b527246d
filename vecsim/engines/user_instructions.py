"""Checks of a user's own instructions, before an engine takes them: their mistakes show up nowhere else."""

from __future__ import annotations

import builtins
import types
from functools import lru_cache

from isa.declaration import EXTENSION_OPCODES, Instruction, InstructionSet
from vecsim.engines.effects.undeclared import undeclared_effect
from vecsim.engines.rebinding import functions_within, global_names
from vecsim.engines.user_code import refuse_questions
from vecsim.engines.user_semantics import is_users
from vecsim.machine import Latencies
from vecsim.support.errors import UserError
from vecsim.support.suggestions import amount, nearest

LEADING = 2
"""Parameters of semantics before the operands: the state and the number of elements."""


def check_own_instructions(instruction_set: InstructionSet) -> None:
    """Check the rows of a set that are a user's own.

    Raises
    ------
    UserError
        A latency that no machine has, or semantics that are no plain function, that take another number of
        operands than the syntax has, that use a name which is defined nowhere, or that do what is not
        declared.
    """
    for instruction in instruction_set.instructions:
        if instruction.opcode in EXTENSION_OPCODES:
            _check_latency(instruction)
            _check_semantics(instruction)
            effect = undeclared_effect(instruction) if is_users(instruction) else ""
            if effect:
                raise UserError(effect)


def _check_latency(instruction: Instruction) -> None:
    known = list(Latencies.model_fields)
    if instruction.latency and instruction.latency not in known:
        raise UserError(
            f"instruction {instruction.mnemonic}: unknown latency {instruction.latency!r}; use one of "
            f"{', '.join(known)}{nearest(instruction.latency, known)}"
        )


@lru_cache(maxsize=256)
def _check_semantics(instruction: Instruction) -> None:
    semantics, name = instruction.semantics, instruction.mnemonic
    if not isinstance(semantics, types.FunctionType):
        raise UserError(
            f"instruction {name}: its semantics must be a plain Python function, not {semantics!r}"
        )
    code = semantics.__code__
    expected = LEADING + len(instruction.operands)
    if code.co_argcount != expected:
        parameters = ", ".join(["m", "n", *(operand.name for operand in instruction.operands)])
        raise UserError(
            f"instruction {name}: {code.co_filename}:{code.co_firstlineno}: {semantics.__name__} takes "
            f"{amount(code.co_argcount, 'parameter')}; its syntax needs {expected}: {parameters}"
        )
    for function in functions_within(semantics, set()):
        refuse_questions(function, f"instruction {name}")
        for used, line in global_names(function.__code__):
            if used not in function.__globals__ and not hasattr(builtins, used):
                known = [*function.__globals__, *function.__code__.co_varnames]
                raise UserError(
                    f"instruction {name}: {function.__code__.co_filename}:{line}: {function.__name__} uses "
                    f"{used!r}, which is not defined{nearest(used, known)}"
                )
