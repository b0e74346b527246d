"""When a faster machine never takes more cycles.

On one port every time is the latest of earlier times plus constants, and the program alone decides which
times those are: all units serve in order. So nothing that comes earlier makes anything else later, and no
improvement of the machine costs a cycle. That includes the banks: a word waits for the words before it in
its bank, and words that share one of 2b banks share one of b. It includes the sparse unit, too: entries go
in order, and those of a cycle still fit together when some of them went earlier. Several ports are
different, see ``test_anomalies``.
"""

import pytest
from differential.cases import random_case
from engine_runs import EVERY_ENGINE, WORKED
from hypothesis import assume, given
from hypothesis import strategies as st
from machine_changes import (
    REPRESENTATIVE,
    SIZES,
    TO_FASTER,
    S,
    changed,
    cycles,
    parameters,
    representative,
)
from tiers import examples, one_in

from vecsim.engines.running import run
from vecsim.machine import Cache, MainMemory, load_machine

# By laws that hold for one engine, and engines that agree, which other tests see to, it holds for all.
OTHERS = [pytest.param(each, marks=pytest.mark.nightly) for each in EVERY_ENGINE if each != "jit"]
pytestmark = pytest.mark.parametrize("engine", ["jit", *OTHERS])


# One port


def test_every_parameter_has_its_faster_values(engine):
    assert set(TO_FASTER) | SIZES == set(parameters())
    assert not set(TO_FASTER) & SIZES


@pytest.mark.parametrize("name", one_in(2, REPRESENTATIVE))
def test_faster_is_never_slower_on_one_port(engine, name):
    program, memory = representative(name)
    machine = load_machine(WORKED, [f"section_size={S}"])
    for parameter, values in TO_FASTER.items():
        chosen = (values[0], values[len(values) // 2], values[-1])
        runs = [run(program, memory, changed(machine, parameter, v), engine=engine).cycles for v in chosen]
        assert runs == sorted(runs, reverse=True), (parameter, chosen)


def on_one_port(machine, parameter):
    """A machine with one port whose accesses decide alone what caches hold and which rows are open.

    Scalar accesses and what is prefetched would come between at other times. Words that merge ask for no
    line, and more banks have other rows.
    """
    caches = {
        level: getattr(machine, level).model_copy(update={"serves": 1, "prefetch": 0})
        for level in ("l1", "l2")
    }
    machine = machine.model_copy(update={"memory_ports": 1, "store_ports": 0, **caches})
    if parameter.startswith(("banks", "merge_")):
        machine = changed(machine, "main_memory.row_words", 0)
    if parameter.startswith("merge_"):
        machine = machine.model_copy(update={"l1": Cache(), "l2": Cache()})
    return machine


@examples(200)
@given(st.integers(0, 2**32), st.sampled_from(sorted(TO_FASTER)), st.data())
def test_faster_is_never_slower_in_random_programs_on_one_port(engine, seed, parameter, data):
    case = random_case(seed)
    values = TO_FASTER[parameter]
    slow = data.draw(st.integers(0, len(values) - 2))
    fast = data.draw(st.integers(slow + 1, len(values) - 1))
    machine = on_one_port(case.machine, parameter)
    before, after = (
        run(case.program, case.memory, changed(machine, parameter, values[i]), engine=engine).cycles
        for i in (slow, fast)
    )
    assert after <= before


def test_more_banks_that_are_no_multiple_may_cost_cycles(engine):
    # A stride of 16 words meets each of 3 banks in turn, so that each is free again, and of 4 banks one.
    text = "li x1, 64\nli x2, 1024\nlvws.w v1, (x2), x1"
    assert cycles(text, "banks=3", "bank_busy=3", engine=engine) == 2 + 84
    assert cycles(text, "banks=4", "bank_busy=3", engine=engine) == 2 + 20 + 63 * 3 + 1


# More ports


@pytest.mark.parametrize("name", REPRESENTATIVE)
def test_more_ports_do_not_slow_the_programs(engine, name):
    # It is no law, as the anomalies show: it is what these programs do on enough banks.
    program, memory = representative(name)
    machine = load_machine(WORKED, [f"section_size={S}", "banks=64"])
    runs = [
        run(program, memory, changed(machine, "memory_ports", n), engine=engine).cycles for n in (1, 2, 4)
    ]
    assert runs == sorted(runs, reverse=True)


@examples(60)
@given(st.integers(0, 2**32), st.integers(2, 4))
def test_ports_that_never_meet_at_a_bank_are_not_slower_than_one(engine, seed, ports):
    # Whichever port an access goes to, it waits for older accesses only, and one port waits for all of them.
    # Between two numbers of ports this does not hold: see the choice of the port. Caches, open rows and the
    # path of main memory are shared by the ports, so that a younger access can come first there. Of several
    # ports that only store a store would choose one.
    case = random_case(seed)
    shared = {
        "l1": Cache(),
        "l2": Cache(),
        "main_memory": MainMemory(latency=case.machine.main_memory.latency),
        "store_ports": min(case.machine.store_ports, 1),
    }
    machine = changed(changed(case.machine.model_copy(update=shared), "banks", 65536), "bank_busy", 1)
    many = run(case.program, case.memory, changed(machine, "memory_ports", ports), engine=engine)
    assume(many.waited["bank_conflict"] == 0)
    one = run(case.program, case.memory, changed(machine, "memory_ports", 1), engine=engine)
    assert many.cycles <= one.cycles
