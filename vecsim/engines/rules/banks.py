"""The word-interleaved banks behind the ports, and what a word takes of its port (docs/timing.md, "Banks").

A word goes when its port has room in a cycle and its bank is free. A machine with another memory replaces
these rules (docs/extending-time.md).
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import parameter


def words_in_a_cycle(r: Any, i: Any, contiguous: Any) -> Any:
    """Give how many places for words a port has in a cycle while it transfers an access."""
    return r.machine[parameter.WORDS_PER_CYCLE if contiguous else parameter.ADDRESSES_PER_CYCLE]


def word_places(r: Any, i: Any, port: Any, address: Any) -> Any:
    """Give how many of its port's places in a cycle the word at a word address takes: one."""
    return 1


def bank_of(r: Any, address: Any) -> Any:
    """Give the bank of a word address."""
    banks = r.machine[parameter.BANKS]
    return address & (banks - 1) if banks & (banks - 1) == 0 else address % banks


def word_start(r: Any, i: Any, port: Any, address: Any, earliest: Any) -> Any:
    """Give the cycle in which a word goes that nothing but memory holds up from ``earliest`` on."""
    free = r.bank_free[bank_of(r, address)]
    return earliest if earliest > free else free


def word_passes(r: Any, i: Any, port: Any, address: Any, cycle: Any) -> None:
    """Note that a word goes in this cycle: it occupies its bank."""
    r.bank_free[bank_of(r, address)] = cycle + r.machine[parameter.BANK_BUSY]
