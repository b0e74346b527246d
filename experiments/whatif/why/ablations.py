"""What would help: the same program on machines that lack one bottleneck each, and on one that lacks all.

They are runs, not estimates; each can be repeated with ``vecsim run --set``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from experiments.whatif.why.bounds import Bound
from vecsim.engines.lines import CACHES
from vecsim.machine import Machine
from vecsim.machine.description import flat
from vecsim.support.errors import UserError

Changes = dict[str, int | bool]
LONGEST_QUEUE = 64


@dataclass(frozen=True)
class Ablation:
    """A bottleneck that is taken away.

    Attributes
    ----------
    name
        What is then true of the machine.
    changes
        The numbers that make it so, by name; of a machine, since some are set by others.
    rare
        Whether it is left out where the machine does not have the bottleneck.
    """

    name: str
    changes: Callable[[Machine], Changes]
    rare: bool = False


@dataclass(frozen=True)
class Ablated:
    """What an ablation gave.

    Attributes
    ----------
    name
        Of the ablation.
    settings
        What was changed, as ``--set`` takes it; empty if the machine was so before.
    cycles
        Of the run.
    speedup
        Cycles without the change over those with it.
    """

    name: str
    settings: tuple[str, ...]
    cycles: int
    speedup: float


def _scalar_load(machine: Machine) -> Changes:
    return {"scalar_load_latency": 1, "latency.integer_multiply": 1, "latency.float": 1, "latency.extract": 1}


def _arithmetic(machine: Machine) -> Changes:
    return {f"latency.{name}": 1 for name in ("move", "add", "multiply", "multiply_add", "sum")}


def _of_caches(machine: Machine, **numbers: int | bool) -> Changes:
    """Set numbers of each cache that the machine has."""
    levels = [name for name, cache in zip(CACHES, machine.caches, strict=True) if cache.bytes]
    return {f"{level}.{name}": value for level in levels for name, value in numbers.items()}


def _merged(machine: Machine) -> Changes:
    """Merge equal words, on a machine whose runs need the loop for any machine as they are."""
    if machine.merge_bytes or machine.has_one_stream:
        return {}
    return {"merge_bytes": 4, "merge_window": machine.section_size}


ABLATIONS = (
    Ablation("no startup of memory accesses", lambda machine: {"startup": 0}),
    Ablation("no bank conflicts", lambda machine: {"bank_busy": 0, **_of_caches(machine, banks=0)}),
    Ablation("every access aligned", lambda machine: {"alignment_bytes": 1}),
    Ablation(
        "strided and indexed accesses as fast as contiguous ones",
        lambda machine: {"addresses_per_cycle": machine.words_per_cycle},
    ),
    Ablation(
        "64 accesses of a port in flight",
        lambda machine: {"accesses_in_flight": max(machine.accesses_in_flight, LONGEST_QUEUE)},
    ),
    Ablation("chaining", lambda machine: {"chaining": True}),
    Ablation("vector arithmetic with latency 1", _arithmetic),
    Ablation("sparse unit with latency 1", lambda machine: {"sparse_unit.latency": 1}),
    Ablation("scalar loads and operations with latency 1", _scalar_load),
    Ablation(
        "queues of 64 in front of the units",
        lambda machine: {"unit_queue": max(machine.unit_queue, LONGEST_QUEUE)},
    ),
    Ablation(
        "64 instructions issued in a cycle, branches free",
        lambda machine: {"issue_width": LONGEST_QUEUE, "branch_penalty": 0},
    ),
    Ablation("every cache perfect", lambda machine: _of_caches(machine, perfect=True), rare=True),
    Ablation(
        "any number of words and lines outstanding",
        lambda machine: {"words_outstanding": 0, **_of_caches(machine, misses=0)},
        rare=True,
    ),
    Ablation(
        "main memory without latency and rows",
        lambda machine: {"main_memory.latency": 0, "main_memory.row_words": 0},
        rare=True,
    ),
    Ablation(
        "unlimited bandwidth of main memory and refill",
        lambda machine: {"main_memory.bytes": 0, **_of_caches(machine, refill_bytes=0)},
        rare=True,
    ),
    Ablation("equal words of a gather or scatter merged", _merged, rare=True),
)
"""Each is its own bottleneck. Throughput of ports and units is none: it is paid for."""
ALL = "all of these"


def effective(machine: Machine, changes: Changes) -> Changes:
    """Leave out what is so already; all of it where no machine is so."""
    numbers = flat(machine.numbers())
    changed = {name: value for name, value in changes.items() if numbers[name] != value}
    return changed if _is_possible(machine, changed) else {}


def _is_possible(machine: Machine, changes: Changes) -> bool:
    try:
        machine.changed(changes)
    except UserError:  # a number is at its greatest
        return False
    return True


def ablated(machine: Machine, cycles: int, simulate: Callable[[Machine], int]) -> tuple[Ablated, ...]:
    """Run all ablations together, and each by itself; of these the one that helps most comes first.

    Parameters
    ----------
    machine
        The machine as it is.
    cycles
        What it takes.
    simulate
        Returns the cycles on another machine.
    """
    chosen = {each.name: effective(machine, each.changes(machine)) for each in ABLATIONS}
    chosen = {each.name: chosen[each.name] for each in ABLATIONS if chosen[each.name] or not each.rare}
    together: Changes = {}
    for changes in chosen.values():
        if _is_possible(machine, together | changes):
            together |= changes
    results = [
        _run(name, machine, changes, cycles, simulate) for name, changes in {ALL: together, **chosen}.items()
    ]
    return results[0], *sorted(results[1:], key=lambda each: each.cycles)


def wider(machine: Machine, bound: Bound, cycles: int, simulate: Callable[[Machine], int]) -> Ablated | None:
    """Run with twice the rate of a bound; None where no machine has that.

    Parameters
    ----------
    bound
        Of the run on the machine as it is.
    machine, cycles, simulate
        As in :func:`ablated`.
    """
    changes = bound.doubled(machine)
    if not _is_possible(machine, changes):
        return None
    return _run(f"not among these: {bound.name} at twice the rate", machine, changes, cycles, simulate)


def _run(
    name: str, machine: Machine, changes: Changes, cycles: int, simulate: Callable[[Machine], int]
) -> Ablated:
    taken = simulate(machine.changed(changes)) if changes else cycles
    settings = tuple(f"{number}={str(value).lower()}" for number, value in changes.items())
    return Ablated(name, settings, taken, cycles / taken)
