"""What no order of the same instructions could be faster than, on one machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isa.declaration import Instruction, Pattern, Unit
from vecsim.engines.lines import CACHES
from vecsim.engines.recorded.program import RecordedProgram
from vecsim.engines.result import Run
from vecsim.machine import WORD_BYTES, Machine
from vecsim.machine.description import flat
from vecsim.support.suggestions import counted

_PORT_RATES = ("words_per_cycle", "addresses_per_cycle")
_RATES = {
    Unit.ADD: ("add_units", "lanes"),
    Unit.MULTIPLY: ("multiply_units", "lanes"),
    Unit.SPARSE: ("sparse_units", "sparse_unit.p", "sparse_unit.r"),
}
"""Of each kind of unit the numbers of the machine: how many there are, then the elements that each takes in a
cycle."""

GROUP = "riscv.dlen"
"""The number of the machine that is the rate of a unit that takes groups of elements."""


@dataclass(frozen=True)
class Bound:
    """A part of the machine that is busy for so long, whatever else happens.

    Attributes
    ----------
    name
        The part.
    rate
        What it does in a cycle at best, in words and numbers.
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
        others = {f"store_{name}": now[name] for name in _PORT_RATES}
        kept = {
            name: value
            for name, value in others.items()
            if machine.store_ports and not now[name] and name.removeprefix("store_") in self.numbers
        }
        return kept | {name: 2 * (now[name] or others[name]) for name in self.numbers}


def bounds(run: Run) -> tuple[Bound, ...]:
    """Return the bounds of a run, the largest first; those of parts that have nothing to do are left out.

    Parameters
    ----------
    run
        Its machine's rates count; startup, latencies, hazards, banks and alignment do not. What passes main
        memory and enters caches is what this run moved.
    """
    machine, elements_of = run.machine, run.attribution.elements
    rows = [run.program.instruction(pc) for pc in range(len(run.program))]
    results = [*_ports(run, rows), _issue(run.instructions, machine), *_paths(run)]
    numbers = flat(machine.numbers())
    recorded = isinstance(run.program, RecordedProgram)
    for unit, (units, *names) in _RATES.items():
        elements = int(elements_of[[row.unit == unit for row in rows]].sum())
        rate = numbers[units] * numbers[names[0]]
        least = _least(elements, rate)
        name = f"{unit.name.lower()} unit" + ("s" if numbers[units] > 1 else "")
        if recorded:  # an element is a group of several
            rates, names = f"{counted(rate, 'group')} of {machine.riscv.group_bits} bits", [GROUP]
        else:
            rates = f"{counted(rate, 'element')}"
        results.append(Bound(name, rates, elements, least, tuple(names)))
    return tuple(sorted((bound for bound in results if bound.amount), key=lambda bound: -bound.cycles))


def _ports(run: Run, rows: Sequence[Instruction]) -> list[Bound]:
    """Return the bounds of the ports: of all together, or of those that load and those that only store."""
    machine, words = run.machine, [run.counters["words_loaded"], run.counters["words_stored"]]
    alone = [0, 0]
    for row, elements in zip(rows, run.attribution.elements, strict=True):
        alone[row.access is not None and row.access.store] += int(elements) * _words_alone(row)
    merged = run.counters.get("words_merged", 0)
    rates = machine.words_per_cycle, machine.addresses_per_cycle
    if not machine.store_ports:
        return [_port("memory ports", machine.memory_ports, rates, sum(words), sum(alone), merged, "")]
    of_stores = machine.store_words_per_cycle or rates[0], machine.store_addresses_per_cycle or rates[1]
    return [
        _port("load ports", machine.memory_ports, rates, words[0], alone[0], merged, ""),
        _port("store ports", machine.store_ports, of_stores, words[1], alone[1], merged, "store_"),
    ]


def _port(
    name: str, ports: int, rates: tuple[int, int], words: int, alone: int, merged: int, prefix: str
) -> Bound:
    """Return the bound of ports of a kind.

    Parameters
    ----------
    rates
        Words that one transfers in a cycle, contiguous, and strided or indexed.
    words, alone, merged
        What they moved, what of it strided or indexed, and how much of this may have gone along with others.
    prefix
        Of the names of the rates.
    """
    # A strided or indexed element takes its words alone, so the rest of what the ports moved is contiguous.
    contiguous, others = words - alone, max(0, alone - merged)
    fast, slow = rates
    return Bound(
        name,
        f"{counted(ports * fast, 'word')} contiguous, {ports * slow} else",
        contiguous + others,
        _least(contiguous * slow + others * fast, fast * slow * ports),
        tuple(prefix + rate for rate in _PORT_RATES),
    )


def _paths(run: Run) -> list[Bound]:
    """Return the bounds of what has a limited rate after the ports: main memory, lines that enter caches."""
    machine, results = run.machine, []
    if "main_memory" in run.busy:
        memory = machine.main_memory
        rate = f"{counted(memory.bytes, 'byte')}" + (f" in {memory.cycles}" if memory.cycles > 1 else "")
        moved = run.counters["main_memory_bytes"]
        results.append(Bound("main memory", rate, moved, run.busy["main_memory"], ("main_memory.bytes",)))
    for name, cache in zip(CACHES, machine.caches, strict=True):
        if f"{name}_refill" in run.busy:
            rate, moved = counted(cache.refill_bytes, "byte"), run.counters[f"{name}_refill_bytes"]
            busy = run.busy[f"{name}_refill"]
            results.append(Bound(f"refill of {name}", rate, moved, busy, (f"{name}.refill_bytes",)))
    return results


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
