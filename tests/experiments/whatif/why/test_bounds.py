"""Lower bounds, against a program worked by hand and on every engine."""

import numpy as np
import pytest
from differential.cases import random_case
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from experiments.whatif.why.bounds import bounds
from isa.assembler import assemble
from programs.measurement import prepare_product
from vecsim.engines.running import ENGINES, run
from vecsim.machine import load_machine

VS2003 = load_machine("vs2003")


@pytest.mark.parametrize("name", ["crs", "hism"])
def test_all_engines_say_the_same(name):
    prepared = prepare_product(name, "laplace2d-4", VS2003)
    runs = [run(prepared.program, prepared.loaded.memory, VS2003, engine=engine) for engine in ENGINES]
    assert all(bounds(done) == bounds(runs[0]) for done in runs)
    assert all(done.lines == runs[0].lines for done in runs)
    assert bounds(runs[0])[0].cycles <= runs[0].cycles


def test_bounds_of_a_program_worked_by_hand():
    program = assemble(
        "li x1, 64\nsetvl x1\nli x2, 8\nlv.w v1, 64(x0)\nlvws.w v2, (x0), x2\naddvv.s v3, v1, v2\nhalt"
    )

    def bounds_of(machine):
        return bounds(run(program, np.zeros(1024, np.uint8), machine, engine="simpy"))

    message = {bound.name: (bound.amount, bound.cycles) for bound in bounds_of(VS2003)}
    # 64 words at 4 a cycle and 64 at 1; 64 elements on 2 lanes; 7 instructions, 4 a cycle.
    assert message == {"memory ports": (128, 16 + 64), "add unit": (64, 32), "issue": (7, 2)}
    assert list(message) == ["memory ports", "add unit", "issue"]
    wide = {bound.name: bound.cycles for bound in bounds_of(VS2003.changed({"memory_ports": 2, "lanes": 4}))}
    assert wide == {"memory ports": 8 + 32, "add unit": 16, "issue": 2}
    several = {bound.name: bound.cycles for bound in bounds_of(VS2003.changed({"add_units": 4}))}
    assert several["add units"] == 8


def test_ports_do_other_accesses_next_to_contiguous_ones():
    # 4 words of a contiguous access and one by stride: on two ports both may go in one cycle.
    program = assemble("li x1, 4\nsetvl x1\nlv.w v1, 64(x0)\nli x1, 1\nsetvl x1\nlvws.w v2, (x0), x1\nhalt")
    machine = VS2003.changed({"memory_ports": 2})
    bounds_of = {
        bound.name: bound for bound in bounds(run(program, np.zeros(1024, np.uint8), machine, engine="simpy"))
    }
    assert bounds_of["memory ports"].cycles == 1
    assert bounds_of["memory ports"].doubled(machine) == {"words_per_cycle": 8, "addresses_per_cycle": 2}
    assert bounds_of["issue"].doubled(machine) == {"issue_width": 8}


GATHER = "li x1, 64\nsetvl x1\nlvi.w v1, (x0), v5\nlv.w v2, 1024(x0)\nsvi.w v1, (x0), v5\nhalt"


def bounds_on(**changes):
    machine = VS2003.changed(changes)
    done = run(assemble(GATHER), np.zeros(8192, np.uint8), machine, engine="simpy")
    return machine, done, {bound.name: bound for bound in bounds(done)}


def test_words_that_go_along_take_no_address():
    # Of 64 equal addresses 4 windows of 16 words have one word each, loaded and stored.
    _, done, limits = bounds_on(merge_bytes=4)
    assert done.counters["words_merged"] == 2 * 60
    assert (limits["memory ports"].amount, limits["memory ports"].cycles) == (64 + 8, 16 + 8)


def test_ports_that_only_store_have_a_bound_of_their_own():
    machine, _, limits = bounds_on(store_ports=1, store_addresses_per_cycle=2)
    assert (limits["load ports"].amount, limits["load ports"].cycles) == (128, 64 + 16)
    assert (limits["store ports"].amount, limits["store ports"].cycles) == (64, 32)
    assert limits["store ports"].doubled(machine) == {
        "store_words_per_cycle": 8,
        "store_addresses_per_cycle": 4,
    }
    # Ports that store as fast as the others do so at the rate that they had.
    assert limits["load ports"].doubled(machine) == {
        "store_words_per_cycle": 4,
        "words_per_cycle": 8,
        "addresses_per_cycle": 2,
    }


def test_main_memory_and_refill_have_bounds_of_their_own():
    machine, done, limits = bounds_on(
        **{"l1.bytes": 4096, "l1.refill_bytes": 5, "main_memory.bytes": 8, "main_memory.cycles": 3}
    )
    # One line of the gather and four of the load, of 64 bytes each: 24 cycles on the path, 13 to enter.
    assert (done.counters["l1_misses"], done.counters["main_memory_bytes"]) == (5, 320)
    assert (limits["main memory"].amount, limits["main memory"].cycles) == (320, 120)
    assert (limits["refill of l1"].amount, limits["refill of l1"].cycles) == (320, 65)
    assert limits["main memory"].doubled(machine) == {"main_memory.bytes": 16}
    assert done.busy["main_memory"] == 120 and done.busy["l1_refill"] == 65


def test_what_passes_main_memory_after_the_end_is_no_bound():
    # Four stores miss in the cycles in which they issue, and nothing waits for their lines.
    text = "\n".join(f"sw x1, {64 * number}(x0)" for number in range(4)) + "\nhalt"
    machine = VS2003.changed({"l1.bytes": 4096, "l1.serves": 3, "main_memory.bytes": 1})
    done = run(assemble(text), np.zeros(1024, np.uint8), machine, engine="simpy")
    assert done.counters["main_memory_bytes"] == 256
    assert done.busy["main_memory"] <= done.cycles < 64


@examples(100)
@given(st.integers(0, 2**32))
def test_no_random_run_is_faster_than_its_bounds(seed):
    case = random_case(seed)
    done = run(case.program, case.memory, case.machine, engine="jit-multiport")
    assert all(bound.cycles <= done.cycles for bound in bounds(done))
