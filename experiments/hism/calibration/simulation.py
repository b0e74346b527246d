"""Cycles of programs on the suite for one machine after another: memory images are kept, cycles too."""

from __future__ import annotations

import hashlib
import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from experiments.hism.calibration.kept_cycles import KeptCycles
from experiments.hism.measurements import FIRST, VALUE_BYTES, Load, Member
from experiments.hism.results_file import code_fingerprint
from programs.measurement import ALLOWED_ERROR, Prepared, measure, multiplicand, prepare
from vecsim.data import load_builtin, values_as
from vecsim.engines.protocol import run
from vecsim.errors import UserError
from vecsim.machine import Machine
from vecsim.worker_processes import begin_worker

KEPT_BYTES = 3 << 30
"""Memory images that all processes keep, at most, so that they are not made anew for every machine."""


@dataclass(frozen=True)
class Variant:
    """A program with its options."""

    program: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Ready:
    prepared: Prepared
    expected: npt.NDArray[np.float64]
    allowed: float


class Simulator:
    """Simulates variants of programs on members, each member always in the same process.

    Parameters
    ----------
    members, load
        As for :func:`experiments.hism.measurements.measure_members`; all can be loaded.
    jobs
        Processes.
    engine
        Name of the engine.
    results
        Journal in which cycles are kept; what it has for this code is not simulated again.

    Raises
    ------
    UserError
        The journal cannot be used.
    """

    def __init__(
        self, members: Sequence[Member], load: Load, *, jobs: int, engine: str, results: Path | None = None
    ) -> None:
        self._members = {member.name: member for member in members}
        self._shares = _shares(members, jobs)
        self._load = load
        self._engine = engine
        self._ground = f"{code_fingerprint()} {engine}"
        self._kept = KeptCycles(results)
        self._names = {m.name: f"{m.name} {_hash(repr(m))}" for m in members}
        self._pools: list[ProcessPoolExecutor] = []
        self.simulated = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pool in self._pools:
            pool.shutdown(wait=error is None, cancel_futures=True)
        self._kept.close()

    def cycles(
        self, machine: Machine, variants: Sequence[Variant], names: Sequence[str]
    ) -> dict[Variant, dict[str, int]]:
        """Give the cycles of each variant on the named members.

        Raises
        ------
        UserError
            A result is wrong, a member cannot be loaded, or a process was ended from outside.
        """
        missing: dict[Variant, list[str]] = {}
        for variant in variants:
            known = self._kept.find(self._key(machine, variant))
            absent = [name for name in names if self._names[name] not in known]
            if absent:
                missing[variant] = absent
        if missing:
            self._simulate(machine, missing)
        return {
            variant: {name: known[self._names[name]] for name in names}
            for variant in variants
            for known in [self._kept.find(self._key(machine, variant))]
        }

    def _key(self, machine: Machine, variant: Variant) -> str:
        return _hash(f"{self._ground} {machine.sha256} {variant!r}")

    def _simulate(self, machine: Machine, missing: Mapping[Variant, Sequence[str]]) -> None:
        if not self._pools:
            self._start(machine)
        futures = []
        for share, pool in zip(self._shares, self._pools, strict=True):
            tasks = [
                (variant, self._members[name])
                for variant, names in missing.items()
                for name in names
                if name in share
            ]
            futures.append(pool.submit(_cycles, tasks, self._load, machine, self._engine))
        try:
            found = [row for future in futures for row in future.result()]
        except BrokenProcessPool:
            raise UserError(
                "a process that simulated was ended from outside, perhaps for want of memory: try --jobs 1"
            ) from None
        lines: dict[Variant, dict[str, int]] = {}
        for variant, name, cycles in found:
            lines.setdefault(variant, {})[self._names[name]] = cycles
        self.simulated += len(found)
        for variant, cycles_by_name in lines.items():
            self._kept.keep(self._key(machine, variant), cycles_by_name)

    def _start(self, machine: Machine) -> None:
        measure("crs", load_builtin(FIRST).csr.astype("f4"), machine, engine=self._engine)
        context = multiprocessing.get_context("spawn")
        # Of a light module: a worker whose parent ends while it imports this one shall end, too.
        self._pools = [ProcessPoolExecutor(1, context, initializer=begin_worker) for _ in self._shares]
        for pool in self._pools:
            pool.submit(_begin, KEPT_BYTES // len(self._shares))


def _shares(members: Sequence[Member], jobs: int) -> list[set[str]]:
    """Deal the members out, the largest first, each to the process that has least to do."""
    shares: list[set[str]] = [set() for _ in range(jobs)]
    work = [0] * jobs
    for member in sorted(members, key=lambda member: (-member.size, member.name)):
        least = work.index(min(work))
        shares[least].add(member.name)
        work[least] += int(member.size) + 3000
    return shares


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# What runs in the processes.

_kept: dict[tuple[str, Variant], _Ready] = {}
_room = 0


def _begin(room: int) -> None:
    """Note how many bytes may be kept."""
    global _room
    _room = room


def _cycles(
    tasks: Sequence[tuple[Variant, Any]], load: Callable[[Any], Any], machine: Machine, engine: str
) -> list[tuple[Variant, str, int]]:
    found = []
    for variant, member in tasks:
        ready = _ready(variant, member, load, machine)
        result = run(ready.prepared.program, ready.prepared.loaded.memory, machine, engine=engine)
        y = ready.prepared.loaded.result(result.state.memory)
        if not np.abs(y - ready.expected).max(initial=0.0) <= ready.allowed:
            raise UserError(f"{variant.program} on {member.name}: the result is not A x")
        found.append((variant, str(member.name), result.cycles))
    return found


def _ready(variant: Variant, member: Any, load: Callable[[Any], Any], machine: Machine) -> _Ready:
    """Give the memory image, which is the same on all machines with the same section size."""
    global _room
    key = (f"{member!r} {machine.section_size}", variant)
    if key in _kept:
        return _kept[key]
    values, _ = values_as(load(member), VALUE_BYTES)
    x = multiplicand(values.shape[1], 0, values.dtype)
    prepared = prepare(variant.program, values, machine, x, dict(variant.options))
    wide, exact = x.astype(np.float64), values.astype(np.float64)
    allowed = ALLOWED_ERROR * float((abs(exact) @ np.abs(wide)).max(initial=0.0))
    ready = _Ready(prepared, exact @ wide, allowed)
    size = prepared.loaded.memory.nbytes + ready.expected.nbytes
    if size <= _room:
        _kept[key] = ready
        _room -= size
    return ready
