"""How many cycles machines take: all that can be are timed on the record of one run of each program."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from experiments.whatif.optimise.space import Floats, Kind, Rows, Space
from experiments.whatif.sweep.images import Images, Options, images_of
from experiments.whatif.sweep.inputs import Input
from experiments.whatif.sweep.specification import Point, Sweep
from programs.measurement import Prepared
from programs.registry import ProgramLike
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.jit.interface import RECORDING
from vecsim.engines.jit.object_files.machine_code import is_kept
from vecsim.engines.many.batch import (
    LARGEST_NUMBER,
    Group,
    Times,
    group_of,
    is_timed,
    loop_of,
    sizes_of,
    time_group,
)
from vecsim.engines.many.trace import Trace, record_sizes, record_trace
from vecsim.engines.result import Run
from vecsim.engines.running import run
from vecsim.engines.trace_timing.places import NUMBERS, Sizes
from vecsim.machine import Machine
from vecsim.support.errors import UserError

AT_ONCE, AT_ONCE_ON_GPU = 4096, 1 << 16
"""Machines that are timed between two reports."""
AT_ONCE_IN_THREAD = 512
"""Machines of one group that a thread times, so that several threads share a large group."""
MOST_BYTES = 1 << 30
"""Of records that are at hand, and of those that machines are timed on between two reports."""
Cycles = npt.NDArray[np.int64]
RecordKey = tuple[object, ...]


@dataclass
class Record:
    """A run that machines can time.

    Attributes
    ----------
    trace
        The record; None if there can be none.
    groups
        Groups without machines, by what their machines have in common.
    """

    trace: Trace | None
    groups: dict[Sizes, Group] = field(default_factory=dict)

    @property
    def nbytes(self) -> int:
        """Its size."""
        return 0 if self.trace is None else self.trace.events.nbytes


class Records:
    """Records of all products; of those that take more than `MOST_BYTES` the ones that were used last."""

    def __init__(self) -> None:
        self._records: OrderedDict[RecordKey, Record] = OrderedDict()
        self._bytes = 0

    def of(self, key: RecordKey, make: Callable[[], Trace | None]) -> Record:
        """Return a record by what decides it, which is made if it is not at hand."""
        if key in self._records:
            self._records.move_to_end(key)
            return self._records[key]
        made = self._records[key] = Record(make())
        self._bytes += made.nbytes
        while self._bytes > MOST_BYTES and len(self._records) > 1:
            _, oldest = self._records.popitem(last=False)
            self._bytes -= oldest.nbytes
        return made


class Product:
    """A program on one input.

    Parameters
    ----------
    sweep, program, given
        What runs on what.
    records
        Where its records are, with those of other products.
    """

    def __init__(self, sweep: Sweep, program: ProgramLike, given: Input, records: Records) -> None:
        self.matrix = given.name
        self._max_cycles, self._is_default = sweep.max_cycles, sweep.engine == DEFAULT_ENGINE
        self._engine = sweep.engine
        self._images: Images = images_of(sweep, program, given)
        self.program = self._images.name
        self._records = records
        self._keys: dict[Kind, tuple[RecordKey, Sizes] | None] = {}
        self._latest: tuple[RecordKey, Prepared] | None = None

    def run(self, point: Point, machine: Machine, engine: str = "") -> Run:
        """Run it on one machine by the engine of the sweep, or another one.

        Raises
        ------
        UserError
            It fails on this machine.
        """
        prepared = self._prepared(point, machine)
        own = self._images.machine(machine)
        return run(
            prepared.program,
            prepared.loaded.memory,
            own,
            engine=engine or self._engine,
            max_cycles=self._max_cycles,
        )

    def key(self, kind: Kind) -> tuple[RecordKey, Sizes] | None:
        """Return what machines of kinds that are timed together have in common; None if each runs alone."""
        if kind not in self._keys:
            self._keys[kind] = self._key_of(kind)
        return self._keys[kind]

    def _key_of(self, kind: Kind) -> tuple[RecordKey, Sizes] | None:
        if kind.machine is None or not self._is_default:
            return None
        machine = self._images.machine(kind.machine)
        if not is_timed(machine):
            return None
        return (self, *self._image_key(kind.point, machine), *record_sizes(machine)), sizes_of(machine)

    def group(self, kind: Kind) -> Group | None:
        """Return a group without machines for those of a kind that has a key; None if each runs alone."""
        assert kind.machine is not None
        machine = self._images.machine(kind.machine)
        key = self.key(kind)
        assert key is not None
        record = self._records.of(key[0], partial(self._record, kind.point, machine))
        if record.trace is None:
            return None
        if key[1] not in record.groups:
            record.groups[key[1]] = group_of(record.trace, machine, np.zeros((len(NUMBERS), 0), np.int32))
        return record.groups[key[1]]

    def is_over(self, cycles: Cycles) -> npt.NDArray[np.bool_]:
        """Return (n,) whether an engine for one machine has to say what these cycles are."""
        result: npt.NDArray[np.bool_] = (cycles < 0) | (cycles >= self._max_cycles)
        return result

    def _record(self, point: Point, machine: Machine) -> Trace | None:
        try:
            prepared = self._prepared(point, machine)
            return record_trace(prepared.program, prepared.loaded.memory, machine)
        except UserError:
            return None  # the engine for one machine says what is wrong

    def _prepared(self, point: Point, machine: Machine) -> Prepared:
        own = self._images.machine(machine)
        key = self._image_key(point, own)
        if self._latest is None or self._latest[0] != key:
            self._latest = key, self._images.make(own, self._options(point), 0)
        return self._latest[1]

    def _image_key(self, point: Point, machine: Machine) -> RecordKey:
        options = self._options(point)
        return (*self._images.key(machine, options), *sorted(options.items()))

    def _options(self, point: Point) -> Options:
        return self._images.options(point)


@dataclass(frozen=True)
class _Job:
    """Machines of one group, for one product."""

    product: int
    group: Group
    members: npt.NDArray[np.intp]


class Evaluator:
    """Times machines.

    Parameters
    ----------
    space
        The machines.
    products
        What they run.
    threads
        How many time machines at once.
    on_gpu
        Whether machines that are timed together are timed on the GPU.
    compiling
        Whether loops for many machines are compiled that the cache has not; otherwise machines that need
        these run alone.

    Attributes
    ----------
    fault
        The first reason why a machine has no cycles; empty if all have.
    alone
        How many runs of single machines there were.
    """

    def __init__(
        self,
        space: Space,
        products: Sequence[Product],
        threads: int,
        *,
        on_gpu: bool = False,
        compiling: bool = True,
    ) -> None:
        self.space, self.products = space, products
        self._threads, self._on_gpu, self._compiling = threads, on_gpu, compiling
        self.at_once = AT_ONCE_ON_GPU if on_gpu else AT_ONCE
        self.fault, self.alone = "", 0

    def cycles(self, rows: Rows, report: Callable[[int], None] = lambda done: None) -> Cycles:
        """Return (n, products) cycles; -1 where a machine has none.

        Parameters
        ----------
        rows
            The machines.
        report
            Called now and then with how many more are done.
        """
        parts = [np.zeros((0, len(self.products)), np.int64)]
        for first in range(0, len(rows), self.at_once):
            some = rows[first : first + self.at_once]
            parts.append(self._timed(some))
            report(len(some))
        return np.concatenate(parts)

    def means(self, cycles: Cycles) -> Floats:
        """Return (n,) geometric means over the products; infinite where a machine has no cycles."""
        means: Floats = np.exp(np.log(np.maximum(cycles, 1)).mean(axis=1))
        return np.where((cycles >= 0).all(axis=1), means, np.inf)

    def _timed(self, rows: Rows) -> Cycles:
        result = np.full((len(rows), len(self.products)), -1, np.int64)
        kinds, which = self.space.kinds(rows)
        exists = np.array([kind.machine is not None for kind in kinds])[which]
        self.fault = self.fault or next((kind.fault for kind in kinds if kind.fault), "")
        for jobs in _parts(self._jobs(rows, kinds, which)):
            for job, times in zip(jobs, self._times(jobs), strict=True):
                result[job.members, job.product] = times.cycles
        for number, product in enumerate(self.products):
            for place in np.flatnonzero(exists & product.is_over(result[:, number])).tolist():
                result[place, number] = self._alone(product, rows[place])
        return result

    def _jobs(self, rows: Rows, kinds: Sequence[Kind], which: npt.NDArray[np.intp]) -> Iterator[_Job]:
        """Part the machines that can be timed together, for each product, into groups."""
        for number, product in enumerate(self.products):
            by_record: dict[RecordKey, dict[Sizes, int]] = {}
            of_kind = np.full(len(kinds), -1)
            for place, kind in enumerate(kinds):
                if (key := product.key(kind)) is not None and self._is_ready(key[1]):
                    of_kind[place] = by_record.setdefault(key[0], {}).setdefault(key[1], place)
            of_row = of_kind[which]
            for place in (place for sizes in by_record.values() for place in sizes.values()):
                group = product.group(kinds[place])
                if group is None:
                    continue
                members = np.flatnonzero(of_row == place)
                numbers = self.space.numbers(rows[members])
                there = numbers.max(axis=0) <= LARGEST_NUMBER
                members, numbers = members[there], numbers[:, there]
                at_once = len(members) if self._on_gpu else AT_ONCE_IN_THREAD
                for first in range(0, len(members), max(at_once, 1)):
                    some = slice(first, first + at_once)
                    yield _Job(number, replace(group, numbers=numbers[:, some]), members[some])

    def _is_ready(self, sizes: Sizes) -> bool:
        return self._compiling or all(map(is_kept, (RECORDING, loop_of(sizes))))

    def _times(self, jobs: Sequence[_Job]) -> list[Times]:
        groups = [job.group for job in jobs]
        if self._on_gpu:
            from vecsim.engines.targets.gpu.batch import time_groups

            return time_groups(groups)
        first = time_group(groups[0])  # alone: it loads the loop
        if self._threads == 1 or len(groups) == 1:
            return [first, *map(time_group, groups[1:])]
        with ThreadPoolExecutor(self._threads) as pool:
            return [first, *pool.map(time_group, groups[1:])]

    def _alone(self, product: Product, row: Rows) -> int:
        """Return the cycles of one machine by an engine for one; -1 if there are none."""
        self.alone += 1
        try:
            point = self.space.point(row)
            return product.run(point, self.space.base.changed(point.machine)).cycles
        except UserError as error:
            self.fault = self.fault or str(error)
            return -1


def _parts(jobs: Iterable[_Job]) -> Iterator[list[_Job]]:
    """Part jobs, as they come, into lists whose records take some `MOST_BYTES`."""
    part: list[_Job] = []
    sizes: dict[int, int] = {}
    for job in jobs:
        part.append(job)
        sizes[id(job.group.events)] = job.group.events.nbytes
        if sum(sizes.values()) >= MOST_BYTES:
            yield part
            part, sizes = [], {}
    if part:
        yield part
