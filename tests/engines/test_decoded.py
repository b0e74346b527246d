"""A program is resolved for a machine: every row by itself, and all rows of an instruction at once."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from differential.cases import random_case

from isa.assembler import assemble
from isa.program import Program
from vecsim.engines.decoded import FLOAT, NONE, SPECIAL, Decoded, decode
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

NOP = assemble("nop").words[0]
VS2003 = load_machine("vs2003")


def rows_of(program: Program, machine) -> list[dict]:
    decoded = decode(program, machine)
    return [
        {name: getattr(decoded, name)[pc].tolist() for name in Decoded._fields} for pc in range(len(program))
    ]


def test_registers_by_hand():
    add, load, total, branch = rows_of(
        assemble("add x3, x0, x3\nlv.w v1, 8(x5)\nsumv.s f2, v1\nbne x3, x0, 0"), VS2003
    )
    assert [register for register in add["awaited"] if register != NONE] == [3]
    assert [register for register in add["scalar_writes"] if register != NONE] == [3]
    assert (load["base_register"], load["offset"], load["writes"]) == (5, 8, [1, NONE])
    assert load["awaited"][:2] == [5, SPECIAL]  # the base, and vl
    assert total["late"] == [FLOAT + 2, NONE]
    assert total["reads"][0] == 1
    assert branch["target"] == 0


@pytest.mark.parametrize("seed", range(8))
def test_a_row_does_not_depend_on_others(seed):
    case = random_case(seed)
    program = case.program
    whole = decode(program, case.machine)
    for pc in range(0, len(program), 5):
        words = np.full_like(program.words, NOP)
        words[pc] = program.words[pc]
        alone = decode(replace(program, words=words), case.machine)
        for name in Decoded._fields:
            np.testing.assert_array_equal(getattr(alone, name)[pc], getattr(whole, name)[pc], err_msg=name)


@pytest.mark.parametrize(
    "changes",
    ["latency.add=3", "scalar_load_latency=9", "sparse_unit.latency=5", "chaining=false", "section_size=512"],
)
def test_what_was_resolved_for_another_machine_is_not_taken(changes):
    """A program is resolved again wherever that gives anything else; banks and queues do not."""
    program = assemble("addvv.s v1, v2, v3\nlw x1, (x2)\nmipa.s v1, v2, v3, v4\nlds.w v1, v2, v3, (x1)")
    other, banks = load_machine("vs2003", [changes]), load_machine("vs2003", ["banks=64"])
    first = decode(program, VS2003)
    assert decode(program, banks).fields is first.fields
    actual, fresh = decode(program, other), decode(replace(program), other)
    same = [np.array_equal(getattr(first, name), getattr(fresh, name)) for name in Decoded._fields]
    assert not all(same)
    for name in Decoded._fields:
        np.testing.assert_array_equal(getattr(actual, name), getattr(fresh, name), err_msg=name)


def test_the_first_mistake_is_reported():
    text = "nop\nldb.w v1, v2, (x1), x2, 3\nlv.w v15, (x0)"
    with pytest.raises(UserError, match=r":2: .*3 position bytes"):
        decode(assemble(text), load_machine("vs2003", ["vector_registers=8"]))


def test_a_long_program_takes_no_more_calls_than_a_short_one():
    text = "addi x1, x1, 1\nlv.w v1, 0(x0)\nmulvv.s v2, v1, v1\nsw x3, 0(x0)\n"
    decode(assemble(text), VS2003)
    assert calls_of(assemble(text * 2500)) == calls_of(assemble(text * 10))


def calls_of(program: Program) -> int:
    calls = 0

    def count(*_):
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        decode(program, VS2003)
    finally:
        sys.setprofile(None)
    return calls
