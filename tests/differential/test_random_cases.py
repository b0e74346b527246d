"""The generator reaches everything, and a seed names a case for ever."""

import random
from collections import Counter

import numpy as np
import pytest
from differential.cases import Case, draw_case, random_case, read_case, write_case
from differential.comparison import End, outcome
from differential.random_faults import WAYS
from differential.random_items import SECTION
from differential.random_machines import random_machine
from differential.random_memory import layout_for, random_memory
from differential.random_programs import random_program

from isa.instructions import BASE
from vecsim.machine import Machine

SEEDS = range(100)


@pytest.fixture(scope="module")
def runs():
    """Cases with what the compiled engine makes of them; the others agree with it (test_engines_agree.py)."""
    cases = [random_case(seed, faults=True) for seed in SEEDS]
    return [(case, outcome(case, "jit")) for case in cases]


def ended(runs, end):
    return [(case, actual) for case, actual in runs if actual.end == end]


@pytest.mark.ci
def test_every_instruction_is_generated_and_nine_of_ten_run_in_few_cases(runs):
    sampled = [random_case(seed, faults=True).program for seed in range(200)]
    mnemonics = Counter(each.instruction(pc).mnemonic for each in sampled for pc in range(len(each.words)))
    assert set(BASE.by_mnemonic) == set(mnemonics)
    executed = {
        case.program.instruction(int(pc)).mnemonic
        for case, actual in ended(runs, End.RUN)
        for pc in actual.facts.get("timeline pc", ())
    }
    assert len(executed) > 0.9 * len(BASE.by_mnemonic)


def test_every_wait_and_every_count_occurs_often(runs):
    ran = [actual.facts for _, actual in ended(runs, End.RUN)]
    for fact in set().union(*ran):
        if fact.startswith(("waited ", "counters ", "busy ")) and fact != "busy scalar":
            assert sum(facts.get(fact, 0) > 0 for facts in ran) > len(SEEDS) // 10, fact


def test_most_cases_run_to_their_end_and_none_breaks_the_engine(runs):
    assert not ended(runs, End.CRASH)
    assert 0.85 * len(SEEDS) < len(ended(runs, End.RUN)) < 0.99 * len(SEEDS)


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("contiguous", "outside memory: bytes"),
        ("scalar", "outside memory: bytes"),
        ("strided", "outside memory: element"),
        ("indexed", "outside memory: element"),
        ("blocks", "load outside memory: bytes"),
        ("descriptors", "load outside memory: bytes"),
        ("cache memory", "outside memory: bytes"),
        ("cache range", "of the vector cache"),
        ("slice", "of the vector cache"),
        ("past the end", "past its end"),
        ("endless", "no end"),
    ],
)
def test_a_program_can_go_wrong_in_every_way(way, message):
    actual = [outcome(_spoilt(seed, way), "jit") for seed in range(6)]
    assert {one.end for one in actual} <= {End.RUN, End.FAULT}
    assert sum(message in one.message for one in actual) > 2


def test_every_way_is_tested():
    marks = test_a_program_can_go_wrong_in_every_way.pytestmark
    assert {way for way, _ in marks[0].args[1]} == set(WAYS)


def _spoilt(seed, way):
    rng = random.Random(seed)
    machine = random_machine(rng)
    layout = layout_for(machine.section_size)

    def spoil(items):
        items.add("setvl", 0, SECTION)
        WAYS[way](items)

    program = random_program(rng, machine, layout, spoil)
    return Case(
        program, random_memory(seed, layout), machine, max_cycles=2_000 if way == "endless" else 20_000
    )


def test_without_faults_every_program_ends():
    for seed in range(40):
        assert outcome(random_case(seed), "jit").end == End.RUN


def test_machines_take_many_values_of_every_field():
    machines = [random_case(seed).machine for seed in SEEDS]
    assert {machine.section_size for machine in machines} == {4, 8, 16, 32, 64, 256}
    assert {machine.memory_ports for machine in machines} == {1, 2, 3, 4}
    for model in ("latency", "sparse_unit"):
        tables = [getattr(machine, model).model_dump() for machine in machines]
        assert all(len({table[name] for table in tables}) > 2 for name in tables[0])
    for name in Machine.model_fields.keys() - {"name", "latency", "sparse_unit", "clock_mhz", "riscv"}:
        assert len({getattr(machine, name) for machine in machines}) > 1, name


def test_a_seed_names_a_case():
    first, again = random_case(7, faults=True), draw_case(random.Random(7))
    assert first.assembly == again.assembly
    assert first.machine == again.machine
    np.testing.assert_array_equal(first.memory, again.memory)
    assert first.assembly != random_case(8).assembly


@pytest.mark.parametrize("seed", range(40))
def test_a_case_comes_back_from_its_files(seed, tmp_path):
    case = random_case(seed, faults=True)
    again = read_case(write_case(case, tmp_path, "case"))
    np.testing.assert_array_equal(again.program.words, case.program.words)
    np.testing.assert_array_equal(again.memory, case.memory)
    assert again.program.entry == case.program.entry
    assert again.machine == case.machine.model_copy(update={"name": again.machine.name})
    assert (again.timeline, again.max_cycles) == (case.timeline, case.max_cycles)


def test_programs_are_stopped_in_every_way(runs):
    stood = [fact for _, actual in runs for name, fact in actual.facts.items() if name.startswith("stop ")]
    assert 1 / 3 < sum("stop 0" in actual.facts for _, actual in runs) / len(runs) < 2 / 3
    for way in ("running", "finished", "outside memory"):
        assert sum(way in each for each in stood) > 2, way
