"""How words pass port and banks, on machines whose memory is banks alone (docs/timing.md, "Banks").

The functions of :mod:`vecsim.engines.trace_timing.memory` with the same names take the place of these on
other machines.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.cause import Cause
from vecsim.engines.trace_timing import events, places
from vecsim.engines.trace_timing.issue import charge
from vecsim.engines.trace_timing.operations import larger, spread, where

CONFLICT = int(Cause.BANK_CONFLICT)
BANKS, BANK_COUNT, BANK_MASK, SKIPPING = places.BANKS, places.BANK_COUNT, places.BANK_MASK, places.SKIPPING
BANK_BUSY, CHARGES, WORK = places.BANK_BUSY, places.CHARGES, events.WORK


def after_notes(e: Any, notes: Any) -> Any:
    """Where the notes on the words of an access end, which begin at ``notes``: there are none."""
    return notes


def bank_of(shape: Any, word: Any) -> Any:
    """The bank of a word address."""
    return word & shape[BANK_MASK] if shape[BANK_MASK] >= 0 else word % shape[BANK_COUNT]


def skip(cycle: Any, clear: Any, in_cycle: Any, rate: Any, skipping: Any) -> Any:
    """Pass a word that is masked off, which takes no bank; return its cycle, and how many went in that.

    Parameters
    ----------
    cycle, in_cycle
        The cycle of the word before, and how many went in it.
    clear
        From when registers let it go.
    rate, skipping
        Most words of a cycle; 1 if this one does not count.
    """
    if skipping == 1:
        now = larger(cycle, clear)
        return now, where(now > cycle, 0, in_cycle)
    now = larger(where(in_cycle >= rate, cycle + 1, cycle), clear)
    return now, where(now > cycle, 1, in_cycle + 1)


def first_word(t: Any, shape: Any, e: Any, notes: Any, store: Any, cycle: Any) -> Any:
    """Return what :func:`pass_word` takes as ``before`` of the first word of an access.

    Parameters
    ----------
    notes
        Where the notes on its words begin.
    cycle
        From when it may go.
    """
    return cycle, spread(0), spread(0)


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
    """Transfer a word, or pass it if it is masked off.

    Parameters
    ----------
    bank, rate
        The number of its bank; most words of a cycle.
    masked_off
        Whether it is.

    Returns
    -------
    cycle, in_cycle, conflicts
        Its cycle, how many went in that, and the cycles that banks held words up, as ``before``.
    """
    cycle, in_cycle, conflicts = before
    if masked_off:
        now, count = skip(cycle, clear, in_cycle, rate, shape[SKIPPING])
        return now, count, conflicts
    free, place = where(in_cycle >= rate, cycle + 1, cycle), shape[BANKS] + bank
    now = larger(larger(free, clear), t[place])
    t[place] = now + t[BANK_BUSY]
    conflicts = conflicts + larger(now - larger(free, answered), 0)
    return now, where(now > cycle, 1, in_cycle + 1), conflicts


def arrival_of(last: Any) -> Any:
    """From when a word is where it goes, and all before it; ``last`` is what :func:`pass_word` returned."""
    return last[0] + 1


def end_words(t: Any, rows: Any, row: Any, store: Any, answered: Any, waited: Any, last: Any) -> Any:
    """Attribute the cycles of the words of an access; return from when its result is there.

    Parameters
    ----------
    waited
        How many cycles from ``answered`` on go to waits before the first word.
    last
        What :func:`pass_word` returned of the last word.
    """
    over, conflicts = last[0] + 1, last[2]
    t[CHARGES + CONFLICT] = t[CHARGES + CONFLICT] + conflicts
    spent = answered + waited + conflicts
    charge(t, rows[row + WORK], spent, larger(over, spent))
    return over
