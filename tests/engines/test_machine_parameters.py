"""Every parameter of the machine: what it does to cycles, and when a faster machine never takes more of them.

On one port every time is the latest of earlier times plus constants, and the program alone decides which
times those are: all units serve in order. So nothing that comes earlier makes anything else later, and no
improvement of the machine costs a cycle. That covers the banks (a word waits for the words before it in its
bank, and words that share one of 2b banks share one of b) and the sparse unit (entries go in order, and those
of a cycle still fit together when some of them went earlier).

Several ports decide in time: the older access goes first *in a cycle* at the banks, and a port is chosen by
what is in flight *then*. With them every parameter has an anomaly, which the second half records.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
import scipy.sparse
from differential.cases import random_case
from engine_runs import EVERY_ENGINE, WORKED, trace
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from isa.assembler import assemble
from isa.errors import UserError
from programs.measurement import multiplicand, prepare
from programs.registry import PROGRAMS
from vecsim.engines.protocol import run
from vecsim.machine import Machine, load_machine

pytestmark = pytest.mark.parametrize("engine", EVERY_ENGINE)


def parameters(model=Machine, group=""):
    """The names of all numbers of the machine, as ``key=value`` changes have them."""
    names = []
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            names += parameters(field.annotation, f"{name}.")
        else:
            names.append(group + name)
    return names


def cycles(text, *changes, engine):
    return trace(text, *changes, engine=engine).run.cycles


# Sensitivity


@dataclass(frozen=True)
class Case:
    """Cycles that ``change`` makes, on vs2003 with the changes ``given``; worked out beside each."""

    text: str
    change: str
    difference: int
    given: tuple[str, ...] = ()


LOAD = "lv.w v1, 1024(x0)"
TWO_LOADS = f"{LOAD}\nlv.w v2, 2176(x0)"

SENSITIVE = {
    # 64 words more, 4 a cycle.
    "section_size": Case(LOAD, "128", 64 // 4),
    # setvl and 8 nops and halt from cycle 1 on: cycles 1 to 3 with four a cycle, to 10 with one.
    "issue_width": Case("nop\n" * 8, "1", 10 - 3),
    # Without a queue the second move issues when the first has started all, and the load waits behind it.
    "unit_queue": Case(f"movv v3, v4\nmovv v5, v6\n{LOAD}", "0", 64 // 4),
    # The second load ends with the first, no longer 16 cycles later; the loads are 32 of 64 banks apart.
    "memory_ports": Case(TWO_LOADS, "2", -16, ("banks=64",)),
    # The second startup is no longer hidden.
    "accesses_in_flight": Case(TWO_LOADS, "1", 20),
    "startup": Case(LOAD, "23", 23 - 20),
    # 64 words take 32 cycles instead of 16.
    "words_per_cycle": Case(LOAD, "2", 32 - 16),
    # 64 words take 32 cycles instead of 64: 2 a cycle keep 8 banks busy, a stride of a word uses all 16.
    "addresses_per_cycle": Case("li x1, 4\nlvws.w v1, (x0), x1", "2", 32 - 64),
    # Word 257 is where 16 bytes do not begin and 4 do.
    "alignment_bytes": Case("lv.w v1, 1028(x0)", "4", -1),
    # 8 words in 2 cycles every 4: the last two cycles begin at 28, where they ended at 15.
    "banks": Case(LOAD, "8", 28 + 1 - 15),
    # 16 words in 4 cycles every 8: the last four cycles begin at 24.
    "bank_busy": Case(LOAD, "8", 24 + 3 - 15),
    # The add starts with the last of 16 cycles of the load, no longer with the first.
    "chaining": Case(f"{LOAD}\naddvv.s v2, v1, v1", "false", 15),
    # 64 elements take 64 cycles instead of 16.
    "lanes": Case("addvv.s v1, v2, v3", "1", 64 - 16),
    "scalar_load_latency": Case("lw x1, 64(x0)\nadd x2, x1, x1", "7", 7 - 2),
    "branch_penalty": Case("j on\non: nop", "3", 3),
    # The li of vl, that of x1 and two adds depend on each other in three places; the last result is one more.
    "latency.integer": Case("li x1, 1\nadd x2, x1, x1\nadd x3, x2, x2", "2", 4),
    "latency.integer_multiply": Case("mul x1, x31, x31\nmul x2, x1, x1", "5", 2 * (5 - 3)),
    "latency.float": Case("fadd.s f1, f2, f3\nfadd.s f4, f1, f1", "9", 2 * (9 - 4)),
    "latency.extract": Case("extx x1, v1, x0", "7", 7 - 2),
    "latency.move": Case("movv v1, v2", "9", 9 - 4),
    "latency.add": Case("addvv.s v1, v2, v3", "9", 9 - 8),
    "latency.multiply": Case("mulvv.s v1, v2, v3", "20", 20 - 8),
    "latency.multiply_add": Case("maddvv.s v1, v2, v3", "9", 9 - 12),
    "latency.sum": Case("sumv.s f1, v1", "9", 9 - 8),
    # All entries are of row 0: p alone decides, 8 cycles instead of 16.
    "sparse_unit.p": Case("bmipa.s v1, v2, v3, v4", "8", 8 - 16),
    # 64 rows, 2 a cycle: 32 cycles instead of 16.
    "sparse_unit.r": Case("li x1, 0x10001\ncvi v4, x1\nbmipa.s v1, v2, v3, v4", "2", 32 - 16),
    "sparse_unit.latency": Case("bmipa.s v1, v2, v3, v4", "50", 50 - 10),
}

WITHOUT_TIME = {"name", "vector_registers"}
"""The number of registers decides which programs run, and not when."""


def test_every_parameter_has_a_case(engine):
    assert set(parameters()) == set(SENSITIVE) | WITHOUT_TIME


@pytest.mark.parametrize("parameter", SENSITIVE)
def test_a_parameter_changes_cycles(engine, parameter):
    case = SENSITIVE[parameter]
    before = cycles(case.text, *case.given, engine=engine)
    after = cycles(case.text, *case.given, f"{parameter}={case.change}", engine=engine)
    assert after - before == case.difference


def test_vector_registers_decide_which_programs_run(engine):
    text = "lv.w v9, 1024(x0)"
    assert cycles(text, "vector_registers=32", engine=engine) == cycles(text, engine=engine) == 2 + 36
    with pytest.raises(UserError, match="v9"):
        cycles(text, "vector_registers=8", engine=engine)


# One port: faster is never slower

TO_FASTER = {
    "issue_width": (1, 2, 3, 4, 8),
    "unit_queue": (0, 1, 2, 4, 8),
    "accesses_in_flight": (1, 2, 3, 4),
    "startup": (21, 20, 6, 5, 1, 0),
    "words_per_cycle": (1, 2, 3, 4, 8),
    "addresses_per_cycle": (1, 2, 3, 4, 8),
    "alignment_bytes": (16, 8, 4),
    "bank_busy": (8, 7, 4, 3, 2, 1),
    "chaining": (False, True),
    "lanes": (1, 2, 3, 4, 8, 16),
    "scalar_load_latency": (6, 5, 2, 1),
    "branch_penalty": (3, 2, 1, 0),
    **{name: (9, 8, 7, 3, 2, 1) for name in parameters() if name.startswith("latency.")},
    "sparse_unit.p": (1, 2, 3, 4, 8),
    "sparse_unit.r": (1, 2, 3, 4, 8),
    "sparse_unit.latency": (11, 10, 4, 2, 1),
    # Each a multiple of the one before: others may map a stride worse, as a test below shows.
    "banks": (3, 6, 12, 24, 48, 96),
}
"""Values of each parameter, each better than the one before."""

SIZES = {"section_size", "vector_registers", "memory_ports", "name"}
"""Neither faster nor slower; of the ports below."""


def changed(machine, parameter, value):
    group, _, name = parameter.rpartition(".")
    if group:
        value = getattr(machine, group).model_copy(update={name: value})
    return machine.model_copy(update={group or name: value})


HAND_WRITTEN = {
    "chain": """
        lv.w v1, 1028(x0)
        lv.d v2, 2048(x0)
        maddvv.s v3, v1, v2
        lvi.w v4, (x0), v5
        mulvv.s v4, v4, v3
        sumv.s f1, v4
        sv.w v3, 1030(x0)
        fs.w f1, 64(x0)
        """,
    "hazards": """
        li x1, 32
        lvws.w v1, (x0), x1
        addvv.s v2, v1, v1
        mulvv.s v1, v2, v2
        svws.w v1, (x0), x1
        movv v2, v1
        extx x2, v2, x0
        lv.w v2, 512(x2)
        """,
    "strips": """
        li x1, 50
        again:
        setvl x2, x1
        lv.w v1, 1024(x0)
        lv.w v2, 2048(x0)
        maddvs.s v2, v1, f1
        sv.w v2, 2048(x0)
        sub x1, x1, x2
        bnez x1, again
        """,
    "blocks": """
        li x1, 4096
        li x2, 40
        li x3, 0
        li x4, 8192
        li x5, 64
        ldc.w x3, (x4), x5
        entries: ldb.w v1, v2, (x1), x2, 1
        bmipac.s x3, v4, v1, v2
        bmipa.s v5, v4, v1, v2
        bnez x2, entries
        stc.w x3, (x4), x5
        sv.w v5, 2048(x0)
        """,
}
S = 8
"""Section size of the runs below."""


def assembled(text):
    return assemble(f"li x31, {S}\nsetvl x31\n{text}\nhalt\n"), np.zeros(1 << 14, np.uint8)


def product(name):
    machine = load_machine(WORKED, [f"section_size={S}"])
    matrix = scipy.sparse.random_array((20, 20), density=0.12, format="csr", dtype=np.float32, rng=3)
    prepared = prepare(name, matrix, machine, multiplicand(20, 0, np.float32))
    return prepared.program, prepared.loaded.memory


@cache
def representative(name):
    return product(name) if name in PROGRAMS else assembled(HAND_WRITTEN[name])


REPRESENTATIVE = [*PROGRAMS, *HAND_WRITTEN]


def test_every_parameter_has_its_faster_values(engine):
    assert set(TO_FASTER) | SIZES == set(parameters())
    assert not set(TO_FASTER) & SIZES


@pytest.mark.parametrize("name", REPRESENTATIVE)
def test_faster_is_never_slower_on_one_port(engine, name):
    program, memory = representative(name)
    machine = load_machine(WORKED, [f"section_size={S}"])
    for parameter, values in TO_FASTER.items():
        chosen = (values[0], values[len(values) // 2], values[-1])
        runs = [run(program, memory, changed(machine, parameter, v), engine=engine).cycles for v in chosen]
        assert runs == sorted(runs, reverse=True), (parameter, chosen)


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.sampled_from(sorted(TO_FASTER)), st.data())
def test_faster_is_never_slower_in_random_programs_on_one_port(engine, seed, parameter, data):
    case = random_case(seed)
    values = TO_FASTER[parameter]
    slow = data.draw(st.integers(0, len(values) - 2))
    fast = data.draw(st.integers(slow + 1, len(values) - 1))
    machine = changed(case.machine, "memory_ports", 1)
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


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(2, 4))
def test_ports_that_never_meet_at_a_bank_are_not_slower_than_one(engine, seed, ports):
    # Whichever port an access goes to, it waits for older accesses only, and one port waits for all of them.
    # Between two numbers of ports this does not hold: see the choice of the port.
    case = random_case(seed)
    machine = changed(changed(case.machine, "banks", 65536), "bank_busy", 1)
    many = run(case.program, case.memory, changed(machine, "memory_ports", ports), engine=engine)
    assume(many.waited["bank_conflict"] == 0)
    one = run(case.program, case.memory, changed(machine, "memory_ports", 1), engine=engine)
    assert many.cycles <= one.cycles


# Anomalies at the banks: what comes earlier gets in the way

TWO_PORTS = (
    "section_size=8",
    "issue_width=8",
    "memory_ports=2",
    "accesses_in_flight=1",
    "startup=0",
    "words_per_cycle=1",
    "alignment_bytes=4",
    "banks=8",
    "bank_busy=2",
    "lanes=8",
    "latency.multiply=40",
)
"""Streams of a word a cycle go round eight banks; a product is what everything waits for."""


@dataclass(frozen=True)
class Anomaly:
    """A faster machine that takes more cycles: values and cycles before and after."""

    values: tuple[str, str]
    text: str
    cycles: tuple[int, int]
    given: tuple[str, ...] = ()


def older_store(producer, behind, consumer="mulvv.s"):
    """A store that starts when its data come, and a younger load that begins at once, at bank 0.

    On the faster machine the store starts ``behind`` cycles behind the load, in the bank that the load wants
    in that cycle. It goes first, as the older, and the load waits for 2 cycles. On the slower machine it
    comes a cycle later, to a bank that the load took the cycle before, and waits itself, unnoticed.
    The load ends at 2 + 8, the product 40 cycles later.
    """
    store = f"sv.w v1, {1024 + 4 * behind}(x0)"
    return f"{producer}\n{store}\nlv.w v2, 2048(x0)\n{consumer} v3, v2, v2"


def younger_load(between, bank, base="x0"):
    """A load that everything waits for, and a younger one that begins when a scalar operation lets it.

    On the faster machine the younger load takes the bank that the older wants in the next cycle: it waits
    for 1 cycle. On the slower machine the younger load starts when the older is there or past it.
    """
    text = f"lv.w v1, 2048(x0)\nmulvv.s v3, v1, v1\n{between}\n"
    return f"{text}lv.w v7, {1024 + 4 * bank}({base})"


OLDER_CONTIGUOUS = "li x1, 4\nli x2, 2048\nlv.w v1, {}(x0)\nlvws.w v2, (x2), x1\nmulvv.s v3, v2, v2"
OLDER_STRIDED = "li x1, 4\nli x2, {}\nlvws.w v1, (x2), x1\nlv.w v2, 2048(x0)\nmulvv.s v3, v2, v2"
SHORT_LOAD = "li x1, 2\nsetvl x1\nlv.w v4, 1040(x0)\nsetvl x31\n"

AT_THE_BANKS = {
    "latency.move": Anomaly(("3", "2"), older_store("movv v1, v4", 2), (50, 52)),
    "latency.add": Anomaly(("3", "2"), older_store("addvv.s v1, v4, v4", 2), (50, 52)),
    "latency.multiply": Anomaly(
        ("3", "2"), older_store("mulvv.s v1, v4, v4", 2, "maddvv.s"), (50, 52), ("latency.multiply_add=40",)
    ),
    "latency.multiply_add": Anomaly(("3", "2"), older_store("maddvv.s v1, v4, v4", 2), (50, 52)),
    # The sums are those of two cycles, and of one if p or r allows.
    "sparse_unit.latency": Anomaly(("3", "2"), older_store("bmipa.s v1, v4, v5, v6", 3), (50, 52)),
    "sparse_unit.p": Anomaly(
        ("4", "8"), older_store("bmipa.s v1, v4, v5, v6", 1), (50, 52), ("sparse_unit.latency=1",)
    ),
    "sparse_unit.r": Anomaly(
        ("4", "8"),
        # The load issues a cycle later, behind the li.
        older_store("li x1, 0x10001\ncvi v6, x1\nbmipa.s v1, v4, v5, v6", 2),
        (51, 53),
        ("sparse_unit.p=8", "sparse_unit.latency=1", "latency.move=1"),
    ),
    # The add unit takes the first add for two cycles, or for one.
    "lanes": Anomaly(
        ("4", "8"), older_store("addvv.s v4, v5, v5\naddvv.s v1, v5, v5", 2), (50, 52), ("latency.add=1",)
    ),
    # The store starts with the first sums and not with the last, a cycle later. The product of 4 lanes, which
    # unchained starts when all is loaded, takes a cycle more than chained: 51 where the others take 50.
    "chaining": Anomaly(
        ("false", "true"),
        older_store("addvv.s v1, v4, v4", 1),
        (51, 52),
        ("lanes=4", "latency.add=1"),
    ),
    # Issue is one a cycle: the load comes a cycle behind the aligned store, together with the unaligned one.
    "alignment_bytes": Anomaly(("16", "4"), older_store("nop", 7), (52, 54), ("issue_width=1",)),
    # The older load waits for the startup, the younger store for its data: it goes from 7 to 14 or 16. With a
    # startup of 2 the load starts at 4 in bank 5 and meets the store at 7 in bank 0.
    "startup": Anomaly(
        ("3", "2"),
        "mulvv.s v1, v4, v4\nlv.w v2, 1044(x0)\nsv.w v1, 2048(x0)",
        (15, 17),
        ("latency.multiply=5",),
    ),
    # At two words a cycle the older access takes banks 7 and 0 in its first cycle, where the younger wants
    # bank 0. At one word it comes to bank 0 a cycle later, and waits.
    "words_per_cycle": Anomaly(("1", "2"), OLDER_CONTIGUOUS.format(1052), (50, 52)),
    "addresses_per_cycle": Anomaly(("1", "2"), OLDER_STRIDED.format(1052), (50, 52)),
    # Two words a cycle from bank 6 on behind one word a cycle from bank 0 on. If a word keeps its bank for
    # two cycles, the older access cannot pass; otherwise it does, and takes bank 1 in the younger's cycle.
    "bank_busy": Anomaly(("2", "1"), OLDER_CONTIGUOUS.format(1048), (50, 51), ("words_per_cycle=2",)),
    # 4 banks, busy for 4 cycles, are all taken by the older load: the younger comes after it. Of 8 banks it
    # finds bank 4 free at 4, where the older wants its word 4 at 6: it waits until 8.
    "banks": Anomaly(
        ("4", "8"),
        "lv.w v1, 2048(x0)\nmulvv.s v3, v1, v1\nli x1, 2\nsetvl x1\nlv.w v7, 1040(x0)",
        (50, 52),
        ("bank_busy=4",),
    ),
    # On one port the younger load comes after the older.
    "memory_ports": Anomaly(("1", "2"), younger_load("nop", 1), (50, 51)),
    # The younger load issues at 6 or at 4.
    "issue_width": Anomaly(("1", "2"), younger_load("nop\nnop", 3), (50, 51)),
    "branch_penalty": Anomaly(("2", "1"), younger_load("j on\non:", 3), (50, 51)),
    # All begins two cycles earlier, and takes three cycles more: the bank is busy for four.
    "latency.integer": Anomaly(
        ("2", "1"),
        younger_load("add x1, x0, x0\nadd x1, x1, x1", 3, "x1"),
        (52, 53),
        ("banks=16", "bank_busy=4"),
    ),
    "latency.integer_multiply": Anomaly(("3", "2"), younger_load("mul x1, x0, x0", 3, "x1"), (50, 51)),
    "latency.float": Anomaly(("3", "2"), younger_load("fadd.s f1, f2, f3\nmfx x1, f1", 4, "x1"), (50, 51)),
    "latency.extract": Anomaly(("3", "2"), younger_load("extx x1, v8, x0", 3, "x1"), (50, 51)),
    # Three levels of the tree of 8 elements, and a cycle for mfx: the load issues 5 cycles behind the older.
    "latency.sum": Anomaly(("2", "1"), younger_load("sumv.s f1, v8\nmfx x1, f1", 6, "x1"), (50, 51)),
    "scalar_load_latency": Anomaly(("3", "2"), younger_load("lw x1, 64(x0)", 3, "x1"), (50, 51)),
    # Without a queue the load issues when the second add is accepted, 2 cycles behind the first.
    "unit_queue": Anomaly(
        ("0", "1"),
        younger_load("addvv.s v8, v9, v9\naddvv.s v10, v11, v11", 1),
        (50, 51),
        ("lanes=4",),
    ),
    # The younger load follows a short one on its port, from 11 on or, with its startup hidden, from 8 on.
    "accesses_in_flight": Anomaly(("1", "2"), SHORT_LOAD + younger_load("nop", 2), (55, 56), ("startup=3",)),
}


def test_every_parameter_has_its_anomaly(engine):
    assert set(AT_THE_BANKS) == set(TO_FASTER) | {"memory_ports"}


@pytest.mark.parametrize("parameter", AT_THE_BANKS)
def test_on_two_ports_faster_may_be_slower(engine, parameter):
    case = AT_THE_BANKS[parameter]
    changes = [(*TWO_PORTS, *case.given, f"{parameter}={value}") for value in case.values]
    assert tuple(cycles(case.text, *change, engine=engine) for change in changes) == case.cycles


# Anomalies of the choice of a port: with more room an access chooses earlier, and knows less

MANY_BANKS = ("section_size=16", "startup=0", "words_per_cycle=1", "banks=65536", "issue_width=16")
LONG, SHORT = "setvl x31\n", "setvl x1\n"
"""16 words and 4; an access behind one of them issues a cycle after it."""


def test_more_accesses_in_flight_may_choose_the_wrong_port(engine):
    # Loads of 16, 4 and 16 words. With one access in flight the third waits for a port, and port 1 is free in
    # cycle 5. With two in flight it chooses at once: both ports have one, so it goes behind 16 words.
    text = f"li x1, 4\na: lv.w v1, 1024(x0)\n{SHORT}lv.w v2, 2048(x0)\n{LONG}c: lv.w v3, 3072(x0)"
    one, two = (
        trace(text, *MANY_BANKS, "memory_ports=2", f"accesses_in_flight={n}", engine=engine) for n in (1, 2)
    )
    assert (one.c["port"], two.c["port"]) == (1, 0)
    assert one.c["last"] - one.a["accept"] == 1 + 4 + 16
    assert two.c["last"] - two.a["accept"] == 16 + 16


def test_a_third_port_may_change_the_choice_for_the_worse(engine):
    # Loads of 16, 4, 4 and 16 words, two in flight. Of two ports the third load goes to port 0, and the
    # fourth to port 1, behind 4 words. A third port takes the third load; the fourth goes behind 16 words.
    short = "lv.w v2, 2048(x0)\nlv.w v3, 2304(x0)"
    text = f"li x1, 4\na: lv.w v1, 1024(x0)\n{SHORT}{short}\n{LONG}d: lv.w v4, 3072(x0)"
    two, three = (
        trace(text, *MANY_BANKS, "accesses_in_flight=2", f"memory_ports={n}", engine=engine) for n in (2, 3)
    )
    assert (two.d["port"], three.d["port"]) == (1, 0)
    assert two.d["last"] - two.a["accept"] == 1 + 4 + 16
    assert three.d["last"] - three.a["accept"] == 16 + 16
