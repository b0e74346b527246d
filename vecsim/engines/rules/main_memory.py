"""Main memory: its banks, their open rows, and the path that all of them share (docs/timing.md, "Banks",
"Main memory").
"""

from __future__ import annotations

from vecsim.engines.rules.numbers import larger
from vecsim.engines.state.counters import MAIN_MEMORY_BYTES, ROWS_OPENED
from vecsim.engines.state.run import Run

WORD_BYTES = 4


def bank_of(r: Run, address: int) -> int:
    """Return the bank of a word address ("Banks")."""
    banks = r.machine.banks
    return address & (banks - 1) if banks & (banks - 1) == 0 else address % banks


def path_free(r: Run, earliest: int) -> int:
    """Return the first cycle from ``earliest`` on in which bytes may pass ("Main memory")."""
    if r.machine.main_memory_bytes == 0:
        return earliest
    return larger(earliest, r.main_memory.passed // r.machine.main_memory_bytes)


def pass_bytes(r: Run, count: int, cycle: int) -> None:
    """Note that bytes pass from a cycle on ("Main memory").

    Parameters
    ----------
    count
        How many.
    """
    r.counters[MAIN_MEMORY_BYTES] += count
    rate = r.machine.main_memory_bytes
    if rate > 0:
        begin = larger(r.main_memory.passed, cycle * rate)
        r.main_memory.passed = begin + count * r.machine.main_memory_cycles


def opening(r: Run, address: int) -> int:
    """Return how many cycles the row of a word takes to open, 0 if it is open ("Main memory")."""
    if r.machine.main_memory_row_words == 0:
        return 0
    row = address // (r.machine.banks * r.machine.main_memory_row_words)
    return 0 if r.open_rows[bank_of(r, address)] == row else r.machine.main_memory_row_miss


def open_row(r: Run, address: int) -> None:
    """Open the row of a word in its bank ("Main memory")."""
    if r.machine.main_memory_row_words > 0:
        bank, row = bank_of(r, address), address // (r.machine.banks * r.machine.main_memory_row_words)
        if r.open_rows[bank] != row:
            r.open_rows[bank] = row
            r.counters[ROWS_OPENED] += 1


def main_memory_start(r: Run, address: int, earliest: int) -> int:
    """Return the cycle in which a word passes that only main memory holds up ("Banks", "Main memory")."""
    return path_free(r, larger(earliest, r.banks[bank_of(r, address)].free_at))


def main_memory_passes(r: Run, address: int, cycle: int) -> int:
    """Pass a word; return the cycle from which it is where it goes ("Banks", "Main memory")."""
    wait = opening(r, address)
    r.banks[bank_of(r, address)].free_at = cycle + r.machine.bank_busy + wait
    open_row(r, address)
    pass_bytes(r, WORD_BYTES, cycle)
    return cycle + 1 + wait + r.machine.main_memory_latency


def line_passes(r: Run, address: int, size: int, earliest: int) -> int:
    """Read or write a line, as soon as all of its banks are free; return when it has passed ("Main memory").

    Parameters
    ----------
    address
        The first of its words.
    size
        Its bytes.
    earliest
        The cycle from which it is asked for.
    """
    words, banks = size // WORD_BYTES, r.machine.banks
    used, each = words if words < banks else banks, (words + banks - 1) // banks
    start, wait = earliest, 0
    for k in range(used):
        start = larger(start, r.banks[bank_of(r, address + k)].free_at)
        wait = larger(wait, opening(r, address + k))
    start = path_free(r, start)
    for k in range(used):
        r.banks[bank_of(r, address + k)].free_at = start + wait + each * r.machine.bank_busy
        open_row(r, address + k)
    pass_bytes(r, size, start)
    passing = 1
    if r.machine.main_memory_bytes > 0:
        rate = r.machine.main_memory_bytes
        passing = (size * r.machine.main_memory_cycles + rate - 1) // rate
    return start + wait + r.machine.main_memory_latency + passing
