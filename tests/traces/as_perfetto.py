"""Read the Chrome Trace Event Format as Perfetto's trace processor does, in plain Python.

Written from src/trace_processor/importers (json, common/slice_tracker, common/process_tracker) of Perfetto.
"""

import gzip
import json
import re
from dataclasses import dataclass, field

MOST_DEEP = 512
NANOSECONDS = 1000


@dataclass(frozen=True)
class Slice:
    """A slice that arrived: its group and track by name, how many slices of the track it lies in."""

    group: str
    track: str
    name: str
    begin: int
    end: int
    depth: int
    args: dict = field(compare=False, hash=False)


@dataclass
class Imported:
    """What arrived: slices, values of counters as (group, name, time, value); what was dropped, and why."""

    slices: list = field(default_factory=list)
    counters: list = field(default_factory=list)
    dropped: list = field(default_factory=list)
    tracks: dict = field(default_factory=dict)
    """The names of the tracks of a group, in the order in which they are shown."""


class NoTrace(Exception):
    """The trace processor takes nothing of such a file."""


def imported(content):
    """Read a file; times are in microseconds again."""
    text = (gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content).decode("utf-8")
    check_text(text)
    document = json.loads(text)
    if list(document)[-1] != "traceEvents":
        raise NoTrace("it is read in one pass, with the events last")
    events = [Event.of(raw) for raw in document["traceEvents"]]
    # Stable: of one time, as they stand in the file.
    events.sort(key=lambda event: event.time)
    return arrived(events)


def check_text(text):
    """Raise `NoTrace` for letters at which a version of the reader ends with an error."""
    if re.search(r"(?<!\\)(\\\\)*\\u[dD][89a-fA-F]", text):
        raise NoTrace("the escape of a surrogate")
    strange = re.search("[\x00-\x09\x0b-\x1f\x7f-\uffff]", text)
    if strange:
        raise NoTrace(f"{strange[0]!r} is not escaped")


@dataclass(frozen=True)
class Event:
    phase: str
    name: str
    process: int
    thread: int
    time: int
    lasts: int | None
    args: dict

    @classmethod
    def of(cls, raw):
        process, thread = (whole(raw.get(key, 0), 32) for key in ("pid", "tid"))
        phase = raw["ph"]
        time = 0 if phase == "M" else whole(raw["ts"], 63 - NANOSECONDS.bit_length()) * NANOSECONDS
        lasts = whole(raw["dur"], 63 - NANOSECONDS.bit_length()) * NANOSECONDS if "dur" in raw else None
        # Thread 0 means that none is given: it is the process's main thread.
        return cls(phase, raw.get("name", ""), process, thread or process, time, lasts, raw.get("args", {}))


def whole(value, bits):
    """Numbers that are no integers are rounded, others are taken for 0: neither is let pass."""
    if type(value) is not int or not 0 <= value < 1 << bits:
        raise NoTrace(f"{value!r} is no integer of {bits} bits")
    return value


def arrived(events):
    actual, groups, tracks, places = Imported(), {}, {}, {}
    for event in events:
        key = event.process, event.thread
        if event.phase == "M" and event.name == "process_name":
            groups[event.process] = event.args["name"]
        elif event.phase == "M" and event.name == "process_sort_index":
            places[event.process] = event.args["sort_index"]
        elif event.phase == "M" and event.name == "thread_name":
            # Older versions look for the last process that has a thread of the number.
            others = {process for process, thread in tracks if thread == event.thread}
            assert others <= {event.process}, "another thread would get the name"
            tracks[key] = event.args["name"]
        elif event.phase == "M" and event.name == "thread_sort_index":
            places[key] = event.args["sort_index"]
        elif event.phase == "M":
            raise NoTrace(f"metadata {event.name} is ignored")
        assert event.thread != event.process, "the process's own thread"
    assert groups.keys() == {event.process for event in events}, "a group without a name"
    assert {(event.process, event.thread) for event in events} == tracks.keys(), "a track without a name"
    assert len(set(tracks.values())) == len(tracks), "two tracks of one name"
    for group in sorted(groups, key=places.__getitem__):
        of_group = sorted((places[key], name) for key, name in tracks.items() if key[0] == group)
        assert len({place for place, _ in of_group}) == len(of_group), "two tracks at one place"
        actual.tracks[groups[group]] = [name for _, name in of_group]
    stacks = {}
    for event in events:
        key = event.process, event.thread
        if event.phase == "C":
            (value,) = event.args.values()
            actual.counters.append((groups[event.process], event.name, event.time // NANOSECONDS, value))
        elif event.phase == "X":
            stack = stacks.setdefault(key, [])
            reason = push(stack, event.time, event.lasts)
            if reason:
                actual.dropped.append((groups[event.process], tracks[key], event, reason))
                continue
            begin, end = event.time // NANOSECONDS, (event.time + event.lasts) // NANOSECONDS
            depth = len(stack) - 1
            where = groups[event.process], tracks[key]
            actual.slices.append(Slice(*where, event.name or "[No name]", begin, end, depth, event.args))
        elif event.phase != "M":
            raise NoTrace(f"phase {event.phase}")
    return actual


def push(stack, begin, lasts):
    """Put a slice on those of its track that are open; say why not."""
    for place in range(len(stack) - 1, -1, -1):
        above, of_above = stack[place]
        end = above + of_above
        if end < begin or (end == begin and not (of_above == 0 and lasts == 0)):
            stack.pop()
        elif begin < end < begin + lasts:
            return f"overlaps with one from {above} to {end}"
    if len(stack) >= MOST_DEEP:
        return "too deep"
    stack.append((begin, lasts))
    return ""
