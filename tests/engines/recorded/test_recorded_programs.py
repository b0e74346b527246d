"""Programs that are a record: both engines agree, and a program of this machine keeps its cycles."""

import numpy as np
import pytest
from random_recorded import recorded_case
from recording import recorded
from scipy.sparse import random_array
from tiers import one_in

from programs.measurement import prepare_product
from tests.differential.comparison import run_facts
from vecsim.engines.jit.interface import SINGLE_PORT
from vecsim.engines.jit.object_files.machine_code import loop_of
from vecsim.engines.jit.single_port.preparation import runs_on_single_port
from vecsim.engines.recorded.events import ENDS, event
from vecsim.engines.recorded.program import Costs, RecordedRow, recorded_program
from vecsim.engines.rules.addresses import LEVELS_AT, NOT_ACCESSED
from vecsim.engines.running import run
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

ENGINES = ("jit", "simpy")
MACHINE = load_machine("vs2003", ["section_size=4", "lanes=1", "memory_ports=1"])


def cycles(rows, record, costs=None, engine="jit", machine=MACHINE):
    program, memory = recorded_program(
        [*rows, RecordedRow("halt")],
        record,
        memory_bytes=4096,
        costs_of=lambda name, _: (costs or {}).get(name, Costs()),
        most_listed=16,
    )
    return run(program, memory, machine, engine=engine).cycles


@pytest.mark.parametrize("seeds", one_in(10, [range(k, k + 15) for k in range(0, 150, 15)]), ids=str)
def test_engines_agree_on_random_recorded_programs(seeds):
    for seed in seeds:
        assert different_facts(recorded_case(seed), ENGINES) == [], seed


@pytest.mark.parametrize("seeds", one_in(10, [range(k, k + 15) for k in range(0, 300, 15)]), ids=str)
def test_both_loops_agree_on_random_recorded_programs(seeds):
    for seed in seeds:
        case = recorded_case(seed, single_port=True)
        assert loop_of(case.machine) == SINGLE_PORT
        assert runs_on_single_port(case.program.decoded(case.machine))
        assert different_facts(case, (*ENGINES, "jit-multiport")) == [], seed
        shown = different_facts(case, ("jit", "jit-multiport"), None)
        assert shown == [], seed


def different_facts(case, engines, timeline=TimelineRequest):
    """Name what engines report differently of a case; without a timeline scalar instructions go in blocks."""
    facts = [
        run_facts(run(case.program, case.memory, case.machine, engine=each, timeline=timeline and timeline()))
        for each in engines
    ]
    assert all(each.keys() == facts[0].keys() for each in facts)
    return [
        name for name in facts[0] if not all(np.array_equal(facts[0][name], each[name]) for each in facts)
    ]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("crs", []),
        ("jd", ["memory_ports=2", "addresses_per_cycle=2"]),
        ("jd", ["l1.bytes=1024", "main_memory.latency=20", "merge_bytes=16", "merge_window=4"]),
    ],
)
def test_a_recorded_program_keeps_its_cycles(name, changes):
    machine = load_machine("vs2003", ["section_size=8", *changes])
    matrix = random_array((30, 30), density=0.2, rng=np.random.default_rng(5), dtype=np.float32)
    options = {"sums": "scalar"} if name == "crs" else {}
    prepared = prepare_product(name, matrix, machine, options=options)
    expected = run(prepared.program, prepared.loaded.memory, machine)
    program, memory = recorded(prepared.program, prepared.loaded.memory, machine)
    actual = run(program, memory, machine)
    assert actual.cycles == expected.cycles
    assert actual.counters == expected.counters
    assert np.array_equal(actual.attribution.waited, expected.attribution.waited)
    assert np.array_equal(actual.attribution.attributed, expected.attribution.attributed)


@pytest.mark.parametrize("engine", ENGINES)
def test_parts_take_no_place_in_issue(engine):
    # Width 1: the second part issues in cycle 0, too, and its unit starts it when it has done with the first.
    machine = MACHINE.model_copy(update={"issue_width": 1})
    rows = [RecordedRow("add", writes=(1,)), RecordedRow("add", writes=(2,)), RecordedRow("scalar")]
    record = [event(count=4)] * 2
    apart = cycles(rows, record, engine=engine, machine=machine)
    assert apart == 4 + 4  # elements in cycles 0 to 3 and 4 to 7, each ready a cycle later
    rows[1] = RecordedRow("add", writes=(2,), joined=True)
    assert cycles(rows, record, engine=engine, machine=machine) == apart
    # Without elements only issue counts, and parts take no place.
    assert cycles([RecordedRow("scalar")] * 3, [], engine=engine, machine=machine) == 4
    parts = [RecordedRow("scalar"), RecordedRow("add", joined=True), RecordedRow("add", joined=True)]
    assert cycles(parts, [event(count=0)] * 2, engine=engine, machine=machine) == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_element_may_take_longer_or_less(engine):
    # Elements at 0, 2 and 4, of 2 cycles each; the first takes 7 or 1, which counts after the last.
    rows = [RecordedRow("add", "long", writes=(1,)), RecordedRow("add", writes=(2,))]
    record = [event(count=3, ending=ENDS), event(count=1)]
    assert cycles(rows, record, {"long": Costs(1, first=7, group=2)}, engine) == 6 + 5 + 1
    assert cycles(rows, record, {"long": Costs(1, first=1, group=2)}, engine) == 6 - 1 + 1
    record[0] = event(count=3)  # a part that another part follows
    assert cycles(rows, record, {"long": Costs(1, first=7, group=2)}, engine) == 6 + 1


@pytest.mark.parametrize("engine", ENGINES)
def test_costs_of_the_values_of_an_element(engine):
    # Two values take 3 cycles, four of an element 6; the last element has 2 values, the first value takes 5.
    rows = [RecordedRow("add", "each", writes=(1,), repeats=4), RecordedRow("add", writes=(2,))]
    costs = {"each": Costs(first=5, pair=3)}
    record = [event(count=3, ending=ENDS | 2 << 1), event(count=1)]
    assert cycles(rows, record, costs, engine) == 6 + 6 + 3 + (5 - 2) + 1


@pytest.mark.parametrize("engine", ENGINES)
def test_a_register_that_is_written_again(engine):
    # The second starts when the first result is there, at 7, or comes a cycle after it: 2 starts 1 cycle on.
    rows = [RecordedRow("add", "long", writes=(1,))] * 2
    record = [event(count=1)] * 2
    assert cycles(rows, record, {"long": Costs(7)}, engine) == 7 + 7
    assert cycles(rows, record, {"long": Costs(7, overlaps=True)}, engine) == 1 + 7
    rows[1] = RecordedRow("add", "short", writes=(1,))
    both = {"long": Costs(7, overlaps=True), "short": Costs(2, overlaps=True)}
    assert cycles(rows, record, both, engine) == 7 - 1 + 2


@pytest.mark.parametrize("engine", ENGINES)
def test_levels_of_a_tree(engine):
    # Elements at 0 to 2; two levels over the four values of an element, or as many as the event says.
    rows = [RecordedRow("add", "tree", writes=(1,), repeats=4), RecordedRow("add", writes=(2,))]
    record = [event(count=3, ending=ENDS | 5 << LEVELS_AT), event(count=1)]
    assert cycles(rows, record, {"tree": Costs(level=7)}, engine) == 3 + 2 * 7 + 1
    assert cycles(rows, record, {"tree": Costs(level=7, tree_of_all=True)}, engine) == 3 + 5 * 7 + 1


@pytest.mark.parametrize("engine", ENGINES)
def test_addresses_of_a_list_belong_to_elements(engine):
    # Startup 20, one address a cycle: words at 20 to 24, elements complete at 21, 23 and 24.
    rows = [
        RecordedRow("vector_load.listed32", writes=(1,), per_element=2),
        RecordedRow("add", reads=(1,), writes=(2,)),
    ]
    listed = event(count=3, listed=[0, 4, NOT_ACCESSED, 12, 16])
    assert cycles(rows, [listed, event(count=3)], engine=engine) == 20 + 5 + 1


@pytest.mark.parametrize("engine", ENGINES)
def test_what_follows_need_not_be_the_next_row(engine):
    rows = [RecordedRow("scalar", following=3), *[RecordedRow("add", writes=(1,))] * 2]
    assert cycles(rows, [], engine=engine) == 1


def test_too_many_registers_are_refused():
    rows = [RecordedRow("add", writes=(MACHINE.vector_registers,))]
    with pytest.raises(UserError, match=r"vs2003.* has vector_registers = "):
        cycles(rows, [event(count=1)])
