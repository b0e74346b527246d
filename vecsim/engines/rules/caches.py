"""The caches between ports and main memory (docs/timing.md, "Caches").

A request looks a line up in the cycle in which it comes, and changes the cache in this cycle: a line that
misses takes its place at once, and is there from a later cycle on. ``level`` is the number of a cache, FIRST
next to the ports or LAST before main memory; ``number`` is that of a line, its first byte divided by the
bytes of a line.
"""

from __future__ import annotations

from vecsim.engines.rules.main_memory import (
    line_passes,
    main_memory_passes,
    main_memory_start,
)
from vecsim.engines.rules.numbers import larger
from vecsim.engines.state.counters import (
    EVICTIONS,
    HITS,
    MISSES,
    OF_A_CACHE,
    PREFETCHES,
    REFILL_BYTES,
    WRITE_BACKS,
)
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.memory import Line
from vecsim.engines.state.run import Run

FIRST, LAST = 0, 1


def place_of(r: Run, level: int, number: int) -> int:
    """Return where among its lines a cache has a line; -1 if it does not have it ("Caches")."""
    cache, lines, latest = r.cache_numbers[level], r.lines[level], r.scratch.places[level]
    if latest >= 0 and lines[latest].number == number:
        return latest
    first = number % cache.sets * cache.ways
    for place in range(first, first + cache.ways):
        if lines[place].number == number:
            r.scratch.places[level] = place
            return place
    return -1


def line_of(r: Run, level: int, address: int) -> int:
    """Return the number of the line of a word address ("Caches")."""
    return address >> r.cache_numbers[level].line_shift


def word_of(r: Run, level: int, number: int) -> int:
    """Return the address of the first word of a line ("Caches")."""
    return number << r.cache_numbers[level].line_shift


def below(r: Run, level: int) -> int:
    """Return the cache that follows one; -1 for main memory ("Caches")."""
    return LAST if level == FIRST and r.cache_numbers[LAST].sets > 0 else -1


def goes_through(r: Run, level: int, store: int) -> bool:
    """Return whether an access goes on to what follows, whether or not it hits ("Caches")."""
    return store == 1 and r.cache_numbers[level].write_back == 0


def line_free(r: Run, level: int, address: int) -> int:
    """Return the cycle from which a cache has or may wait for the line of a word of a port ("Caches").

    It never decreases: whoever looks again in an earlier cycle finds nothing new.
    """
    if r.cache_numbers[level].perfect == 1:
        return 0
    place = place_of(r, level, line_of(r, level, address))
    return miss_free(r, level) if place < 0 else r.lines[level][place].words_from


def bank_free(r: Run, level: int, address: int) -> int:
    """Return the cycle from which a cache takes a request for a word address ("Caches")."""
    banks = r.cache_numbers[level].banks
    return 0 if banks == 0 else r.cache_banks[level][address % banks]


def take_bank(r: Run, level: int, address: int, cycle: int) -> None:
    """Take the bank of a word address in a cycle ("Caches")."""
    banks = r.cache_numbers[level].banks
    if banks > 0:
        r.cache_banks[level][address % banks] = cycle + 1


def _first_free(r: Run, level: int) -> int:
    """Return which of the lines that a cache waits for arrives first ("Caches")."""
    awaited, first = r.awaited_lines[level], 0
    for k in range(1, r.cache_numbers[level].misses):
        if awaited[k] < awaited[first]:
            first = k
    return first


def miss_free(r: Run, level: int) -> int:
    """Return the cycle from which a cache may wait for one more line ("Caches")."""
    return 0 if r.cache_numbers[level].misses == 0 else r.awaited_lines[level][_first_free(r, level)]


def victim(r: Run, level: int, number: int) -> int:
    """Return the place of the line that a new one replaces ("Caches")."""
    cache, lines = r.cache_numbers[level], r.lines[level]
    first = number % cache.sets * cache.ways
    oldest = first
    for place in range(first, first + cache.ways):
        if lines[place].number < 0:
            return place
        if lines[place].used < lines[oldest].used:
            oldest = place
    return oldest


def date(r: Run, level: int, line: Line) -> None:
    """Note that a line is the youngest of its cache ("Caches")."""
    r.caches[level].changes += 1
    line.used = r.caches[level].changes


def _write_back(r: Run, level: int, number: int, cycle: int) -> None:
    """Write a changed line that is replaced to what follows ("Caches")."""
    r.counters[WRITE_BACKS + OF_A_CACHE * level] += 1
    address, following, place = word_of(r, level, number), below(r, level), -1
    if following >= 0 and r.cache_numbers[following].write_back == 1:
        if r.cache_numbers[following].perfect == 1:
            return
        place = place_of(r, following, line_of(r, following, address))
    if place >= 0:
        r.lines[following][place].dirty = 1
    else:
        line_passes(r, address, r.cache_numbers[level].line_bytes, cycle)


def bring(r: Run, level: int, number: int, asked: int, arrival: int, ahead: int) -> int:
    """Put a line that leaves what follows at ``arrival`` into a cache; return when it is there ("Caches").

    Parameters
    ----------
    asked
        The cycle of the request that it is for.
    ahead
        1 if it is prefetched.
    """
    cache, state = r.cache_numbers[level], r.caches[level]
    if cache.refill_bytes > 0:
        begin = larger(arrival, state.refilled_at)
        arrival = begin + (cache.line_bytes + cache.refill_bytes - 1) // cache.refill_bytes
        state.refilled_at = arrival
    r.counters[REFILL_BYTES + OF_A_CACHE * level] += cache.line_bytes
    line = r.lines[level][victim(r, level, number)]
    if line.number >= 0:
        r.counters[EVICTIONS + OF_A_CACHE * level] += 1
        if line.dirty == 1:
            _write_back(r, level, line.number, asked + 1 + cache.hit_latency)
    line.number, line.ready_at, line.dirty, line.prefetched = number, arrival, 0, ahead
    line.words_from = miss_free(r, level)
    date(r, level, line)
    if cache.misses > 0:
        r.awaited_lines[level][_first_free(r, level)] = arrival
    return arrival


def touch(r: Run, level: int, place: int, cycle: int, store: int) -> int:
    """Use a line that a cache has, or waits for; return from when its words are ready ("Caches")."""
    cache, line = r.cache_numbers[level], r.lines[level][place]
    if cache.replacement == 0:
        date(r, level, line)
    line.prefetched = 0
    if store == 1 and cache.write_back == 1:
        line.dirty = 1
    return larger(cycle + 1 + cache.hit_latency, line.ready_at)


def asks_ahead(r: Run, level: int, number: int, cycle: int) -> bool:
    """Return whether a cache prefetches a line, and count it ("Caches")."""
    inside = (number + 1) * r.cache_numbers[level].line_bytes <= r.machine.memory_bytes
    if not inside or miss_free(r, level) > cycle or place_of(r, level, number) >= 0:
        return False
    r.counters[PREFETCHES + OF_A_CACHE * level] += 1
    return True


def count_look_up(r: Run, level: int, pc: int, hit: bool) -> None:
    """Count a look-up of an instruction ("Caches").

    Parameters
    ----------
    pc, hit
        The instruction; whether it found the line.
    """
    if hit:
        r.counters[HITS + OF_A_CACHE * level] += 1
        r.accounts[pc].hits[level] += 1
    else:
        r.counters[MISSES + OF_A_CACHE * level] += 1
        r.accounts[pc].misses[level] += 1


def _last_asks(r: Run, number: int, cycle: int) -> int:
    """Return when main memory has sent a line that the last cache asks for ("Caches")."""
    size = r.cache_numbers[LAST].line_bytes
    return line_passes(r, word_of(r, LAST, number), size, cycle + 1 + r.cache_numbers[LAST].hit_latency)


def look_up_last(r: Run, address: int, store: int, pc: int, cycle: int) -> int:
    """Look the line of a word up in the cache before main memory; return from when it is ready ("Caches").

    Parameters
    ----------
    pc
        The instruction that needs it.
    """
    cache, number = r.cache_numbers[LAST], line_of(r, LAST, address)
    place, ahead = -1, 1
    if cache.perfect == 0:
        place = place_of(r, LAST, number)
    count_look_up(r, LAST, pc, cache.perfect == 1 or place >= 0)
    if cache.perfect == 1:
        return cycle + 1 + cache.hit_latency
    if place >= 0:
        ahead = r.lines[LAST][place].prefetched
        ready = touch(r, LAST, place, cycle, store)
    else:
        begin = larger(cycle, miss_free(r, LAST))
        ready = bring(r, LAST, number, begin, _last_asks(r, number, begin), 0)
        r.lines[LAST][place_of(r, LAST, number)].dirty = store
    for next_ in range(number + 1, number + 1 + ahead * cache.prefetch):
        if asks_ahead(r, LAST, next_, cycle):
            bring(r, LAST, next_, cycle, _last_asks(r, next_, cycle), 1)
    return ready


def _first_asks(r: Run, number: int, pc: int, cycle: int) -> int:
    """Return when what follows has sent a line that the first cache asks for ("Caches")."""
    cache = r.cache_numbers[FIRST]
    address, cycle = word_of(r, FIRST, number), cycle + 1 + cache.hit_latency
    if below(r, FIRST) < 0:
        return line_passes(r, address, cache.line_bytes, cycle)
    cycle = larger(cycle, bank_free(r, LAST, address))
    take_bank(r, LAST, address, cycle)
    return look_up_last(r, address, 0, pc, cycle)


def look_up_first(r: Run, address: int, store: int, pc: int, cycle: int) -> int:
    """Look the line of a word up in the cache next to the ports; return from when it is ready ("Caches")."""
    cache, number = r.cache_numbers[FIRST], line_of(r, FIRST, address)
    place, ahead = -1, 1
    if cache.perfect == 0:
        place = place_of(r, FIRST, number)
    count_look_up(r, FIRST, pc, cache.perfect == 1 or place >= 0)
    if cache.perfect == 1:
        return cycle + 1 + cache.hit_latency
    if place >= 0:
        ahead = r.lines[FIRST][place].prefetched
        ready = touch(r, FIRST, place, cycle, store)
    else:
        begin = larger(cycle, miss_free(r, FIRST))
        ready = bring(r, FIRST, number, begin, _first_asks(r, number, pc, begin), 0)
        r.lines[FIRST][place_of(r, FIRST, number)].dirty = store
    for next_ in range(number + 1, number + 1 + ahead * cache.prefetch):
        if asks_ahead(r, FIRST, next_, cycle):
            bring(r, FIRST, next_, cycle, _first_asks(r, next_, pc, cycle), 1)
    return ready


def passes_by(r: Run, level: int, address: int, pc: int, cycle: int) -> None:
    """Note a store that goes through a cache ("Caches")."""
    place = -1
    if r.cache_numbers[level].perfect == 0:
        place = place_of(r, level, line_of(r, level, address))
    count_look_up(r, level, pc, r.cache_numbers[level].perfect == 1 or place >= 0)
    if place >= 0:
        touch(r, level, place, cycle, 1)


def cached_start(r: Run, level: int, store: int, address: int, earliest: int) -> int:
    """Return the cycle in which a word goes that caches and main memory hold up ("Caches").

    Parameters
    ----------
    level
        The cache that it goes to first; -1 for main memory.
    """
    start = earliest
    while level >= 0:
        start = larger(start, bank_free(r, level, address))
        if not goes_through(r, level, store):
            return larger(start, line_free(r, level, address))
        level = below(r, level)
    return main_memory_start(r, address, start)


def cached_passes(r: Run, level: int, store: int, address: int, pc: int, cycle: int) -> int:
    """Let a word go to caches and main memory; return from when it is there ("Caches")."""
    while level >= 0:
        take_bank(r, level, address, cycle)
        if not goes_through(r, level, store):
            if level == FIRST:
                return look_up_first(r, address, store, pc, cycle)
            return look_up_last(r, address, store, pc, cycle)
        passes_by(r, level, address, pc, cycle)
        level = below(r, level)
    return main_memory_passes(r, address, cycle)


def scalar_passes(r: Run, instruction: Instruction, address: int, cycle: int) -> int:
    """Let a scalar access that issues go to the caches; return from when a load is ready ("Caches").

    It takes no bank of a cache. A store is not waited for: its cycle is 0.
    """
    level, store, pc = r.machine.scalar_level, instruction.store, instruction.number
    while level >= 0 and goes_through(r, level, store):
        passes_by(r, level, address, pc, cycle)
        level = below(r, level)
    if level == FIRST:
        ready = look_up_first(r, address, store, pc, cycle)
    elif level == LAST:
        ready = look_up_last(r, address, store, pc, cycle)
    else:
        ready = main_memory_passes(r, address, main_memory_start(r, address, cycle))
    return 0 if store == 1 else ready
