"""How an engine stops where user-defined code fails: before that cycle, with a fault that says why.

User-defined code fails in the middle of a cycle, when part of what it does is done. So an engine that runs it
remembers where it began, goes back there, and forward to the boundary before that cycle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from isa.declaration import EXTENSION_OPCODES
from isa.program import Program
from vecsim.engines.fault import Fault
from vecsim.engines.own_code import OwnCodeError
from vecsim.engines.own_rules import users_rules
from vecsim.engines.own_semantics import is_users
from vecsim.engines.record import Snapshot
from vecsim.machine import Machine
from vecsim.machine.own_inputs import simulating


class RunsOwnCode(Protocol):
    """What an engine offers for that."""

    program: Program
    machine: Machine

    def snapshot(self) -> Snapshot:
        """See :meth:`vecsim.engines.protocol.Engine.snapshot`."""

    def restore(self, snapshot: Snapshot) -> None:
        """See :meth:`vecsim.engines.protocol.Engine.restore`."""

    def failed_at(self) -> tuple[int, int]:
        """Return the cycle and the number of the instruction at which user-defined code has failed."""

    def fail(self, fault: Fault) -> None:
        """Take a fault for what came, until a snapshot is restored."""


def advance_own_code(
    engine: RunsOwnCode,
    advance: Callable[[int | None, int | None], None],
    cycle: int | None,
    instructions: int | None,
) -> None:
    """Let an engine advance; turn the failure of user-defined code into a fault.

    Parameters
    ----------
    engine
        Which.
    advance
        Its own method, which takes `cycle` and `instructions`.
    cycle, instructions
        How far, as `Engine.advance` takes them.

    Raises
    ------
    Fault
        The semantics of an instruction failed, or a rule.
    """
    if not _runs_own_code(engine):
        return advance(cycle, instructions)
    begin = engine.snapshot()
    try:
        with simulating():
            return advance(cycle, instructions)
    except OwnCodeError as error:
        at, pc = engine.failed_at()
        pc = min(pc, len(engine.program.opcode) - 1)
        who = engine.program.instruction(pc).mnemonic
        if error.rule:  # at whatever issues next
            who = f"extension {', '.join(each.name for each in engine.machine.own_rules)}"
        fault = Fault(engine.program, pc, at, f"{who}: {error}")
    engine.restore(begin)
    advance(at, None)
    engine.fail(fault)
    raise fault


def _runs_own_code(engine: RunsOwnCode) -> bool:
    if users_rules(engine.machine.own_rules):
        return True
    opcodes = set(engine.program.opcode.tolist()) & set(EXTENSION_OPCODES)
    return any(is_users(engine.program.instruction_set.by_opcode[opcode]) for opcode in opcodes)
