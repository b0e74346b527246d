"""Cycles of programs on the suite for one machine after another: memory images are kept, cycles too."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from experiments.code_fingerprint import code_fingerprint
from experiments.papers.hism.measurements import ENDED, FIRST, VALUE_BYTES, Load, Member
from programs.loading import ALLOWED_ERROR
from programs.measurement import (
    Prepared,
    measure,
    multiplicand,
    on_same_memory,
    prepare,
)
from programs.registry import find
from vecsim.data import load_builtin, values_as
from vecsim.engines.running import run
from vecsim.machine import Machine
from vecsim.results.journal import Journal
from vecsim.support.errors import UserError
from vecsim.support.worker_processes import WorkerContext, begin_worker

KEPT_BYTES = 3 << 30
"""Memory images that all processes keep, at most, so that they are not made again for every machine."""


RUN_IN_ENTRIES = 30_000
"""A run takes as long as this many entries, however few it has."""


@dataclass(frozen=True)
class Variant:
    """A program with its options."""

    program: str
    options: tuple[tuple[str, str], ...]


Asked = tuple[Machine, Variant]
"""What is simulated: a program with its options on a machine."""


@dataclass(frozen=True)
class _Image:
    """A member in memory, as all variants of a program and all machines of a section size find it."""

    prepared: Prepared
    expected: npt.NDArray[np.float64]
    allowed: float


class Simulator:
    """Simulates variants of programs on members, each member always in the same process.

    Parameters
    ----------
    members, load
        As for :func:`experiments.papers.hism.measurements.measure_members`; all can be loaded.
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
        self._keys: dict[Asked, str] = {}
        self.simulated = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pool in self._pools:
            pool.shutdown(wait=error is None, cancel_futures=True)
        self._kept.close()

    def cycles(self, asked: Sequence[Asked], names: Sequence[str]) -> list[dict[str, int]]:
        """Return the cycles on the named members, for each variant on a machine that is asked for.

        Raises
        ------
        UserError
            A result is wrong, a member cannot be loaded, or a process was ended from outside.
        """
        keys = [self._key(machine, variant) for machine, variant in asked]
        missing: dict[str, tuple[Asked, list[str]]] = {}
        for key, one in zip(keys, asked, strict=True):
            known = self._kept.find(key)
            absent = [name for name in names if self._names[name] not in known]
            if absent and key not in missing:
                missing[key] = (one, absent)
        if missing:
            self._simulate(missing)
        matches = [self._kept.find(key) for key in keys]
        return [{name: known[self._names[name]] for name in names} for known in matches]

    def processor_seconds(self) -> float:
        """Return what this process and those that simulate have taken of the processors."""
        of_others = [pool.submit(time.process_time).result() for pool in self._pools]
        return time.process_time() + sum(of_others)

    def _key(self, machine: Machine, variant: Variant) -> str:
        if (machine, variant) not in self._keys:
            matter = numbers_that_matter(machine, variant.program).sha256
            self._keys[machine, variant] = _hash(f"{self._ground} {matter} {variant!r}")
        return self._keys[machine, variant]

    def _simulate(self, missing: Mapping[str, tuple[Asked, Sequence[str]]]) -> None:
        if not self._pools:
            self._start(next(iter(missing.values()))[0][0])
        futures = []
        for share, pool in zip(self._shares, self._pools, strict=True):
            tasks = [
                (key, variant, machine, [self._members[name] for name in names if name in share])
                for key, ((machine, variant), names) in missing.items()
            ]
            futures.append(pool.submit(_cycles, tasks, self._load, self._engine))
        try:
            matches = [future.result() for future in futures]
        except BrokenProcessPool:
            raise UserError(ENDED) from None
        for key in missing:
            lines = {self._names[name]: cycles for of in matches for name, cycles in of[key].items()}
            self.simulated += len(lines)
            self._kept.keep(key, lines)

    def _start(self, machine: Machine) -> None:
        measure("crs", load_builtin(FIRST).csr.astype("f4"), machine, engine=self._engine)
        context = WorkerContext()
        # Of a light module: a worker must also end if its parent ends while it imports this one.
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
        work[least] += int(member.size) + RUN_IN_ENTRIES
    return shares


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# What runs in the processes.

_images: dict[str, _Image] = {}
_programs: dict[tuple[str, Variant], Prepared] = {}
_room = 0


def _begin(room: int) -> None:
    """Note how many bytes may be kept."""
    global _room
    _room = room


def _cycles(
    tasks: Sequence[tuple[str, Variant, Machine, Sequence[Any]]], load: Callable[[Any], Any], engine: str
) -> dict[str, dict[str, int]]:
    """Return the cycles by the key of a task and the name of a member."""
    return {
        key: {str(member.name): _run(variant, machine, member, load, engine) for member in members}
        for key, variant, machine, members in tasks
    }


def _run(variant: Variant, machine: Machine, member: Any, load: Callable[[Any], Any], engine: str) -> int:
    image, prepared = _ready(variant, member, load, machine)
    result = run(prepared.program, prepared.loaded.memory, machine, engine=engine)
    y = prepared.loaded.result(result.state.memory)
    if not np.abs(y - image.expected).max(initial=0.0) <= image.allowed:
        raise UserError(f"{variant.program} on {member.name}: the result is wrong; it must be A x")
    return result.cycles


def _ready(
    variant: Variant, member: Any, load: Callable[[Any], Any], machine: Machine
) -> tuple[_Image, Prepared]:
    """Return the memory image and the program on it, the same on all machines with the same section size."""
    global _room
    options = dict(variant.options)
    laid_out = find(variant.program).format, options.get("positions"), machine.section_size
    key = f"{member!r} {laid_out}"
    image = _images.get(key)
    if image is None:
        image = _image(variant, member, load, machine)
        size = image.prepared.loaded.memory.nbytes + image.expected.nbytes
        if size <= _room:
            _images[key] = image
            _room -= size
    if (key, variant) in _programs:
        return image, _programs[key, variant]
    prepared = on_same_memory(image.prepared, variant.program, options)
    if key in _images:
        _programs[key, variant] = prepared
    return image, prepared


def _image(variant: Variant, member: Any, load: Callable[[Any], Any], machine: Machine) -> _Image:
    values, _ = values_as(load(member), VALUE_BYTES)
    x = multiplicand(values.shape[1], 0, values.dtype)
    prepared = prepare(variant.program, values, machine, x, dict(variant.options))
    wide, exact = x.astype(np.float64), values.astype(np.float64)
    allowed = ALLOWED_ERROR * float((abs(exact) @ np.abs(wide)).max(initial=0.0))
    return _Image(prepared, exact @ wide, allowed)


_SPARSE_UNIT = ("sparse_unit.p", "sparse_unit.r", "sparse_unit.latency")
_ARITHMETIC = ("latency.add", "latency.multiply", "latency.multiply_add", "latency.sum")

UNUSED = {
    "crs": ("latency.extract", *_SPARSE_UNIT),
    "jd": ("latency.extract", "latency.sum", *_SPARSE_UNIT),
    "bbcs": _ARITHMETIC,
    "hism": _ARITHMETIC,
    "chism": _ARITHMETIC,
}
"""By program: CRS and JD have no instruction of the sparse unit and take nothing out of vectors, JD sums
nothing up; BBCS, HiSM and CHiSM leave all arithmetic to the sparse unit."""

ANY = 1
"""What stands for a number that does not matter."""


def numbers_that_matter(machine: Machine, program: str) -> Machine:
    """Return the machine with :data:`ANY` for every number that the program does not use.

    Parameters
    ----------
    program
        Its name, a key of :data:`UNUSED`.
    """
    matches: dict[str, Any] = {}
    for name in UNUSED[program]:
        table, field = name.split(".")
        matches.setdefault(table, {})[field] = ANY
    tables = {table: getattr(machine, table).model_copy(update=fields) for table, fields in matches.items()}
    return machine.model_copy(update=tables)


KIND = "vecsim calibrate"
"""What the journal says it is of."""

Cycles = Mapping[str, int]
"""By the name of the member."""


class KeptCycles:
    """Cycles by the key of a program on a machine and the name of a member, also of earlier runs.

    Parameters
    ----------
    path
        The journal; it is made if there is none. None keeps nothing beyond this process.

    Raises
    ------
    UserError
        The journal cannot be used.
    """

    def __init__(self, path: Path | None) -> None:
        self._journal = None if path is None else Journal(path, KIND, say=_say)
        self._known: dict[str, dict[str, int]] = {}
        for record in self._journal.records if self._journal else ():
            match record:
                case {"key": str(key), "cycles": dict(cycles)} if _are_counts(cycles.values()):
                    self._known.setdefault(key, {}).update(cycles)

    def find(self, key: str) -> Cycles:
        """Return what is known for a key."""
        return self._known.get(key, {})

    def keep(self, key: str, cycles: Cycles) -> None:
        """Keep cycles at once.

        Raises
        ------
        UserError
            They cannot be written.
        """
        self._known.setdefault(key, {}).update(cycles)
        if self._journal is not None:
            self._journal.append({"key": key, "cycles": dict(cycles)})

    def close(self) -> None:
        """Bring everything onto the disk."""
        if self._journal is not None:
            self._journal.close()


def _are_counts(matches: Iterable[Any]) -> bool:
    """Return whether these are such numbers as `KeptCycles.keep` writes; others are of another version."""
    return all(type(count) is int and count >= 0 for count in matches)


def _say(line: str) -> None:
    print(line, file=sys.stderr)
