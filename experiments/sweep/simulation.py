"""The cells of one program on one matrix, in the process that has its images."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import isa
import programs
import vecsim
from experiments.code_fingerprint import fingerprint_of
from experiments.sweep.specification import Point, Sweep
from experiments.sweep.store import Cell, Store
from programs.measurement import Prepared, multiplicand, prepare
from programs.registry import OWN, find
from vecsim.data import Matrix, load, value_bytes, values_as
from vecsim.digests import matrix_sha256, program_sha256
from vecsim.engines.protocol import run
from vecsim.errors import UserError
from vecsim.formats.accuracy import ExactProduct, exact_product
from vecsim.machine import Machine, as_machine

REPORT_SECONDS = 0.2
"""How often it is told how many cells are done."""
_UNKNOWN = "unknown"
"""The key of a cell whose image was never made."""

MACHINE_CODE = {isa: ("**/*.py", "*.lark"), vecsim: ("machine/*.py", "engines/**/*.py")}
"""What decides the cycles of an image on a machine."""
IMAGE_CODE = {
    isa: ("**/*.py", "*.lark"),
    programs: ("**/*.py", "**/*.s"),
    vecsim: ("formats/**/*.py", "data/precision.py"),
}
"""What decides the image of a matrix."""


@dataclass(frozen=True)
class Task:
    """All points of a sweep for one program on one matrix."""

    sweep: Sweep
    points: tuple[Point, ...]
    matrix: str
    program: str
    store: Path


@dataclass(frozen=True)
class Outcome:
    """What a task came to.

    Attributes
    ----------
    name, shape, nnz, sha256
        Of the matrix, with the values that were multiplied.
    keys
        For each point what its cell is filed under; empty where it has none.
    faults
        For each point why it has no cell; empty where it has one.
    computed
        How many cells were simulated.
    engine_seconds
        Processors' time of the engine.
    """

    name: str
    shape: tuple[int, int]
    nnz: int
    sha256: str
    keys: tuple[str, ...]
    faults: tuple[str, ...]
    computed: int
    engine_seconds: float


def simulate(task: Task, report: Callable[[int], None] = lambda done: None) -> Outcome:
    """Do a task.

    Parameters
    ----------
    task
        What to do.
    report
        Told now and then how many more cells are done.

    Raises
    ------
    UserError
        There is no such matrix, or the store cannot be written. What is wrong with single points stands in
        the outcome.
    """
    with Store(task.store) as store:
        work = _Work(task, store)
        work.find_keys()
        kept = store.kept(work.keys)
        report(sum(key in kept or not key for key in work.keys))
        last, told = time.monotonic(), 0
        for place in work.missing(kept):
            work.compute(place)
            if time.monotonic() - last >= REPORT_SECONDS:
                report(work.computed - told)
                last, told = time.monotonic(), work.computed
        report(work.computed - told)
    return work.outcome()


def looked_up(task: Task) -> Outcome | None:
    """Give the outcome of a task of which every cell is kept; None if something has to be computed.

    Raises
    ------
    UserError
        There is no such matrix, or the store cannot be read.
    """
    with Store(task.store) as store:
        work = _Work(task, store)
        work.find_keys(make_images=False)
        complete = _UNKNOWN not in work.keys and not work.missing(store.kept(work.keys))
    return work.outcome() if complete else None


class _Work:
    """A task under way."""

    def __init__(self, task: Task, store: Store) -> None:
        self.task, self.store = task, store
        self.matrix, self.csr, self.digest = _matrix(task.matrix, task.sweep.value_bits)
        self.base = as_machine(task.sweep.machine)
        self.keys: list[str] = []
        self.faults: list[str] = []
        self.computed, self.engine_seconds = 0, 0.0
        self._chosen: list[tuple[Machine, dict[str, str]] | None] = []
        self._prepared: dict[str, Prepared] = {}
        self._digests: dict[str, str] = {}

    def find_keys(self, *, make_images: bool = True) -> None:
        """Find under which key the cell of each point is filed, or why there can be none."""
        for point in self.task.points:
            key, fault, chosen = "", "", None
            try:
                machine = _changed(self.base, tuple(point.machine.items()))
                options = find(self.task.program).choose(point.of_program(self.task.program))
                key, chosen = self._key(machine, options, make_images), (machine, options)
            except UserError as error:
                fault = str(error)
            self.keys.append(key)
            self.faults.append(fault)
            self._chosen.append(chosen)

    def missing(self, kept: Container[str]) -> list[int]:
        """Give the points that have to be computed, one for each cell."""
        places = {key: place for place, key in enumerate(self.keys) if key and key not in kept}
        return sorted(places.values())

    def compute(self, place: int) -> None:
        """Compute the cell of a point, and keep it."""
        chosen = self._chosen[place]
        assert chosen is not None
        self.store.keep(self.keys[place], self._cell(*chosen))
        self.computed += 1

    def outcome(self) -> Outcome:
        """Say what it came to."""
        shape = (int(self.csr.shape[0]), int(self.csr.shape[1]))
        about = self.matrix.name, shape, int(self.csr.nnz), self.digest
        return Outcome(*about, tuple(self.keys), tuple(self.faults), self.computed, self.engine_seconds)

    def _key(self, machine: Machine, options: dict[str, str], make_images: bool) -> str:
        sweep = self.task.sweep
        image = self._image_digest(machine, options, make_images)
        if not image:
            return _UNKNOWN
        told = (_fingerprints()[0], sweep.engine, str(sweep.max_cycles), machine.sha256, image)
        return hashlib.sha256("\n".join(told).encode()).hexdigest()

    def _image_key(self, machine: Machine, options: dict[str, str]) -> str:
        """Name what decides the image, without making it."""
        name, text = self.task.program, find(self.task.program).text
        like = name.partition(OWN)[0]
        told = (
            _fingerprints()[1],
            self.digest,
            str(self.task.sweep.seed),
            like if text is None else f"{like} {hashlib.sha256(text.read_bytes()).hexdigest()}",
            str(sorted(options.items())),
            str(machine.section_size),
        )
        return hashlib.sha256("\n".join(told).encode()).hexdigest()

    def _image_digest(self, machine: Machine, options: dict[str, str], make: bool) -> str:
        """Give the digest of program and memory, which is kept, since making them takes as long as a run.

        It is empty if it is not kept, and must not be made.
        """
        key = self._image_key(machine, options)
        if key not in self._digests:
            kept = self.store.digests([key])
            if key not in kept and not make:
                return ""
            if key not in kept:
                made = self._image(key, machine, options)
                memory = hashlib.sha256(made.loaded.memory.tobytes()).hexdigest()
                kept[key] = f"{program_sha256(made.program)} {memory}"
                self.store.keep_digest(key, kept[key])
            self._digests[key] = kept[key]
        return self._digests[key]

    def _image(self, key: str, machine: Machine, options: dict[str, str]) -> Prepared:
        if key not in self._prepared:
            self._prepared[key] = prepare(self.task.program, self.csr, machine, self._x, options)
        return self._prepared[key]

    @cached_property
    def _x(self) -> Any:
        return multiplicand(self.csr.shape[1], self.task.sweep.seed, self.csr.dtype)

    @cached_property
    def _exact(self) -> ExactProduct:
        return exact_product(self.csr, self._x)

    def _cell(self, machine: Machine, options: dict[str, str]) -> Cell:
        prepared = self._image(self._image_key(machine, options), machine, options)
        sweep, began = self.task.sweep, time.process_time()
        try:
            done = run(
                prepared.program,
                prepared.loaded.memory,
                machine,
                engine=sweep.engine,
                max_cycles=sweep.max_cycles,
            )
        except UserError as error:
            return Cell(fault=str(error))
        finally:
            self.engine_seconds += time.process_time() - began
        result = prepared.loaded.result(done.state.memory)
        return Cell(
            cycles=done.cycles,
            instructions=done.instructions,
            bytes_moved=done.bytes_moved,
            peak_share=done.peak_share,
            relative_error=self._exact.error(result),
            storage_bytes=prepared.storage_bytes,
            charged=dict(done.charged),
        )


@lru_cache(maxsize=1)
def _fingerprints() -> tuple[str, str]:
    """Give those of what decides cycles and of what decides images."""
    return fingerprint_of(MACHINE_CODE), fingerprint_of(IMAGE_CODE)


@lru_cache(maxsize=4)
def _matrix(name: str, value_bits: int) -> tuple[Matrix, Any, str]:
    """Give a matrix, and with values of so many bits, with its digest."""
    matrix = load(name, show_progress=False)
    csr, _ = values_as(matrix.csr, value_bytes(value_bits))
    return matrix, csr, matrix_sha256(csr)


@lru_cache(maxsize=100_000)
def _changed(machine: Machine, changes: tuple[tuple[str, int | bool], ...]) -> Machine:
    return machine.changed(dict(changes))
