"""One program on one matrix at all points of a sweep: what each cell is filed under, and the cell itself."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Container, Mapping, MutableMapping
from functools import cached_property, lru_cache
from typing import Any

import isa
import programs
import vecsim
from experiments.code_fingerprint import fingerprint_of
from experiments.sweep.inputs import Input
from experiments.sweep.specification import Point, Sweep
from experiments.sweep.store import Cell, Keeper
from programs.measurement import Prepared, multiplicand, prepare
from programs.registry import OWN, find
from vecsim.digests import program_sha256
from vecsim.engines.protocol import run
from vecsim.errors import UserError
from vecsim.formats.accuracy import ExactProduct, exact_product
from vecsim.input_files import ASSEMBLY, read_input
from vecsim.machine import Machine

UNKNOWN = "unknown"
"""The key of a cell whose image was never made."""

MACHINE_CODE = {isa: ("**/*.py", "*.lark"), vecsim: ("machine/*.py", "engines/**/*.py")}
"""What decides the cycles of an image on a machine."""
IMAGE_CODE = {
    isa: ("**/*.py", "*.lark"),
    programs: ("**/*.py", "**/*.s"),
    vecsim: ("formats/**/*.py", "data/precision.py"),
}
"""What decides the image of a matrix."""


class Work:
    """One program on one matrix at some points of a sweep.

    Parameters
    ----------
    sweep, points, program
        What is simulated.
    matrix
        On what.
    keeper
        Where cells and digests of images are kept.
    images
        Images made so far, by key; it may be shared between several.

    Attributes
    ----------
    keys
        For each point what its cell is filed under; empty where it has none, `UNKNOWN` where that is not
        known before its image is made.
    faults
        For each point why it has no cell; empty where it has one.
    computed, engine_seconds
        How many cells were simulated, and the processors' time of the engine.
    """

    def __init__(
        self,
        sweep: Sweep,
        points: tuple[Point, ...],
        program: str,
        matrix: Input,
        keeper: Keeper,
        images: MutableMapping[str, Prepared] | None = None,
    ) -> None:
        self.sweep, self.points, self.program, self.matrix = sweep, points, program, matrix
        self.keeper = keeper
        self.keys: list[str] = []
        self.faults: list[str] = []
        self.computed, self.engine_seconds = 0, 0.0
        self._machines = _machines(sweep.base)
        self._chosen: list[tuple[Machine, dict[str, str]] | None] = []
        self._images: MutableMapping[str, Prepared] = {} if images is None else images
        self._digests: dict[str, str] = {}

    def find_keys(self, *, make_images: bool = True) -> None:
        """Find under which key the cell of each point is filed, or why there can be none."""
        for point in self.points:
            key, fault, chosen = "", "", None
            try:
                machine, digest = self._machines(point.machine)
                options = find(self.program).choose(point.of_program(self.program))
                key = self._key(machine, digest, options, make_images)
                chosen = machine, options
            except UserError as error:
                fault = str(error)
            self.keys.append(key)
            self.faults.append(fault)
            self._chosen.append(chosen)

    def missing(self, kept: Container[str]) -> list[int]:
        """Give the points that have to be computed, one for each cell, and those whose cell is not known."""
        places = {
            (key, place if key == UNKNOWN else None): place
            for place, key in enumerate(self.keys)
            if key and key not in kept
        }
        return sorted(places.values())

    def compute(self, place: int) -> None:
        """Compute the cell of a point, and keep it."""
        chosen = self._chosen[place]
        assert chosen is not None
        self.keeper.keep(self.keys[place], self._cell(*chosen))
        self.computed += 1

    def _key(self, machine: Machine, digest: str, options: dict[str, str], make_images: bool) -> str:
        image = self._image_digest(machine, options, make_images)
        if not image:
            return UNKNOWN
        told = (fingerprints()[0], self.sweep.engine, str(self.sweep.max_cycles), digest, image)
        return hashlib.sha256("\n".join(told).encode()).hexdigest()

    def _image_key(self, machine: Machine, options: dict[str, str]) -> str:
        """Name what decides the image, without making it."""
        text = find(self.program).text
        like = self.program.partition(OWN)[0]
        told = (
            fingerprints()[1],
            self.matrix.digest,
            str(self.sweep.seed),
            like if text is None else f"{like} {hashlib.sha256(read_input(text, ASSEMBLY)).hexdigest()}",
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
            kept = self.keeper.digests([key])
            if key not in kept and not make:
                return ""
            if key not in kept:
                made = self._image(key, machine, options)
                memory = hashlib.sha256(made.loaded.memory.tobytes()).hexdigest()
                kept[key] = f"{program_sha256(made.program)} {memory}"
                self.keeper.keep_digest(key, kept[key])
            self._digests[key] = kept[key]
        return self._digests[key]

    def _image(self, key: str, machine: Machine, options: dict[str, str]) -> Prepared:
        if key not in self._images:
            self._images[key] = prepare(self.program, self.matrix.csr, machine, self._x, options)
        return self._images[key]

    @cached_property
    def _x(self) -> Any:
        return multiplicand(self.matrix.csr.shape[1], self.sweep.seed, self.matrix.csr.dtype)

    @cached_property
    def _exact(self) -> ExactProduct:
        return exact_product(self.matrix.csr, self._x)

    def _cell(self, machine: Machine, options: dict[str, str]) -> Cell:
        prepared = self._image(self._image_key(machine, options), machine, options)
        sweep, began = self.sweep, time.process_time()
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
def fingerprints() -> tuple[str, str]:
    """Give those of what decides cycles and of what decides images."""
    return fingerprint_of(MACHINE_CODE), fingerprint_of(IMAGE_CODE)


class _Changed:
    """Machines that differ from one in some numbers, each made once, with their digests."""

    def __init__(self, base: Machine) -> None:
        self._base = base
        self._made: dict[tuple[tuple[str, int | bool], ...], tuple[Machine, str]] = {}

    def __call__(self, changes: Mapping[str, int | bool]) -> tuple[Machine, str]:
        """Give a machine and its digest.

        Raises
        ------
        UserError
            There is no such machine.
        """
        key = tuple(changes.items())
        if key not in self._made:
            machine = self._base.changed(changes)
            self._made[key] = machine, machine.sha256
        return self._made[key]


@lru_cache(maxsize=4)
def _machines(base: Machine) -> _Changed:
    return _Changed(base)
