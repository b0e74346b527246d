"""Conditions on registers and memory: ``x5 == 3``, ``float(Y+4) > 0.5``, ``v3[2] != v4[2]``."""

from __future__ import annotations

import operator
import re

from isa.state import State
from vecsim.debugger.operands import Operand, operand
from vecsim.debugger.readiness import Place
from vecsim.debugger.session import Session, Watch
from vecsim.support.errors import UserError

OPERATORS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_PARTS = re.compile(r"(.+?)(==|!=|<=|>=|<|>)(.+)$")


def watch_of(text: str, session: Session) -> Watch:
    """Read a condition, which ends a run when it becomes true, or a value, which does when it changes.

    Raises
    ------
    UserError
        It is none, or names what is not there.
    """
    parts = _PARTS.match(text.strip())
    if parts is None:
        read = operand(text, session.names)
        read.value(session.position.state)  # what lies outside is said now
        return Watch(text.strip(), read)
    left, right = (operand(part, session.names) for part in (parts[1], parts[3]))
    compare = OPERATORS[parts[2]]

    def holds(state: State) -> bool:
        a, b = left.value(state), right.value(state)
        if isinstance(a, list) or isinstance(b, list):
            raise UserError(f"{text}: a vector register must be compared by element, such as v3[0] > 1")
        return bool(compare(a, b))

    def places(state: State) -> tuple[Place, ...]:
        return (*left.places(state), *right.places(state))

    holds(session.position.state)
    return Watch(text.strip(), Operand(holds, places), holds=True)


def left_side(text: str) -> str:
    """Return what stands on the left of a condition."""
    parts = _PARTS.match(text.strip())
    return parts[1].strip() if parts else text.strip()
