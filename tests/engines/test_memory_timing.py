"""The examples of docs/timing.md for latency, merging and caches, worked out by hand."""

import numpy as np
import pytest
from engine_runs import EVERY_ENGINE, WORKED, trace

from isa.assembler import assemble
from vecsim.engines.cause import Cause
from vecsim.engines.running import start
from vecsim.machine import load_machine

pytestmark = pytest.mark.parametrize("engine", EVERY_ENGINE)

BEFORE = 2
"""Instructions that `trace` puts before a text."""


def table(traced, *labels):
    """Return I, R and the attributed cycles of labelled instructions, which begin the text."""
    attributed = traced.run.attribution.attributed
    rows = []
    for line, label in enumerate(labels):
        row = attributed[BEFORE + line]
        causes = {Cause(cause).name.lower(): int(row[cause]) for cause in np.flatnonzero(row)}
        rows.append((traced.row(label)["issue"], traced.row(label)["retire"], causes))
    return rows


def test_words_outstanding_wait_for_the_latency(engine):
    t = trace(
        "load: lv.w v1, 1024(x0)\nadd: addvv.s v3, v1, v1",
        "main_memory.latency=10",
        "words_outstanding=4",
        engine=engine,
    )
    # 4 words every 11 cycles, from 22 to 187; the last arrive 11 later.
    transfer = {"startup": 20, "words_awaited": 15 * 10, "contiguous_transfer": 16, "memory_latency": 10}
    assert table(t, "load", "add") == [(2, 198, transfer), (2, 206, {"add_elements": 1, "add_latency": 7})]


def test_equal_words_of_a_window_go_as_one(engine):
    t = trace("gather: lvi.w v2, (x0), v0", "merge_bytes=4", "merge_window=16", engine=engine)
    # One word of each window, at 22, 26, 30 and 34, when its bank is free.
    assert table(t, "gather") == [(2, 35, {"startup": 20, "bank_conflict": 9, "indexed_transfer": 4})]
    assert t.run.counters["words_merged"] == 60


def test_loads_miss_hit_and_replace(engine):
    cache = ("l1.bytes=512", "l1.line_bytes=64", "l1.ways=1", "l1.hit_latency=2")
    t = trace(
        "miss: lv.w v1, 1024(x0)\nhit: lv.w v2, 1024(x0)\nreplace: lv.w v3, 1536(x0)",
        "main_memory.latency=10",
        *cache,
        engine=engine,
    )
    # Lines are missed at 22, 26, 30 and 34, and again from 58 on; they arrive 14 cycles later.
    assert table(t, "miss", "hit", "replace") == [
        (2, 48, {"startup": 20, "contiguous_transfer": 16, "memory_latency": 10}),
        (2, 56, {"contiguous_transfer": 6, "memory_latency": 2}),
        (2, 84, {"startup": 2, "contiguous_transfer": 16, "memory_latency": 10}),
    ]
    counted = {name: t.run.counters[f"l1_{name}"] for name in ("hits", "misses", "evictions", "refill_bytes")}
    assert counted == {"hits": 184, "misses": 8, "evictions": 4, "refill_bytes": 512}


def test_a_word_waits_as_the_request_of_its_line_waited(engine):
    # Word 16 waits from 26 until the first line arrives, at 36. The scalar load asks for its line at 28 and
    # waits for the same arrival; its line arrives at 50.
    text = """li x31, 32
        setvl x31
        lv.w v1, 1024(x0)
        rem x9, x31, x31
        mul x10, x9, x9
        mul x11, x10, x10
        lw x5, 1088(x11)
        halt"""
    changes = ["main_memory.latency=10", "l1.bytes=4096", "l1.misses=1", "l1.serves=3"]
    program, memory = assemble(text, file="waits.s"), np.zeros(2048, np.uint8)
    for stops in ((), range(1, 50)):
        running = start(program, memory, load_machine(WORKED, changes), engine=engine)
        for cycle in stops:
            running.advance(cycle=cycle)
            running.restore(running.snapshot())  # everything looks again
        running.advance(cycle=1000)
        result = running.result()
        assert (result.cycles, result.waited["words_awaited"]) == (50, 36 - 26)
