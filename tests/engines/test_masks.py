"""The rules of docs/timing.md for masks, each with a program worked out by hand.

Expected numbers are relative to the cycle of dispatch. The mask is 1 for the first 16 of 64 elements, or 0.
"""

import pytest
from engine_runs import EVERY_ENGINE, trace

from vecsim.support.errors import UserError

pytestmark = pytest.mark.parametrize("engine", EVERY_ENGINE)

SIXTEEN = "li x1, 1\ncvi v1, x1\nli x2, 16\nsltvs.w v1, x2\nli x3, 1024\npopm x4\nadd x4, x4, x0\n"
"""The last instruction waits for the mask, so that what follows waits for no element."""
OUTSIDE = "li x1, 1000000\nmovvx v1, x1\n"


def after_dispatch(row, what="last"):
    return row[what] - row["dispatch"]


def test_masked_off_elements_take_their_place_in_time(engine):
    assert after_dispatch(trace("a: addvvm.s v2, v3, v4", engine=engine).a) == 15 + 8


def test_skipped_elements_start_in_one_cycle(engine):
    assert after_dispatch(trace("a: addvvm.s v2, v3, v4", "masked_elements=1", engine=engine).a) == 8


def test_active_elements_fill_the_lanes(engine):
    row = trace(f"{SIXTEEN}a: addvvm.s v2, v3, v4", "masked_elements=1", engine=engine).a
    assert row["last"] - row["first"] == 3


def test_the_mask_is_chained(engine):
    t = trace("a: sltvs.w v1, x2\nb: mulvvm.s v2, v3, v4", engine=engine)
    assert t.b["start"] == t.a["start"] + 4


@pytest.mark.parametrize(("skipped", "cycles"), [(0, 20 + 63 + 1), (1, 20 + 15 + 1)])
def test_a_strided_load_transfers_active_words(engine, skipped, cycles):
    t = trace(f"{SIXTEEN}li x5, 4\na: lvwsm.w v2, (x3), x5", f"masked_elements={skipped}", engine=engine)
    assert after_dispatch(t.a) == cycles
    assert t.run.counters["words_loaded"] == 16


@pytest.mark.parametrize(("skipped", "cycles"), [(0, 20 + 15), (1, 20 + 3)])
def test_a_contiguous_store_transfers_active_words(engine, skipped, cycles):
    t = trace(f"{SIXTEEN}a: svm.w v2, (x3)", f"masked_elements={skipped}", engine=engine)
    assert after_dispatch(t.a) == cycles + 1
    assert t.run.counters["words_stored"] == 16


@pytest.mark.parametrize(("skipped", "cycles"), [(0, 20 + 63 + 1), (1, 20 + 1)])
def test_masked_off_words_take_no_bank_and_may_lie_outside_memory(engine, skipped, cycles):
    t = trace(f"{OUTSIDE}a: lvim.w v2, (x0), v1", f"masked_elements={skipped}", engine=engine)
    assert after_dispatch(t.a) == cycles
    assert t.run.counters["words_loaded"] == 0


def test_an_active_element_outside_memory_is_named(engine):
    text = f"{SIXTEEN}li x5, 50000\nlvwsm.w v2, (x0), x5"
    with pytest.raises(UserError, match="load outside memory: element 2 at address 100000; memory is bytes"):
        trace(text, engine=engine)


@pytest.mark.parametrize(("active", "wait"), [("x0", 0), ("x31", 16)])
def test_masked_off_addresses_do_not_count_in_memory_order(engine, active, wait):
    # Elements at 4 k bytes from 1024 on, or none: only then the load need not wait for the store.
    text = f"li x1, 1\ncvi v1, x1\nsltvs.w v1, {active}\nli x3, 1024\npopm x4\nadd x4, x4, x0"
    changes = ("disambiguation=1", "store_ports=1", "addresses_per_cycle=4", "bank_busy=0")
    t = trace(f"{text}\nsvim.w v2, (x3), v1\na: lv.w v4, 1024(x0)", *changes, engine=engine)
    assert t.a["wait_memory_order"] == wait
