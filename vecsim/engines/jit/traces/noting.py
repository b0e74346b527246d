"""What is noted of the words of an access (:mod:`vecsim.engines.trace_timing.notes`), by the timing rules.

The rules of caches, rows and merging decide which word finds its line, opens a row or goes along, and count
it. No time is known here: every cycle is 0. ``out`` are the integers that are written, ``at`` is where the
next goes; each function returns where the one after that goes.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Pattern
from vecsim.engines.jit.compiler.functions import apart
from vecsim.engines.rules.addresses import contiguous_bytes, words_of_element
from vecsim.engines.rules.caches import (
    FIRST,
    LAST,
    asks_ahead,
    below,
    count_look_up,
    date,
    goes_through,
    line_of,
    passes_by,
    place_of,
    touch,
    victim,
    word_of,
)
from vecsim.engines.rules.main_memory import WORD_BYTES, bank_of, open_row
from vecsim.engines.state.counters import (
    EVICTIONS,
    MAIN_MEMORY_BYTES,
    OF_A_CACHE,
    REFILL_BYTES,
    WORDS_LOADED,
    WORDS_MERGED,
    WRITE_BACKS,
)
from vecsim.engines.trace_timing import notes as note

CONTIGUOUS = int(Pattern.CONTIGUOUS)


def most_notes(r: Any) -> Any:
    """Return how many integers the note on a word takes, at most."""
    first, last = r.cache_numbers[FIRST], r.cache_numbers[LAST]
    in_last = 3 * (1 + last.prefetch)
    asked = 1 + in_last if last.sets > 0 else 1
    in_first = (1 + first.prefetch) * (2 + asked)
    return 3 + in_first + in_last


def _opens(r: Any, address: Any) -> Any:
    """Open the row of a word in its bank; return 1 unless it is open."""
    words = r.machine.main_memory_row_words
    if words == 0:
        return 0
    opens = 1 if r.open_rows[bank_of(r, address)] != address // (r.machine.banks * words) else 0
    open_row(r, address)
    return opens


@apart
def _note_line(r: Any, address: Any, size: Any, out: Any, at: Any) -> Any:
    """Note that main memory reads or writes a line of ``size`` bytes, whose first word is at an address."""
    words, opens = size // WORD_BYTES, 0
    for k in range(words if words < r.machine.banks else r.machine.banks):
        opens |= _opens(r, address + k)
    r.counters[MAIN_MEMORY_BYTES] += size
    out[at] = bank_of(r, address) << 1 | opens
    return at + 1


@apart
def _note_brought(
    r: Any, level: Any, number: Any, ahead: Any, dirty: Any, look_up: Any, out: Any, at: Any
) -> Any:
    """Put line ``number`` into a cache.

    Parameters
    ----------
    ahead, dirty
        1 if it is prefetched; 1 if it is changed at once.
    look_up
        Where its note is.
    """
    place, size = victim(r, level, number), r.cache_numbers[level].line_bytes
    line, written = r.lines[level][place], 0
    r.counters[REFILL_BYTES + OF_A_CACHE * level] += size
    if line.number >= 0:
        r.counters[EVICTIONS + OF_A_CACHE * level] += 1
        if line.dirty == 1:
            r.counters[WRITE_BACKS + OF_A_CACHE * level] += 1
            begin = at
            at = _note_written(r, level, line.number, out, at)
            written = note.WRITES if at > begin else 0
    line.number, line.dirty, line.prefetched = number, dirty, ahead
    date(r, level, line)
    out[look_up] = place << note.PLACES | written | note.MISS
    return at


def _note_written(r: Any, level: Any, number: Any, out: Any, at: Any) -> Any:
    """Note that a changed line that is replaced is written, unless it is marked in what follows."""
    address, following = word_of(r, level, number), below(r, level)
    if following >= 0 and r.cache_numbers[following].write_back == 1:
        if r.cache_numbers[following].perfect == 1:
            return at
        place = place_of(r, following, line_of(r, following, address))
        if place >= 0:
            r.lines[following][place].dirty = 1
            return at
    return _note_line(r, address, r.cache_numbers[level].line_bytes, out, at)


def _note_last_line(r: Any, number: Any, out: Any, at: Any) -> Any:
    """Note that main memory sends a line of the last cache."""
    return _note_line(r, word_of(r, LAST, number), r.cache_numbers[LAST].line_bytes, out, at)


@apart
def _note_in_last(r: Any, address: Any, store: Any, pc: Any, out: Any, at: Any) -> Any:
    """Look the line of a word up in the cache before main memory.

    Parameters
    ----------
    pc
        The instruction that needs it.
    """
    cache, number, look_up = r.cache_numbers[LAST], line_of(r, LAST, address), at
    place, ahead, at = -1, 1, at + 1
    if cache.perfect == 0:
        place = place_of(r, LAST, number)
    count_look_up(r, LAST, pc, cache.perfect == 1 or place >= 0)
    if cache.perfect == 1:
        out[look_up] = 0
        return at
    if place >= 0:
        ahead = r.lines[LAST][place].prefetched
        touch(r, LAST, place, 0, store)
        out[look_up] = place << note.PLACES
    else:
        at = _note_last_line(r, number, out, at)
        at = _note_brought(r, LAST, number, 0, store, look_up, out, at)
    count = 0
    for next_ in range(number + 1, number + 1 + ahead * cache.prefetch):
        if asks_ahead(r, LAST, next_, 0):
            brought = at
            at = _note_last_line(r, next_, out, at + 1)
            at = _note_brought(r, LAST, next_, 1, 0, brought, out, at)
            count += 1
    out[look_up] = out[look_up] | count << note.AHEAD
    return at


@apart
def _note_asked(r: Any, number: Any, pc: Any, out: Any, at: Any) -> Any:
    """Note where a line comes from that the first cache asks for."""
    address = word_of(r, FIRST, number)
    if below(r, FIRST) < 0:
        return _note_line(r, address, r.cache_numbers[FIRST].line_bytes, out, at)
    out[at] = _cache_bank(r, LAST, address)
    return _note_in_last(r, address, 0, pc, out, at + 1)


@apart
def _note_in_first(r: Any, address: Any, store: Any, pc: Any, out: Any, at: Any) -> Any:
    """Look the line of a word up in the cache next to the ports."""
    cache, number, look_up = r.cache_numbers[FIRST], line_of(r, FIRST, address), at
    place, ahead, at = -1, 1, at + 1
    if cache.perfect == 0:
        place = place_of(r, FIRST, number)
    count_look_up(r, FIRST, pc, cache.perfect == 1 or place >= 0)
    if cache.perfect == 1:
        out[look_up] = 0
        return at
    if place >= 0:
        ahead = r.lines[FIRST][place].prefetched
        touch(r, FIRST, place, 0, store)
        out[look_up] = place << note.PLACES
    else:
        at = _note_asked(r, number, pc, out, at)
        at = _note_brought(r, FIRST, number, 0, store, look_up, out, at)
    count = 0
    for next_ in range(number + 1, number + 1 + ahead * cache.prefetch):
        if asks_ahead(r, FIRST, next_, 0):
            brought = at
            at = _note_asked(r, next_, pc, out, at + 1)
            at = _note_brought(r, FIRST, next_, 1, 0, brought, out, at)
            count += 1
    out[look_up] = out[look_up] | count << note.AHEAD
    return at


def _cache_bank(r: Any, level: Any, address: Any) -> Any:
    """Return the bank of a cache that a word address is in; 0 without a limit."""
    banks = r.cache_numbers[level].banks
    return 0 if banks == 0 else address % banks


@apart
def _note_word(r: Any, store: Any, address: Any, pc: Any, out: Any, at: Any) -> Any:
    """Note what a word does that goes to caches and main memory."""
    level = r.machine.vector_level
    r.counters[WORDS_LOADED] += 1 - store
    while level >= 0 and goes_through(r, level, store):
        out[at] = _cache_bank(r, level, address) * note.KINDS + note.THROUGH
        at += 1
        passes_by(r, level, address, pc, 0)
        level = below(r, level)
    if level < 0:
        opens = _opens(r, address)
        r.counters[MAIN_MEMORY_BYTES] += WORD_BYTES
        out[at] = bank_of(r, address) * note.KINDS + (note.OPENS if opens == 1 else note.BANK)
        return at + 1
    out[at] = _cache_bank(r, level, address) * note.KINDS + note.REQUEST
    if level == FIRST:
        return _note_in_first(r, address, store, pc, out, at + 1)
    return _note_in_last(r, address, store, pc, out, at + 1)


def _all_off(r: Any, instruction: Any, begin: Any, end: Any) -> Any:
    """Return whether the elements from ``begin`` to ``end`` (exclusive) are masked off."""
    off = instruction.masked == 1
    for k in range(begin, end):
        off = off and r.mask[k] == 0
    return off


def _goes_along(r: Any, instruction: Any, word: Any, address: Any) -> Any:
    """Return whether a word of a strided or indexed access goes along with an earlier one ("Merging")."""
    block_words, wide = r.machine.merge_bytes >> 2, words_of_element(instruction)
    if block_words == 0:
        return False
    for earlier in range(word - word % r.machine.merge_window, word):
        k = earlier // wide
        other = (r.address[k] >> 2) + earlier % wide
        if other // block_words == address // block_words and not _all_off(r, instruction, k, k + 1):
            return True
    return False


def _note_contiguous(r: Any, instruction: Any, n: Any, out: Any, at: Any) -> Any:
    """Note the words of a contiguous access."""
    base, size, done, through = r.address[0], instruction.record_bytes, 0, 0
    words = ((base + contiguous_bytes(r, instruction, n) - 1) >> 2) - (base >> 2) + 1
    for word in range(words):
        passed = 4 * (word + 1) - (base & 3)
        while through < n and (through + 1) * size <= passed:
            through += 1
        needed = through + 1 if through < n and through * size < passed else through
        if _all_off(r, instruction, done, needed):
            out[at] = note.OFF
            at += 1
        else:
            at = _note_word(r, instruction.store, (base >> 2) + word, instruction.number, out, at)
        done = through
    return at


def _note_apart(r: Any, instruction: Any, n: Any, out: Any, at: Any) -> Any:
    """Note the words of a strided or indexed access."""
    wide = words_of_element(instruction)
    for word in range(n * wide):
        k = word // wide
        address = (r.address[k] >> 2) + word % wide
        if _all_off(r, instruction, k, k + 1):
            out[at] = note.OFF
            at += 1
        elif _goes_along(r, instruction, word, address):
            r.counters[WORDS_MERGED] += 1
            out[at] = note.ALONG
            at += 1
        else:
            at = _note_word(r, instruction.store, address, instruction.number, out, at)
    return at


def note_access(r: Any, instruction: Any, n: Any, out: Any, at: Any) -> Any:
    """Note the words of an access.

    Parameters
    ----------
    n
        Its elements.
    out, at
        The integers that are written, and where the next goes.
    """
    out[at + 1] = r.counters[WORDS_LOADED]
    if instruction.pattern == CONTIGUOUS:
        end = _note_contiguous(r, instruction, n, out, at + note.HEAD)
    else:
        end = _note_apart(r, instruction, n, out, at + note.HEAD)
    out[at] = end - at
    return end
