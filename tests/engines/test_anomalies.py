"""Faster machines that take more cycles, of every parameter.

Several ports decide in time: the older access goes first *in a cycle* at the banks, and a port is chosen by
what is in flight *then*. With them every parameter has an anomaly.
"""

from dataclasses import dataclass

import pytest
from engine_runs import EVERY_ENGINE, trace
from machine_changes import TO_FASTER, cycles

pytestmark = pytest.mark.parametrize("engine", EVERY_ENGINE)


# At the banks: what comes earlier gets in the way

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

    On the faster machine the store starts ``behind`` cycles after the load, in the bank that the load wants
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
    "latency.divide": Anomaly(("3", "2"), older_store("divvv.s v1, v4, v4", 2), (50, 52)),
    # The sums are those of two cycles, and of one if p or r allows.
    "sparse_unit.latency": Anomaly(("3", "2"), older_store("bmipa.s v1, v4, v5, v6", 3), (50, 52)),
    "sparse_unit.p": Anomaly(
        ("4", "8"), older_store("bmipa.s v1, v4, v5, v6", 1), (50, 52), ("sparse_unit.latency=1",)
    ),
    "sparse_unit.r": Anomaly(
        ("4", "8"),
        # The load issues a cycle later, after the li.
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
    # Issue is one a cycle: the load comes a cycle after the aligned store, together with the unaligned one.
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
    # Two words a cycle from bank 6 on after one word a cycle from bank 0 on. If a word keeps its bank for
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
    "latency.integer_divide": Anomaly(("3", "2"), younger_load("rem x1, x0, x0", 3, "x1"), (50, 51)),
    "latency.float": Anomaly(("3", "2"), younger_load("fadd.s f1, f2, f3\nmfx x1, f1", 4, "x1"), (50, 51)),
    "latency.float_divide": Anomaly(
        ("3", "2"), younger_load("fsqrt.s f1, f2\nmfx x1, f1", 4, "x1"), (50, 51)
    ),
    "latency.extract": Anomaly(("3", "2"), younger_load("extx x1, v8, x0", 3, "x1"), (50, 51)),
    # Three levels of the tree of 8 elements, and a cycle for mfx: the load issues 5 cycles after the older.
    "latency.sum": Anomaly(("2", "1"), younger_load("sumv.s f1, v8\nmfx x1, f1", 6, "x1"), (50, 51)),
    "scalar_load_latency": Anomaly(("3", "2"), younger_load("lw x1, 64(x0)", 3, "x1"), (50, 51)),
    # Without a queue the load issues when the second add is dispatched, 2 cycles after the first.
    "unit_queue": Anomaly(
        ("0", "1"),
        younger_load("addvv.s v8, v9, v9\naddvv.s v10, v11, v11", 1),
        (50, 51),
        ("lanes=4",),
    ),
    # The younger load follows a short one on its port, from 11 on or, with its startup hidden, from 8 on.
    "accesses_in_flight": Anomaly(("1", "2"), SHORT_LOAD + younger_load("nop", 2), (55, 56), ("startup=3",)),
}


WITHOUT = (
    *("l1.", "l2.", "main_memory.", "store_", "merge_", "words_outstanding", "disambiguation"),
    *("divide_interval", "add_units", "multiply_units", "sparse_units", "masked_elements"),
)
"""Numbers of memory other than the banks and of the units, which have no program here."""


def test_every_parameter_has_its_anomaly(engine):
    assert set(AT_THE_BANKS) == {name for name in TO_FASTER if not name.startswith(WITHOUT)} | {
        "memory_ports"
    }


@pytest.mark.parametrize("parameter", AT_THE_BANKS)
def test_on_two_ports_faster_may_be_slower(engine, parameter):
    case = AT_THE_BANKS[parameter]
    changes = [(*TWO_PORTS, *case.given, f"{parameter}={value}") for value in case.values]
    assert tuple(cycles(case.text, *change, engine=engine) for change in changes) == case.cycles


# Anomalies of the choice of a port: with more room an access chooses earlier, and knows less

MANY_BANKS = ("section_size=16", "startup=0", "words_per_cycle=1", "banks=65536", "issue_width=16")
LONG, SHORT = "setvl x31\n", "setvl x1\n"
"""16 words and 4; an access after one of them issues a cycle after it."""


def test_more_accesses_in_flight_may_choose_the_wrong_port(engine):
    # Loads of 16, 4 and 16 words. With one access in flight the third waits for a port, and port 1 is free in
    # cycle 5. With two in flight it chooses at once: both ports have one, so it goes after 16 words.
    text = f"li x1, 4\na: lv.w v1, 1024(x0)\n{SHORT}lv.w v2, 2048(x0)\n{LONG}c: lv.w v3, 3072(x0)"
    one, two = (
        trace(text, *MANY_BANKS, "memory_ports=2", f"accesses_in_flight={n}", engine=engine) for n in (1, 2)
    )
    assert (one.c["port"], two.c["port"]) == (1, 0)
    assert one.c["last"] - one.a["dispatch"] == 1 + 4 + 16
    assert two.c["last"] - two.a["dispatch"] == 16 + 16


def test_a_third_port_may_change_the_choice_for_the_worse(engine):
    # Loads of 16, 4, 4 and 16 words, two in flight. Of two ports the third load goes to port 0, and the
    # fourth to port 1, after 4 words. A third port takes the third load; the fourth goes after 16 words.
    short = "lv.w v2, 2048(x0)\nlv.w v3, 2304(x0)"
    text = f"li x1, 4\na: lv.w v1, 1024(x0)\n{SHORT}{short}\n{LONG}d: lv.w v4, 3072(x0)"
    two, three = (
        trace(text, *MANY_BANKS, "accesses_in_flight=2", f"memory_ports={n}", engine=engine) for n in (2, 3)
    )
    assert (two.d["port"], three.d["port"]) == (1, 0)
    assert two.d["last"] - two.a["dispatch"] == 1 + 4 + 16
    assert three.d["last"] - three.a["dispatch"] == 16 + 16
