"""Traces of random programs on random machines keep their formats' rules; all engines are traced alike.

What other programs make of them is a fuzzer's: `tests.fuzz.trace_consumers`.
"""

import plain_chrome
import plain_kanata
import pytest
from differential.cases import draw_case
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st
from tiers import examples

from isa.declaration import Unit
from vecsim.engines.running import ENGINES, run
from vecsim.traces import recording
from vecsim.viewer import Subject, record


def traced(path, case, engine):
    with recording(path, case.program, case.machine) as stream:
        done = run(case.program, case.memory, case.machine, engine=engine, timeline=stream.request)
        stream.finish(done.cycles)
    return done


@pytest.mark.hypothesis
def test_on_random_cases(tmp_path):
    @seed(0)
    @settings(examples(20), database=None, phases=[Phase.generate, Phase.shrink])
    @given(st.randoms(use_true_random=False))
    def keep_the_rules(rng):
        case = draw_case(rng, faults=False)
        contents = {suffix: set() for suffix in (".json", ".kanata")}
        for engine in ENGINES:
            for suffix, actual in contents.items():
                path = tmp_path / f"trace{suffix}"
                done = traced(path, case, engine)
                lines = path.read_text(encoding="utf-8").splitlines()
                actual.add(
                    tuple(sorted(line.rstrip(",") for line in lines)) if suffix == ".json" else tuple(lines)
                )
        assert all(len(actual) == 1 for actual in contents.values())
        logged = plain_kanata.read(tmp_path / "trace.kanata")
        assert len(logged) == done.instructions
        assert max(each.end for each in logged) == done.cycles
        events = plain_chrome.events_of(tmp_path / "trace.json")
        lasted = sum(event["dur"] for event in plain_chrome.slices(events, "units and ports"))
        assert lasted == sum(done.busy[unit.name.lower()] for unit in Unit)
        page = record(Subject("a case", case.program, case.memory, case.machine), engine="jit")
        assert page.times["busy"].sum() == lasted and len(page.times["age"]) == done.instructions

    keep_the_rules()
