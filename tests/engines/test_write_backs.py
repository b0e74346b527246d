"""Lines that a cache writes back when others replace them."""

import pytest
from engine_runs import EVERY_ENGINE
from machine_changes import cycles

MEMORY = (
    "main_memory.latency=200",
    "main_memory.bytes=64",
    "l1.bytes=256",
    "l1.ways=1",
    "l1.misses=0",
    "bank_busy=0",
)
"""Four lines of 64 bytes; a line passes to or from memory in a cycle."""
CLEAN = "lv.w v1, 1024(x0)\nlv.w v2, 1280(x0)"
CHANGED = "sv.w v1, 1024(x0)\nlv.w v2, 1280(x0)"


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_a_line_is_written_back_while_the_new_one_is_on_its_way(engine):
    """Each of the four lines takes the path of memory for a cycle more, which no word waits for."""
    assert cycles(CHANGED, *MEMORY, engine=engine) == cycles(CLEAN, *MEMORY, engine=engine)
    slower = (*MEMORY, "main_memory.cycles=8")
    # The lines of the second access come and go in turn, 8 cycles each: the last comes 3 lines later.
    assert cycles(CHANGED, *slower, engine=engine) == cycles(CLEAN, *slower, engine=engine) + 3 * 8
