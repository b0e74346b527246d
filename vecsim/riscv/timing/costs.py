"""What the rows of a RISC-V program cost on a machine, by the timing class of the instruction."""

from __future__ import annotations

from isa.riscv.declaration import Timing
from vecsim.engines.recorded.program import Costs
from vecsim.machine import Machine

_ADDS = {Timing.INTEGER, Timing.MASK, Timing.SLIDE, Timing.COMPRESS, Timing.TO_SCALAR, Timing.REDUCTION}
_DIVIDES = {Timing.VECTOR_DIVIDE, Timing.FLOAT_DIVIDE}
_PER_ELEMENT = {Timing.GATHER, Timing.ORDERED_REDUCTION, *_DIVIDES}


def costs_of(name: str, machine: Machine) -> Costs:
    """Return the costs of a timing class, by its name, on a machine.

    Integer operations take the latency of the adder, multiplications and floating-point operations that of
    the multiplier. Divisions, gathers among registers and sums in order take their interval for each element.
    """
    timing, latency = Timing[name], machine.latency
    if timing in (Timing.SCALAR_LOAD, Timing.ATOMIC):
        return Costs(machine.scalar_load_latency)
    if timing in (Timing.DIVIDE, Timing.SCALAR_FLOAT_DIVIDE):
        return Costs(latency.divide)
    if timing in (Timing.MULTIPLY, Timing.SCALAR_FLOAT):
        return Costs(latency.multiply)
    if timing < Timing.LOAD_UNIT:
        return Costs()
    result = latency.divide if timing in _DIVIDES else latency.add if timing in _ADDS else latency.multiply
    if timing in _PER_ELEMENT:
        return Costs(result, interval=0, each=machine.divide_interval if timing in _DIVIDES else 1)
    return Costs(result)
