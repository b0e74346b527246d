"""Every parameter of the machine changes cycles by a difference that is worked out by hand."""

from dataclasses import dataclass

import pytest
from engine_runs import EVERY_ENGINE
from machine_changes import cycles, parameters

from vecsim.support.errors import UserError

# SimPy and the loop for several ports follow the same functions of the rules.
ENGINES = [pytest.param(each, marks=pytest.mark.ci if each == "simpy" else ()) for each in EVERY_ENGINE]
pytestmark = pytest.mark.parametrize("engine", ENGINES)


@dataclass(frozen=True)
class Case:
    """Cycles that ``change`` makes, on vs2003 with the changes ``given``; worked out next to each."""

    text: str
    change: str
    difference: int
    given: tuple[str, ...] = ()


LOAD = "lv.w v1, 1024(x0)"
TWO_LOADS = f"{LOAD}\nlv.w v2, 2176(x0)"

SENSITIVE = {
    # 64 words more, 4 a cycle.
    "section_size": Case(LOAD, "128", 64 // 4),
    # The multiply starts with the add, and no longer when the first sum is ready; it ends as far after.
    "physical_vector_registers": Case("addvv.s v1, v2, v3\nmulvv.s v1, v4, v4", "20", -8),
    # The li no longer waits 3 cycles for the product; the end is that of the multiply, not of an add 2 later.
    "physical_scalar_registers": Case("mul x1, x31, x31\nli x1, 1\nadd x2, x1, x1", "36", -2),
    # setvl and 8 nops and halt from cycle 1 on: cycles 1 to 3 with four a cycle, to 10 with one.
    "issue_width": Case("nop\n" * 8, "1", 10 - 3),
    # Without a queue the second move issues when the first has started all, and the load waits after it.
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
    "latency.integer_divide": Case("div x1, x31, x31\nrem x2, x31, x1", "25", 2 * (25 - 20)),
    "latency.float": Case("fadd.s f1, f2, f3\nfadd.s f4, f1, f1", "9", 2 * (9 - 4)),
    "latency.float_divide": Case("fdiv.s f1, f2, f3\nfsqrt.s f4, f1", "9", 2 * (9 - 16)),
    "latency.extract": Case("extx x1, v1, x0", "7", 7 - 2),
    "latency.move": Case("movv v1, v2", "9", 9 - 4),
    "latency.add": Case("addvv.s v1, v2, v3", "9", 9 - 8),
    "latency.multiply": Case("mulvv.s v1, v2, v3", "20", 20 - 8),
    "latency.multiply_add": Case("maddvv.s v1, v2, v3", "9", 9 - 12),
    "latency.divide": Case("divvv.s v1, v2, v3\nsqrtv.s v4, v1", "30", 2 * (30 - 20)),
    "latency.sum": Case("sumv.s f1, v1", "9", 9 - 8),
    # All entries are of row 0: p alone decides, 8 cycles instead of 16.
    "sparse_unit.p": Case("bmipa.s v1, v2, v3, v4", "8", 8 - 16),
    # 64 rows, 2 a cycle: 32 cycles instead of 16.
    "sparse_unit.r": Case("li x1, 0x10001\ncvi v4, x1\nbmipa.s v1, v2, v3, v4", "2", 32 - 16),
    "sparse_unit.latency": Case("bmipa.s v1, v2, v3, v4", "50", 50 - 10),
}

SLOW = "main_memory.latency=50"
STORE, STORE_APART = "sv.w v1, 1024(x0)", "sv.w v2, 2176(x0)"
FIVE = [f"lv.w v{k}, {1024 * place}(x0)" for k, place in enumerate((1, 2, 1, 3, 1))]


def of_a_cache(level):
    """Return a case for each number of a cache. A line of 64 bytes comes 3 + 50 + 1 cycles after a miss."""
    small = (SLOW, f"{level}.bytes=4096")

    def given(*changes):
        return (SLOW, "accesses_in_flight=4", *(f"{level}.{change}" for change in changes))

    cases = {
        # The second load hits, and arrives with the last line of the first; before, 16 cycles later.
        "bytes": Case(f"{LOAD}\nlv.w v2, 1024(x0)", "4096", 66 - 82, (SLOW,)),
        # The last of eight lines misses in cycle 14, the last of four in cycle 12.
        "line_bytes": Case(LOAD, "32", 2, small),
        # 8 sets of a line: the second load takes the lines of the first, so the third misses again.
        "ways": Case("\n".join(FIVE[:3]), "1", 98 - 82, given("bytes=512")),
        # Two lines of 256 bytes. The fourth load replaces the second by use, and the first by age.
        "replacement": Case("\n".join(FIVE), "1", 118 - 102, given("ways=2", "line_bytes=256", "bytes=512")),
        "hit_latency": Case(LOAD, "5", 3, small),
        # Two words a cycle.
        "banks": Case(LOAD, "2", 31 - 15, (*small, f"{level}.perfect=true")),
        # Two words a cycle go through to memory.
        "write_back": Case(STORE, "false", 31 - 15, (f"{level}.bytes=4096", "main_memory.bytes=8")),
        # The four lines take eight cycles each after 54.
        "refill_bytes": Case(LOAD, "8", 54 + 4 * 8 - 66, small),
        # The lines arrive at 54, 108, 162 and 216.
        "misses": Case(LOAD, "1", 216 - 66, small),
        # The last line is asked for in cycle 8, when the one before it is used, and no longer in cycle 12.
        "prefetch": Case(LOAD, "1", 8 - 12, (*small, "banks=64")),
        "serves": Case(f"{LOAD}\nlv.w v2, 1024(x0)", "2", 82 - 66, small),
        "perfect": Case(LOAD, "true", 15 + 3 - 66, small),
    }
    return {f"{level}.{name}": case for name, case in cases.items()}


SENSITIVE |= {
    # The second operation starts with the first, and no longer after its 16 cycles.
    "add_units": Case("addvv.s v1, v2, v3\naddvv.s v4, v5, v6", "2", -16),
    "multiply_units": Case("mulvv.s v1, v2, v3\nmulvv.s v4, v5, v6", "2", -16),
    "sparse_units": Case("bmipa.s v1, v2, v3, v4\nbmipa.s v5, v6, v7, v8", "2", -16),
    # The mask is 1 for 16 of 64 elements: 4 cycles instead of 16.
    "masked_elements": Case(
        "li x1, 1\ncvi v1, x1\nli x2, 16\nsltvs.w v1, x2\naddvvm.s v2, v3, v4", "1", 4 - 16, ("lanes=4",)
    ),
    # 4 elements every 3 cycles instead of every cycle.
    "divide_interval": Case("divvv.s v1, v2, v3", "3", 15 * 3 - 15),
    # The store no longer waits for the port: both transfers begin in cycle 22.
    "store_ports": Case(f"{LOAD}\n{STORE_APART}", "1", -16, ("banks=64",)),
    # 64 words take 32 cycles instead of 16, or 64 instead of 32.
    "store_words_per_cycle": Case(STORE, "2", 32 - 16, ("store_ports=1",)),
    "store_addresses_per_cycle": Case("li x1, 4\nsvws.w v1, (x0), x1", "2", 32 - 64, ("store_ports=1",)),
    # The load no longer waits for the end of the store, and its 16 cycles begin with those of the store.
    "disambiguation": Case(
        "li x1, 4\nsvws.w v2, (x0), x1\nlv.w v1, 1024(x0)", "1", -16, ("store_ports=1", "bank_busy=0")
    ),
    # A word arrives 8 cycles after its transfer.
    "main_memory.latency": Case(LOAD, "7", 7),
    # 4 words every 11 cycles.
    "words_outstanding": Case(LOAD, "4", 15 * 11 - 15, ("main_memory.latency=10",)),
    # One word of 16 goes every 4 cycles, when its bank is free.
    "merge_bytes": Case("lvi.w v2, (x0), v0", "4", 3 * 4 - 63 * 4),
    "merge_window": Case("lvi.w v2, (x0), v0", "64", -3 * 4, ("merge_bytes=4",)),
    # Two words a cycle, then one.
    "main_memory.bytes": Case(LOAD, "8", 31 - 15),
    "main_memory.cycles": Case(LOAD, "2", 63 - 31, ("main_memory.bytes=8",)),
    # Each word opens a row: 16 words in 4 cycles every 16, the last arrives 12 later.
    "main_memory.row_words": Case(LOAD, "1", 3 * 16 + 3 + 12 - 15),
    "main_memory.row_miss": Case(LOAD, "20", 4 * 8, ("main_memory.row_words=1",)),
    **of_a_cache("l1"),
    **of_a_cache("l2"),
}

WITHOUT_TIME = {"name", "clock_mhz", "vector_registers"}
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
