"""Runs in physical units, on machines that state their clock."""

import numpy as np
import pytest

import vecsim
from isa.assembler import assemble
from vecsim.engines.physical import physical
from vecsim.machine import load_machine

SUM_OF_PRODUCTS = """
    li x1, 64
    setvl x1
    lv.d v1, 1024(x0)
    maddvv.d v2, v1, v1
    addvv.w v3, v1, v1
    sumv.d f1, v2
    fadd.d f2, f1, f1
    fcvt.w.d x2, f2
    halt
"""


def test_a_clock_gives_time_operations_and_bytes_and_changes_no_cycle():
    program = assemble(SUM_OF_PRODUCTS, value_bytes=8)
    plain, timed = (
        vecsim.run(
            program, np.zeros(4096, np.uint8), load_machine("vs2003", {"clock_mhz": clock}), engine="simpy"
        )
        for clock in (0, 500)
    )
    assert plain.physical is None and "physical" not in plain.to_dict()
    assert timed.cycles == plain.cycles
    seconds = timed.cycles / 500e6
    assert timed.physical.seconds == pytest.approx(seconds)
    # 64 multiply-adds, 64 elements summed and one scalar sum; the additions of integers count nothing.
    assert timed.physical.gflops == pytest.approx((2 * 64 + 64 + 1) / seconds / 1e9)
    assert timed.physical.gigabytes_per_second == pytest.approx(64 * 8 / seconds / 1e9)
    assert timed.to_dict()["physical"] == timed.physical.to_dict()


def test_products_count_two_operations_for_each_entry():
    machine = load_machine("vs2003", {"clock_mhz": 1000})
    measured = vecsim.measure("jd", "laplace2d-3", machine, engine="simpy")
    assert measured.physical.gflops == pytest.approx(2 * measured.nnz / measured.cycles)
    explained = vecsim.why("jd", "laplace2d-3", machine, engine="simpy")
    assert explained.physical == measured.physical
    assert measured.physical.in_words() in explained.in_words()


@pytest.mark.parametrize(
    ("cycles", "text"), [(5, "5 ns"), (2500, "2.5 us"), (3 * 10**6, "3 ms"), (10**10, "10 s")]
)
def test_times_have_units(cycles, text):
    assert physical(1000, cycles, 0, 0).texts() == (text, "0", "0")
    assert physical(0, cycles, 0, 0) is None
