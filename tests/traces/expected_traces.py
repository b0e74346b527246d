"""What a trace has to show, worked out in plain Python from what an engine says of the same run."""

import itertools
from collections import Counter
from dataclasses import dataclass

from isa.disassembler import named_text
from tests.traces import as_konata, as_perfetto
from vecsim.engines.running import run
from vecsim.engines.timeline import COLUMNS, TimelineRequest
from vecsim.support.shown_text import printable, unicode_text
from vecsim.traces import recording
from vecsim.traces.listing import listed

KINDS = {2: "add", 3: "multiply", 4: "sparse"}


@dataclass(frozen=True)
class Truth:
    """Rows of the timeline by name, those in flight in the window, in program order; the starts of each.

    Also the name of the unit of each that has one: instructions of a kind go to its units in turn.
    """

    rows: list
    starts: dict
    units: dict
    window: object

    def inside(self, cycle):
        return self.window.begin <= cycle < self.window.last


def write(path, program, memory, machine, window, engine, about=None):
    """Write the trace of a run, and return everything that the engine says of it."""
    tables, starts = [], {}

    def keep(table):
        for age, _, port, bank, cycle in table.tolist():
            starts.setdefault(age, []).append((cycle, port, bank))

    with recording(path, program, machine, window, about) as stream:
        to_file = stream.request
        request = TimelineRequest(
            sink=lambda table: (tables.extend(table.tolist()), to_file.sink(table)),
            starts=lambda table: (keep(table), to_file.starts(table)),
        )
        done = run(program, memory.copy(), machine, engine=engine, timeline=request)
        stream.finish(done.cycles)
    rows = sorted((dict(zip(COLUMNS, row, strict=True)) for row in tables), key=lambda row: row["age"])
    assert [row["age"] for row in rows] == list(range(done.instructions))
    assert max((row["retire"] for row in rows), default=0) <= done.cycles
    turns, units = {kind: itertools.cycle(names) for kind, names in units_of(machine).items()}, {}
    for row in rows:
        if row["unit"] in KINDS and has_elements(row):
            units[row["age"]] = next(turns[KINDS[row["unit"]]])
    in_flight = [row for row in rows if row["retire"] > window.begin and row["issue"] < window.last]
    return Truth(in_flight, {age: sorted(words) for age, words in starts.items()}, units, window)


def has_elements(row):
    return row["unit"] > 0 and row["vl"] > 0


def phases(truth, row):
    """Name, begin and end of what an instruction does, and what it waits for."""
    starts = truth.starts.get(row["age"], [])
    worked = max((cycle for cycle, _, _ in starts), default=row["start"]) + 1
    ends = [row["issue"], row["dispatch"], row["start"], worked, row["retire"]]
    names = ("queue", "wait", "work", "result")
    actual = zip(names, ends[:-1], ends[1:], strict=True)
    return [(name, begin, end) for name, begin, end in actual if begin < end]


def units_of(machine):
    """The names of the units of each kind: of one its kind, of several with a number."""
    counts = {kind: getattr(machine, f"{kind}_units") for kind in KINDS.values()}
    return {
        kind: [kind] if count == 1 else [f"{kind} {n}" for n in range(count)]
        for kind, count in counts.items()
    }


def slices(truth, program, machine):
    """Every slice: group, track (empty: any of the group), name, begin, end, how deep it lies."""
    actual, texts = [], [named_text(program, pc) for pc in range(len(program))]
    for row in truth.rows:
        text, issue = texts[row["pc"]], row["issue"]
        actual.append(("issue", "", text, issue, issue + 1, 0))
        if has_elements(row):
            actual.append(("in flight", "", text, issue, row["retire"], 0))
            actual += [("in flight", "", *phase, 1) for phase in phases(truth, row)]
        words = [each for each in truth.starts.get(row["age"], []) if truth.inside(each[0])]
        track = truth.units.get(row["age"]) or f"port {row['port']}"
        cycles = sorted({cycle for cycle, _, _ in words})
        begins = [cycle for cycle in cycles if cycle - 1 not in cycles]
        ends = [cycle + 1 for cycle in cycles if cycle + 1 not in cycles]
        actual += [("units and ports", track, text, *both, 0) for both in zip(begins, ends, strict=True)]
        banks = [(cycle, bank) for cycle, _, bank in words if bank >= 0 and machine.bank_busy]
        actual += [
            ("banks", f"bank {bank}", text, cycle, cycle + machine.bank_busy, 0) for cycle, bank in banks
        ]
    return actual


def check_perfetto(content, truth, program, machine):
    """Everything arrives in Perfetto, once, where it belongs."""
    actual = as_perfetto.imported(content)
    assert not actual.dropped, actual.dropped[:3]
    assert list(actual.tracks) == ["issue", "units and ports", "in flight", "banks"]
    names = [name for names in units_of(machine).values() for name in names]
    names += [f"port {port}" for port in range(machine.memory_ports + machine.store_ports)]
    assert actual.tracks["units and ports"] == names
    assert actual.tracks["banks"] == [f"bank {bank}" for bank in range(machine.banks)]
    assert actual.tracks["issue"] == [f"issue {slot}" for slot in range(machine.issue_width)]
    flight = actual.tracks["in flight"]
    assert flight == [f"in flight {number}" for number in range(len(flight))]
    any_track = ("issue", "in flight")
    arrived = Counter(
        (
            each.group,
            "" if each.group in any_track else each.track,
            each.name,
            each.begin,
            each.end,
            each.depth,
        )
        for each in actual.slices
    )
    wanted = Counter(slices(truth, program, machine))
    assert arrived == wanted, (list((wanted - arrived).items())[:3], list((arrived - wanted).items())[:3])
    check_counter(actual, truth, machine)
    said = {each.args["age"]: each for each in actual.slices if "issue" in each.args}
    assert sorted(said) == [row["age"] for row in truth.rows]
    for row in truth.rows:
        each = said[row["age"]]
        assert all(each.args[name] == row[name] for name in ("dispatch", "start", "first", "last", "retire"))
        if program.source:
            line = program.source[row["pc"]]
            assert each.args["place"] == unicode_text(f"{line.file}:{line.line}")
            assert each.args["source"] == unicode_text(line.text)


def check_counter(actual, truth, machine):
    """The counter of busy banks is how many of their slices there are at once."""
    changes = Counter()
    for each in actual.slices:
        if each.group == "banks":
            changes[each.begin] += 1
            changes[each.end] -= 1
    busy, wanted = 0, []
    for cycle in sorted(changes):
        if changes[cycle]:
            busy += changes[cycle]
            wanted.append(("banks", "busy banks", cycle, busy))
    assert actual.counters == wanted


def check_konata(content, name, truth, program):
    """Check that Konata shows everything once, where it belongs."""
    actual, texts = as_konata.read_konata(content, name), listed(program)
    assert [each.number for each in actual] == [row["age"] for row in truth.rows]
    writer_of = {}
    for number, (each, row) in enumerate(zip(actual, truth.rows, strict=True)):
        assert (each.begin, each.end) == (row["issue"], row["retire"])
        assert each.left == f"{row['pc']}: {named_text(program, row['pc'])}"
        whole = [("scalar X", row["issue"], row["retire"])]
        stages = [
            ("work X" if stage == "work" else stage, begin, end) for stage, begin, end in phases(truth, row)
        ]
        wanted = stages if has_elements(row) else whole
        assert [tuple(stage) for stage in each.lanes["0"]] == wanted
        waiting = [(begin, end) for name, begin, end in wanted if name in ("queue", "wait")]
        assert {(begin, end) for _, begin, end in each.lanes.get("1", [])} <= set(waiting)
        working = next(stage for stage in wanted if "X" in stage[0])
        assert (each.consumes, each.produces) == (working[1], working[2] - 1)
        text = texts[row["pc"]]
        assert each.producers == sorted({writer_of[name] for name in text.reads if name in writer_of})
        writer_of |= dict.fromkeys(text.writes, number)
        if text.place:
            place, _, hover = each.hover.partition("\n")
            shown = printable(" ".join(f"{text.place}: {text.source}".split()))
            assert place.replace("\N{REVERSE SOLIDUS OPERATOR}", "\\") == shown
            assert "\\" not in hover
