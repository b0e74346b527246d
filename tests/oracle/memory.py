"""Where words come from: main memory and caches (docs/timing.md, *Main memory* and *Caches*).

A request is answered at once with the cycle in which its line is ready, also where that lies far ahead: "all
changes of a cache happen in the order of the requests".
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from vecsim.machine import WORD_BYTES, Machine
from vecsim.machine import Cache as Numbers

VECTOR, SCALAR = 1, 2
"""The values of ``serves``; 3 is both."""


class Banks:
    """*Banks*, *Main memory*: the banks, their open rows and the path that all transfers share."""

    def __init__(self, machine: Machine, counters: Counter[str]) -> None:
        self.machine, self.counters = machine, counters
        self.free: Counter[int] = Counter()
        """The cycle from which each bank is free."""
        self.rows: dict[int, int] = {}
        """The open row of each bank."""
        self.path = Fraction(0)
        """P."""

    def _pass(self, number: int, t: int) -> Fraction:
        """Let bytes take the path; return the cycles that they need of it."""
        self.counters["main_memory_bytes"] += number
        memory = self.machine.main_memory
        if not memory.bytes:
            return Fraction(1)
        needed = Fraction(number * memory.cycles, memory.bytes)
        self.path = max(self.path, Fraction(t)) + needed
        return needed

    def _open(self, word: int) -> int:
        """*Open rows*: the cycles that it takes to open the row of a word."""
        memory, banks = self.machine.main_memory, self.machine.banks
        if not memory.row_words:
            return 0
        row = word // (banks * memory.row_words)
        if self.rows.get(word % banks) == row:
            return 0
        self.rows[word % banks] = row
        self.counters["rows_opened"] += 1
        return memory.row_miss

    def conditions(self, word: int, store: bool) -> dict[str, int]:
        """The cycles from which the bank of a word and the path are free."""
        return {"bank_conflict": self.free[word % self.machine.banks], "bandwidth": math.floor(self.path)}

    def take(self, word: int, store: bool, t: int, kind: int) -> int:
        """Transfer a word from cycle t on; return when it has arrived."""
        t = max(t, *self.conditions(word, store).values())
        opening = self._open(word)
        self.free[word % self.machine.banks] = t + self.machine.bank_busy + opening
        self._pass(WORD_BYTES, t)
        return t + 1 + self.machine.main_memory.latency + opening

    def line(self, begin: int, size: int, u: int) -> int:
        """*Lines*: read or write a line from cycle u on; return when it has arrived."""
        machine, count = self.machine, size // WORD_BYTES
        words = [begin // WORD_BYTES + i for i in range(min(count, machine.banks))]
        started = max([u, math.floor(self.path), *(self.free[word % machine.banks] for word in words)])
        opening = max([self._open(word) for word in words])
        busy = opening + machine.bank_busy * -(-count // machine.banks)
        for word in words:
            self.free[word % machine.banks] = started + busy
        passing = math.ceil(self._pass(size, started))
        return started + opening + machine.main_memory.latency + passing

    def write(self, begin: int, size: int, u: int) -> None:
        """Write a changed line."""
        self.line(begin, size, u)


@dataclass(eq=False)
class Line:
    """A line of a cache, also before it has arrived.

    Attributes
    ----------
    number
        Its first byte divided by ``line_bytes``.
    arrival
        When it is in the cache.
    room
        The cycle from which the cache could wait for it when it asked for it.
    """

    number: int
    arrival: int
    room: int
    came: int
    used: int
    changed: bool = False
    prefetched: bool = False


class Cache:
    """*Caches*: one of them, and what lies below it."""

    def __init__(self, name: str, numbers: Numbers, below: Cache | Banks, memory: Banks, size: int) -> None:
        self.name, self.numbers, self.below, self.memory, self.size = name, numbers, below, memory, size
        self.sets: list[list[Line | None]] = [[None] * numbers.ways for _ in range(numbers.sets)]
        self.free: Counter[int] = Counter()
        """The cycle from which each of its banks is free."""
        self.arrivals: list[int] = []
        """The latest arrivals of lines, in order: as many as it waits for at most."""
        self.entered = 0
        """G."""
        self.clock = 0

    def _count(self, what: str, number: int = 1) -> None:
        self.memory.counters[f"{self.name}_{what}"] += number

    def _find(self, number: int) -> Line | None:
        held = [line for line in self.sets[number % len(self.sets)] if line and line.number == number]
        return held[0] if held else None

    def _number(self, word: int) -> int:
        return word * WORD_BYTES // self.numbers.line_bytes

    def _room(self) -> int:
        """The cycle from which it waits for fewer than ``misses`` lines."""
        most = self.numbers.misses
        return self.arrivals[0] if 0 < most <= len(self.arrivals) else 0

    def _bank(self, word: int) -> int | None:
        return word % self.numbers.banks if self.numbers.banks else None

    def conditions(self, word: int, store: bool) -> dict[str, int]:
        """*Words of vector accesses*: the cycles from which a word is not held up."""
        bank = self._bank(word)
        free = 0 if bank is None else self.free[bank]
        conditions = {"bank_conflict": free}
        if store and not self.numbers.write_back:
            conditions |= self.below.conditions(word, store)
            conditions["bank_conflict"] = max(conditions["bank_conflict"], free)
        elif not self.numbers.perfect:
            line = self._find(self._number(word))
            conditions["words_awaited"] = line.room if line else self._room()
        return conditions

    def take(self, word: int, store: bool, t: int, kind: int) -> int:
        """Make the request of a word of an access; return when its line is ready."""
        bank = self._bank(word)
        if kind == VECTOR and bank is not None:
            self.free[bank] = t + 1
        if store and not self.numbers.write_back:
            self._look_up(word)
            return self.below.take(word, store, t, kind)
        return self._request(word, store, t)

    def line(self, begin: int, size: int, u: int) -> int:
        """Answer the cache above, which asks from cycle u on."""
        word = begin // WORD_BYTES
        bank = self._bank(word)
        if bank is not None:
            u = max(u, self.free[bank])
            self.free[bank] = u + 1
        return self._request(word, False, u)

    def write(self, begin: int, size: int, u: int) -> None:
        """Take a changed line of the cache above: *Stores*."""
        line = self._find(begin // self.numbers.line_bytes)
        if self.numbers.write_back and (line or self.numbers.perfect):
            if line:
                line.changed = True
        else:
            self.memory.line(begin, size, u)

    def _use(self, line: Line) -> bool:
        """Note a use; return whether it is the first of a line that was prefetched."""
        self.clock += 1
        line.used, first, line.prefetched = self.clock, line.prefetched, False
        return first

    def _look_up(self, word: int) -> None:
        line = self._find(self._number(word))
        self._count("hits" if line or self.numbers.perfect else "misses")
        if line:
            self._use(line)

    def _request(self, word: int, store: bool, t: int) -> int:
        hit_time, number = t + 1 + self.numbers.hit_latency, self._number(word)
        line = self._find(number)
        if self.numbers.perfect:
            self._count("hits")
            return hit_time
        self._count("hits" if line else "misses")
        if line:
            line.changed |= store
            if self._use(line):
                self._prefetch(number, t)
            return max(hit_time, line.arrival)
        line = self._fetch(number, max(t, self._room()) + 1 + self.numbers.hit_latency)
        line.changed = store
        self._prefetch(number, t)
        return line.arrival

    def _prefetch(self, number: int, t: int) -> None:
        for other in range(number + 1, number + 1 + self.numbers.prefetch):
            inside = (other + 1) * self.numbers.line_bytes <= self.size
            if inside and not self._find(other) and self._room() <= t:
                self._count("prefetches")
                self._fetch(other, t + 1 + self.numbers.hit_latency).prefetched = True

    def _fetch(self, number: int, u: int) -> Line:
        """Ask for a line at u, and put it into its set."""
        size = self.numbers.line_bytes
        arrival = self.below.line(number * size, size, u)
        if self.numbers.refill_bytes:
            arrival = max(arrival, self.entered) + -(-size // self.numbers.refill_bytes)
            self.entered = arrival
        room = self._room()
        self.arrivals = sorted([*self.arrivals, arrival])[-self.numbers.misses :]
        self._count("refill_bytes", size)
        self.clock += 1
        line = Line(number, arrival, room, self.clock, self.clock)
        self._place(line, u)
        return line

    def _place(self, line: Line, u: int) -> None:
        """*Who is replaced*, and where it goes, from u on."""
        places = self.sets[line.number % len(self.sets)]
        if None in places:
            places[places.index(None)] = line
            return
        held = [each for each in places if each]
        victim = min(held, key=lambda each: each.came if self.numbers.replacement else each.used)
        places[places.index(victim)] = line
        self._count("evictions")
        if victim.changed:
            self._count("write_backs")
            size = self.numbers.line_bytes
            self.below.write(victim.number * size, size, u)


class Memory:
    """All that lies after the ports of a machine, and what is counted there."""

    def __init__(self, machine: Machine, size: int) -> None:
        self.counters: Counter[str] = Counter()
        self.banks = Banks(machine, self.counters)
        self.caches: list[Cache] = []
        for name, numbers in (("l2", machine.l2), ("l1", machine.l1)):
            if numbers.bytes:
                below = self.caches[0] if self.caches else self.banks
                self.caches.insert(0, Cache(name, numbers, below, self.banks, size))

    def first(self, kind: int) -> Cache | Banks:
        """What vector or scalar accesses go to first."""
        return next((cache for cache in self.caches if cache.numbers.serves & kind), self.banks)

    def conditions(self, word: int, store: bool) -> dict[str, int]:
        """By cause, the cycle from which a word of a vector access may be transferred."""
        return self.first(VECTOR).conditions(word, store)

    def take(self, word: int, store: bool, t: int) -> int:
        """Transfer a word of a vector access in cycle t; return when memory has it for the port."""
        return self.first(VECTOR).take(word, store, t, VECTOR)

    def scalar(self, address: int, store: bool, t: int) -> int:
        """Make the request of a scalar access; return when it is ready, 0 of one that no cache serves."""
        first = self.first(SCALAR)
        if isinstance(first, Banks):
            return 0
        return first.take(address // WORD_BYTES, store, t, SCALAR)
