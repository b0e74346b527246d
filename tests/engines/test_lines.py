"""The instructions of a program with the cycles that they answer for."""

import numpy as np

from isa.assembler import assemble
from vecsim.engines.lines import by_text
from vecsim.engines.running import run


def lines_of(text, memory=1024):
    done = run(assemble(text), np.zeros(memory, np.uint8), "vs2003", engine="simpy")
    assert sum(line.cycles for line in done.lines) == done.cycles
    return done.lines


def test_an_access_has_its_startup_and_its_words():
    """64 words at 4 a cycle after a startup of 20 cycles; nothing else costs as much."""
    lines = lines_of("li x1, 64\nsetvl x1\nlv.w v1, 64(x0)\nlv.w v1, 64(x0)\nhalt")
    assert [line.executions for line in lines] == [1] * 5
    # In flight together: the second only adds the 16 cycles of its words.
    assert [line.cycles for line in lines[2:4]] == [36, 16]
    assert lines[2].cycles_by_cause == {"startup": 20, "contiguous_transfer": 16}
    assert lines[2].mostly(2) == "startup 56%, contiguous transfer 44%"
    assert lines[2].longest_wait == "startup"
    assert by_text(lines) == {"lv.w v1, 64(x0)": 52, "li x1, 64": 1, "setvl x1": 1, "halt": 0}


def test_what_runs_in_the_shadow_of_an_older_instruction_costs_nothing():
    lines = lines_of("li x1, 64\nsetvl x1\nlv.w v1, 64(x0)\naddi x2, x2, 1\naddi x2, x2, 1\nhalt")
    assert [(line.cycles, line.cycles_by_cause, line.mostly(2)) for line in lines[3:]] == [(0, {}, "")] * 3


def test_nothing_that_was_not_executed_is_reported():
    assert [line.pc for line in lines_of("j end\nadd x1, x1, x1\nend: halt")] == [0, 2]
