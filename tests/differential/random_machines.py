"""Random machines: every field of the description, mostly at values where rules meet."""

from __future__ import annotations

import random

from vecsim.machine import Cache, Latencies, Machine, MainMemory, SparseUnit

SECTIONS = (4, 4, 4, 8, 8, 8, 8, 16, 16, 16, 32, 64)


def random_machine(rng: random.Random) -> Machine:
    pick = rng.choice
    section_size = 256 if rng.randrange(50) == 49 else pick(SECTIONS)
    machine = Machine(
        name="random",
        section_size=section_size,
        vector_registers=pick([8, 8, 16, 32]),
        issue_width=pick([1, 2, 3, 4, 8]),
        unit_queue=pick([0, 1, 2, 4]),
        memory_ports=pick([1, 1, 2, 3, 4]),
        accesses_in_flight=pick([1, 2, 3, 5]),
        startup=pick([0, 1, 5, 20]),
        words_per_cycle=pick([1, 2, 3, 4, 8, 16]),
        addresses_per_cycle=pick([1, 1, 2, 3, 4]),
        alignment_bytes=pick([1, 4, 8, 16, 64]),
        banks=_banks(rng),
        bank_busy=pick([0, 1, 2, 4, 7, 9]),
        chaining=pick([True, True, False]),
        lanes=pick([1, 2, 3, 4, 16, 64]),
        scalar_load_latency=pick([1, 2, 6, 30]),
        branch_penalty=pick([0, 0, 1, 3, 10]),
        latency=Latencies(**{name: pick([1, 1, 2, 3, 8, 25]) for name in Latencies.model_fields}),
        sparse_unit=SparseUnit(p=pick([1, 2, 3, 4, 8]), r=pick([1, 2, 3, 4, 8]), latency=pick([1, 4, 10])),
    )
    more = _renaming(machine) | _masks(machine)
    # A quarter without memory and streams, for the loop of a single port.
    if random.Random(f"more {machine!r}").randrange(4):
        more |= _memory(machine) | _streams(machine)
    return machine.model_copy(update=more)


def _renaming(machine: Machine) -> dict[str, int]:
    """Physical registers: mostly none; otherwise few more than are named, often enough that none is free.

    They follow from the machine's numbers, so that the program of a seed does not change.
    """
    rng = random.Random(repr(machine))
    if rng.randrange(5):
        return {}
    return physical_registers(rng, machine.vector_registers)


def _memory(machine: Machine) -> dict[str, object]:
    """Draw latency, bandwidth, merging and caches, often all of them, from the machine's other numbers."""
    rng = random.Random(f"memory {machine!r}")
    pick = rng.choice
    if rng.randrange(8) == 7:
        return {}
    first = _cache(rng, pick([4, 8, 16, 64]))
    return {
        "words_outstanding": pick([0, 0, 1, 3, 8, 64]),
        "merge_bytes": pick([0, 4, 8, 32, 128, 128]),
        "merge_window": pick([1, 2, 3, 8, 16, 64]),
        "l1": first,
        "l2": _cache(rng, first.line_bytes * pick([1, 2, 4])),
        "main_memory": MainMemory(
            latency=pick([0, 0, 1, 7, 40]),
            bytes=pick([0, 1, 1, 2, 3, 3, 8, 100]),
            cycles=pick([1, 1, 2, 3]),
            row_words=pick([0, 0, 1, 2, 16]),
            row_miss=pick([0, 3, 12]),
        ),
    }


def _streams(machine: Machine) -> dict[str, int]:
    """Draw ports that only store and how addresses are compared."""
    rng = random.Random(f"streams {machine!r}")
    if rng.randrange(2):
        return {}
    return {
        "add_units": rng.choice([1, 1, 2, 3]),
        "multiply_units": rng.choice([1, 1, 2, 5]),
        "sparse_units": rng.choice([1, 1, 2, 3]),
        "divide_interval": min(rng.choice([1, 1, 2, 7]), machine.latency.divide),
        "store_ports": rng.choice([0, 1, 1, 2]),
        "store_words_per_cycle": rng.choice([0, 1, 3, 8]),
        "store_addresses_per_cycle": rng.choice([0, 1, 3]),
        "disambiguation": rng.choice([0, 1, 2, 2]),
    }


def _masks(machine: Machine) -> dict[str, int]:
    """Draw whether elements that are masked off are skipped."""
    return {"masked_elements": random.Random(f"masks {machine!r}").randrange(2)}


def _cache(rng: random.Random, line_bytes: int) -> Cache:
    """Draw a cache, often none."""
    pick, ways = rng.choice, rng.choice([1, 2, 3, 4])
    return Cache(
        bytes=line_bytes * ways * pick([0, 0, 1, 1, 1, 2, 5]),
        line_bytes=line_bytes,
        ways=ways,
        replacement=pick([0, 1]),
        hit_latency=pick([0, 1, 5]),
        banks=pick([0, 1, 2, 5, 16]),
        write_back=rng.randrange(5) > 0,
        refill_bytes=pick([0, 1, 8, 100]),
        misses=pick([0, 1, 2, 5]),
        prefetch=pick([0, 1, 3]),
        serves=pick([1, 2, 3]),
        perfect=rng.randrange(8) == 0,
    )


def physical_registers(rng: random.Random, named: int) -> dict[str, int]:
    """Draw how many a machine has whose programs name ``named`` vector registers."""
    vectors, scalars = rng.choice([0, 4, 5, 8, 30]), rng.choice([0, 4, 6, 40])
    return {
        "physical_vector_registers": named + vectors if vectors else 0,
        "physical_scalar_registers": 32 + scalars if scalars else 0,
    }


def _banks(rng: random.Random) -> int:
    usual = rng.choice([1, 2, 4, 8, 16, 64, 0, 0])
    return usual or rng.randrange(1, 130)
