"""The memory banks of a machine with one port: which words hold them up to which cycle."""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import outcomes, parameter
from vecsim.engines.columns.tracks import PHASES
from vecsim.engines.decoded import NONE
from vecsim.engines.jit.compiler.functions import inline, larger


@inline
def bank_of(word: Any, banks: Any) -> Any:
    """The bank of a word."""
    if banks & (banks - 1) == 0:
        return word & (banks - 1)
    return word % banks


@inline
def _pass_the_run(r: Any, first: Any, n: Any, cycle: Any) -> Any:
    """Tell whether n words from word ``first`` on surely meet no word of the access before them.

    Word j and word j + d of that access, or d - ``banks``, meet at a bank. Both accesses go at the full rate,
    so that how long one is behind the other differs by a cycle at the most. Neither may anything older be
    left at the banks, nor of that access when the next begins.
    """
    outcome, machine = r.outcome, r.machine
    banks, scale = machine[parameter.BANKS], machine[parameter.WORDS_SCALE]
    rate = machine[parameter.WORDS_PER_CYCLE]
    last = cycle + ((n - 1) * scale >> 32)
    if (
        cycle < outcome[outcomes.SETTLED_FREE]
        or outcome[outcomes.RUN_WORDS] == 0
        or last + 1 < outcome[outcomes.BANKS_FREE]
    ):
        return False
    d = bank_of(first, banks) - outcome[outcomes.RUN_BANK]
    d += banks if d < 0 else 0
    behind = (d + 2 * rate - outcome[outcomes.RUN_LEFT] - 1) * scale >> 32
    clear = (
        d >= outcome[outcomes.RUN_WORDS]
        or cycle >= outcome[outcomes.RUN_CYCLE] + behind + machine[parameter.BANK_BUSY]
    )
    return clear and (n <= banks - d or cycle + ((banks - d) * scale >> 32) >= outcome[outcomes.BANKS_FREE])


@inline
def banks_are_free(r: Any, first: Any, n: Any, cycle: Any) -> Any:
    """Tell whether n words from word ``first`` on, which go from ``cycle`` on, meet no bank that is busy.

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
    if outcome[outcomes.RUN_WORDS] > 0:
        settle(r)
    banks, left = machine[parameter.BANKS], machine[parameter.WORDS_PER_CYCLE]
    bank, word = bank_of(first, banks), 0
    while word < n and cycle < outcome[outcomes.BANKS_FREE] and r.bank_free[bank] <= cycle:
        bank = bank + 1 if bank + 1 < banks else 0
        word, left = word + 1, left - 1
        if left == 0:
            cycle, left = cycle + 1, machine[parameter.WORDS_PER_CYCLE]
    return word == n or cycle >= outcome[outcomes.BANKS_FREE]


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
    outcome, banks, rate = r.outcome, r.machine[parameter.BANKS], r.machine[parameter.WORDS_PER_CYCLE]
    bank, word, now, left, phase = bank_of(first, banks), 0, cycle, rate, 0
    steady = rate <= PHASES
    while steady and word < n and now < outcome[outcomes.BANKS_FREE]:
        free = r.bank_free[bank]
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
    """Note the banks of the words of which :func:`occupy` has put this off."""
    outcome, machine = r.outcome, r.machine
    bank, now, left = outcome[outcomes.RUN_BANK], outcome[outcomes.RUN_CYCLE], outcome[outcomes.RUN_LEFT]
    banks, busy = machine[parameter.BANKS], machine[parameter.BANK_BUSY]
    rate = machine[parameter.WORDS_PER_CYCLE]
    for _ in range(outcome[outcomes.RUN_WORDS]):
        r.bank_free[bank] = now + busy
        bank = bank + 1 if bank + 1 < banks else 0
        left -= 1
        if left == 0:
            now, left = now + 1, rate
    outcome[outcomes.RUN_WORDS] = 0
    outcome[outcomes.SETTLED_FREE] = outcome[outcomes.BANKS_FREE]


@inline
def settle_before(r: Any, cycle: Any) -> None:
    """Settle the banks for an access whose words go one by one from ``cycle`` on."""
    if cycle < r.outcome[outcomes.BANKS_FREE] and r.outcome[outcomes.RUN_WORDS] > 0:
        settle(r)
    r.outcome[outcomes.RUN_WORDS] = 0


@inline
def occupy(r: Any, first: Any, word: Any, words: Any, cycle: Any, before: Any) -> Any:
    """Occupy banks with the words from ``word`` to ``words``, which go without waiting; give the last cycle.

    Word ``word`` goes in ``cycle``, after ``before`` others. Words that free their banks before the next
    access can begin leave no trace, and the trace of the others is drawn only when an access comes so soon.

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
    rate, scale = machine[parameter.WORDS_PER_CYCLE], machine[parameter.WORDS_SCALE]
    busy = machine[parameter.BANK_BUSY]
    last = cycle + ((before + words - 1 - word) * scale >> 32)
    tail = larger(word, words - busy * rate)
    ahead = (before + tail - word) * scale >> 32
    outcome[outcomes.RUN_BANK] = bank_of(first + tail, machine[parameter.BANKS])
    outcome[outcomes.RUN_WORDS] = words - tail
    outcome[outcomes.RUN_CYCLE] = cycle + ahead
    outcome[outcomes.RUN_LEFT] = rate - (before + tail - word - ahead * rate)
    return last


@inline
def occupy_slowly(r: Any, first: Any, n: Any, at: Any, add: Any) -> Any:
    """Occupy banks with n words that go in the cycles of a track at ``at``, later by ``add``; give the last.

    Words that free their banks before the next access can begin leave no trace.

    Parameters
    ----------
    first
        Address of the first word, in words.
    n
        How many words.
    at
        Where in ``Scratch.tracks`` the track begins.
    """
    banks, busy, tracks = r.machine[parameter.BANKS], r.machine[parameter.BANK_BUSY], r.tracks
    r.outcome[outcomes.RUN_WORDS] = 0
    last = tracks[at + n - 1] + add
    k, bank = n - 1, bank_of(first + n - 1, banks)
    while k >= 0 and tracks[at + k] + add + busy > last + 1:
        r.bank_free[bank] = tracks[at + k] + add + busy
        bank = bank - 1 if bank > 0 else banks - 1
        k -= 1
    return last
