"""The words of all ports, cycle by cycle, in the order of the age of their accesses.

What a port transfers is a *stream*: its words, from when registers let each of them go, and how far that is
known. Accesses that are no streams go by the rules of :mod:`vecsim.engines.rules.ports`.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.jit.compiler.functions import apart
from vecsim.engines.jit.multiport.cached import pass_cached
from vecsim.engines.jit.multiport.streams import (
    CACHED,
    FLAT,
    GENERAL,
    GOES,
    NOT_KNOWN,
    NOT_READY,
    STALLED,
    book_words,
    find_limit,
    note_wait,
    note_words,
)
from vecsim.engines.jit.multiport.units import advance_units, look_at_all
from vecsim.engines.jit.multiport.wake_ups import wake_followers
from vecsim.engines.jit.state import AHEAD, PORT
from vecsim.engines.rules.numbers import NEVER, larger, smaller
from vecsim.engines.rules.ports import run_port
from vecsim.engines.state import causes


@apart
def pass_words(r: Any, cycle: Any, until: Any) -> Any:
    """Transfer words before ``until``; return whether something may have changed for others.

    The streams of all ports with one go on until the first of their accesses ends, or they wait for what no
    other word brings. ``cycle`` is the clock.
    """
    now = _first_cycle(r, cycle)
    until, ended = smaller(until, now + AHEAD), False
    while now < until:
        alone = _alone_until(r, now, until)
        if alone > now + 1:
            ended = _pass_alone(r, now, alone)
        else:
            ended = _pass_all(r, now, cycle)
            now += 1
            r.outcome.words_until = now
        if ended:
            break
        now = larger(now, _next_cycle(r))
    catch_up(r, cycle)
    blocked = 0
    for k in range(r.outcome.streams):
        blocked += r.moving[r.turns[k]].blocked
    return ended or (blocked > 0 and r.outcome.news == 1)


@apart
def _step(r: Any, port: Any, moving: Any, now: Any) -> None:
    """Transfer the words of an access that is no stream, in the cycle of the clock."""
    accesses = r.ports[port].accesses
    moving.at = r.wake_ups[PORT + port] = run_port(r, port, now, now + 1)
    if r.scratch.started > 0:
        wake_followers(r, now + 1)
    if r.ports[port].accesses < accesses:
        look_at_all(r, now)
        r.outcome.news = 1


def _first_cycle(r: Any, cycle: Any) -> Any:
    """Return the cycle of the first word that may go."""
    for k in range(r.outcome.streams):
        moving = r.moving[r.turns[k]]
        if moving.at < NEVER:
            moving.at = larger(moving.at, cycle)
    return _next_cycle(r)


def _next_cycle(r: Any) -> Any:
    """Return the next cycle in which a word may go, and let blocked streams wait from there."""
    following, blocked = NEVER, 0
    for k in range(r.outcome.streams):
        moving = r.moving[r.turns[k]]
        following = smaller(following, moving.at)
        blocked += moving.blocked
    return _wait_for_words(r, following) if blocked > 0 else following


def _alone_until(r: Any, now: Any, until: Any) -> Any:
    """Return the cycle up to which one stream alone acts from ``now`` on; ``now`` if several do."""
    acting = 0
    for k in range(r.outcome.streams):
        moving = r.moving[r.turns[k]]
        if moving.at > now:
            until = smaller(until, moving.at)
        else:
            acting += 1 if moving.kind == FLAT and moving.word < moving.limit else 2
    return until if acting == 1 else now


def _pass_all(r: Any, now: Any, cycle: Any) -> Any:
    """Transfer the words of all ports in cycle ``now``; return whether to look around then."""
    ended = False
    for k in range(r.outcome.streams):
        port = r.turns[k]
        moving = r.moving[port]
        if moving.at <= now:
            if moving.kind == GENERAL:
                _step(r, port, moving, now)
                ended = True
            else:
                _pass_cycle(r, port, moving, now, cycle)
                ended = ended or moving.word == moving.words
    return ended


@apart
def _pass_alone(r: Any, now: Any, until: Any) -> Any:
    """Transfer words of the only stream that acts before ``until``; return whether its access has ended."""
    k = 0
    while r.moving[r.turns[k]].at > now:
        k += 1
    port = r.turns[k]
    moving = r.moving[port]
    word, known, rate, free = moving.word, smaller(moving.words, moving.limit), moving.rate, moving.free
    clear, contiguous, wide = moving.clear == 1, moving.contiguous == 1, moving.wide == 1
    addresses, base, earliest, went = r.word_address[moving.slot], moving.base, r.earliest[port], r.went[port]
    all_banks, banks, busy_for = r.banks, r.machine.banks, r.machine.bank_busy
    mask, last, in_cycle = banks - 1, moving.last, moving.in_cycle
    power, begin = banks & mask == 0, moving.word
    while word < known:
        if contiguous:
            address = base + word
        else:
            address = addresses[word >> 1] + (word & 1) if wide else addresses[word]
        bank = all_banks[address & mask if power else address % banks]
        start = larger(larger(free, now), bank.free_at)
        if not clear:
            start = larger(start, earliest[word])
        if start >= until:
            moving.at = start
            break
        if start > free:
            moving.free = free
            note_wait(r, port, moving, word, start, causes.BANK_CONFLICT)
        bank.free_at = start + busy_for
        went[word] = start
        moving.used += 1 if start > last else 0
        in_cycle = in_cycle + 1 if start == last else 1
        last = start
        free = start + 1 if in_cycle == rate else start
        word += 1
    if begin == 0 and word > 0:
        moving.started = went[0]
    moving.word, moving.last, moving.in_cycle, moving.free = word, last, in_cycle, free
    if word == known:
        moving.at = NEVER if word == moving.words else larger(free, now)
    r.outcome.words_until = larger(r.outcome.words_until, larger(last, now) + 1)
    return word == moving.words


def _wait_for_words(r: Any, following: Any) -> Any:
    """Let blocked streams look again when what goes in ``following`` may have let them go; return the first.

    NEVER if there is no such word.
    """
    result = following
    for k in range(r.outcome.streams):
        moving = r.moving[r.turns[k]]
        if moving.blocked == 1 and moving.at == NEVER and following < NEVER:
            moving.at = smaller(following + moving.window, NEVER)
            result = smaller(result, moving.at)
    return result


@apart
def catch_up(r: Any, cycle: Any) -> None:
    """Note what the words that have gone change, and time what follows them."""
    for k in range(r.outcome.streams):
        port = r.turns[k]
        moving = r.moving[port]
        if moving.word > moving.noted:
            note_words(r, port, moving, cycle)
    if advance_units(r, cycle):
        r.outcome.news = 1
    for k in range(r.outcome.streams):
        port = r.turns[k]
        book_words(r, port, r.moving[port])


def _pass_cycle(r: Any, port: Any, moving: Any, now: Any, cycle: Any) -> None:
    """Transfer the words of a stream that can go in cycle ``now``."""
    if moving.limit == moving.word:
        _look_again(r, port, moving, cycle)
        if moving.blocked == 1:
            moving.at = NEVER
        if moving.at > now:
            return
    begin, gone = moving.word, moving.in_cycle if moving.last == now else 0
    end, moving.at = smaller(begin + moving.rate - gone, moving.words), now + 1
    why = _pass_known(r, port, moving, now, end)
    while why == NOT_KNOWN:
        word = moving.word
        _note_passed(moving, begin - gone, now)
        _look_again(r, port, moving, cycle)
        if moving.limit == word:
            moving.at = NEVER
            break
        moving.at = now + 1
        why = _pass_known(r, port, moving, now, end)
    _note_passed(moving, begin - gone, now)
    if why == NOT_READY:
        moving.at = r.earliest[port][moving.word]
    elif moving.word == moving.words:
        moving.at = NEVER


def _note_passed(moving: Any, begin: Any, now: Any) -> None:
    """Note that words go in a cycle, all from ``begin`` on."""
    count = moving.word - begin
    if count > 0:
        if moving.last < now:
            moving.used += 1
            if begin == 0:
                moving.started = now
        moving.last, moving.in_cycle = now, count
        moving.free = now + 1 if count == moving.rate else now


def _look_again(r: Any, port: Any, moving: Any, cycle: Any) -> None:
    """Find out how far a stream may go after all words that have gone."""
    catch_up(r, cycle)
    find_limit(r, port, moving)


def _pass_known(r: Any, port: Any, moving: Any, now: Any, end: Any) -> Any:
    """Transfer words before ``end`` as long as they can go in a cycle; return why no more do.

    Where memory holds one up, ``at`` is the cycle in which to look again.
    """
    if moving.kind == CACHED:
        return pass_cached(r, port, moving, now, end)
    word, known, clear, contiguous = (
        moving.word,
        smaller(end, moving.limit),
        moving.clear == 1,
        moving.contiguous == 1,
    )
    addresses, base, earliest, went = r.word_address[moving.slot], moving.base, r.earliest[port], r.went[port]
    all_banks, banks, busy_for, why = r.banks, r.machine.banks, r.machine.bank_busy, GOES
    mask = banks - 1
    power, wide, free = banks & mask == 0, moving.wide == 1, moving.free
    while word < known:
        if not clear and earliest[word] > now:
            why = NOT_READY
            break
        if contiguous:
            address = base + word
        else:
            address = addresses[word >> 1] + (word & 1) if wide else addresses[word]
        bank = all_banks[address & mask if power else address % banks]
        if bank.free_at > now:
            moving.at, why = bank.free_at, STALLED
            break
        if now > free:
            note_wait(r, port, moving, word, now, causes.BANK_CONFLICT)
            free = now
        bank.free_at = now + busy_for
        went[word] = now
        word += 1
    moving.word = word
    return NOT_KNOWN if word == known and known < end else why
