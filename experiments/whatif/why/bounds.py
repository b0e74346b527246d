"""What no order of the same instructions could be faster than, on one machine."""

from __future__ import annotations

from dataclasses import dataclass

from isa.declaration import Instruction, Pattern, Unit
from vecsim.engines.result import Run
from vecsim.machine import WORD_BYTES, Machine
from vecsim.machine.description import flat
from vecsim.support.suggestions import counted

_RATES = {Unit.ADD: ("lanes",), Unit.MULTIPLY: ("lanes",), Unit.SPARSE: ("sparse_unit.p", "sparse_unit.r")}
"""The numbers that are the rate of a unit; the first is how many elements it takes in a cycle."""


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
    numbers
        The numbers of the machine that are its rate, by full name.
    """

    name: str
    rate: str
    amount: int
    cycles: int
    numbers: tuple[str, ...]

    def doubled(self, machine: Machine) -> dict[str, int | bool]:
        """Return the numbers of a machine on which this part does twice as much in a cycle."""
        now = flat(machine.numbers())
        return {name: 2 * now[name] for name in self.numbers}


def bounds(run: Run) -> tuple[Bound, ...]:
    """Return the bounds of a run, the largest first; those of parts that have nothing to do are left out.

    Parameters
    ----------
    run
        Its machine's rates count; startup, latencies, hazards, banks and alignment do not.
    """
    machine, elements_of = run.machine, run.attribution.elements
    rows = [run.program.instruction(pc) for pc in range(len(run.program))]
    # A strided or indexed element takes its words alone, so the rest of what the ports moved is contiguous.
    others = sum(int(n) * _words_alone(row) for n, row in zip(elements_of, rows, strict=True))
    contiguous = run.vector_bytes // WORD_BYTES - others
    ports = machine.memory_ports
    results = [
        Bound(
            "memory ports",
            f"{counted(ports * machine.words_per_cycle, 'word')} contiguous, "
            f"{ports * machine.addresses_per_cycle} else",
            contiguous + others,
            _least(
                contiguous * machine.addresses_per_cycle + others * machine.words_per_cycle,
                machine.words_per_cycle * machine.addresses_per_cycle * ports,
            ),
            ("words_per_cycle", "addresses_per_cycle"),
        ),
        _issue(run.instructions, machine),
    ]
    numbers = flat(machine.numbers())
    for unit, names in _RATES.items():
        elements, rate = int(elements_of[[row.unit == unit for row in rows]].sum()), numbers[names[0]]
        least = _least(elements, rate)
        results.append(
            Bound(f"{unit.name.lower()} unit", f"{counted(rate, 'element')}", elements, least, names)
        )
    return tuple(sorted((bound for bound in results if bound.amount), key=lambda bound: -bound.cycles))


def _issue(instructions: int, machine: Machine) -> Bound:
    width = machine.issue_width
    return Bound(
        "issue",
        f"{counted(width, 'instruction')}",
        instructions,
        _least(instructions, width),
        ("issue_width",),
    )


def _words_alone(row: Instruction) -> int:
    """Return the words of an element of a strided or indexed access; 0 of all others."""
    if row.unit != Unit.MEMORY or row.access is None or row.access.pattern == Pattern.CONTIGUOUS:
        return 0
    return row.access.value_bytes // WORD_BYTES


def _least(amount: int, rate: int) -> int:
    return -(-amount // rate)
