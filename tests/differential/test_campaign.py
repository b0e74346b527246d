"""A mistake planted in an engine is found, shrunk and reported; what has been run is not run again."""

import os
import time

import numpy as np
import pytest
from differential.__main__ import main
from differential.campaign import Campaign
from differential.cases import MAX_CYCLES, Case, random_case, read_case
from differential.comparison import End, compare, facts_differ, outcome
from differential.report import Report, add_span, missing
from differential.shrinking import Shrinker
from differential.variants import VARIANTS
from differential.workers import Died, Pool

from isa.assembler import assemble
from vecsim.machine import Machine

PLANTED = ("simpy", "simpy-planted")
TEXT = "li x3, 4\nsetvl x3\nlv.w v1, 64(x0)\nmulvv.s v2, v1, v1\nhalt\n"


def case_of(text, **machine):
    memory = np.arange(256, dtype=np.uint8)
    return Case(assemble(text), memory, Machine(section_size=8, **machine), text=text)


def campaign(tmp_path, engines, span):
    lines = []
    report = Report(tmp_path / "report.json")
    built = Campaign(engines, span, 1, report, tmp_path / "failures", say=lines.append)
    return built, lines


@pytest.mark.ci
def test_a_planted_mistake_is_found_shrunk_and_written(tmp_path):
    seed = next(seed for seed in range(100) if compare(random_case(seed, faults=True), *PLANTED))
    built, lines = campaign(tmp_path, PLANTED, (seed, seed + 1))
    assert built.run() == 1
    small = read_case(tmp_path / "failures" / f"seed-{seed}.s")
    assert 1 <= len(small.program) <= 8
    assert any("mul" in small.program.instruction(pc).mnemonic for pc in range(len(small.program)))
    assert not small.memory.any()
    assert compare(small, *PLANTED) is not None
    assert "first row of the timeline that differs" in "\n".join(lines)
    assert main(["replay", "--engines", *PLANTED, str(tmp_path / "failures" / f"seed-{seed}.s")]) == 1


@pytest.mark.ci
def test_what_has_been_run_is_not_run_again(tmp_path):
    engines = ("simpy", "simpy")
    assert campaign(tmp_path, engines, (10, 14))[0].run() == 0
    built, lines = campaign(tmp_path, engines, (8, 16))
    assert built.run() == 0
    assert "4 cases" in lines[-1]
    assert "8 on sources" in lines[-1]
    assert not list(tmp_path.glob("*.new"))


@pytest.mark.nightly
def test_a_mismatch_known_from_before_still_counts(tmp_path):
    seed = next(seed for seed in range(100) if compare(random_case(seed, faults=True), *PLANTED))
    arguments = ["--seed", str(seed), "--count", "1", "--engines", *PLANTED, "--jobs", "1"]
    arguments += ["--report", str(tmp_path / "r.json"), "--failures", str(tmp_path)]
    assert [main(arguments), main(arguments)] == [1, 1]


def test_everything_is_compared():
    for change, name in (
        ({"latency": Machine().latency.model_copy(update={"multiply": 3})}, "cycles"),
        ({"banks": 3, "bank_busy": 9}, "waited bank_conflict"),
    ):
        facts = [_facts(case_of(TEXT)), _facts(case_of(TEXT, **change))]
        differing = [line.split(":")[0] for line in facts_differ(assemble(TEXT), *facts)]
        assert name in differing
        assert any(line.startswith("timeline ") for line in differing)


def _facts(case):
    return outcome(case, "simpy").facts


def test_a_bit_of_the_state_is_a_difference():
    left, right = _facts(case_of(TEXT)), _facts(case_of(TEXT))
    right["state v"] = right["state v"] ^ np.eye(1, len(right["state v"]), 9, dtype=np.int64)[0]
    assert len(facts_differ(assemble(TEXT), left, right)) == 1
    right["state v"] = left["state v"].astype(np.int32)
    assert "int32" in facts_differ(assemble(TEXT), left, right)[0]


def test_an_engine_that_breaks_differs_from_every_other(monkeypatch):
    def broken(*_):
        raise IndexError("no such slot")

    monkeypatch.setitem(VARIANTS, "broken", broken)
    for engines in (("simpy", "broken"), ("broken", "broken")):
        actual = compare(case_of(TEXT), *engines)
        assert actual is not None
        assert actual.ends[1] == End.CRASH
        assert "no such slot" in str(actual)


def test_faults_agree_when_place_and_reason_do():
    case = case_of("li x1, -4\nlw x2, (x1)\nhalt\n")
    assert compare(case, "simpy", "simpy") is None


def test_shrinking_keeps_what_matters():
    text = "start:\n" + "li x5, 1000\n" * 20 + "again:\nli x6, 77\nbnez x0, again\nhalt\n"
    case = case_of(text, banks=3, issue_width=2)
    small = Shrinker(lambda c: "x6" in c.assembly and c.machine.banks == 3).shrink(case)
    assert small.assembly.split() in (["li", "x6,", "77"], ["li", "x6,", "0"])
    assert small.machine == Machine(banks=3)
    assert small.max_cycles == MAX_CYCLES


def _behave(task, beat):
    beat(7)
    if task == "die":
        os._exit(3)
    if task == "hang":
        time.sleep(60)
    return task


@pytest.mark.ci
@pytest.mark.parametrize(("task", "reason"), [("die", "ended with code 3"), ("hang", "no sign of life")])
def test_a_worker_that_dies_or_hangs_is_reported_and_replaced(task, reason):
    # A new process takes seconds to begin where the machine is busy.
    results = dict(Pool(_behave, 1, limit=12.0).run([task, "well"]))
    assert results["well"] == "well"
    assert isinstance(results[task], Died)
    assert reason in results[task].reason
    assert results[task].at == 7


def _begin_slowly(task, beat):
    beat(1)
    time.sleep(2.5)
    for at in (2, 3):
        beat(at)
    time.sleep(60 if task == "hang" else 0)
    return task


@pytest.mark.nightly
def test_a_worker_may_take_longer_to_begin():
    results = dict(Pool(_begin_slowly, 1, limit=1.0, start_limit=60.0).run(["well", "hang"]))
    assert results["well"] == "well"
    assert (results["hang"].at, results["hang"].reason) == (3, "no sign of life for 1 s")


@pytest.mark.ci
def test_what_ends_a_worker_is_a_mismatch_and_the_rest_is_run(tmp_path, monkeypatch):
    built, lines = campaign(tmp_path, ("simpy", "simpy"), (0, 5))
    monkeypatch.setattr("differential.campaign.run_chunk", _die_at_three)
    assert built.run() == 1
    assert built.report.content["random"].popitem()[1]["simpy simpy"]["mismatches"] == [3]
    assert "5 cases" in lines[-1]
    assert "ended with code 3" in "".join(lines)
    assert (tmp_path / "failures" / "seed-3.s").exists()


def _die_at_three(chunk, beat):
    for seed in range(*chunk.span):
        beat(seed)
        if seed == 3:
            os._exit(3)
    return []


def test_spans():
    assert add_span([(0, 10), (20, 30)], (10, 20)) == [(0, 30)]
    assert add_span([(0, 10)], (15, 20)) == [(0, 10), (15, 20)]
    assert missing([(0, 10), (20, 30)], (5, 40)) == [(10, 20), (30, 40)]
    assert missing([(0, 10)], (2, 5)) == []
    assert missing([], (2, 5)) == [(2, 5)]
    assert missing([(10, 20)], (0, 5)) == [(0, 5)]
