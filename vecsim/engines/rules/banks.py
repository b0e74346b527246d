"""The word-interleaved banks after the ports, and what a word takes of its port (docs/timing.md, "Banks").

A word goes when its port has room in a cycle and its bank is free. A machine with another memory replaces
these rules (docs/extending-time.md).
"""

from __future__ import annotations

from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.run import Run


def words_in_a_cycle(r: Run, instruction: Instruction, contiguous: bool) -> int:
    """Return how many places for words a port has in a cycle while it transfers an access ("Accesses")."""
    return r.machine.words_per_cycle if contiguous else r.machine.addresses_per_cycle


def word_places(r: Run, instruction: Instruction, port: int, address: int) -> int:
    """Return how many of these places the word at a word address takes: one ("Accesses")."""
    return 1


def bank_of(r: Run, address: int) -> int:
    """Return the bank of a word address ("Banks")."""
    banks = r.machine.banks
    return address & (banks - 1) if banks & (banks - 1) == 0 else address % banks


def word_start(r: Run, instruction: Instruction, port: int, address: int, earliest: int) -> int:
    """Return the cycle in which a word goes that only memory holds up from ``earliest`` on ("Banks")."""
    free = r.banks[bank_of(r, address)].free_at
    return earliest if earliest > free else free


def word_passes(r: Run, instruction: Instruction, port: int, address: int, cycle: int) -> None:
    """Occupy the bank of a word that goes in this cycle ("Banks")."""
    r.banks[bank_of(r, address)].free_at = cycle + r.machine.bank_busy
