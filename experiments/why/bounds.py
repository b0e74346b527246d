"""What no order of the same instructions could be faster than, on one machine."""

from __future__ import annotations

from dataclasses import dataclass

from experiments.why.attribution import Account
from isa.declaration import Instruction, Pattern, Unit
from vecsim.machine import Machine


@dataclass(frozen=True)
class Bound:
    """A part of the machine that is busy for so long, whatever else happens.

    Attributes
    ----------
    name
        The part.
    rate
        What it does in a cycle at best, in words.
    amount
        How many of these the run has.
    cycles
        The least that it takes.
    """

    name: str
    rate: str
    amount: int
    cycles: int


def bounds(account: Account, machine: Machine) -> tuple[Bound, ...]:
    """Give the bounds of a run, the largest first; those of parts that have nothing to do are left out.

    Parameters
    ----------
    account
        What the run's timeline said.
    machine
        Its rates count; startup, latencies, hazards, banks and alignment do not.
    """
    program = account.program
    rows = [program.instruction(pc) for pc in range(len(program))]
    contiguous = int(account.words[[_is_contiguous(row) for row in rows]].sum())
    others = int(account.words.sum()) - contiguous
    ports = machine.memory_ports
    found = [
        Bound(
            "memory ports",
            f"{ports * machine.words_per_cycle} words contiguous, {ports * machine.addresses_per_cycle} else",
            contiguous + others,
            _least(contiguous, machine.words_per_cycle * ports)
            + _least(others, machine.addresses_per_cycle * ports),
        ),
        _issue(int(account.executions.sum()), machine),
    ]
    rates = {Unit.ADD: machine.lanes, Unit.MULTIPLY: machine.lanes, Unit.SPARSE: machine.sparse_unit.p}
    for unit, rate in rates.items():
        elements = int(account.elements[[row.unit == unit for row in rows]].sum())
        found.append(Bound(f"{unit.name.lower()} unit", f"{rate} elements", elements, _least(elements, rate)))
    return tuple(sorted((bound for bound in found if bound.amount), key=lambda bound: -bound.cycles))


def _issue(instructions: int, machine: Machine) -> Bound:
    width = machine.issue_width
    return Bound("issue", f"{width} instructions", instructions, _least(instructions, width))


def _is_contiguous(row: Instruction) -> bool:
    return row.access is not None and row.access.pattern == Pattern.CONTIGUOUS


def _least(amount: int, rate: int) -> int:
    return -(-amount // rate)
