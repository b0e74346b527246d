"""The oracle of time: a machine looked at cycle by cycle, from docs/timing.md alone.

In each cycle come first dispatch and issue, which depend on earlier cycles and on each other alone, then
elements and words, all in the order of age. What may go on does; of what may not, the cycle from which it
could is noted, if it is known. After a cycle in which nothing goes on comes the first that was noted.

Whatever an instruction waits for is older than it. So one look at all of them by age gives each cycle its
due: also at banks and caches, where scalar accesses go first, "then the ports, the one with the older access
first" (*Banks*).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isa.declaration import Timing, Unit
from isa.program import Program
from tests.oracle import shape
from tests.oracle.flight import NEVER, Flight
from tests.oracle.memory import Memory
from tests.oracle.renaming import Renaming
from tests.oracle.steps import Step, steps_of
from tests.oracle.waits import CAUSES, Conditions, Span, attributed_cycles, wait
from vecsim.machine import WORD_BYTES, Machine


@dataclass(frozen=True)
class Row:
    """What the timeline says of an instruction; its columns are those of docs/timing.md."""

    pc: int
    port: int
    issue: int
    dispatch: int
    start: int
    first: int
    last: int
    retire: int
    wait_issue: int
    wait_scalar_raw_waw: int
    wait_vector_raw: int
    wait_vector_war_waw: int
    wait_unit: int
    wait_port: int
    wait_startup: int
    wait_alignment: int
    wait_bank_conflict: int
    wait_memory_order: int
    wait_free_register: int
    wait_words_awaited: int
    wait_bandwidth: int


@dataclass(frozen=True)
class Times:
    """The cycles of a run; by pc and cause what they are attributed to; each instruction in program order.

    ``counters`` has what merging, caches and main memory counted.
    """

    cycles: int
    cycles_by_cause: dict[tuple[int, str], int]
    rows: list[Row]
    counters: Counter[str]


def times(program: Program, memory: npt.NDArray[np.uint8], machine: Machine) -> Times:
    """Work out when everything happens in a program that ends and stays inside memory."""
    clock = _Clock(machine, steps_of(program, memory, machine), -(-len(memory) // WORD_BYTES) * WORD_BYTES)
    flights = clock.run()
    cycles_by_cause = attributed_cycles(_span(flight) for flight in flights)
    rows = [_row(flight) for flight in flights]
    return Times(sum(cycles_by_cause.values()), cycles_by_cause, rows, clock.memory.counters)


def _span(flight: Flight) -> Span:
    """*Waits and cycle attribution*: what it does while it does not wait."""
    work, latency = shape.work(flight.step)
    passed = flight.last_start + 1 if shape.is_vector(flight.step) else flight.retire
    return Span(flight.step.pc, int(flight.retire), int(passed), work, latency, flight.waits)


def _row(flight: Flight) -> Row:
    first_start = (flight.transfers or flight.starts)[0]
    actual = (
        flight.issue,
        flight.dispatch,
        first_start,
        flight.first_ready,
        flight.last_ready,
        flight.retire,
    )
    waited = dict.fromkeys((f"wait_{cause}" for cause in CAUSES), 0)
    for each in flight.waits:
        waited[f"wait_{each.cause}"] += each.end - each.begin
    return Row(flight.step.pc, flight.port, *map(int, actual), **waited)


class _Clock:
    def __init__(self, machine: Machine, steps: list[Step], memory_bytes: int) -> None:
        self.machine = machine
        self.steps = steps
        self.now = 0
        self.all: list[Flight] = []
        self.under_way: list[Flight] = []
        self.renaming = Renaming(machine)
        self.committed: list[float] = []
        """C of the oldest instructions, as far as it is known."""
        self.scalars: dict[str, int] = {}
        """The cycle from which a scalar register is ready, but for what comes with a last element."""
        self.late: dict[str, list[Flight]] = {}
        """Instructions that give a scalar register with their last element."""
        self.queues: dict[str, list[Flight]] = defaultdict(list)
        """Instructions with elements that each queue was given so far."""
        self.ports: list[list[Flight]] = [[] for _ in range(machine.ports)]
        self.memory = Memory(machine, memory_bytes)
        self.awaited: list[list[int]] = [[] for _ in range(machine.ports)]
        """When the loaded words of each port arrive, without those that go along (*Latency*)."""
        self.arrived = [0] * machine.ports
        """When the last loaded word of each port arrives."""

    def run(self) -> list[Flight]:
        """Return all instructions with their times."""
        while len(self.all) < len(self.steps) or self.under_way:
            self.moved, self.wake = False, NEVER
            for flight in self.under_way:
                self._dispatch_if_possible(flight)
            while len(self.all) < len(self.steps) and self._issue(self.steps[len(self.all)]):
                pass
            for flight in self.under_way:
                self._advance(flight)
            self.under_way = [flight for flight in self.under_way if flight.retire > self.now]
            self.now = self.now + 1 if self.moved else self._next()
        return self.all

    def _next(self) -> int:
        """The first cycle that anybody named; what retires last is not asked any more."""
        named = min([self.wake, *(flight.retire for flight in self.under_way)], default=NEVER)
        if named == NEVER:
            assert len(self.all) == len(self.steps), "nothing can go on"
            return self.now
        return int(named)

    def _may(self, time: float) -> bool:
        """Whether what may happen from a cycle on happens now; if not, whoever asks is asked again then."""
        if time <= self.now:
            self.moved = True
            return True
        self.wake = min(self.wake, time)
        return False

    # *Issue*

    def _issue(self, step: Step) -> bool:
        """Let an instruction issue if it may."""
        conditions = self._issue_conditions(step)
        if not self._may(max(conditions.values())):
            return False
        uses = self.renaming.issue(step, len(self.all))
        flight = Flight(step, self.machine, self.now, list(self.under_way), uses)
        flight.waits += wait(conditions, self.all[-1].issue if self.all else 0, self.now)
        self.all.append(flight)
        self.under_way.append(flight)
        self._request(flight)
        self._write_scalars(flight)
        if shape.is_vector(step):
            given = self._queue(step)
            flight.before_in_queue = given[-1] if given else None
            given.append(flight)
            self._dispatch_if_possible(flight)
        else:
            flight.dispatch = self.now
            flight.starts.append(self.now)
            if step.row.unit != Unit.SCALAR:  # "retires at I + 1"
                flight.latency = 1
        return True

    def _request(self, flight: Flight) -> None:
        """*Scalar accesses*: the request of a scalar load or store."""
        store = flight.step.row.timing == Timing.SCALAR_STORE
        if store or flight.step.row.timing == Timing.SCALAR_LOAD:
            ready = self.memory.scalar(flight.step.addresses[0], store, self.now)
            if not store:
                flight.latency = max(flight.latency, ready - self.now)

    def _issue_conditions(self, step: Step) -> Conditions:
        names = shape.scalar_reads(step) | {n for n in shape.scalar_writes(step) if not self._is_renamed(n)}
        conditions = {
            "issue": self._order(),
            "scalar_raw_waw": max((self._scalar_ready(name) for name in names), default=0),
        }
        freed = [self._commit(age) for age in self.renaming.freed_by(step)]
        conditions["free_register"] = max(freed, default=0)
        asked = Flight(step, self.machine, self.now, self.under_way, self.renaming.uses(step))
        if shape.is_vector(step):
            conditions[_queue_cause(step.row.unit)] = self._queue_time(step)
        elif step.row.timing == Timing.EXTRACT:
            conditions |= asked.hazards(0)
        elif step.row.timing in (Timing.SCALAR_LOAD, Timing.SCALAR_STORE):
            conditions["memory_order"] = asked.memory_order()
        return conditions

    def _order(self) -> float:
        """In program order, at most ``issue_width`` in a cycle, and after a taken branch not at once."""
        if not self.all:
            return 0
        before, width = self.all[-1], self.machine.issue_width
        time: float = before.issue
        if before.step.taken:
            time = before.issue + 1 + self.machine.branch_penalty
        if len(self.all) >= width:
            time = max(time, self.all[-width].issue + 1)
        return time

    def _is_renamed(self, name: str) -> bool:
        """Whether it is a register x or f of a machine that renames them (*Renaming*)."""
        return self.renaming.scalars and name[0] in "xf"

    def _commit(self, age: int) -> float:
        """C: when an instruction and all older ones have retired (*Renaming*)."""
        while len(self.committed) <= age:
            retire = self.all[len(self.committed)].retire
            if retire == NEVER:
                return NEVER
            self.committed.append(max(retire, self.committed[-1] if self.committed else 0))
        return self.committed[age]

    def _scalar_ready(self, name: str) -> float:
        return max([self.scalars.get(name, 0), *(flight.last_ready for flight in self.late.get(name, []))])

    def _queue_time(self, step: Step) -> float:
        """*Queues and dispatch*: I(i) >= D(i - Q), and I = D without a queue."""
        queue, given = self.machine.unit_queue, self._queue(step)
        if queue == 0:
            return self._dispatch_time(step, given[-1] if given else None)
        return given[-queue].dispatch if len(given) >= queue else 0

    def _write_scalars(self, flight: Flight) -> None:
        step, vector = flight.step, flight.step.row.unit != Unit.SCALAR
        soon = self.now + 1 if vector else self.now + flight.latency
        for name in shape.scalar_writes(step):
            if step.row.timing == Timing.REDUCTION and step.n:
                self._give_late(name, flight)
            else:
                self.scalars[name], self.late[name] = soon, []
        for name in step.row.late:
            if step.n:
                self._give_late(name, flight)
            else:  # "ready then unless an older lds in flight has yet to give its own"
                self.scalars[name] = max(self.scalars.get(name, 0), soon)

    def _give_late(self, name: str, flight: Flight) -> None:
        """A register that comes with a last element: of several ``lds``, with the last of all."""
        self.scalars[name] = 0
        under_way = [older for older in self.late.get(name, []) if older in self.under_way]
        if self._is_renamed(name):
            under_way = []
        self.late[name] = [*under_way, flight]

    # From issue to the last element

    def _dispatch_if_possible(self, flight: Flight) -> None:
        if flight.dispatch < NEVER:
            return
        time = self._dispatch_time(flight.step, flight.before_in_queue)
        if self._may(time):
            cause = _queue_cause(flight.step.row.unit)
            flight.waits += wait({cause: time}, flight.issue, self.now)
            self._dispatch(flight)

    def _advance(self, flight: Flight) -> None:
        if flight.finished or flight.dispatch == NEVER:
            return
        if flight.is_access:
            self._transfer(flight)
        else:
            self._start_elements(flight)

    def _queue(self, step: Step) -> list[Flight]:
        """What the queue of the next instruction was given: of stores apart (*Streams*), or of its unit."""
        kind = step.row.unit.name.lower()
        if step.row.unit == Unit.MEMORY:
            return self.queues["store" if self.machine.store_ports and shape.is_store(step) else kind]
        units: int = getattr(self.machine, f"{kind}_units")
        queues = [self.queues[f"{kind} {number}"] for number in range(units)]
        return queues[sum(map(len, queues)) % units]

    def _ports_of(self, step: Step) -> range:
        """The numbers of the ports that an access may go to (*Streams*)."""
        loading, all_ = self.machine.memory_ports, len(self.ports)
        return range(loading, all_) if loading < all_ and shape.is_store(step) else range(loading)

    def _dispatch_time(self, step: Step, before: Flight | None) -> float:
        """*Queues and dispatch*, *Accesses*: when what comes after another may be dispatched."""
        if step.row.unit == Unit.MEMORY:
            in_order = before.dispatch if before else 0
            return max(in_order, min(self._port_time(self.ports[p]) for p in self._ports_of(step)))
        return before.last_start + before.interval if before else 0

    def _port_time(self, port: list[Flight]) -> float:
        """When a port takes one more: access i - K of it has ended its transfer."""
        most = self.machine.accesses_in_flight
        return port[-most].end if len(port) >= most else 0

    def _dispatch(self, flight: Flight) -> None:
        flight.dispatch = self.now
        if not flight.is_access:
            return
        free = [p for p in self._ports_of(flight.step) if self._port_time(self.ports[p]) <= self.now]
        flight.port = min(free, key=self._preference)
        port = self.ports[flight.port]
        flight.before_on_port = port[-1] if port else None
        port.append(flight)

    def _preference(self, number: int) -> tuple[int, float, int]:
        """The fewest accesses in flight, then the one whose last transfer ended first, then by number."""
        latest = self.ports[number][-self.machine.accesses_in_flight - 1 :]
        ended = [access.end for access in latest if access.end <= self.now]
        return len(latest) - len(ended), max(ended, default=0), number

    # *Accesses*, *Merging*, *Latency*

    def _transfer(self, flight: Flight) -> None:
        while len(flight.transfers) < len(flight.words):
            w = len(flight.transfers)
            word = flight.words[w]
            earliest = self._rate(flight, w) if w else self._first_word_time(flight)
            conditions = flight.hazards(*range(word.first, word.last + 1))
            if flight.goes[w]:
                conditions |= self._memory_conditions(flight, w)
            if not self._may(max(earliest, *conditions.values())):
                return
            if w == 0:
                self._wait_for_first_word(flight)
            flight.waits += wait(conditions, int(earliest), self.now)
            flight.transfers.append(self.now)
            arrival = self._arrival(flight, w)
            goes_on = w + 1 < len(flight.words) and flight.words[w + 1].first == word.last
            elements = word.last + (not goes_on) - len(flight.starts)
            flight.starts += [self.now] * elements
            flight.arrivals += [arrival] * elements

    def _rate(self, flight: Flight, w: int) -> int:
        """max(t(w-1), t(w-rate) + 1), where words that go along or are skipped do not count for ``rate``."""
        counted = [t for t, counts in zip(flight.transfers, flight.counts, strict=False) if counts]
        full = flight.counts[w] and len(counted) >= flight.rate
        return max(flight.transfers[w - 1], counted[-flight.rate] + 1 if full else 0)

    def _memory_conditions(self, flight: Flight, w: int) -> Conditions:
        """*Latency*, *Main memory*, *Words of vector accesses*: when nothing of memory holds a word up."""
        conditions = self.memory.conditions(flight.words[w].number, flight.is_store)
        lines = conditions.get("words_awaited", 0)
        most, awaited = self.machine.words_outstanding, self.awaited[flight.port]
        full = not flight.is_store and 0 < most <= len(awaited)
        return conditions | {"words_awaited": max(lines, awaited[-most] if full else 0)}

    def _arrival(self, flight: Flight, w: int) -> int:
        """a(w) of a load; t(w) + 1 of a store."""
        port, time = flight.port, self.now + 1
        self.memory.counters["words_merged"] += flight.merged[w]
        if flight.goes[w]:
            time = self.memory.take(flight.words[w].number, flight.is_store, self.now)
        if flight.is_store:
            return self.now + 1
        self.arrived[port] = max(self.arrived[port], time)
        if flight.goes[w]:
            self.awaited[port].append(self.arrived[port])
        return self.arrived[port]

    def _before_first_word(self, flight: Flight) -> Conditions:
        """What a first word waits for before the cycle of alignment."""
        return {
            "startup": flight.dispatch + self.machine.startup,
            "port": flight.before_on_port.end if flight.before_on_port else 0,
            "memory_order": flight.memory_order(),
        }

    def _first_word_time(self, flight: Flight) -> float:
        """B."""
        return max(self._before_first_word(flight).values()) + flight.unaligned

    def _wait_for_first_word(self, flight: Flight) -> None:
        """The startup, then the end of older accesses, then the cycle of alignment."""
        conditions = dict(self._before_first_word(flight))
        started = int(conditions.pop("startup"))
        aligned = int(self._first_word_time(flight))
        free = aligned - flight.unaligned
        flight.waits += wait({"startup": started}, int(flight.dispatch), started)
        flight.waits += wait(conditions, started, free)
        flight.waits += wait({"alignment": aligned}, free, aligned)

    # *Arithmetic*, *Sparse unit*

    def _start_elements(self, flight: Flight) -> None:
        room = self._room_for_rows if flight.step.row.timing == Timing.SPARSE else self._room_for_lanes
        while not flight.finished:
            k = len(flight.starts)
            earliest = max(int(flight.dispatch), room(flight, k))
            conditions = flight.hazards(k)
            late = k > 0 and max(earliest, *conditions.values()) > flight.starts[k - 1]
            if late and flight.interval > 1:
                earliest = max(earliest, flight.starts[k - 1] + flight.interval)
            if not self._may(max(earliest, *conditions.values())):
                return
            flight.waits += wait(conditions, earliest, self.now)
            flight.starts.append(self.now)

    def _room_for_lanes(self, flight: Flight, k: int) -> int:
        """max(e(k-1), e(k-lanes) + 1), counting the elements that take a place (*Masks*)."""
        lanes, starts = self.machine.lanes, flight.starts
        skipped = flight.step.off if self.machine.masked_elements == 1 else frozenset[int]()
        counted = [start for j, start in enumerate(starts) if j not in skipped]
        before = counted[-lanes] + 1 if len(counted) >= lanes and k not in skipped else 0
        return max(starts[k - 1] if k else 0, before)

    def _room_for_rows(self, flight: Flight, k: int) -> int:
        """At most p entries in a cycle, in at most r distinct rows; a zero-row entry has none."""
        if k == 0:
            return 0
        unit, rows, before = self.machine.sparse_unit, flight.step.rows, flight.starts[k - 1]
        taken = [j for j in range(max(k - unit.p, 0), k) if flight.starts[j] == before]
        distinct = {rows[j] for j in [*taken, k]} - {-1}
        return before if len(taken) < unit.p and len(distinct) <= unit.r else before + 1


def _queue_cause(unit: Unit) -> str:
    """The cause of a wait for room in a queue, or for dispatch."""
    return "port" if unit == Unit.MEMORY else "unit"
