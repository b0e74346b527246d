"""Traces keep the rules of their formats and say what the engine says."""

import gzip
from dataclasses import replace

import numpy as np
import plain_chrome
import plain_kanata
import pytest
from tiers import one_combination_in

from isa.assembler import assemble
from isa.declaration import Unit
from isa.program import SourceLine
from programs.measurement import prepare_product
from tests.traces import as_konata, as_perfetto
from tests.traces.expected_traces import check_konata, check_perfetto, write
from vecsim.data import load
from vecsim.engines.fault import Fault
from vecsim.engines.running import run
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import load_machine
from vecsim.support.errors import UserError
from vecsim.traces import WHOLE, Window, read_window, recording

MACHINES = {
    "vs2003": load_machine("vs2003"),
    "two ports": load_machine("vs2003", ["memory_ports=2", "banks=12", "issue_width=2"]),
    "banks are never busy": load_machine("vs2003", ["banks=8", "bank_busy=0", "addresses_per_cycle=8"]),
}
PROGRAMS = ["crs", "jd", "bbcs", "hism", "chism"]
READERS = {".json": plain_chrome.events_of, ".kanata": plain_kanata.read}
KERNEL = """
.reg count, x31
.reg values, v1
        li      count, 24
        setvl   count
loop:   lv.w    values, 1028(x0)
        mulvv.s v2, values, values
        sv.w    v2, 4096(x0)
        addi    count, count, -12
        setvl   count
        bnez    count, loop
        halt
"""


def product(program, machine):
    prepared = prepare_product(program, load("laplace2d-5"), machine)
    return prepared.program, prepared.loaded.memory


def kernel():
    return assemble(KERNEL, file="kernel.s"), np.zeros(8192, np.uint8)


def traced(path, program, memory, machine, window=WHOLE, engine="simpy"):
    with recording(path, program, machine, window, {"of": "a test"}) as stream:
        done = run(program, memory, machine, engine=engine, timeline=stream.request)
        stream.finish(done.cycles)
    return done


def timeline_of(program, memory, machine):
    return run(program, memory, machine, engine="simpy", timeline=TimelineRequest()).timeline


@pytest.mark.parametrize(("machine", "program"), one_combination_in(3, MACHINES, ["crs", "chism"]))
def test_slices_of_a_unit_last_as_long_as_it_is_busy(tmp_path, program, machine):
    machine = MACHINES[machine]
    path = tmp_path / "trace.json"
    done = traced(path, *product(program, machine), machine)
    events = plain_chrome.events_of(path)
    tracks = plain_chrome.names(events, "thread_name")
    lasted = dict.fromkeys(done.busy, 0)
    for event in plain_chrome.slices(events, "units and ports"):
        track = tracks[event["pid"], event["tid"]]
        lasted["memory" if track.startswith("port") else track] += event["dur"]
    assert lasted == done.busy
    words = done.counters["words_loaded"] + done.counters["words_stored"]
    banks = plain_chrome.slices(events, "banks")
    assert len(banks) == (words if machine.bank_busy else 0)
    assert {event["dur"] for event in banks} <= {machine.bank_busy}
    assert len(plain_chrome.slices(events, "issue")) == done.instructions


def test_units_of_a_kind_have_a_track_each(tmp_path):
    text = "\n".join(f"addvv.s v{k}, v8, v8" for k in range(5))
    program, memory = assemble(f"li x1, 16\nsetvl x1\n{text}\nhalt"), np.zeros(64, np.uint8)
    traced(tmp_path / "trace.json", program, memory, load_machine("vs2003", ["add_units=3"]))
    events = plain_chrome.events_of(tmp_path / "trace.json")
    names = [plain_chrome.slices(events, "units and ports", f"add {number}") for number in range(3)]
    assert [[event["name"][:10] for event in track] for track in names] == [
        ["addvv.s v0", "addvv.s v3"],
        ["addvv.s v1", "addvv.s v4"],
        ["addvv.s v2"],
    ]


@pytest.mark.parametrize(
    ("changes", "slices"),
    [
        ([], 8 + 8 + 16),
        # Four of eight equal addresses at a time go as one.
        (["merge_bytes=4", "merge_window=4"], 2 + 8 + 16),
        # Of a machine with a cache only the words of a store that goes on take a bank.
        (["l1.bytes=4096"], 0),
        (["l1.bytes=4096", "l1.write_back=false"], 8),
        (["masked_elements=1"], 8 + 8 + 16),
    ],
)
def test_what_takes_no_bank_has_no_slice_of_one(tmp_path, changes, slices):
    text = "li x1, 8\nsetvl x1\nlvi.w v1, (x0), v0\nsv.w v1, 64(x0)\n"
    # Of the loads under mask each second element is masked off.
    text += "li x2, 1\ncvi v2, x2\nandvs.w v2, v2, x2\nseqvs.w v2, x2\n"
    text += "lvm.w v3, 128(x0)\nlvm.d v4, 192(x0)\nlvm.w v5, 256(x0)\nhalt"
    program, memory = assemble(text), np.zeros(1024, np.uint8)
    done = traced(tmp_path / "trace.json", program, memory, load_machine("vs2003", changes))
    events = plain_chrome.events_of(tmp_path / "trace.json")
    assert len(plain_chrome.slices(events, "banks")) == slices
    lasted = sum(event["dur"] for event in plain_chrome.slices(events, "units and ports", "port 0"))
    assert lasted == done.busy["memory"]


def test_the_counter_of_busy_banks_counts_the_slices_of_banks(tmp_path):
    path, machine = tmp_path / "trace.json", MACHINES["two ports"]
    done = traced(path, *product("jd", machine), machine)
    events = plain_chrome.events_of(path)
    busy = np.zeros(done.cycles + machine.bank_busy + 1, int)
    for event in plain_chrome.slices(events, "banks"):
        busy[event["ts"] : event["ts"] + event["dur"]] += 1
    counted = np.zeros_like(busy)
    for event in (event for event in events if event["ph"] == "C"):
        assert event["name"] == "busy banks"
        counted[event["ts"] :] = event["args"]["banks"]
    np.testing.assert_array_equal(counted, busy)


def test_an_instruction_says_what_the_timeline_says_in_the_names_of_the_source(tmp_path):
    path, machine = tmp_path / "trace.json.gz", MACHINES["vs2003"]
    program, memory = kernel()
    traced(path, program, memory, machine)
    events = plain_chrome.events_of(path)
    timeline = timeline_of(program, memory, machine)
    message = {e["args"]["age"]: e for e in plain_chrome.slices(events, "issue") if "issue" in e["args"]}
    whole = {e["args"]["age"]: e for e in plain_chrome.slices(events, "in flight") if "age" in e["args"]}
    assert sorted(message | whole) == timeline["age"].tolist()
    load = whole[2]
    assert load["name"] == "lv.w values, 1028(x0)"
    assert load["args"]["operands"] == {"values": "v1"}
    assert load["args"]["place"] == "kernel.s:6"
    assert load["args"]["vector length"] == 24 and load["args"]["address"] == 1028
    assert load["args"]["waited longest for"] == "startup"
    for age, event in whole.items():
        row = {name: int(values[age]) for name, values in timeline.items()}
        assert (event["ts"], event["dur"]) == (row["issue"], row["retire"] - row["issue"])
        assert all(event["args"][name] == row[name] for name in ("dispatch", "start", "first", "last"))
        assert sum(event["args"].get("waits", {}).values()) == sum(
            cycles for name, cycles in row.items() if name.startswith("wait_")
        )
    assert any(event["name"] == "bne count, x0, loop" for event in message.values())


def test_phases_fill_an_instruction_and_name_why_it_waits(tmp_path):
    path, machine = tmp_path / "trace.json", MACHINES["vs2003"]
    traced(path, *kernel(), machine)
    slices = plain_chrome.slices(plain_chrome.events_of(path), "in flight")
    instructions = [each for each in slices if "age" in each["args"]]
    phases = [each for each in slices if "age" not in each["args"]]
    assert {each["name"] for each in phases} == {"queue", "wait", "work", "result"}
    for each in instructions:
        of_track = [phase for phase in phases if phase["tid"] == each["tid"]]
        own = [phase["dur"] for phase in of_track if 0 <= phase["ts"] - each["ts"] < each["dur"]]
        assert sum(own) == each["dur"]
    startup = next(p for p in phases if p["name"] == "wait")
    assert startup["args"] == {"cause": "startup"} and startup["dur"] == machine.startup + 1


@pytest.mark.parametrize(("machine", "program"), one_combination_in(3, MACHINES, ["crs", "hism"]))
def test_a_kanata_log_keeps_the_rules_and_has_every_instruction(tmp_path, program, machine):
    machine = MACHINES[machine]
    path = tmp_path / "trace.kanata"
    image = product(program, machine)
    traced(path, *image, machine)
    logged, timeline = plain_kanata.read(path), timeline_of(*image, machine)
    assert [each.number for each in logged] == timeline["age"].tolist()
    assert [each.begin for each in logged] == timeline["issue"].tolist()
    assert [each.end for each in logged] == timeline["retire"].tolist()
    for each, unit in zip(logged, timeline["unit"], strict=True):
        normal = [stage for stage in each.stages if stage[0] == 0]
        assert sum(end - begin for _, _, begin, end in normal) == each.end - each.begin
        assert all(producer < each.number for producer in each.producers)
        assert (normal[0][1] == "scalar") <= (unit == Unit.SCALAR or timeline["vl"][each.number] == 0)


def test_a_wait_for_a_free_register_is_reported(tmp_path):
    """Four registers next to the 16 that are named: the fifth of six loads waits for the first to retire."""
    machine = load_machine("vs2003", ["physical_vector_registers=20"])
    loads = "".join(f"lv.w v{number}, 64(x0)\n" for number in range(1, 7))
    program = assemble(f"li x1, 64\nsetvl x1\n{loads}halt")
    for suffix in READERS:
        traced(tmp_path / f"trace{suffix}", program, np.zeros(1024, np.uint8), machine)
    events = plain_chrome.slices(plain_chrome.events_of(tmp_path / "trace.json"), "in flight")
    waits = [
        each["args"].get("waits", {}).get("free register", 0) for each in events if "age" in each["args"]
    ]
    logged = plain_kanata.read(tmp_path / "trace.kanata")
    assert [bool(cycles) for cycles in waits] == [False] * 4 + [True] * 2
    assert f"waited for free register: {waits[4]}" in logged[6].hover


def test_a_kanata_log_says_who_waits_for_whom(tmp_path):
    path, machine = tmp_path / "trace.kanata.gz", MACHINES["vs2003"]
    traced(path, *kernel(), machine)
    logged = plain_kanata.read(path)
    assert [each.left for each in logged[:4]] == [
        "0: addi count, x0, 24",
        "1: setvl x0, count",
        "2: lv.w values, 1028(x0)",
        "3: mulvv.s v2, values, values",
    ]
    assert 2 in logged[3].producers and 3 in logged[4].producers
    assert "kernel.s:6: loop: lv.w values, 1028(x0)" in logged[2].hover
    assert (1, "startup") in [(lane, name) for lane, name, *_ in logged[2].stages]


@pytest.mark.parametrize("suffix", READERS)
def test_a_window_has_what_is_in_flight_in_it(tmp_path, suffix):
    path, machine = tmp_path / f"window{suffix}", MACHINES["two ports"]
    image = product("jd", machine)
    timeline = timeline_of(*image, machine)
    window = Window(300, 420)
    traced(path, *image, machine, window)
    inside = (timeline["issue"] < 420) & (timeline["retire"] > 300)
    actual = READERS[suffix](path)
    if suffix == ".kanata":
        assert [each.number for each in actual] == timeline["age"][inside].tolist()
        return
    assert [e["args"]["age"] for e in plain_chrome.slices(actual, "issue")] == timeline["age"][
        inside
    ].tolist()
    for event in plain_chrome.slices(actual, "units and ports"):
        assert event["ts"] >= 300 and event["ts"] + event["dur"] <= 420


@pytest.mark.parametrize(
    ("machine", "program", "window"),
    one_combination_in(16, MACHINES, PROGRAMS, [WHOLE, Window(61, 90), Window(300, 700)]),
)
def test_other_programs_show_all_of_a_run_at_its_place(tmp_path, machine, program, window):
    machine, name = MACHINES[machine], "trace.kanata.gz"
    program, memory = product(program, machine)
    for file in ("trace.json", name):
        truth = write(tmp_path / file, program, memory, machine, window, "simpy")
    check_perfetto((tmp_path / "trace.json").read_bytes(), truth, program, machine)
    check_konata((tmp_path / name).read_bytes(), name, truth, program)


def test_konata_draws_a_window_where_it_begins_and_its_arrows(tmp_path):
    path, machine, image = (
        tmp_path / "late.kanata",
        MACHINES["two ports"],
        product("crs", MACHINES["two ports"]),
    )
    timeline = timeline_of(*image, machine)
    traced(path, *image, machine, Window(61, 90))
    actual = as_konata.read_konata(path.read_bytes(), path.name)
    inside = (timeline["issue"] < 90) & (timeline["retire"] > 61)
    assert [each.begin for each in actual] == timeline["issue"][inside].tolist()
    assert min(each.begin for each in actual) > 0
    assert any(each.producers for each in actual)


def test_the_reader_takes_thread_0_for_that_of_a_process_and_drops_what_overlaps_as_perfetto_does():
    event = {"ph": "X", "name": "a", "pid": 1, "tid": 0, "ts": 0, "dur": 5, "args": {}}
    assert as_perfetto.Event.of(event).thread == 1
    stack = []
    assert not as_perfetto.push(stack, 0, 5)
    assert not as_perfetto.push(stack, 1, 4)
    assert as_perfetto.push(stack, 4, 2) == "overlaps with one from 1 to 5"
    assert not as_perfetto.push(stack, 5, 2)
    assert stack == [(5, 2)]


ODD = ['"\\', "a\tb\nc\\n", "\x7f\x00\x1b", "é漢\u2028\U0001f600", "\udcff\ud800", "</script>", ""]


def test_names_and_sources_of_any_letters_arrive(tmp_path):
    program, memory = kernel()
    lines = tuple(SourceLine(f"{ODD[pc % 7]}.s", pc + 1, ODD[(pc + 3) % 7]) for pc in range(len(program)))
    program, machine = replace(program, source=lines), MACHINES["vs2003"]
    for suffix in READERS:
        truth = write(tmp_path / f"a{suffix}", program, memory, machine, WHOLE, "simpy", {"command": ODD})
    check_perfetto((tmp_path / "a.json").read_bytes(), truth, program, machine)
    check_konata((tmp_path / "a.kanata").read_bytes(), "a.kanata", truth, program)


@pytest.mark.ci
@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_compiled_engine_is_traced_as_the_reference_is(tmp_path, program, machine):
    image = product(program, machine)
    for engine in ("jit", "simpy"):
        for suffix in READERS:
            traced(tmp_path / f"{engine}{suffix}", *image, machine, engine=engine)
    assert (tmp_path / "jit.kanata").read_bytes() == (tmp_path / "simpy.kanata").read_bytes()
    lines = [sorted((tmp_path / f"{engine}.json").read_text().split(",\n")) for engine in ("jit", "simpy")]
    assert [line.rstrip("\n]}") for line in lines[0]] == [line.rstrip("\n]}") for line in lines[1]]


def test_windows():
    assert read_window(" 5:9 ") == Window(5, 9)
    assert read_window(":9") == Window(0, 9)
    assert read_window("7:") == Window(7, None)
    for wrong in ("5", "a:b", "9:9", "-1:4", "1:2:3"):
        with pytest.raises(UserError, match="--window"):
            read_window(wrong)


def test_a_file_is_whole_or_not_there(tmp_path):
    path, machine = tmp_path / "trace.json", MACHINES["vs2003"]
    path.write_text("before")
    program = assemble("nop\nlw x1, -8(x0)\nhalt")
    with pytest.raises(Fault):
        traced(path, program, np.zeros(64, np.uint8), machine)
    assert [each.name for each in tmp_path.iterdir()] == ["trace.json"]
    assert path.read_text() == "before"


def test_what_is_compressed_is_the_same_and_has_no_date(tmp_path):
    machine = MACHINES["vs2003"]
    for name in ("a.json", "b.json.gz", "c.json.gz"):
        traced(tmp_path / name, *kernel(), machine)
    packed = (tmp_path / "b.json.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "a.json").read_bytes()
    assert packed == (tmp_path / "c.json.gz").read_bytes()


def test_little_is_kept_while_a_long_run_goes_on(tmp_path):
    program = assemble("li x1, 1000\nagain: addi x1, x1, -1\nbnez x1, again\nhalt")
    machine, recorded = MACHINES["vs2003"], []
    with recording(tmp_path / "long.kanata", program, machine) as stream:
        done = run(
            program,
            np.zeros(64, np.uint8),
            machine,
            engine="simpy",
            timeline=stream.request,
            progress=lambda running: recorded.append((len(stream._rows), len(stream._writer._kept))),
            progress_cycles=150,
        )
        stream.finish(done.cycles)
    assert len(recorded) >= 5
    assert max(rows for rows, _ in recorded) < 100 and max(commands for _, commands in recorded) < 100
    assert len(plain_kanata.read(tmp_path / "long.kanata")) == done.instructions
