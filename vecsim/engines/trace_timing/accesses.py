"""Vector accesses, word by word (docs/timing.md, "Accesses", "Banks", "Vector cache")."""

from __future__ import annotations

from typing import Any

from vecsim.engines.cause import Cause
from vecsim.engines.trace_timing import events, places
from vecsim.engines.trace_timing.elements import (
    TOGETHER,
    bound_of,
    complete,
    element_clear,
    is_masked_off,
    look_at,
    pass_element,
    registers_of,
    seen,
    seen_together,
    whole_clear,
)
from vecsim.engines.trace_timing.issue import charge, issue_vector, note_dispatch, port_free, retire
from vecsim.engines.trace_timing.operations import larger, spread, where
from vecsim.engines.trace_timing.words import arrival_of, bank_of, end_words, first_word, pass_word

MEMORY, PORT = events.MEMORY, places.FREE
STARTUP, ALIGNMENT, WORDS_PER_CYCLE, ADDRESSES_PER_CYCLE = (
    places.STARTUP,
    places.ALIGNMENT,
    places.WORDS_PER_CYCLE,
    places.ADDRESSES_PER_CYCLE,
)
SECTION, BANK_COUNT, END_COUNT, CHAINING, ENDS = (
    places.SECTION,
    places.BANK_COUNT,
    places.END_COUNT,
    places.CHAINING,
    places.ENDS,
)
SLICE_READY, SLICE_TAKEN, SLICE_READY_WITHOUT_SUMS = (
    places.SLICE_READY,
    places.SLICE_TAKEN,
    places.SLICE_READY_WITHOUT_SUMS,
)
DISPATCHED = places.DISPATCHED
STARTING, ALIGNING = int(Cause.STARTUP), int(Cause.ALIGNMENT)
STORE, RECORD_BYTES, ELEMENT_WORDS, WAITS = (
    events.STORE,
    events.RECORD_BYTES,
    events.ELEMENT_WORDS,
    events.WAITS,
)
LONG = 4096
"""Words after which an access is looked at again: until then no time overflows."""


def begin_access(t: Any, rows: Any, row: Any, shape: Any, number: Any) -> Any:
    """Issue and dispatch an access.

    Parameters
    ----------
    number
        That of the access among all.

    Returns
    -------
    answered, waited, cycle
        Up to when all cycles are attributed, how many later ones to waits, and when a word may go.
    """
    issued, answered = issue_vector(t, rows, row, shape, MEMORY, number)
    dispatched = larger(issued, larger(port_free(t, shape, number), t[DISPATCHED]))
    t[DISPATCHED] = dispatched
    note_dispatch(t, shape, MEMORY, number, dispatched)
    started = dispatched + t[STARTUP]
    waited = charge(t, STARTING, larger(dispatched, answered), started)
    return answered, waited, larger(started, t[shape[PORT] + MEMORY])


def begin_contiguous(t: Any, rows: Any, row: Any, shape: Any, number: Any, base: Any) -> Any:
    """The same for a contiguous access from byte ``base`` on, which waits a cycle if it is unaligned.

    Parameters
    ----------
    number
        That of the access among all.
    """
    answered, waited, cycle = begin_access(t, rows, row, shape, number)
    unaligned = ((t[ALIGNMENT] - 1) & base) > 0
    first = where(unaligned, cycle + 1, cycle)
    return answered, waited + charge(t, ALIGNING, larger(cycle, answered), first), first


def end_access(
    t: Any, rows: Any, row: Any, shape: Any, number: Any, answered: Any, waited: Any, last: Any
) -> Any:
    """Note that an access has ended; attribute its cycles; return from when its result is there.

    Parameters
    ----------
    number
        That of the access among all.
    answered
        Up to when all is attributed.
    waited
        How many cycles after that go to waits before its first word.
    last
        What was returned of its last word.
    """
    result = end_words(t, rows, row, rows[row + STORE], answered, waited, last)
    over = last[0] + 1
    t[shape[PORT] + MEMORY] = over
    t[shape[ENDS] + (number & (shape[END_COUNT] - 1))] = over
    complete(t, rows, row, shape, last[0], result)
    retire(t, result)
    return result


def all_masked_off(e: Any, mask: Any, begin: Any, stop: Any) -> Any:
    """Whether the elements from ``begin`` to ``stop`` are masked off.

    Parameters
    ----------
    e, mask
        The events, and where among them the bits of the mask are; 0 for none.
    """
    off = mask > 0
    for k in range(begin, stop):
        off = off and is_masked_off(e, mask, k) == 1
    return off


def time_contiguous(
    t: Any,
    rows: Any,
    row: Any,
    shape: Any,
    n: Any,
    number: Any,
    base: Any,
    count: Any,
    e: Any,
    mask: Any,
    notes: Any,
) -> None:
    """Time n records in ``count`` bytes from byte ``base`` on, to or from vector registers."""
    answered, waited, cycle = begin_contiguous(t, rows, row, shape, number, base)
    clear = bound_of(t, rows, row, shape)
    if rows[row + WAITS] > 0:
        clear = whole_clear(t, rows, row, shape, -1, clear)
    if rows[row + RECORD_BYTES] == 4 and base & 3 == 0:
        last = move_words(t, rows, row, shape, n, base, e, mask, notes, clear, answered, cycle)
    else:
        last = move_records(t, rows, row, shape, n, base, count, e, mask, notes, clear, answered, cycle)
    end_access(t, rows, row, shape, number, answered, waited, last)


def move_words(
    t: Any,
    rows: Any,
    row: Any,
    shape: Any,
    n: Any,
    base: Any,
    e: Any,
    mask: Any,
    notes: Any,
    clear: Any,
    answered: Any,
    cycle: Any,
) -> Any:
    """Move n elements of one word each; return what :func:`pass_word` does of the last."""
    rate, bank, named = t[WORDS_PER_CYCLE], bank_of(shape, base >> 2), registers_of(rows, row, shape)
    store = rows[row + STORE]
    last = first_word(t, shape, e, notes, store, cycle)
    for k in range(0, n, TOGETHER):
        looks = seen_together(t, rows, row, named, k)
        for j in range(min(TOGETHER, n - k)):
            look = look_at(looks, j)
            off = mask > 0 and is_masked_off(e, mask, k + j) == 1
            last = pass_word(t, shape, e, bank, rate, larger(clear, look[0]), answered, off, store, last)
            pass_element(t, rows, row, named, k + j, look, last[0], arrival_of(last))
            bank = bank + 1 if bank + 1 < shape[BANK_COUNT] else 0
    return last


def move_records(
    t: Any,
    rows: Any,
    row: Any,
    shape: Any,
    n: Any,
    base: Any,
    count: Any,
    e: Any,
    mask: Any,
    notes: Any,
    clear: Any,
    answered: Any,
    cycle: Any,
) -> Any:
    """Move n records of any length; return what :func:`pass_word` does of the last word."""
    rate, record, bank = t[WORDS_PER_CYCLE], rows[row + RECORD_BYTES], bank_of(shape, base >> 2)
    named, offset = registers_of(rows, row, shape), base & 3
    words = ((base + count - 1) >> 2) - (base >> 2) + 1
    store = rows[row + STORE]
    last = first_word(t, shape, e, notes, store, cycle)
    done, through, passed = 0, 0, record
    for word in range(words):
        behind = 4 * (word + 1) - offset
        while through < n and passed <= behind:  # the bytes of the elements through the next one
            through, passed = through + 1, passed + record
        needed = through + 1 if through < n and passed - record < behind else through
        for k in range(done, needed):
            clear = element_clear(t, rows, row, named, k, clear)
        off = all_masked_off(e, mask, done, needed)
        last = pass_word(t, shape, e, bank, rate, clear, answered, off, store, last)
        for k in range(done, through):
            look = seen(t, rows, row, named, k)
            pass_element(t, rows, row, named, k, look, last[0], arrival_of(last))
        done = through
        bank = bank + 1 if bank + 1 < shape[BANK_COUNT] else 0
    return last


def time_wordwise(t: Any, rows: Any, row: Any, shape: Any, n: Any, number: Any, e: Any, at: Any) -> None:
    """Time n elements, each at its address: a strided or indexed access.

    From place ``at`` among the events on is the word address of each, negative of one that is masked off.
    """
    answered, waited, cycle = begin_access(t, rows, row, shape, number)
    rate, named, store = t[ADDRESSES_PER_CYCLE], registers_of(rows, row, shape), rows[row + STORE]
    clear = bound_of(t, rows, row, shape)
    if rows[row + WAITS] > 0:
        clear = whole_clear(t, rows, row, shape, -1, clear)
    last = first_word(t, shape, e, at + n, store, cycle)
    for k in range(0, n, TOGETHER):
        looks = seen_together(t, rows, row, named, k)
        for j in range(min(TOGETHER, n - k)):
            look = look_at(looks, j)
            word = e[at + k + j]
            for i in range(rows[row + ELEMENT_WORDS]):
                bank = bank_of(shape, word + i)
                last = pass_word(
                    t, shape, e, bank, rate, larger(clear, look[0]), answered, word < 0, store, last
                )
            pass_element(t, rows, row, named, k + j, look, last[0], arrival_of(last))
    end_access(t, rows, row, shape, number, answered, waited, last)


def slices_clear(t: Any, shape: Any, store: Any, begin: Any, stop: Any, cycle: Any) -> Any:
    """From when the slices of the vector cache from ``begin`` to ``stop`` may be moved ("Vector cache")."""
    for slice_ in range(begin, stop):
        cycle = larger(cycle, t[shape[SLICE_READY] + slice_])
        if store == 0:
            cycle = larger(cycle, t[shape[SLICE_TAKEN] + slice_] + 1)
    return cycle


def mark_slices(t: Any, shape: Any, store: Any, begin: Any, stop: Any, cycle: Any, result: Any) -> None:
    """Note that elements of the slices from ``begin`` to ``stop`` pass in a cycle ("Vector cache")."""
    for slice_ in range(begin, stop):
        if store == 1:
            place = shape[SLICE_TAKEN] + slice_
            t[place] = larger(t[place], cycle)
        else:
            t[shape[SLICE_READY] + slice_] = result
            t[shape[SLICE_READY_WITHOUT_SUMS] + slice_] = result


def time_slices(
    t: Any,
    rows: Any,
    row: Any,
    shape: Any,
    n: Any,
    number: Any,
    base: Any,
    first: Any,
    e: Any,
    notes: Any,
) -> None:
    """Time n records from byte ``base`` on, to or from the vector cache from element ``first`` on.

    Parameters
    ----------
    number
        That of the access among all.
    """
    answered, waited, cycle = begin_contiguous(t, rows, row, shape, number, base)
    rate, record, store = t[WORDS_PER_CYCLE], rows[row + RECORD_BYTES], rows[row + STORE]
    s, bank_count = shape[SECTION], shape[BANK_COUNT]
    last_slice = (first + n - 1) // s + 1
    offset, bank = base & 3, bank_of(shape, base >> 2)
    words = ((base + n * record - 1) >> 2) - (base >> 2) + 1
    done, entered = 0, first // s
    through, passed = 0, record
    clear = spread(0)
    last = first_word(t, shape, e, notes, store, cycle)
    if shape[CHAINING] == 0:
        clear = slices_clear(t, shape, store, entered, last_slice, clear)
        entered = last_slice
    for word in range(words):
        behind = 4 * (word + 1) - offset
        while through < n and passed <= behind:
            through, passed = through + 1, passed + record
        needed = through + 1 if through < n and passed - record < behind else through
        enter = (first + needed - 1) // s + 1
        clear = slices_clear(t, shape, store, entered, enter, clear)
        entered = max(entered, enter)
        last = pass_word(t, shape, e, bank, rate, clear, answered, False, store, last)
        if through > done:
            begin, stop = (first + done) // s, (first + through - 1) // s + 1
            mark_slices(t, shape, store, begin, stop, last[0], arrival_of(last))
            done = through
        bank = bank + 1 if bank + 1 < bank_count else 0
        if word % LONG == 0:
            retire(t, last[0])
    result = end_access(t, rows, row, shape, number, answered, waited, last)
    if shape[CHAINING] == 0:
        mark_slices(t, shape, store, first // s, last_slice, last[0], result)
