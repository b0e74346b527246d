"""Machines whose timing rules are extended: what an extension changes, and that all engines know it."""

from dataclasses import replace

import numpy as np
import pytest
from differential.cases import random_case
from engine_runs import WORKED
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from isa.assembler import assemble
from programs.measurement import prepare
from vecsim.data import load
from vecsim.engines.jit.interface import MULTIPORT_LOOP, SINGLE_PORT
from vecsim.engines.jit.object_files.fingerprints import extension_fingerprint
from vecsim.engines.jit.object_files.machine_code import loop_of
from vecsim.engines.rules.banks import bank_of, word_start
from vecsim.engines.running import run, start
from vecsim.machine import Extension, load_machine
from vecsim.machine.extension_files import shipped
from vecsim.support.errors import UserError

GATHER = """
    li      x31, 8
    setvl   x31
    lv.w    v1, (zero)
    lvi.w   v2, (zero), v1
    halt
"""
seeds = st.integers(0, 2**32 - 1)
WITH_RULES = [name for name in shipped() if load_machine("t0", extend=[name]).user_rules]
"""The extensions of vecsim that change the timing rules; others have instructions only."""


def gathered(words, *changes, extend, engine="simpy"):
    """Gather words of memory, given by their numbers, on the machine that is worked by hand."""
    machine = load_machine(WORKED, ["section_size=8", *changes], [extend])
    memory = np.zeros(1 << 16, np.uint8)
    memory[:32] = np.array(words, np.int32).view(np.uint8)
    return run(assemble(GATHER), memory, machine, engine=engine)


def plain(words, *changes):
    machine = load_machine(WORKED, ["section_size=8", *changes])
    memory = np.zeros(1 << 16, np.uint8)
    memory[:32] = np.array(words, np.int32).view(np.uint8)
    return run(assemble(GATHER), memory, machine, engine="simpy")


SAME = [64] * 8
APART = [1000 + 17 * k for k in range(8)]


def test_words_of_one_block_go_together():
    actual = gathered(SAME, extend="coalescing")
    assert (actual.counters["coalescing.addresses"], actual.counters["coalescing.together"]) == (1, 7)
    busy = load_machine(WORKED).bank_busy
    assert plain(SAME).cycles - actual.cycles == 7 * busy
    blocks = gathered([0, 1, 8, 9, 16, 17, 24, 25], extend="coalescing")
    assert blocks.counters["coalescing.addresses"] == blocks.counters["coalescing.together"] == 4


def test_words_in_the_cache_take_no_bank():
    actual = gathered(SAME, "addresses_per_cycle=1", extend="gather_cache")
    assert (actual.counters["gather_cache.hits"], actual.counters["gather_cache.misses"]) == (7, 1)
    # The miss takes its cycle alone; seven hits go four in a cycle.
    busy = load_machine(WORKED).bank_busy
    assert plain(SAME, "addresses_per_cycle=1").cycles - actual.cycles == 7 * busy - 2
    assert gathered(APART, extend="gather_cache").counters["gather_cache.misses"] == 8


def test_the_line_used_least_recently_goes():
    def hits(words):
        return gathered(
            words,
            *("gather_cache.sets=1", "gather_cache.ways=2", "gather_cache.line_words=1"),
            extend="gather_cache",
        ).counters["gather_cache.hits"]

    assert hits([1, 2, 1, 3, 1, 4, 1, 5]) == 3
    assert hits([1, 2, 3, 1, 2, 3, 1, 2]) == 0


def test_a_word_of_another_row_waits_until_it_is_open():
    changes = ("banks=1", "open_rows.row_words=16", "open_rows.miss=5", "addresses_per_cycle=1")
    to_and_fro = gathered([0, 16, 0, 16, 0, 16, 0, 16], *changes, extend="open_rows")
    stay = gathered([16, 17, 18, 19, 20, 21, 22, 23], *changes, extend="open_rows")
    assert (to_and_fro.counters["open_rows.misses"], stay.counters["open_rows.misses"]) == (8, 2)
    # lv.w opens row 0 and leaves it open: the first gather's first word hits, seven others miss.
    assert to_and_fro.cycles - stay.cycles == 6 * 5


def test_without_its_rules_an_extension_leaves_the_loop_for_one_port():
    assert loop_of(load_machine("vs2003", extend=["open_rows"])) == MULTIPORT_LOOP
    numbers_alone = Extension("numbers_alone", "no rules")
    numbers_alone.number("n", 1, "a number")
    assert loop_of(load_machine("vs2003", extend=[numbers_alone])) == SINGLE_PORT


def test_extensions_come_one_after_the_other():
    first, second = Extension("first", "later by one"), Extension("second", "twice as late")

    @first.replaces(word_start)
    def one_later(r, instruction, port, address, earliest):
        return word_start(r, instruction, port, address, earliest) + 1

    @second.replaces(word_start)
    def seven_later(r, instruction, port, address, earliest):
        return 7 + word_start(r, instruction, port, address, earliest)

    def waits(*extend):
        machine = load_machine(WORKED, ["section_size=8"], extend)
        memory = np.zeros(1 << 12, np.uint8)
        program = assemble("setvl x0\nli x1, 1\nsetvl x1\nlv.w v1, (zero)\nhalt")
        return run(program, memory, machine, engine="simpy").cycles

    alone = waits()
    assert [waits(first) - alone, waits(second) - alone, waits(first, second) - alone] == [1, 7, 8]


def test_what_has_no_name_is_reported_before_it_runs():
    wrong = Extension("wrong", "does not work")

    @wrong.replaces(bank_of)
    def bank_by_hash(r, address):
        return adress % 16  # noqa: F821

    for engine in ("simpy", "jit-multiport"):
        with pytest.raises(UserError, match=r"wrong: .*: bank_by_hash uses 'adress', .*mean 'address'\?"):
            gathered(SAME, extend=wrong, engine=engine)


RULE = """
from vecsim import Extension
from vecsim.engines.rules.banks import bank_of
mine = Extension('mine', 'fails')
mine.array('seen', 4)
@mine.replaces(bank_of)
def nowhere(r, address):
    return {}
"""
GAVE, AT_LINE = "what a rule gave", r"\S*mine\.py:8"


ERRORS = [
    ("address + 4", rf"{GAVE}: IndexError: index \d+ is not in 0 to 3"),
    ("r.seen[-1]", rf"{AT_LINE}: IndexError: index -1 is not in 0 to 3"),
    ("1 // r.seen[0]", rf"{AT_LINE}: ZeroDivisionError: division by zero"),
]


@pytest.mark.parametrize(
    ("engine", "returned", "message"),
    [
        *(("simpy", *error) for error in ERRORS),
        pytest.param("jit", *ERRORS[1], marks=pytest.mark.ci),
        *(pytest.param("jit", *error, marks=pytest.mark.nightly) for error in ERRORS[::2]),
    ],
)
def test_an_error_in_a_rule_is_reported_with_its_line(tmp_path, returned, message, engine):
    file = tmp_path / "mine.py"
    file.write_text(RULE.format(returned))
    machine = load_machine("vs2003", ["banks=4"], [file])
    with pytest.raises(UserError, match=rf"instruction \d+, cycle \d+: extension mine: {message}$"):
        run(assemble(GATHER), np.zeros(1 << 12, np.uint8), machine, engine=engine)


CONSTANTS = """
from vecsim import Extension
from vecsim.engines.rules.banks import bank_of, word_start
from vecsim.engines.state import causes
mine = Extension('mine', 'names constants')
@mine.replaces(word_start)
def later(r, instruction, port, address, earliest):
    {}
    return word_start(r, instruction, port, address, earliest) + causes.PORT
"""


@pytest.mark.parametrize("engine", ["simpy", pytest.param("jit", marks=pytest.mark.nightly)])
def test_a_rule_names_constants_of_the_state(tmp_path, engine):
    file = tmp_path / "mine.py"
    file.write_text(CONSTANTS.format("..."))
    assert gathered(APART, extend=file, engine=engine).cycles > plain(APART).cycles


@pytest.mark.parametrize("engine", ["simpy", pytest.param("jit", marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    "line", ["r.machine.banks = 8", "instruction.latency = 1", "instruction.fields[0] = 1"]
)
def test_a_rule_does_not_change_program_or_machine(tmp_path, line, engine):
    file = tmp_path / "mine.py"
    file.write_text(CONSTANTS.format(line))
    with pytest.raises(UserError, match="the program and the machine are read only"):
        gathered(APART, extend=file, engine=engine)


def test_the_digest_of_compiled_code_is_that_of_the_rules():
    digests = {extension_fingerprint(load_machine("t0", extend=[name]).user_rules) for name in WITH_RULES}
    assert len(digests) == len(WITH_RULES)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.ci if name == WITH_RULES[0] else pytest.mark.nightly)
        for name in WITH_RULES
    ],
)
@given(seeds)
@examples(20)
def test_random_programs_take_the_same_cycles_in_all_engines(name, seed):
    case = random_case(seed)
    machine = load_machine("vs2003", extend=[name])
    machine = type(machine).model_validate(machine.model_dump() | case.machine.model_dump())
    case = replace(case, machine=machine)
    runs = [run(case.program, case.memory, machine, engine=each) for each in ("simpy", "jit")]
    assert runs[0].cycles == runs[1].cycles
    assert runs[0].counters == runs[1].counters
    assert runs[0].cycles_by_cause == runs[1].cycles_by_cause
    assert sum(runs[0].cycles_by_cause.values()) == runs[0].cycles


@pytest.mark.parametrize("name", WITH_RULES)
def test_a_run_goes_on_from_a_snapshot(name):
    csr, machine = load("pde225").csr, load_machine("t0", extend=[name])
    prepared = prepare("jd", csr, machine, np.ones(csr.shape[1], csr.dtype), {})
    engines = [start(prepared.program, prepared.loaded.memory, machine, engine="simpy") for _ in range(2)]
    engines[0].advance(cycle=1000)
    snapshot = engines[0].snapshot()
    assert snapshot.timing["own"].size
    engines[1].restore(snapshot)
    for engine in engines:
        engine.advance(cycle=1_000_000)
    assert engines[0].cycle == engines[1].cycle
    assert engines[0].result().counters == engines[1].result().counters
