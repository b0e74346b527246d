"""The lines of caches, and the path of main memory (docs/timing.md, "Main memory", "Caches").

``level`` is the number of a cache, 0 of ``l1`` and 1 of ``l2``; ``at`` is where among the events the note is
that comes next (:mod:`vecsim.engines.trace_timing.notes`). What returns a time and ``at`` returns where the
note after it is.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.trace_timing import notes as note
from vecsim.engines.trace_timing import places
from vecsim.engines.trace_timing.operations import larger, spread, where

FIRST, LAST = 0, 1
PATH, PATH_PART, LATEST, ROW_MISS = places.PATH, places.PATH_PART, places.LATEST, places.ROW_MISS
HIT_LATENCY, REFILLED, REFILL_CYCLES = places.HIT_LATENCY, places.REFILLED, places.REFILL_CYCLES
BANKS, BANK_COUNT, LINE_BANKS, PATH_BYTES = (
    places.BANKS,
    places.BANK_COUNT,
    places.LINE_BANKS,
    places.PATH_BYTES,
)
LINES, WORDS_FROM, AWAITED, CACHE_BANKS, MISSES, BANKED, HAS_LAST = (
    places.LINES,
    places.WORDS_FROM,
    places.AWAITED,
    places.CACHE_BANKS,
    places.MISSES,
    places.BANKED,
    places.HAS_LAST,
)


def bank_free(t: Any, shape: Any, level: Any, bank: Any) -> Any:
    """From when a bank of a cache takes a request; always, of a cache without a limit.

    Parameters
    ----------
    bank
        Its number, 0 without a limit.
    """
    return t[shape[CACHE_BANKS + level] + bank]


def take_bank(t: Any, shape: Any, level: Any, bank: Any, cycle: Any) -> None:
    """Let a bank of a cache take a request in a cycle."""
    if shape[BANKED + level] > 0:
        t[shape[CACHE_BANKS + level] + bank] = cycle + 1


def miss_free(t: Any, shape: Any, level: Any) -> Any:
    """From when a cache may wait for one more line."""
    return t[shape[AWAITED + level]] if shape[MISSES + level] > 0 else spread(0)


def line_free(t: Any, shape: Any, level: Any, look_up: Any) -> Any:
    """From when a cache has, or may wait for, the line of a look-up of a port."""
    if look_up & note.MISS > 0:
        return miss_free(t, shape, level)
    return t[shape[WORDS_FROM + level] + (look_up >> note.PLACES)]


def pass_bytes(t: Any, shape: Any, cycle: Any, whole: Any, part: Any) -> None:
    """Let bytes pass the path of main memory from a cycle on.

    Parameters
    ----------
    whole, part
        What they take of it: cycles, and parts of a cycle, each as long as a byte in ``main_memory.cycles``.
    """
    before = t[PATH]
    parts = where(before >= cycle, t[PATH_PART], spread(0)) + part
    full = parts >= shape[PATH_BYTES]
    t[PATH_PART] = where(full, parts - shape[PATH_BYTES], parts)
    t[PATH] = larger(before, cycle) + whole + where(full, spread(1), spread(0))


def pass_line(t: Any, shape: Any, level: Any, noted: Any, earliest: Any) -> Any:
    """Read or write a line of a cache, as soon as all of its banks are free; return when it has passed.

    Parameters
    ----------
    noted
        The note on it.
    earliest
        The cycle from which it is asked for.
    """
    start, bank, banks = earliest, noted >> 1, shape[BANKS]
    for _ in range(shape[LINE_BANKS + level]):
        start = larger(start, t[banks + bank])
        bank = bank + 1 if bank + 1 < shape[BANK_COUNT] else 0
    if shape[PATH_BYTES] > 0:
        start = larger(start, t[PATH])
        pass_bytes(t, shape, start, t[places.LINE_CYCLES + level], t[places.LINE_PART + level])
    begun = start + t[ROW_MISS] if noted & 1 > 0 else start
    free, bank = begun + t[places.LINE_BUSY + level], noted >> 1
    for _ in range(shape[LINE_BANKS + level]):
        t[banks + bank] = free
        bank = bank + 1 if bank + 1 < shape[BANK_COUNT] else 0
    passed = begun + t[places.MEMORY_LATENCY] + t[places.LINE_PASSES + level]
    t[LATEST] = larger(t[LATEST], larger(passed, free))
    return passed


def bring(t: Any, shape: Any, e: Any, at: Any, level: Any, noted: Any, asked: Any, arrival: Any) -> Any:
    """Put a line that leaves what follows at ``arrival`` into a cache; return when it is there, and ``at``.

    Parameters
    ----------
    noted
        What is noted of it.
    asked
        The cycle of the request that it is for.
    """
    cycles = t[REFILL_CYCLES + level]
    arrival = where(cycles > 0, larger(arrival, t[REFILLED + level]) + cycles, arrival)
    t[REFILLED + level] = where(cycles > 0, arrival, spread(0))
    t[LATEST] = larger(t[LATEST], arrival)
    if noted & note.WRITES > 0:
        pass_line(t, shape, level, e[at], asked + 1 + t[HIT_LATENCY + level])
        at += 1
    place = noted >> note.PLACES
    t[shape[LINES + level] + place] = arrival
    if shape[MISSES + level] > 0:
        t[shape[WORDS_FROM + level] + place] = miss_free(t, shape, level)
        wait_for(t, shape[AWAITED + level], shape[MISSES + level], arrival)
    return arrival, at


def wait_for(t: Any, begin: Any, count: Any, arrival: Any) -> None:
    """Put an arrival into a list in the place of the first, and keep it in order."""
    for place in range(begin, begin + count - 1):
        following = t[place + 1]
        t[place] = where(following > arrival, arrival, following)
        arrival = larger(following, arrival)
    t[begin + count - 1] = arrival


def last_asks(t: Any, shape: Any, e: Any, at: Any, cycle: Any) -> Any:
    """When main memory has sent a line that ``l2`` asks for after a request in a cycle, and ``at``."""
    return pass_line(t, shape, LAST, e[at], cycle + 1 + t[HIT_LATENCY + LAST]), at + 1


def last_looks_up(t: Any, shape: Any, e: Any, at: Any, cycle: Any) -> Any:
    """Look a line up in ``l2``; return from when it is ready, and ``at``."""
    look_up, at = e[at], at + 1
    if look_up & note.MISS > 0:
        begin = larger(cycle, miss_free(t, shape, LAST))
        arrival, at = last_asks(t, shape, e, at, begin)
        ready, at = bring(t, shape, e, at, LAST, look_up, begin, arrival)
    else:
        place = shape[LINES + LAST] + (look_up >> note.PLACES)
        ready = larger(cycle + 1 + t[HIT_LATENCY + LAST], t[place])
    for _ in range(look_up >> note.AHEAD & note.MOST_AHEAD):
        noted = e[at]
        arrival, at = last_asks(t, shape, e, at + 1, cycle)
        _, at = bring(t, shape, e, at, LAST, noted, cycle, arrival)
    return ready, at


def first_asks(t: Any, shape: Any, e: Any, at: Any, cycle: Any) -> Any:
    """When what follows has sent a line that ``l1`` asks for after a request in a cycle, and ``at``."""
    asked = cycle + 1 + t[HIT_LATENCY + FIRST]
    if shape[HAS_LAST] == 0:
        return pass_line(t, shape, FIRST, e[at], asked), at + 1
    asked = larger(asked, bank_free(t, shape, LAST, e[at]))
    take_bank(t, shape, LAST, e[at], asked)
    return last_looks_up(t, shape, e, at + 1, asked)


def first_looks_up(t: Any, shape: Any, e: Any, at: Any, cycle: Any) -> Any:
    """Look a line up in ``l1``; return from when it is ready, and ``at``."""
    look_up, at = e[at], at + 1
    if look_up & note.MISS > 0:
        begin = larger(cycle, miss_free(t, shape, FIRST))
        arrival, at = first_asks(t, shape, e, at, begin)
        ready, at = bring(t, shape, e, at, FIRST, look_up, begin, arrival)
    else:
        place = shape[LINES + FIRST] + (look_up >> note.PLACES)
        ready = larger(cycle + 1 + t[HIT_LATENCY + FIRST], t[place])
    for _ in range(look_up >> note.AHEAD & note.MOST_AHEAD):
        noted = e[at]
        arrival, at = first_asks(t, shape, e, at + 1, cycle)
        _, at = bring(t, shape, e, at, FIRST, noted, cycle, arrival)
    return ready, at
