"""Random traces of vector accesses: their misses are those of a plain model, their cycles have two limits."""

from collections import Counter, OrderedDict
from functools import cache

import numpy as np
import pytest

from isa.assembler import assemble
from vecsim.engines.running import run
from vecsim.machine import Cache, Machine, MainMemory

S = 16
ROUNDS = 3
WORDS, PLACES = 1024, 64
"""Words that accesses touch, and then as many of arguments as all rounds read."""

TEXT = f"""
    li x31, {S}
    setvl x31
    li x1, {4 * (WORDS + ROUNDS * S)}
    li x2, {ROUNDS}
again:
    lw x3, 0(x1)
    lw x4, 4(x1)
    lw x5, 8(x1)
    lw x6, 12(x1)
    lvws.w v1, (x3), x4
    lv.w v2, 0(x5)
    lvi.w v3, (x6), v2
    sv.w v3, 0(x3)
    addi x1, x1, 16
    addi x2, x2, -1
    bnez x2, again
    halt
"""


@cache
def program():
    return assemble(TEXT, file="trace.s")


class PlainCache:
    """Sets of lines in the order of their use, or of their coming; the first is replaced."""

    def __init__(self, numbers):
        self.numbers, self.counted = numbers, Counter(hits=0, misses=0, evictions=0)
        self.sets = [OrderedDict() for _ in range(numbers.sets)]

    def request(self, address):
        """Return whether a cache has the line of a byte address, which it has from now on."""
        number = address // self.numbers.line_bytes
        lines = self.sets[number % len(self.sets)]
        hit = number in lines
        self.counted["hits" if hit else "misses"] += 1
        if hit and self.numbers.replacement == 0:
            lines.move_to_end(number)
        if not hit and len(lines) == self.numbers.ways:
            lines.popitem(last=False)
            self.counted["evictions"] += 1
        lines[number] = True
        return hit


def random_trace(rng):
    """Return memory and the byte addresses of all words in the order in which a port asks for them."""
    memory = np.zeros(WORDS + ROUNDS * (S + 4), np.int32)
    addresses = []
    for i in range(ROUNDS):
        first = 4 * int(rng.integers(0, 128))
        stride = 4 * int(rng.choice([0, 1, 1, 2, 3, 8, 16, 48]))
        indexes, base = 4 * (WORDS + i * S), 4 * int(rng.integers(0, 512))
        words = rng.integers(0, int(rng.choice([4, 64, 512])), S)
        memory[indexes // 4 : indexes // 4 + S] = words
        memory[WORDS + ROUNDS * S + 4 * i :][:4] = first, stride, indexes, base
        addresses += [first + stride * k for k in range(S)]
        addresses += [indexes + 4 * k for k in range(S)]
        addresses += [base + 4 * int(word) for word in words]
        addresses += [first + 4 * k for k in range(S)]
    return memory.view(np.uint8), addresses


def random_cache(rng, line_bytes):
    ways = int(rng.choice([1, 2, 3, 4, 8]))
    return Cache(
        bytes=line_bytes * ways * int(rng.choice([1, 2, 3, 8])),
        line_bytes=line_bytes,
        ways=ways,
        replacement=int(rng.integers(0, 2)),
        misses=int(rng.choice([0, 1, 4])),
    )


def random_machine(rng):
    """Return a machine of one port, the half of them with two caches."""
    first = random_cache(rng, int(rng.choice([4, 16, 64])))
    second = random_cache(rng, first.line_bytes * int(rng.choice([1, 2]))) if rng.integers(0, 2) else Cache()
    memory = MainMemory(latency=int(rng.choice([0, 20])))
    return Machine(section_size=S, addresses_per_cycle=4, l1=first, l2=second, main_memory=memory)


def cycles(machine, memory):
    return run(program(), memory, machine).cycles


@pytest.mark.parametrize("traces", [100, pytest.param(1000, marks=pytest.mark.ci)])
def test_misses_are_those_of_a_plain_model(traces):
    rng = np.random.default_rng(traces)
    for _ in range(traces):
        machine, (memory, addresses) = random_machine(rng), random_trace(rng)
        first, second = PlainCache(machine.l1), PlainCache(machine.l2)
        for address in addresses:
            if not first.request(address) and second.sets:
                second.request(address // machine.l1.line_bytes * machine.l1.line_bytes)
        counters = run(program(), memory, machine).counters
        for name, plain in (("l1", first), ("l2", second)):
            assert {what: counters.get(f"{name}_{what}", 0) for what in plain.counted} == plain.counted, (
                machine
            )


@pytest.mark.parametrize("seed", range(5))
def test_no_cache_and_a_perfect_cache_are_the_limits(seed):
    rng = np.random.default_rng(seed)
    machine, (memory, _) = random_machine(rng), random_trace(rng)
    plain = machine.model_copy(update={"l1": Cache(), "l2": Cache()})
    none = machine.model_copy(update={level: Cache(hit_latency=9, banks=1) for level in ("l1", "l2")})
    assert cycles(none, memory) == cycles(plain, memory)
    perfect = machine.model_copy(update={"l1": machine.l1.model_copy(update={"perfect": True})})
    fast = MainMemory(latency=machine.l1.hit_latency)
    limit = plain.model_copy(update={"bank_busy": 0, "main_memory": fast})
    assert cycles(perfect, memory) == cycles(limit, memory)
    assert cycles(perfect, memory) <= cycles(machine, memory)
