"""What is said of cycles, on small programs."""

import numpy as np

from experiments.whatif.why.wording import parts
from isa.assembler import assemble
from vecsim.engines.running import run


def access_text(text, machine="vs2003", size=8192):
    program = assemble(text)
    done = run(program, np.zeros(size, np.uint8), machine, engine="simpy")
    actual = parts(program, done.lines)
    assert sum(actual.values()) == done.cycles
    assert list(actual.values()) == sorted(actual.values(), reverse=True)
    return actual


def test_transfers_are_named_by_the_registers_of_the_source():
    head = ".reg y0, v1\n.reg y1, v2\n.reg place, v3\nli x1, 64\nsetvl x1\nli x2, 8\n"
    actual = access_text(head + "lv.w y0, 64(x0)\nsv.w y1, 1088(x0)\nlv.w v12, 64(x0)\nhalt")
    # 64 words at 4 a cycle each: two after each other, one of a register without a name.
    assert (actual["moving `y`"], actual["moving `v12`"]) == (32, 16)
    strided = access_text(head + "lvws.w y0, (x0), x2\nlvi.w y1, (x0), place\nhalt")
    assert {"moving `y` by stride", "moving `y` by index"} <= set(strided)
    assert strided["waiting for busy banks"] > 0


def test_latencies_and_elements_are_named_by_the_instruction():
    actual = access_text("li x1, 64\nsetvl x1\nmulvv.f v1, v2, v3\nsumv.f f1, v1\nhalt")
    # 64 elements on 2 lanes; the sum takes them as they come.
    assert actual["passing elements of mulvv"] == 32
    assert actual["waiting for sumv's latency"] > 0
    assert actual["scalar work"] > 0


def test_a_block_is_several_registers():
    actual = access_text(
        ".reg value, v1\n.reg position, v2\nli x1, 64\nli x2, 8\nldb.w value, position, (x1), x2, 1\nhalt"
    )
    assert actual["moving `value` and `position`"] > 0
