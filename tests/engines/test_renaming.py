"""Physical registers: the rule of docs/timing.md, "Renaming", with micro-programs worked by hand.

They run on the machine of `worked.toml`: 64 elements, 4 lanes, startup 20, 4 words a cycle, latencies 8.
"""

import numpy as np
import pytest
from engine_runs import EVERY_ENGINE, WORKED, trace

from isa.assembler import assemble
from tests.differential.cases import random_case
from tests.oracle.comparison import difference
from vecsim.engines.jit.interface import MULTIPORT_LOOP, SINGLE_PORT
from vecsim.engines.jit.object_files.machine_code import loop_of
from vecsim.engines.running import ENGINES, start
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

every_engine = pytest.mark.parametrize("engine", EVERY_ENGINE)
FEW, MANY, SCALARS = (
    "physical_vector_registers=20",
    "physical_vector_registers=62",
    "physical_scalar_registers=64",
)


# No WAR, no WAW; RAW on the youngest older writer


@every_engine
def test_an_element_is_written_again_at_once(engine):
    text = "a: addvv.s v1, v2, v3\nb: mulvv.s v1, v4, v4"
    assert trace(text, engine=engine).b["start"] == trace(text, engine=engine).a["start"] + 8
    t = trace(text, FEW, engine=engine)
    assert t.b["start"] == t.a["start"]
    assert t.b["wait_vector_war_waw"] == 0


@every_engine
@pytest.mark.parametrize("chaining", ["true", "false"])
def test_an_element_is_overwritten_before_its_older_reader_took_it(engine, chaining):
    text = "a: lv.w v1, 1024(x0)\nb: mulvv.s v2, v1, v1\nc: addvv.s v1, v4, v4\nd: sv.w v1, 2048(x0)"
    t = trace(text, FEW, f"chaining={chaining}", engine=engine)
    # c begins at once. b still reads what a loads; d stores what c adds, ready before the port is free.
    assert t.c["start"] == t.c["issue"] == t.a["issue"]
    first, last = (21, 36) if chaining == "true" else (36, 51)
    assert (t.b["start"] - t.a["dispatch"], t.b["last"] - t.a["dispatch"]) == (first, last + 8)
    assert t.d["start"] == t.a["retire"]
    assert t.d["wait_vector_raw"] == 0


@every_engine
def test_what_reads_and_writes_a_register_waits_for_what_it_reads(engine):
    text = "a: lv.w v1, 1024(x0)\nb: maddvv.s v1, v4, v4\nc: lv.w v1, 2048(x0)"
    t = trace(text, FEW, engine=engine)
    assert t.b["start"] == t.a["first"]


# Free registers


@every_engine
def test_an_instruction_waits_until_the_fourth_one_before_has_retired(engine):
    text = (
        "a: lv.w v1, 1024(x0)\nb: movv v2, v8\nc: movv v3, v8\nd: movv v4, v8\ne: movv v5, v8\nf: movv v6, v8"
    )
    t = trace(text, FEW, engine=engine)
    # Of 20 registers 4 are free. The moves have retired before the load, but not in program order.
    assert t.d["issue"] <= t.a["issue"] + 1
    assert t.d["retire"] > t.a["retire"]
    assert t.e["issue"] == t.a["retire"]
    assert t.e["wait_free_register"] == t.e["issue"] - t.d["issue"]
    assert t.f["issue"] == t.a["retire"]
    assert t.run.cycles_by_cause.get("free_register", 0) == 0
    assert trace(text, MANY, engine=engine).e["wait_free_register"] == 0


@every_engine
def test_an_instruction_that_writes_two_registers_takes_two(engine):
    text = (
        "li x1, 1024\nli x2, 64\na: ldb.w v1, v2, (x1), x2, 1\nb: movv v3, v8\nc: movv v4, v8\nd: movv v5, v8"
    )
    t = trace(text, FEW, engine=engine)
    assert t.c["wait_free_register"] == 0
    assert t.d["issue"] == t.a["retire"]


# Elements that are left as they were


PARTIAL = """
    a: lv.w v1, 1024(x0)
    li x1, 8
    setvl x1
    b: mulvv.s v1, v4, v4
    c: addvv.s v2, v1, v1
    li x1, 12
    setvl x1
    d: addvv.s v3, v1, v1
    """


@every_engine
def test_elements_that_are_left_as_they_were_make_their_reader_wait_for_the_whole_register(engine):
    t = trace(PARTIAL, FEW, engine=engine)
    assert t.b["start"] == t.b["issue"]
    assert t.c["start"] == t.b["start"] + 8
    # Elements 8 to 11 are the load's, and come when all of it is there.
    assert t.d["start"] == t.a["retire"]
    assert t.d["wait_vector_raw"] == t.d["start"] - t.d["dispatch"]
    # Without renaming b waits for the load, element by element, and d for b.
    t = trace(PARTIAL, engine=engine)
    assert t.b["start"] == t.a["first"]


@every_engine
def test_an_extract_after_what_was_written_waits_for_the_whole_register(engine):
    text = f"{PARTIAL}\nli x2, 7\nli x3, 8\ne: extx x4, v1, x2\nf: extx x5, v1, x3"
    t = trace(text, FEW, engine=engine)
    assert t.e["issue"] == t.b["start"] + 8 + 1
    assert t.f["issue"] == t.a["retire"]


# What is written where it is


@every_engine
@pytest.mark.parametrize("changes", [(), (FEW,)])
def test_an_insert_waits_for_older_readers_of_the_element(engine, changes):
    text = "li x1, 40\na: mulvv.s v3, v2, v2\nb: insx v2, x1, x1"
    t = trace(text, "lanes=1", *changes, engine=engine)
    assert t.b["start"] == t.a["start"] + 40 + 1


@every_engine
@pytest.mark.parametrize("changes", [(), (FEW,)])
def test_the_mask_has_one_register(engine, changes):
    text = "a: sltvv.s v1, v2\nb: sltvv.s v3, v4\nc: mergev v5, v6, v7"
    t = trace(text, *changes, engine=engine)
    assert t.b["start"] == t.a["start"] + 16
    assert t.c["start"] == t.b["start"] + 16


@every_engine
def test_results_of_the_sparse_unit_are_forwarded_and_a_load_into_their_register_is_not_held_up(engine):
    text = "a: bmipa.s v1, v2, v3, v4\nb: bmipa.s v1, v2, v3, v4\nc: lv.w v1, 1024(x0)"
    t = trace(text, FEW, "startup=0", engine=engine)
    assert t.b["start"] == t.a["start"] + 16
    assert t.c["start"] == t.a["start"]
    assert trace(text, "startup=0", engine=engine).c["start"] == t.b["last"]


# Scalar registers


@every_engine
def test_a_scalar_register_is_written_while_an_older_write_is_pending(engine):
    text = "a: mul x1, x31, x31\nb: li x1, 1\nc: add x2, x1, x1"
    t = trace(text, SCALARS, "latency.integer_multiply=7", engine=engine)
    assert (t.b["issue"], t.c["issue"]) == (t.a["issue"], t.a["issue"] + 1)


@every_engine
def test_a_sum_is_overtaken_by_a_younger_write_of_its_register(engine):
    text = "a: sumv.s f1, v1\nb: fl.w f1, 64(x0)\nc: fs.w f1, 128(x0)\nd: sumv.s f1, v2\ne: fs.w f1, 128(x0)"
    t = trace(text, SCALARS, engine=engine)
    assert t.c["issue"] == t.b["issue"] + 2
    assert t.e["issue"] == t.d["last"]


@every_engine
def test_scalar_registers_get_free_in_program_order(engine):
    lines = [f"i{k}: li x{k}, 1" for k in range(1, 6)]
    t = trace("\n".join(["a: lv.w v1, 1024(x0)", *lines]), "physical_scalar_registers=36", engine=engine)
    # li and setvl of x31 before the load took two of four; i1 to i4 displace theirs and two more.
    assert t.i4["issue"] < t.a["retire"]
    assert t.i5["issue"] == t.a["retire"]
    assert t.i5["wait_free_register"] == t.i5["issue"] - t.i4["issue"]


# The machine, the loops, the record


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("physical_vector_registers=19", r"physical_vector_registers = 19: .* at least 20: vector_registers"),
        ("physical_vector_registers=63", "must be at most 62"),
        ("physical_scalar_registers=32", r"physical_scalar_registers = 32: .* at least 36"),
    ],
)
def test_too_few_registers_are_refused(change, message):
    with pytest.raises(UserError, match=message):
        load_machine("vs2003", [change])


def test_a_machine_without_renaming_keeps_its_digest():
    machine, renaming = load_machine("vs2003"), load_machine("vs2003", [FEW])
    assert machine.sha256.startswith("5749519ffbd0")
    assert renaming.sha256 != machine.sha256
    assert renaming.label == "vs2003 with physical_vector_registers=20"
    earlier = {key: value for key, value in machine.to_dict().items() if not key.startswith("physical")}
    assert type(machine).from_dict(earlier) == machine


def test_a_machine_that_renames_takes_the_loop_for_any_machine():
    assert loop_of(load_machine(WORKED)) == SINGLE_PORT
    assert loop_of(load_machine(WORKED, [FEW])) == loop_of(load_machine(WORKED, [SCALARS])) == MULTIPORT_LOOP


def test_a_run_goes_on_from_a_snapshot_in_another_engine():
    program = assemble(
        f"li x31, 64\nsetvl x31\n{PARTIAL}\nsumv.s f1, v3\nfl.w f1, 64(x0)\nfs.w f1, 68(x0)\nhalt"
    )
    machine, memory = load_machine(WORKED, [FEW, SCALARS]), np.zeros(1 << 14, np.uint8)
    engines = {name: start(program, memory, machine, engine=name) for name in ENGINES}
    whole = start(program, memory, machine, engine="simpy")
    whole.advance()
    for cycle in range(0, whole.cycle, 3):
        engines["simpy"].advance(cycle=cycle)
        snapshot = engines["simpy"].snapshot()
        for name in ("jit", "jit-multiport"):
            engines[name].restore(snapshot)
            engines[name].advance()
            assert engines[name].result().to_dict() == whole.result().to_dict()


def test_random_programs_on_machines_that_rename():
    cases = [(seed, random_case(seed)) for seed in range(200)]
    for seed, case in [(seed, case) for seed, case in cases if case.machine.renames][:12]:
        shown_text = difference(case)
        assert not shown_text, f"seed {seed}: {shown_text}"
