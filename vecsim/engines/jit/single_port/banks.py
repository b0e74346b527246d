"""The memory banks of a machine with one port: which words hold them up to which cycle."""

from __future__ import annotations

from typing import Any

from vecsim.engines.jit.compiler.functions import inline, larger
from vecsim.engines.jit.state import PHASES
from vecsim.engines.state.row import NONE


@inline
def bank_of(word: Any, banks: Any) -> Any:
    """The bank of a word."""
    if banks & (banks - 1) == 0:
        return word & (banks - 1)
    return word % banks


@inline
def _pass_the_run(r: Any, first: Any, n: Any, cycle: Any) -> Any:
    """Return whether n words from word ``first`` on surely meet no word of the access before them.

    Word j and word j + d of that access, or d - ``banks``, meet at a bank. Both accesses go at the full rate,
    so that how long one is after the other differs by a cycle at the most. Neither may anything older be
    left at the banks, nor of that access when the next begins.
    """
    outcome, machine = r.outcome, r.machine
    banks, scale = machine.banks, machine.words_scale
    rate = machine.words_per_cycle
    last = cycle + ((n - 1) * scale >> 32)
    if cycle < outcome.settled_free or outcome.run_words == 0 or last + 1 < outcome.banks_free:
        return False
    d = bank_of(first, banks) - outcome.run_bank
    d += banks if d < 0 else 0
    behind = (d + 2 * rate - outcome.run_left - 1) * scale >> 32
    clear = d >= outcome.run_words or cycle >= outcome.run_cycle + behind + machine.bank_busy
    again = banks - d  # the first word that meets the first of that access at its bank, or later ones theirs
    ahead = again - rate + outcome.run_left
    follows = ahead >= 0 and cycle + (ahead * scale >> 32) >= outcome.run_cycle + machine.bank_busy
    return clear and (n <= again or follows or cycle + (again * scale >> 32) >= outcome.banks_free)


@inline
def banks_are_free(r: Any, first: Any, n: Any, cycle: Any) -> Any:
    """Return whether n words from word ``first`` on, which go from ``cycle`` on, meet no bank that is busy.

    If they may, banks are settled.

    Parameters
    ----------
    first
        Address of the first word, in words.
    n
        How many words.
    cycle
        The cycle of the first.
    """
    outcome, machine = r.outcome, r.machine
    if _pass_the_run(r, first, n, cycle):
        return True
    if outcome.run_words > 0:
        settle(r)
    banks, left = machine.banks, machine.words_per_cycle
    bank, word = bank_of(first, banks), 0
    while word < n and cycle < outcome.banks_free and r.banks[bank].free_at <= cycle:
        bank = bank + 1 if bank + 1 < banks else 0
        word, left = word + 1, left - 1
        if left == 0:
            cycle, left = cycle + 1, machine.words_per_cycle
    return word == n or cycle >= outcome.banks_free


@inline
def phase_behind(r: Any, first: Any, n: Any, cycle: Any) -> Any:
    """The phase of a stream of n words from word ``first`` on that starts in ``cycle`` at banks partly busy.

    Word k goes in cycle ``cycle`` + (k + phase) // ``words_per_cycle``: the stream is held up once, in its
    first cycle, or, phase 0, never. Gives NONE if it goes otherwise. Banks are settled.

    Parameters
    ----------
    first
        Address of the first word, in words.
    n
        How many words.
    cycle
        The cycle of the first.
    """
    outcome, banks, rate = r.outcome, r.machine.banks, r.machine.words_per_cycle
    bank, word, now, left, phase = bank_of(first, banks), 0, cycle, rate, 0
    steady = rate <= PHASES
    while steady and word < n and now < outcome.banks_free:
        free = r.banks[bank].free_at
        if free > now:
            steady = free == now + 1 and now == cycle and word > 0
            phase, now, left = left, now + 1, rate
        bank = bank + 1 if bank + 1 < banks else 0
        word, left = word + 1, left - 1
        if left == 0:
            now, left = now + 1, rate
    return phase if steady else NONE


@inline
def settle(r: Any) -> None:
    """Record the banks of the words that :func:`occupy` has postponed."""
    outcome, machine = r.outcome, r.machine
    bank, now, left = outcome.run_bank, outcome.run_cycle, outcome.run_left
    banks, busy = machine.banks, machine.bank_busy
    rate = machine.words_per_cycle
    for _ in range(outcome.run_words):
        r.banks[bank].free_at = now + busy
        bank = bank + 1 if bank + 1 < banks else 0
        left -= 1
        if left == 0:
            now, left = now + 1, rate
    outcome.run_words = 0
    outcome.settled_free = outcome.banks_free


@inline
def settle_before(r: Any, cycle: Any) -> None:
    """Settle the banks for an access whose words go one by one from ``cycle`` on."""
    if cycle < r.outcome.banks_free and r.outcome.run_words > 0:
        settle(r)
    r.outcome.run_words = 0


@inline
def occupy(r: Any, first: Any, word: Any, words: Any, cycle: Any, before: Any) -> Any:
    """Occupy banks with the words from ``word`` to ``words``, which go without waiting; give the last cycle.

    Word ``word`` goes in ``cycle``, after ``before`` others. Words that free their banks before the next
    access can begin are not recorded; the others are recorded only when an access comes that soon.

    Parameters
    ----------
    first
        Address of the access's first word, in words.
    word, words
        The first of the words that go, and the one after the last, counted from 0.
    cycle
        The cycle of the first.
    before
        How many words have gone in that cycle already.
    """
    outcome, machine = r.outcome, r.machine
    rate, scale = machine.words_per_cycle, machine.words_scale
    busy = machine.bank_busy
    last = cycle + ((before + words - 1 - word) * scale >> 32)
    tail = larger(word, words - busy * rate)
    ahead = (before + tail - word) * scale >> 32
    outcome.run_bank = bank_of(first + tail, machine.banks)
    outcome.run_words = words - tail
    outcome.run_cycle = cycle + ahead
    outcome.run_left = rate - (before + tail - word - ahead * rate)
    return last


@inline
def occupy_slowly(r: Any, first: Any, n: Any, schedule: Any, add: Any) -> Any:
    """Occupy banks with n words that go in the cycles of a schedule, later by ``add``; give the last.

    Words that free their banks before the next access can begin leave no trace.

    Parameters
    ----------
    first
        Address of the first word, in words.
    n
        How many words.
    schedule
        In whose cycles they go.
    """
    banks, busy, cycles = r.machine.banks, r.machine.bank_busy, r.schedules[schedule]
    r.outcome.run_words = 0
    last = cycles[n - 1] + add
    k, bank = n - 1, bank_of(first + n - 1, banks)
    while k >= 0 and cycles[k] + add + busy > last + 1:
        r.banks[bank].free_at = cycles[k] + add + busy
        bank = bank - 1 if bank > 0 else banks - 1
        k -= 1
    return last
