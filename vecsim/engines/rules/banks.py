"""What memory does with a word of a vector access (docs/timing.md, "Banks", "Main memory", "Caches").

A word goes when its port has room in a cycle and caches and banks take it. A machine with another memory
replaces these rules (docs/extending-time.md).
"""

from __future__ import annotations

from vecsim.engines.rules.caches import bank_free, below, cached_passes, cached_start, goes_through
from vecsim.engines.rules.latency import port_waits_until
from vecsim.engines.rules.main_memory import bank_of, path_free
from vecsim.engines.rules.numbers import larger
from vecsim.engines.state import causes
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.run import Run


def words_in_a_cycle(r: Run, instruction: Instruction, contiguous: bool) -> int:
    """Return how many places for words a port has in a cycle while it transfers an access ("Accesses")."""
    machine = r.machine
    if instruction.store == 1 and machine.store_ports > 0:
        own = machine.store_words_per_cycle if contiguous else machine.store_addresses_per_cycle
        if own > 0:
            return own
    return machine.words_per_cycle if contiguous else machine.addresses_per_cycle


def word_places(r: Run, instruction: Instruction, port: int, address: int) -> int:
    """Return how many of these places the word at a word address takes: one ("Accesses")."""
    return 1


def word_start(r: Run, instruction: Instruction, port: int, address: int, earliest: int) -> int:
    """Return the cycle in which a word goes that only memory holds up from ``earliest`` on ("Banks")."""
    if r.machine.flat_memory == 1:
        return larger(earliest, r.banks[bank_of(r, address)].free_at)
    return cached_start(r, r.machine.vector_level, instruction.store, address, earliest)


def word_passes(r: Run, instruction: Instruction, port: int, address: int, cycle: int) -> int:
    """Let a word go in this cycle; return from when it is there ("Banks", "Caches")."""
    if r.machine.flat_memory == 1:
        r.banks[bank_of(r, address)].free_at = cycle + r.machine.bank_busy
        return cycle + 1
    return cached_passes(r, r.machine.vector_level, instruction.store, address, instruction.number, cycle)


def bank_taken(r: Run, instruction: Instruction, address: int) -> int:
    """Return the bank that a word takes; -1 of one that goes no further than a cache ("Banks", "Caches")."""
    level = r.machine.vector_level
    while level >= 0 and goes_through(r, level, instruction.store):
        level = below(r, level)
    return bank_of(r, address) if level < 0 else -1


def memory_cause(r: Run, instruction: Instruction, port: int, address: int, cycle: int) -> int:
    """Return why memory let a word wait until a cycle: what ended last ("Waits and cycle attribution").

    It is asked before the word goes. Ties go to the first of the list of causes.
    """
    level = r.machine.vector_level
    while level >= 0:
        if bank_free(r, level, address) == cycle:
            return causes.BANK_CONFLICT
        if not goes_through(r, level, instruction.store):
            return causes.WORDS_AWAITED
        level = below(r, level)
    if r.banks[bank_of(r, address)].free_at == cycle:
        return causes.BANK_CONFLICT
    if port_waits_until(r, port, instruction.store) == cycle:
        return causes.WORDS_AWAITED
    return causes.BANDWIDTH if path_free(r, 0) == cycle else causes.BANK_CONFLICT
