"""Faster machines that take more cycles, of every parameter.

Several ports decide in time: the older access goes first *in a cycle* at banks and caches, and a port is
chosen by what is in flight *then*. With them every parameter that has better values has an anomaly.
"""

from dataclasses import dataclass

import pytest
from engine_runs import EVERY_ENGINE, trace
from machine_changes import TO_FASTER, cycles
from tiers import one_in

pytestmark = pytest.mark.parametrize("engine", EVERY_ENGINE)


# At banks and caches: what comes earlier gets in the way

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


TWO_LOADS = "lv.w v1, {}(x0)\nlv.w v2, 2048(x0)"
OLDER_LOAD = f"{TWO_LOADS}\nmulvv.s v3, v1, v1"
MASK = "li x1, 1\ncvi v9, x1\nli x1, 4\nsltvs.w v9, x1\nrem x2, x0, x1\n"
"""A mask that is 1 for four elements; x2 is 0 when the mask has long been there."""


def second_operation(operation, behind, base="x0"):
    """A load that everything waits for, and a younger store of the second result of a unit.

    The first operation, of v4, holds up the second for a cycle or not. On the faster machine the store comes
    ``behind`` cycles after the load, in the bank in which it is: the older load goes first. So the store has
    taken the bank of the load's next word a cycle before.
    """
    operations = operation.format(4) + "\n" + operation.format(7)
    store = f"sv.w v7, {1024 + 4 * behind}({base})"
    return f"lv.w v2, 2048({base})\n{operations}\n{store}\nmulvv.s v3, v2, v2"


AT_THE_BANKS |= {
    "add_units": Anomaly(
        ("1", "2"), second_operation("addvv.s v{}, v5, v5", 2), (50, 51), ("latency.add=1",)
    ),
    "multiply_units": Anomaly(
        ("1", "2"),
        second_operation("maddvv.s v{}, v5, v5", 2),
        (50, 51),
        ("latency.multiply_add=1",),
    ),
    # Each takes its entries in two cycles.
    "sparse_units": Anomaly(
        ("1", "2"), second_operation("bmipa.s v{}, v5, v8, v9", 3), (50, 51), ("sparse_unit.latency=1",)
    ),
    "divide_interval": Anomaly(
        ("2", "1"), second_operation("divvv.s v{}, v5, v5", 4), (50, 51), ("latency.divide=2",)
    ),
    # 4 of 8 elements take the lanes for one cycle instead of two. All begins 21 cycles later, after rem.
    "masked_elements": Anomaly(
        ("0", "1"),
        MASK + second_operation("addvvm.s v{}, v5, v5", 3, "x2").replace("addvvm.s v7", "addvv.s v7"),
        (71, 72),
        ("lanes=4", "latency.add=1"),
    ),
    # On one port the store comes after the load; otherwise in its cycle, at its next bank.
    "store_ports": Anomaly(
        ("0", "1"),
        "lv.w v1, 2048(x0)\nnop\nsv.w v7, 1028(x0)\nmulvv.s v3, v1, v1",
        (50, 51),
        ("memory_ports=1",),
    ),
    # As words_per_cycle: the older store takes banks 7 and 0 in its first cycle, and the load waits.
    "store_words_per_cycle": Anomaly(
        ("1", "2"), "sv.w v1, 1052(x0)\nlv.w v2, 2048(x0)", (11, 12), ("store_ports=1",)
    ),
    "store_addresses_per_cycle": Anomaly(
        ("1", "2"),
        "li x1, 4\nli x2, 1052\nsvws.w v1, (x2), x1\nlv.w v2, 2048(x0)",
        (11, 12),
        ("store_ports=1", "disambiguation=1"),
    ),
    # A strided store that does not wait for the end of the load comes in its cycle, at its next bank.
    "disambiguation": Anomaly(
        ("0", "1"),
        "li x1, 4\nli x2, 1028\nlv.w v2, 2048(x0)\nsvws.w v1, (x2), x1\nmulvv.s v3, v2, v2",
        (50, 51),
    ),
    # The older access merges two words and is at bank 2 when the younger comes there. Otherwise it goes to
    # bank 1 after the younger, and stays after it.
    "merge_bytes": Anomaly(("4", "8"), "li x1, 4\nlvws.w v1, (x0), x1\nlv.w v2, 2052(x0)", (11, 12)),
    "merge_window": Anomaly(
        ("1", "2"), "li x1, 4\nlvws.w v1, (x0), x1\nlv.w v2, 2052(x0)", (11, 12), ("merge_bytes=8",)
    ),
    # Words from bank 6 on, one in two cycles: the younger load of two words finds bank 0 free. With one a
    # cycle the older takes it in that cycle.
    "words_outstanding": Anomaly(
        ("1", "2"),
        "lv.w v1, 1048(x0)\nli x1, 2\nsetvl x1\nlv.w v2, 2048(x0)\nmulvv.s v3, v2, v2",
        (48, 49),
        ("main_memory.latency=1",),
    ),
    # The store waits for the last words of an older load; with latency, for long enough to come later.
    "main_memory.latency": Anomaly(
        ("1", "0"),
        "lv.w v7, 1304(x0)\nlv.w v2, 2048(x0)\nsv.w v7, 1032(x0)\nmulvv.s v3, v2, v2",
        (51, 52),
        ("memory_ports=3",),
    ),
    # A word a cycle: the older load has the path alone. With two the younger takes bank 0 before it.
    "main_memory.bytes": Anomaly(("4", "8"), OLDER_LOAD.format(1052), (50, 51)),
    "main_memory.cycles": Anomaly(("2", "1"), OLDER_LOAD.format(1052), (50, 51), ("main_memory.bytes=8",)),
    # The second load writes what the first wrote: it comes at 4, when the first is at bank 0, or at 3.
    "main_memory.row_miss": Anomaly(
        ("1", "0"),
        TWO_LOADS.format(1048).replace("v1", "v2"),
        (18, 20),
        ("main_memory.row_words=1", "bank_busy=4"),
    ),
}
for level in ("l1", "l2"):
    cache = (f"{level}.bytes=1024", f"{level}.ways=1")
    AT_THE_BANKS |= {
        # The cache waits for one line. The first arrives in cycle 5, when the older load needs its second;
        # or in cycle 4, when the younger asks for its line first.
        f"{level}.hit_latency": Anomaly(
            ("1", "0"), OLDER_LOAD.format(1076), (51, 53), (*cache, f"{level}.misses=1")
        ),
        # The lines of both loads have one place. Either one load goes after the other, or each word takes the
        # line of the other load away.
        f"{level}.banks": Anomaly(("1", "2"), TWO_LOADS.format(1024), (20, 58), cache),
        f"{level}.misses": Anomaly(("1", "0"), TWO_LOADS.format(1024), (20, 66), cache),
        f"{level}.refill_bytes": Anomaly(
            ("16", "0"), TWO_LOADS.format(1024), (19, 22), (*cache, f"{level}.misses=2")
        ),
    }


def test_every_parameter_has_its_anomaly(engine):
    assert set(AT_THE_BANKS) == set(TO_FASTER) | {"memory_ports", "store_ports"}


@pytest.mark.parametrize("parameter", one_in(2, AT_THE_BANKS))
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
