"""A set-associative cache in front of gathers: what it holds is served faster, and occupies no bank.

It is written through and kept up to date by stores, which so cost what they did. Only gathers fill it; the
line that was used least recently goes.
"""

from typing import Any

from vecsim import Extension
from vecsim.engines.rules.banks import word_passes, word_places, word_start, words_in_a_cycle
from vecsim.engines.rules.numbers import smaller
from vecsim.engines.state.instruction import Instruction

gather_cache = Extension("gather_cache", "a set-associative cache in front of indexed loads")
SETS = gather_cache.number("sets", 64, "sets", le=65_536)
WAYS = gather_cache.number("ways", 4, "lines of a set", le=64)
LINE_WORDS = gather_cache.number("line_words", 8, "words of a line", le=1024)
RATE = gather_cache.number("rate", 4, "hits that take the time of one address", le=64)
HITS = gather_cache.counter("hits", "words of gathers found in the cache")
MISSES = gather_cache.counter("misses", "words of gathers that fetched a line")
gather_cache.array(
    "gather_lines", lambda machine: machine.gather_cache.sets * machine.gather_cache.ways, fill=-1
)


def is_gather(r: Any, instruction: Instruction) -> bool:
    """Return whether an instruction is an indexed load."""
    return instruction.index_register >= 0 and instruction.store == 0


def way_of(r: Any, address: int) -> int:
    """Return how recently the line of a word was used in its set, 0 the last; ``WAYS`` if it is not there."""
    line, ways = address // r.numbers[LINE_WORDS], r.numbers[WAYS]
    first = line % r.numbers[SETS] * ways
    way = 0
    while way < ways and r.gather_lines[first + way] != line:
        way += 1
    return way


@gather_cache.replaces(words_in_a_cycle)
def places_in_a_cycle(r: Any, instruction: Instruction, contiguous: bool) -> int:
    """Return ``RATE`` places for an address of a gather."""
    places = words_in_a_cycle(r, instruction, contiguous)
    return places * r.numbers[RATE] if is_gather(r, instruction) else places


@gather_cache.replaces(word_places)
def places_of_word(r: Any, instruction: Instruction, port: int, address: int) -> int:
    """Let a miss take the places of a whole address."""
    return r.numbers[RATE] if is_gather(r, instruction) and way_of(r, address) == r.numbers[WAYS] else 1


@gather_cache.replaces(word_start)
def start_without_bank(r: Any, instruction: Instruction, port: int, address: int, earliest: int) -> int:
    """Let a hit wait for no bank."""
    if is_gather(r, instruction) and way_of(r, address) < r.numbers[WAYS]:
        return earliest
    return word_start(r, instruction, port, address, earliest)


@gather_cache.replaces(word_passes)
def pass_through_cache(r: Any, instruction: Instruction, port: int, address: int, cycle: int) -> int:
    """Make the line the one used last; a miss fetches it, so all banks that it lies in are busy."""
    if not is_gather(r, instruction):
        return word_passes(r, instruction, port, address, cycle)
    words, way = r.numbers[LINE_WORDS], way_of(r, address)
    line = address // words
    first = line % r.numbers[SETS] * r.numbers[WAYS]
    r.counters[HITS if way < r.numbers[WAYS] else MISSES] += 1
    if way == r.numbers[WAYS]:
        way -= 1
        for k in range(smaller(words, r.machine.banks)):
            word_passes(r, instruction, port, line * words + k, cycle)
    for k in range(way, 0, -1):
        r.gather_lines[first + k] = r.gather_lines[first + k - 1]
    r.gather_lines[first] = line
    return cycle + 1
