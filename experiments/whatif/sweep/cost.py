"""What a machine costs, simply: a weighted sum of what it has more or less of.

The weights are our choice, in the cost of one lane; no area was measured. A specification names others.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from experiments.whatif.sweep.texts import is_text
from programs.registry import OWN
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest, shown

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "lanes": 1.0,
        "port_words": 1.0,
        "port_addresses": 0.5,
        "accesses_in_flight": 0.125,
        "early_start": 1 / 32,
        "banks": 0.25,
        "register_bits": 1 / 16_384,
        "sparse_entries": 1.0,
        "cache_bits": 1 / 65_536,
    }
)
"""Of a lane of the arithmetic units; of a contiguous word and of an address that all ports take in a cycle;
of an access that a port has in flight; of a cycle of start-up of a port less than `LATE_START`; of a
bank; of a bit of the vector registers; of an entry that the sparse units take in a cycle; of a bit of the
vector cache, and of `l1` and `l2`."""
LATE_START = 64
"""Cycles of start-up that cost nothing."""
COUNTED = frozenset(
    {
        *("lanes", "add_units", "multiply_units", "memory_ports", "store_ports", "words_per_cycle"),
        *("addresses_per_cycle", "store_words_per_cycle", "store_addresses_per_cycle", "accesses_in_flight"),
        *("startup", "banks", "vector_registers", "physical_vector_registers", "section_size"),
        *("sparse_unit.p", "sparse_units", "l1.bytes", "l2.bytes"),
    }
)
"""Numbers of a machine that its cost depends on."""
SPARSE_UNIT = ("bbcs", "hism", "chism")
"""Programs that need the sparse unit."""
VECTOR_CACHE = ("chism",)
"""Programs that need the vector cache."""


def check_weights(weights: Mapping[str, object]) -> None:
    """Find out whether these are weights.

    Raises
    ------
    UserError
        There is no such part, or a weight is no number of 0 or more.
    """
    for name, weight in weights.items():
        if name not in WEIGHTS:
            raise UserError(
                f"cost.{name}: is not a part of a machine; use one of "
                f"{', '.join(WEIGHTS)}{nearest(name, WEIGHTS)}"
            )
        if (
            isinstance(weight, bool)
            or not isinstance(weight, int | float)
            or not 0 <= weight <= sys.float_info.max
        ):
            raise UserError(f"cost.{name} = {shown(repr(weight))}: a number of 0 or more is expected")


def parts(machine: Mapping[str, Any], program: str, value_bits: int) -> dict[str, Any]:
    """Return how much a machine has of each part that a program needs.

    Parameters
    ----------
    machine
        Its numbers, by full name; or arrays (n,) of those of n machines.
    program
        A program of `programs.registry`, a user's program like one of these, or a text, which may need every
        part.
    value_bits
        Bits of an element.
    """
    like, needs_all = program.partition(OWN)[0], is_text(program)
    section, ports = machine["section_size"], machine["memory_ports"]
    registers = np.maximum(machine["vector_registers"], machine.get("physical_vector_registers", 0))
    units = machine.get("add_units", 1) + machine.get("multiply_units", 1)
    result = {
        "lanes": machine["lanes"] * units / 2,
        "port_words": _of_ports(machine, "words_per_cycle"),
        "port_addresses": _of_ports(machine, "addresses_per_cycle"),
        "accesses_in_flight": (ports + machine.get("store_ports", 0)) * machine["accesses_in_flight"],
        "early_start": (ports + machine.get("store_ports", 0))
        * np.maximum(0, LATE_START - machine["startup"]),
        "banks": machine["banks"],
        "register_bits": registers * section * value_bits,
        "cache_bits": 8 * (machine.get("l1.bytes", 0) + machine.get("l2.bytes", 0)),
    }
    if like in SPARSE_UNIT or needs_all:
        result["sparse_entries"] = machine["sparse_unit.p"] * machine.get("sparse_units", 1)
    if like in VECTOR_CACHE or needs_all:
        result["cache_bits"] += section * section * value_bits
    return result


def _of_ports(machine: Mapping[str, Any], rate: str) -> Any:
    """Return the words of a cycle of all ports; store ports may have another rate."""
    stated = machine.get(f"store_{rate}", 0)
    stored = np.where(stated, stated, machine[rate])
    return machine["memory_ports"] * machine[rate] + machine.get("store_ports", 0) * stored


def cost(
    machine: Mapping[str, Any], program: str, value_bits: int, weights: Mapping[str, float] | None = None
) -> Any:
    """Return what a machine costs with what a program needs, in lanes; of n machines an array (n,).

    Parameters
    ----------
    machine, program, value_bits
        As :func:`parts` takes them.
    weights
        Those that differ from `WEIGHTS`.
    """
    chosen = {**WEIGHTS, **(weights or {})}
    return sum(chosen[name] * amount for name, amount in parts(machine, program, value_bits).items())
