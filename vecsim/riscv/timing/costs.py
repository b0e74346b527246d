"""What the rows of a RISC-V program cost on a machine, by the timing class of the instruction."""

from __future__ import annotations

from isa.riscv.declaration import Timing
from vecsim.engines.recorded.program import Costs
from vecsim.machine import Machine
from vecsim.machine.riscv import Cost, TreeCost

MULTIPLIED = {
    Timing.VECTOR_MULTIPLY,
    Timing.VECTOR_DIVIDE,
    Timing.FIXED,
    Timing.FLOAT,
    Timing.FLOAT_DIVIDE,
    Timing.ESTIMATE,
    Timing.FLOAT_SUM,
    Timing.ORDERED_SUM,
}
"""Timing classes that the multiplier executes; the adder executes the others of vectors."""
CONTIGUOUS, BY_ELEMENT = "access", "element_access"
_DIVIDES = {Timing.VECTOR_DIVIDE, Timing.FLOAT_DIVIDE}


def costs_of(name: str, machine: Machine) -> Costs:
    """Return the costs of a timing class, by its name, on a machine (docs/timing.md, "Recorded programs").

    `CONTIGUOUS` and `BY_ELEMENT` are those of accesses in the unit through which they go.
    """
    if name in (CONTIGUOUS, BY_ELEMENT):
        unit_latency = machine.latency.multiply if machine.riscv.access_unit == 2 else machine.latency.add
        return _of_class(
            machine,
            machine.riscv.access if name == CONTIGUOUS else machine.riscv.element_access,
            unit_latency,
        )
    timing, latency = Timing[name], machine.latency
    if timing in (Timing.SCALAR_LOAD, Timing.ATOMIC):
        return Costs(machine.scalar_load_latency)
    if timing == Timing.CONFIGURE:
        return Costs(machine.riscv.configure)
    if timing == Timing.MULTIPLY:
        return Costs(latency.integer_multiply)
    if timing == Timing.DIVIDE:
        return Costs(latency.integer_divide)
    if timing == Timing.SCALAR_FLOAT:
        return Costs(latency.float)
    if timing == Timing.SCALAR_FLOAT_DIVIDE:
        return Costs(latency.float_divide)
    if timing == Timing.SPARSE:
        return Costs(machine.sparse_unit.latency)
    if timing < Timing.INTEGER:
        return Costs()
    cost: Cost = getattr(machine.riscv, timing.name.lower().removeprefix("vector_"))
    multiplied = latency.multiply if timing in MULTIPLIED else latency.add
    classic = latency.divide if timing in _DIVIDES else multiplied
    return _of_class(machine, cost, classic)


def _of_class(machine: Machine, cost: Cost, classic: int) -> Costs:
    return Costs(
        cost.latency or classic,
        cost.first,
        cost.group,
        cost.pair,
        cost.level if isinstance(cost, TreeCost) else 0,
        machine.riscv.tree_of_all == 1,
        machine.riscv.ordered_writes == 1,
    )
