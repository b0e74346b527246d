"""The words of a stream that go to caches or to main memory with latency, in one cycle.

A word that the first cache has takes a short way; all others go by the rules of
:mod:`vecsim.engines.rules.banks`.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.jit.compiler.functions import apart
from vecsim.engines.jit.multiport.streams import GOES, NOT_KNOWN, NOT_READY, STALLED, note_wait
from vecsim.engines.rules.banks import memory_cause, word_passes, word_start
from vecsim.engines.rules.caches import FIRST, line_of, place_of, touch
from vecsim.engines.rules.latency import note_arrival, port_waits_until
from vecsim.engines.rules.numbers import larger, smaller
from vecsim.engines.state.counters import HITS


@apart
def pass_cached(r: Any, port: Any, moving: Any, now: Any, end: Any) -> Any:
    """Transfer words before ``end`` as :func:`vecsim.engines.jit.multiport.words._pass_known` does."""
    slot = r.slots[moving.slot]
    instruction = r.program[slot.pc]
    word, known, store, why = moving.word, smaller(end, moving.limit), instruction.store, GOES
    earliest, went, arrived = r.earliest[port], r.went[port], r.arrived[port]
    addresses, free = r.word_address[moving.slot], moving.free
    while word < known:
        if moving.clear == 0 and earliest[word] > now:
            why = NOT_READY
            break
        if moving.contiguous == 1:
            address = moving.base + word
        else:
            address = addresses[word >> 1] + (word & 1) if moving.wide == 1 else addresses[word]
        start = larger(now, port_waits_until(r, port, store))
        place = _place(r, moving, address)
        if place >= 0:
            start = larger(start, r.lines[FIRST][place].words_from)
        else:
            start = word_start(r, instruction, port, address, start)
        if start > now:
            moving.at, why = start, STALLED
            break
        if now > free:
            note_wait(r, port, moving, word, now, memory_cause(r, instruction, port, address, now))
            free = now
        if place >= 0:
            r.counters[HITS] += 1
            r.accounts[slot.pc].hits[FIRST] += 1
            arrival = touch(r, FIRST, place, now, store)
        else:
            arrival = word_passes(r, instruction, port, address, now)
        went[word] = now
        arrived[word] = now + 1 if store == 1 else note_arrival(r, port, arrival, False)
        word += 1
    moving.word = word
    return NOT_KNOWN if word == known and known < end else why


def _place(r: Any, moving: Any, address: Any) -> Any:
    """Return where the first cache has a word that is a plain hit; -1 otherwise."""
    place = -1
    if moving.hits == 1:
        place = place_of(r, FIRST, line_of(r, FIRST, address))
        if place >= 0 and r.lines[FIRST][place].prefetched == 1:
            place = -1
    return place
