"""How words pass port, caches and main memory, by what is noted of them (docs/timing.md, "Caches").

These functions take the place of those of :mod:`vecsim.engines.trace_timing.words`.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.cause import Cause
from vecsim.engines.trace_timing import events, places
from vecsim.engines.trace_timing import notes as note
from vecsim.engines.trace_timing.issue import charge
from vecsim.engines.trace_timing.lines import (
    bank_free,
    first_looks_up,
    last_looks_up,
    line_free,
    pass_bytes,
    take_bank,
)
from vecsim.engines.trace_timing.operations import larger, spread, where
from vecsim.engines.trace_timing.words import skip

CONFLICT, AWAITED, BANDWIDTH = int(Cause.BANK_CONFLICT), int(Cause.WORDS_AWAITED), int(Cause.BANDWIDTH)
FIRST, LAST = 0, 1
CHARGES, ARRIVED, ARRIVALS, BANKS, BANK_BUSY, ROW_MISS, MEMORY_LATENCY, PATH = (
    places.CHARGES,
    places.ARRIVED,
    places.ARRIVALS,
    places.BANKS,
    places.BANK_BUSY,
    places.ROW_MISS,
    places.MEMORY_LATENCY,
    places.PATH,
)
OUTSTANDING, PATH_BYTES, VECTOR_LEVEL, SKIPPING = (
    places.OUTSTANDING,
    places.PATH_BYTES,
    places.VECTOR_LEVEL,
    places.SKIPPING,
)
WORK, REST = events.WORK, events.REST


def after_notes(e: Any, notes: Any) -> Any:
    """Where the notes on the words of an access end, which begin at ``notes``."""
    return notes + e[notes]


def first_word(t: Any, shape: Any, e: Any, notes: Any, store: Any, cycle: Any) -> Any:
    """Return what :func:`pass_word` takes as ``before`` of the first word of an access.

    Parameters
    ----------
    notes
        Where the notes on its words begin.
    cycle
        From when it may go.
    """
    arrived = spread(0) if store == 1 else t[ARRIVED]
    oldest = e[notes + 1] % shape[OUTSTANDING] if shape[OUTSTANDING] > 0 else 0
    return cycle, spread(0), spread(0), spread(0), spread(0), arrived, oldest, notes + note.HEAD


def pass_word(
    t: Any,
    shape: Any,
    e: Any,
    bank: Any,
    rate: Any,
    clear: Any,
    answered: Any,
    masked_off: Any,
    store: Any,
    before: Any,
) -> Any:
    """Transfer a word, or pass it if it goes along or is masked off; what it does is noted.

    Parameters
    ----------
    bank, masked_off
        Noted, too, and not read.
    rate
        Most words of a cycle.

    Returns
    -------
    cycle, in_cycle, conflicts, awaited, limited
        Its cycle, how many went in that, and the cycles that busy banks, words and lines that are waited for,
        and the path of main memory held words up.
    arrived, oldest, at
        From when it and all before it are there; where among the arrivals that of the oldest word is that
        the port may wait for; where the next note is.
    """
    cycle, in_cycle, conflicts, awaited, limited, arrived, oldest, at = before
    kind = e[at] & (note.KINDS - 1)
    if kind <= note.ALONG:
        skipping = 1 if kind == note.ALONG else shape[SKIPPING]
        now, count = skip(cycle, clear, in_cycle, rate, skipping)
        return now, count, conflicts, awaited, limited, larger(arrived, now + 1), oldest, at + 1
    free = where(in_cycle >= rate, cycle + 1, cycle)
    earliest, waits = larger(free, clear), store == 0 and shape[OUTSTANDING] > 0
    place = shape[ARRIVALS] + oldest
    room = t[place] if waits else spread(0)
    earliest = larger(earliest, room)
    if kind <= note.OPENS:
        now, arrival, held = pass_bank(t, shape, e[at], store, earliest)
        at, looked_up = at + 1, 0
    else:
        now, arrival, held, at, looked_up = pass_caches(t, shape, e, at, store, earliest)
    late = larger(now - larger(free, answered), 0)
    at_bank = where(now <= held, late, 0)
    late = late - at_bank
    if looked_up == 0:
        on_path = where(now <= room, 0, late)
        limited, late = limited + on_path, late - on_path
    arrived = larger(arrived, arrival)
    if waits:
        t[place] = arrived
        oldest = oldest + 1 if oldest + 1 < shape[OUTSTANDING] else 0
    count = where(now > cycle, 1, in_cycle + 1)
    return now, count, conflicts + at_bank, awaited + late, limited, arrived, oldest, at


def pass_bank(t: Any, shape: Any, noted: Any, store: Any, earliest: Any) -> Any:
    """Let a word go to or from main memory.

    Parameters
    ----------
    noted
        The note on it.
    earliest
        From when all else lets it go.

    Returns
    -------
    now, arrival, held
        Its cycle, from when it is where it goes, and from when its bank was free.
    """
    place = shape[BANKS] + (noted >> 3)
    held = t[place]
    now = larger(earliest, held)
    if shape[PATH_BYTES] > 0:
        now = larger(now, t[PATH])
        pass_bytes(t, shape, now, t[places.WORD_CYCLES], t[places.WORD_PART])
    begun = now + t[ROW_MISS] if noted & (note.KINDS - 1) == note.OPENS else now
    t[place] = begun + t[BANK_BUSY]
    return now, now + 1 if store == 1 else begun + t[MEMORY_LATENCY] + 1, held


def pass_caches(t: Any, shape: Any, e: Any, at: Any, store: Any, earliest: Any) -> Any:
    """Let a word go to a cache, or through caches to what follows them.

    Parameters
    ----------
    at
        Where the note on it is.
    earliest
        From when all else lets it go.

    Returns
    -------
    now, arrival, held
        As of :func:`pass_bank`; the latter of all banks that it takes.
    at, looked_up
        Where the next note is; 1 if a cache looked its line up, 0 if it went through.
    """
    level, first, second = shape[VECTOR_LEVEL], e[at] >> 3, -1
    held = bank_free(t, shape, level, first)
    if e[at] & (note.KINDS - 1) == note.THROUGH:
        at += 1
        if e[at] & (note.KINDS - 1) >= note.REQUEST:
            level, second = LAST, e[at] >> 3
            held = larger(held, bank_free(t, shape, LAST, second))
            if e[at] & (note.KINDS - 1) == note.THROUGH:
                at += 1
    earliest, looked_up = larger(earliest, held), 0
    if e[at] & (note.KINDS - 1) == note.REQUEST:
        at, looked_up = at + 1, 1
        now = larger(earliest, line_free(t, shape, level, e[at]))
        if level == FIRST:
            arrival, at = first_looks_up(t, shape, e, at, now)
        else:
            arrival, at = last_looks_up(t, shape, e, at, now)
    else:
        now, arrival, main = pass_bank(t, shape, e[at], 1, earliest)
        held, at = larger(held, main), at + 1
    take_bank(t, shape, shape[VECTOR_LEVEL], first, now)
    if second >= 0:
        take_bank(t, shape, LAST, second, now)
    return now, arrival, held, at, looked_up


def arrival_of(last: Any) -> Any:
    """From when a word is where it goes, and all before it; ``last`` is what :func:`pass_word` returned."""
    return last[5]


def end_words(t: Any, rows: Any, row: Any, store: Any, answered: Any, waited: Any, last: Any) -> Any:
    """Attribute the cycles of the words of an access; return from when its result is there.

    Parameters
    ----------
    waited
        How many cycles from ``answered`` on go to waits before the first word.
    last
        What :func:`pass_word` returned of the last word.
    """
    over, conflicts, awaited, limited = last[0] + 1, last[2], last[3], last[4]
    t[CHARGES + CONFLICT] = t[CHARGES + CONFLICT] + conflicts
    t[CHARGES + AWAITED] = t[CHARGES + AWAITED] + awaited
    t[CHARGES + BANDWIDTH] = t[CHARGES + BANDWIDTH] + limited
    spent = answered + waited + conflicts + awaited + limited
    charge(t, rows[row + WORK], spent, larger(over, spent))
    if store == 1:
        return over
    result = last[5]
    t[ARRIVED] = result
    charge(t, rows[row + REST], larger(over, answered), result)
    return result
