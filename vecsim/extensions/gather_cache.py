"""A set-associative cache in front of gathers: what it holds is served faster, and occupies no bank.

It is written through and kept up to date by stores, which so cost what they did. Only gathers fill it; the
line that was used least recently goes.
"""

from typing import Any

from vecsim import Extension
from vecsim.engines.columns import instruction, parameter
from vecsim.engines.rules.banks import word_passes, word_places, word_start, words_in_a_cycle

gather_cache = Extension("gather_cache", "a set-associative cache in front of indexed loads")
SETS = gather_cache.number("sets", 64, "sets", le=65_536)
WAYS = gather_cache.number("ways", 4, "lines of a set", le=64)
LINE_WORDS = gather_cache.number("line_words", 8, "words of a line", le=1024)
RATE = gather_cache.number("rate", 4, "hits that take the time of one address", le=64)
HITS = gather_cache.counter("hits", "words of gathers found in the cache")
MISSES = gather_cache.counter("misses", "words of gathers that fetched a line")
gather_cache.array("lines", lambda machine: machine.gather_cache.sets * machine.gather_cache.ways, fill=-1)


def is_gather(r: Any, i: Any) -> Any:
    """Tell whether an instruction is an indexed load."""
    return r.program[i + instruction.INDEX_REGISTER] >= 0 and r.program[i + instruction.STORE] == 0


def way_of(r: Any, address: Any) -> Any:
    """Give how recently the line of a word was used in its set, 0 the last; ``WAYS`` if it is not there."""
    line, ways = address // r.machine[LINE_WORDS], r.machine[WAYS]
    first = line % r.machine[SETS] * ways
    way = 0
    while way < ways and r.lines[first + way] != line:
        way += 1
    return way


@gather_cache.replaces(words_in_a_cycle)
def places_in_a_cycle(r: Any, i: Any, contiguous: Any) -> Any:
    """Give a gather ``RATE`` places for an address."""
    return words_in_a_cycle(r, i, contiguous) * (r.machine[RATE] if is_gather(r, i) else 1)


@gather_cache.replaces(word_places)
def places_of_word(r: Any, i: Any, port: Any, address: Any) -> Any:
    """Let a miss take the places of a whole address."""
    return r.machine[RATE] if is_gather(r, i) and way_of(r, address) == r.machine[WAYS] else 1


@gather_cache.replaces(word_start)
def start_without_bank(r: Any, i: Any, port: Any, address: Any, earliest: Any) -> Any:
    """Let a hit wait for no bank."""
    if is_gather(r, i) and way_of(r, address) < r.machine[WAYS]:
        return earliest
    return word_start(r, i, port, address, earliest)


@gather_cache.replaces(word_passes)
def pass_through_cache(r: Any, i: Any, port: Any, address: Any, cycle: Any) -> None:
    """Make the line the one used last; a miss fetches it, so all banks that it lies in are busy."""
    if not is_gather(r, i):
        word_passes(r, i, port, address, cycle)
        return
    words, way = r.machine[LINE_WORDS], way_of(r, address)
    line = address // words
    first = line % r.machine[SETS] * r.machine[WAYS]
    r.counters[HITS if way < r.machine[WAYS] else MISSES] += 1
    if way == r.machine[WAYS]:
        way -= 1
        for k in range(words if words < r.machine[parameter.BANKS] else r.machine[parameter.BANKS]):
            word_passes(r, i, port, line * words + k, cycle)
    for k in range(way, 0, -1):
        r.lines[first + k] = r.lines[first + k - 1]
    r.lines[first] = line
