"""A run in the Chrome Trace Event Format: issue, units, ports, instructions in flight and banks as tracks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.declaration import Unit
from isa.program import Program
from vecsim.engines.cause import WAITS, Cause
from vecsim.engines.state.accounts import Start
from vecsim.engines.state.row import new_rows
from vecsim.machine import Machine
from vecsim.support.shown_text import unicode_text
from vecsim.traces.listing import listed, waits_of
from vecsim.traces.phases import Phase, phases
from vecsim.traces.stream import AT, Starts

ISSUE, UNITS, FLIGHT, BANKS = GROUPS = range(1, 5)
"""Groups of tracks, processes in the format's words: issue; units and ports; vector instructions from issue
to retirement; banks."""

_TO_ESCAPE = re.compile("[\x7f-\uffff]")


def quoted(value: Any) -> str:
    """Write plain data as JSON on one line that every reader of the format takes.

    Perfetto's reader ends with an error at the character DEL and at the escape of a surrogate; in some of its
    versions at a letter that is neither ASCII nor escaped, too.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _TO_ESCAPE.sub(lambda letter: _escape(letter[0]), text)


def _escape(letter: str) -> str:
    shown = unicode_text(letter)
    return f"\\u{ord(letter):04x}" if shown == letter else f"\\{shown}"


def thread(group: int, track: int) -> int:
    """Return the thread of a track in the format's words: no thread or process has the number of another.

    Perfetto takes thread 0 for the thread with the number of its process, which is the process's own, and
    some of its versions find the thread of a name by its number alone.
    """
    return len(GROUPS) * (track + 1) + group


def begun(about: Mapping[str, Any]) -> str:
    """Begin a file that says this of its origin; events follow, with commas before all but the first."""
    return f'{{"displayTimeUnit":"ms","otherData":{quoted(about)},"traceEvents":[\n'


ENDED = "\n]}\n"


def slice_(name: str, group: int, track: int, begin: int, end: int, args: str) -> str:
    """Return what fills a track from ``begin`` to ``end`` (exclusive); name and args are JSON."""
    where = f'"pid":{group},"tid":{thread(group, track)},"ts":{begin},"dur":{end - begin}'
    return f'{{"ph":"X","name":{name},{where},"args":{args}}}'


def counter(name: str, group: int, cycle: int, value: int) -> str:
    """Return the value that a counter has from a cycle on."""
    where = f'"pid":{group},"tid":{thread(group, 0)},"ts":{cycle}'
    return f'{{"ph":"C","name":{quoted(name)},{where},"args":{{"banks":{value}}}}}'


def group_names(groups: Mapping[int, str]) -> list[str]:
    """Name groups of tracks, to be shown in this order; each has a track 0."""
    results = []
    for place, (group, name) in enumerate(groups.items()):
        results.append(_metadata("process_name", group, 0, {"name": name}))
        results.append(_metadata("process_sort_index", group, 0, {"sort_index": place}))
    return results


def track_name(group: int, track: int, name: str) -> list[str]:
    """Name a track; tracks of a group are shown by their numbers."""
    return [
        _metadata("thread_name", group, track, {"name": name}),
        _metadata("thread_sort_index", group, track, {"sort_index": track}),
    ]


def _metadata(what: str, group: int, track: int, args: Mapping[str, Any]) -> str:
    where = f'"pid":{group},"tid":{thread(group, track)}'
    return f'{{"ph":"M","name":"{what}",{where},"args":{quoted(args)}}}'


class Lanes:
    """Tracks from 0 on, as many as are needed at once; things come in the order in which they begin.

    Parameters
    ----------
    count
        Tracks that are there from the beginning.
    """

    def __init__(self, count: int = 0) -> None:
        self._free_from = [0] * count

    def place(self, begin: int, end: int) -> tuple[int, bool]:
        """Return the track of what lasts from ``begin`` to ``end`` (exclusive), and whether it is new."""
        for track, free in enumerate(self._free_from):
            if free <= begin:
                self._free_from[track] = end
                return track, False
        self._free_from.append(end)
        return len(self._free_from) - 1, True


Ints = npt.NDArray[np.int64]

KINDS = (Unit.ADD, Unit.MULTIPLY, Unit.SPARSE)


def unit_tracks(machine: Machine) -> dict[int, str]:
    """Name the track of each unit, from track 0 on, by the number of the unit; the tracks of ports follow."""
    counts = (machine.add_units, machine.multiply_units, machine.sparse_units)
    names, later = {}, len(Unit)  # the numbers of vecsim.engines.rules.units
    for kind, count in zip(KINDS, counts, strict=True):
        name = kind.name.lower()
        names[int(kind)] = name if count == 1 else f"{name} 0"
        names |= {later + number: f"{name} {number + 1}" for number in range(count - 1)}
        later += count - 1
    return names


BUSY_BANKS = "busy banks"
_FIRST_WAIT = AT[f"wait_{Cause(0).name.lower()}"]


class ChromeWriter:
    """Writes instructions as they come; see :class:`vecsim.traces.stream.Writer`.

    Parameters
    ----------
    write
        Takes the text of the file, piece by piece.
    program, machine
        What runs, and on what.
    about
        Goes into ``otherData``.
    """

    def __init__(
        self,
        write: Callable[[str], object],
        program: Program,
        machine: Machine,
        about: Mapping[str, Any],
    ) -> None:
        self._write = write
        self._busy = machine.bank_busy
        self._slots = Lanes(machine.issue_width)
        self._flight = Lanes(1)
        self._texts = listed(program)
        self._names = [quoted(each.text) for each in self._texts]
        self._changes: Ints = np.zeros((0, 2), np.int64)
        self._busy_banks = 0
        self._first = True
        write(begun({"machine": machine.label, "clock": "a cycle is a microsecond", **about}))
        groups = {ISSUE: "issue", UNITS: "units and ports", FLIGHT: "in flight", BANKS: "banks"}
        lines = group_names(groups)
        for slot in range(machine.issue_width):
            lines += track_name(ISSUE, slot, f"issue {slot}")
        units = unit_tracks(machine)
        self._first_port = len(units)
        self._track_of_unit = np.zeros(len(Unit) + len(units), np.int64)
        for track, (unit, name) in enumerate(units.items()):
            self._track_of_unit[unit] = track
            lines += track_name(UNITS, track, name)
        for port in range(machine.ports):
            lines += track_name(UNITS, self._first_port + port, f"port {port}")
        lines += track_name(FLIGHT, 0, "in flight 0")
        for bank in range(machine.banks):
            lines += track_name(BANKS, bank, f"bank {bank}")
        self._put(lines)

    def _put(self, lines: list[str]) -> None:
        if lines:
            self._write(("" if self._first else ",\n") + ",\n".join(lines))
            self._first = False

    def take(self, rows: Ints, worked: Ints, starts: Starts, settled: int) -> None:
        """See :meth:`vecsim.traces.stream.Writer.take`."""
        lines: list[str] = []
        pc_of = dict(zip(rows[:, AT["age"]].tolist(), rows[:, AT["pc"]].tolist(), strict=True))
        for row, end in zip(rows.tolist(), worked.tolist(), strict=True):
            self._instruction(row, end, lines)
        self._units(starts, pc_of, lines)
        self._banks(starts, pc_of, lines)
        self._count_banks(starts, settled, lines)
        self._put(lines)

    def _instruction(self, row: list[int], worked: int, lines: list[str]) -> None:
        """Write an instruction at issue and in flight; its last element starts before ``worked``."""
        name, issue = self._names[row[AT["pc"]]], row[AT["issue"]]
        track, _ = self._slots.place(issue, issue + 1)
        in_unit = row[AT["unit"]] > 0 and row[AT["vl"]] > 0
        message = self._told(row)
        shown = _age(row[AT["age"]]) if in_unit else message
        lines.append(slice_(name, ISSUE, track, issue, issue + 1, shown))
        if not in_unit:
            return
        track, new = self._flight.place(issue, row[AT["retire"]])
        lines += track_name(FLIGHT, track, f"in flight {track}") if new else []
        lines.append(slice_(name, FLIGHT, track, issue, row[AT["retire"]], message))
        for phase in phases(row, worked):
            lines.append(slice_(_PHASES[phase.name], FLIGHT, track, phase.begin, phase.end, _cause(phase)))

    def _told(self, row: list[int]) -> str:
        """Return all about an instruction, as JSON."""
        listed = self._texts[row[AT["pc"]]]
        message: dict[str, Any] = {"age": row[AT["age"]], "instruction": row[AT["pc"]]}
        if listed.place:
            message |= {"place": listed.place, "source": listed.source}
        message |= {"operands": listed.registers} if listed.registers else {}
        if row[AT["unit"]] > 0:
            message |= {"vector length": row[AT["vl"]]}
        if row[AT["address"]] >= 0:
            message |= {"address": row[AT["address"]], "words": row[AT["words"]]}
        message |= {name: row[AT[name]] for name in ("issue", "dispatch", "start", "first", "last", "retire")}
        waits = waits_of(row[_FIRST_WAIT : _FIRST_WAIT + WAITS])
        if waits:
            message |= {"waits": waits, "waited longest for": max(waits, key=waits.__getitem__)}
        return quoted(message)

    def _units(self, starts: Starts, pc_of: dict[int, int], lines: list[str]) -> None:
        """Write a slice for each row of cycles in which elements or words of an instruction start."""
        age, cycle = starts["age"], starts["cycle"]
        if not len(starts):
            return
        first = np.flatnonzero(np.r_[True, (np.diff(age) != 0) | (np.diff(cycle) > 1)])
        last = np.r_[first[1:] - 1, len(starts) - 1]
        port = starts["port"][first]
        tracks = np.where(port >= 0, self._first_port + port, self._track_of_unit[starts["unit"][first]])
        columns = age[first], tracks, cycle[first], cycle[last] + 1
        for number, track, begin, end in zip(*(each.tolist() for each in columns), strict=True):
            lines.append(slice_(self._names[pc_of[number]], UNITS, track, begin, end, _age(number)))

    def _banks(self, starts: Starts, pc_of: dict[int, int], lines: list[str]) -> None:
        """Write a slice for each word, as long as its bank is busy; none if a bank never is."""
        if not self._busy:
            return  # slices without length would lie in each other, and Perfetto drops what lies too deep
        words = starts[starts["bank"] >= 0]
        columns = words["age"], words["bank"], words["cycle"]
        for number, bank, cycle in zip(*(each.tolist() for each in columns), strict=True):
            name = self._names[pc_of[number]]
            lines.append(slice_(name, BANKS, bank, cycle, cycle + self._busy, _age(number)))

    def _count_banks(self, starts: Starts, settled: int, lines: list[str]) -> None:
        """Write how many banks are busy, for the cycles that are complete."""
        begin = starts["cycle"][starts["bank"] >= 0]
        changes = np.r_[begin, begin + self._busy], np.repeat([1, -1], len(begin))
        table = np.concatenate([self._changes, np.stack(changes, axis=1)])
        known = table[:, 0] < settled
        self._changes = table[~known]
        cycles, where = np.unique(table[known, 0], return_inverse=True)
        change = np.bincount(where, table[known, 1], len(cycles)).astype(np.int64)
        total = self._busy_banks + np.cumsum(change)
        changed = np.flatnonzero(np.diff(total, prepend=self._busy_banks))
        for cycle, value in zip(cycles[changed].tolist(), total[changed].tolist(), strict=True):
            lines.append(counter(BUSY_BANKS, BANKS, cycle, value))
        self._busy_banks = int(total[-1]) if len(total) else self._busy_banks

    def finish(self, cycles: int) -> None:
        """See :meth:`vecsim.traces.stream.Writer.finish`."""
        lines: list[str] = []
        self._count_banks(new_rows(Start, (0,)), 1 << 62, lines)
        self._put(lines)
        self._write(ENDED)


_PHASES = {name: quoted(name) for name in ("queue", "wait", "work", "result")}


def _age(age: int) -> str:
    return f'{{"age":{age}}}'


def _cause(phase: Phase) -> str:
    return quoted({"cause": phase.cause}) if phase.cause else "{}"
