"""When elements and words start, as an engine hands it on: every busy cycle of every unit."""

import numpy as np
import pytest
from engine_runs import EVERY_ENGINE, WORKED

from isa.assembler import assemble
from isa.declaration import Unit
from vecsim.engines.running import run
from vecsim.engines.timeline import COLUMNS, TimelineRequest
from vecsim.machine import load_machine

MIXED = assemble(
    """
        li      x31, 20
        li      x5, 12
        setvl   x31
        lv.w    v1, 1028(x0)
        li      x6, 2048
        lvws.w  v2, (x6), x5
    again:
        mulvv.s v3, v1, v1
        addvv.s v4, v3, v2
        sv.w    v4, 4096(x0)
        lv.d    v5, 4100(x0)
        addi    x5, x5, -4
        bnez    x5, again
        halt
    """
)
"""Streams with and against the banks, chained, and a load that must follow a store."""


def noted(engine, *changes):
    rows, actual = [], []
    request = TimelineRequest(sink=rows.append, starts=actual.append)
    machine = load_machine(WORKED, changes)
    done = run(MIXED, np.zeros(1 << 14, np.uint8), machine, engine=engine, timeline=request)
    table = np.concatenate(actual)
    return done, np.concatenate(rows), np.sort(table, order=["age", "cycle", "bank"])


@pytest.mark.parametrize("changes", [[], ["memory_ports=2", "banks=6"], ["chaining=false", "lanes=3"]])
def test_what_starts_is_what_keeps_units_busy_in_every_engine(changes):
    first = noted(EVERY_ENGINE[0], *changes)[2]
    for engine in EVERY_ENGINE:
        done, rows, table = noted(engine, *changes)
        np.testing.assert_array_equal(table, first)
        for unit in Unit:
            of_unit = table[table["unit"] == unit]
            cycles = np.unique(of_unit[["port", "cycle"]])
            assert len(cycles) == done.busy[unit.name.lower()]
        at = {name: rows[:, i] for i, name in enumerate(COLUMNS)}
        for k in np.flatnonzero(at["unit"]):
            of_one = table[table["age"] == at["age"][k]]
            assert of_one["cycle"].min() == at["start"][k]
            assert at["words"][k] in (0, len(of_one))


def test_a_store_of_words_goes_from_bank_to_bank_by_hand():
    program = assemble("li x1, 6\nsetvl x1\nsv.w v1, 1036(x0)\nhalt")
    actual = []
    request = TimelineRequest(sink=lambda rows: None, starts=actual.append)
    run(program, np.zeros(2048, np.uint8), load_machine(WORKED, ["banks=8"]), timeline=request)
    table = np.concatenate(actual)
    # Byte 1036 is word 259, bank 3 of 8; four words a cycle.
    assert table["bank"].tolist() == [3, 4, 5, 6, 7, 0]
    cycles = table["cycle"]
    assert (cycles - cycles[0]).tolist() == [0, 0, 0, 0, 1, 1]
