"""Where in ``Scratch.outcome`` the facts of a slot and the wake cycle of a port are."""

from __future__ import annotations

from typing import Any

from vecsim.engines.jit.code import SLOTS
from vecsim.engines.jit.functions import inline
from vecsim.engines.jit.stepwise.places import FACTS, ORDER


@inline
def facts_of(machine: Any, slot: Any) -> Any:
    """Where the facts of a slot begin."""
    return ORDER + machine[SLOTS] + FACTS * slot


@inline
def port_wake(machine: Any, port: Any) -> Any:
    """Where the wake cycle of a port is."""
    return ORDER + (FACTS + 1) * machine[SLOTS] + port
