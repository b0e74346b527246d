"""One program on one input at all points of a sweep: what each cell is filed under, and the cell itself."""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Container, Mapping, MutableMapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from experiments.code_fingerprint import code_fingerprint
from experiments.whatif.sweep.cell import Cell, ImageRecord
from experiments.whatif.sweep.images import Options, images_of
from experiments.whatif.sweep.inputs import Input
from experiments.whatif.sweep.specification import Point, Sweep
from experiments.whatif.sweep.store import Keeper
from experiments.whatif.sweep.together import timed_together
from programs.measurement import Prepared
from programs.registry import ProgramLike
from programs.user_format import UserFormat
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.lines import causes_of, lines_of_function
from vecsim.engines.many.trace import RecordSizes, record_sizes
from vecsim.engines.result import Run
from vecsim.engines.running import run
from vecsim.machine import Machine
from vecsim.results.digests import program_sha256
from vecsim.results.file_digests import InputFile, changed
from vecsim.support.errors import UserError

UNKNOWN = "unknown"
"""The key of a cell whose image was never made."""
MOST_IMAGE_BYTES = 1 << 31
"""Of the images that are at hand at a time, unless one alone has more."""


_object_images: dict[str, ImageRecord] = {}
"""Of formats that are objects, in the sweep that runs: what such a function refers to can change later."""


def forget_object_images() -> None:
    """Let the images of formats that are objects be made again."""
    _object_images.clear()


class _Chosen(NamedTuple):
    """What a point comes to for a program, and the digest of its image if known."""

    machine: Machine
    options: Options
    placement: int
    image: str = ""


class Work:
    """One program on one matrix, or with the arrays of a sweep, at some points of it.

    Parameters
    ----------
    sweep, points, program
        What is simulated.
    given
        On what.
    keeper
        Where cells and digests of images are kept.
    images
        Images made so far, by digest; it may be shared between several.
    on_gpu
        Whether machines that are timed together are timed on the GPU.

    Attributes
    ----------
    keys
        For each point what its cell is filed under; empty where it has none, `UNKNOWN` where that is not
        known before its image is made.
    faults
        For each point why it has no cell; empty where it has one.
    image_keys
        For each point what the record of its image is filed under; empty where it has no cell.
    computed, engine_seconds
        How many cells were simulated, and the processors' time of the engine.
    machine
        The machine that is varied.
    files
        The files that assembling the program read, as the keys of an ordered set.
    """

    def __init__(
        self,
        sweep: Sweep,
        points: tuple[Point, ...],
        program: ProgramLike,
        given: Input,
        keeper: Keeper,
        images: MutableMapping[str, Prepared] | None = None,
        *,
        on_gpu: bool = False,
    ) -> None:
        self.on_gpu = on_gpu
        self.sweep, self.points, self.program, self.given = sweep, points, program, given
        self._of = images_of(sweep, program, given)
        self.keeper = keeper
        self.keys: list[str] = []
        self.faults: list[str] = []
        self.image_keys: list[str] = []
        self.computed, self.engine_seconds = 0, 0.0
        self.machine = sweep.base
        self._machines = _machines(self.machine)
        self._chosen: list[_Chosen | None] = []
        self._images: MutableMapping[str, Prepared] = {} if images is None else images
        self._image_keys: dict[tuple[object, ...], str] = {}
        self._digests: dict[str, str] = {}
        self.files: dict[InputFile, None] = {}

    def find_keys(self, *, make_images: bool = True) -> None:
        """Find under which key the cell of each point is filed, or why there can be none."""
        for point in self.points:
            key, fault, chosen, image_key = "", "", None, ""
            try:
                machine, digest = self._machines(point.machine)
                chosen = _Chosen(machine, self._of.options(point), point.placement)
                image_key = self._image_key(chosen)
                image = self._image_digest(image_key, chosen, make_images)
                key = self._key(digest, image_key, image)
                chosen = chosen._replace(image=image)
            except UserError as error:
                fault, chosen = str(error), None
            self.keys.append(key)
            self.faults.append(fault)
            self.image_keys.append(image_key if key else "")
            self._chosen.append(chosen)

    def missing(self, recorded: Container[str]) -> list[int]:
        """Return the points that have to be computed, one for each cell, and those of unknown cell."""
        places = {
            (key, place if key == UNKNOWN else None): place
            for place, key in enumerate(self.keys)
            if key and key not in recorded
        }
        return sorted(places.values())

    def compute(self, places: Sequence[int], report: Callable[[], None] = lambda: None) -> None:
        """Compute the cells of points, and keep them.

        Parameters
        ----------
        places
            The points, by number.
        report
            Called whenever some are done.
        """
        by_record: dict[tuple[str, RecordSizes], list[int]] = {}
        for place in places:
            chosen = self._at(place)
            by_record.setdefault((chosen.image, record_sizes(chosen.machine)), []).append(place)
        recorded = self.sweep.engine == DEFAULT_ENGINE and not self.sweep.function
        for members in by_record.values():
            left, may_be_recorded = deque(members), recorded
            while left:
                place = left.popleft()
                cell, done = self._cell(self._at(place))
                self._keep({place: cell}, report)
                if done is not None and may_be_recorded:
                    left = deque(self._compute_together([*left], cell, done, report))
                    may_be_recorded = False

    def _at(self, place: int) -> _Chosen:
        chosen = self._chosen[place]
        assert chosen is not None
        return chosen

    def _keep(self, cells: Mapping[int, Cell], report: Callable[[], None]) -> None:
        self.keeper.keep({self.keys[place]: cell for place, cell in cells.items()})
        self.computed += len(cells)
        report()

    def _compute_together(
        self, places: list[int], cell: Cell, done: Run, report: Callable[[], None]
    ) -> list[int]:
        """Compute the cells of machines that time the record of one run; return the points that are left.

        Parameters
        ----------
        cell, done
            Of another point with the same image and registers.
        """
        machines = [self._of.machine(self._at(place).machine) for place in places]
        if not places:
            return []
        memory = self._image(self._at(places[0])).loaded.memory
        computed: set[int] = set()
        for batch in timed_together(done, memory, machines, cell.seconds, on_gpu=self.on_gpu):
            cells = {
                places[at]: batch.cell(each, cell, done, machines[at])
                for each, at in enumerate(batch.members)
                if 0 <= batch.times.cycles[each] < self.sweep.max_cycles
            }
            self.engine_seconds += batch.seconds
            self._keep(cells, report)
            computed |= cells.keys()
        return [place for place in places if place not in computed]

    def _key(self, machine: str, image_key: str, image: str) -> str:
        """Name all that decides a cell, given digests; `UNKNOWN` without that of the image.

        Of a format that is an object the image alone decides it, whatever made the image.
        """
        if not image:
            return UNKNOWN
        if isinstance(self.program, UserFormat):
            image_key = _digest(code_fingerprint(), self.given.digest, str(self.sweep.seed))
        sweep = self.sweep
        return _digest(image_key, image, machine, sweep.engine, str(sweep.max_cycles), sweep.function)

    def _image_key(self, chosen: _Chosen) -> str:
        """Name what decides the image, as far as that is known before the program is assembled."""
        machine, options = chosen.machine, chosen.options
        of = self._of.key(machine, options), tuple(options.items()), chosen.placement
        if of not in self._image_keys:
            self._image_keys[of] = _digest(
                code_fingerprint(),
                self.given.digest,
                *of[0],
                str(sorted(options.items())),
                str([(each.name, each.file, each.sha256) for each in machine.extensions]),
                str(chosen.placement),
            )
        return self._image_keys[of]

    def _image_digest(self, key: str, chosen: _Chosen, make: bool) -> str:
        """Return the digest of program and memory, which is kept, since making them takes as long as a run.

        It is empty if it is not kept, and must not be made.
        """
        if key not in self._digests:
            own = isinstance(self.program, UserFormat)
            recorded = _object_images.get(key) if own else self.keeper.image(key)
            if recorded is None or changed(self._of.files(chosen.options, recorded.inputs)):
                if not make:
                    return ""
                built = self._made(chosen)
                recorded = _record_of(built)
                if own:
                    _object_images[key] = recorded
                else:
                    self.keeper.keep({key: recorded})
                self._hold(recorded.digest, built)
            self._digests[key] = recorded.digest
            self.files |= dict.fromkeys(self._of.files(chosen.options, recorded.inputs))
        return self._digests[key]

    def _made(self, chosen: _Chosen) -> Prepared:
        return self._of.make(chosen.machine, chosen.options, chosen.placement)

    def _image(self, chosen: _Chosen) -> Prepared:
        if chosen.image not in self._images:
            built = self._made(chosen)
            if _record_of(built).digest != chosen.image:
                raise UserError(f"{self._of.name}: its files changed while the sweep ran: run it again")
            self._hold(chosen.image, built)
        return self._images[chosen.image]

    def _hold(self, digest: str, built: Prepared) -> None:
        """Have an image at hand, and the oldest others no more if they are too many."""
        self._images[digest] = built
        while len(self._images) > 1 and self._image_bytes > MOST_IMAGE_BYTES:
            del self._images[next(iter(self._images))]

    @property
    def _image_bytes(self) -> int:
        return sum(each.loaded.memory.nbytes for each in self._images.values())

    def _cell(self, chosen: _Chosen) -> tuple[Cell, Run | None]:
        """Return the cell of a point, and its run if it came to an end."""
        prepared = self._image(chosen)
        sweep, began = self.sweep, time.process_time()
        try:
            done = run(
                prepared.program,
                prepared.loaded.memory,
                self._of.machine(chosen.machine),
                engine=sweep.engine,
                max_cycles=sweep.max_cycles,
            )
            cycles, instructions, causes = _counted(done, sweep.function)
        except UserError as error:
            return Cell(fault=str(error)), None
        finally:
            seconds = time.process_time() - began
            self.engine_seconds += seconds
        cell = Cell(
            cycles=cycles,
            instructions=instructions,
            bytes_moved=done.bytes_moved,
            peak_share=done.peak_share,
            relative_error=self._of.error(prepared, done.state.memory),
            storage_bytes=prepared.storage_bytes,
            cycles_by_cause=causes,
            counters={name: done.counters[name] for name in chosen.machine.counter_names}
            | done.memory_counters,
            seconds=seconds,
        )
        return cell, done


def _counted(done: Run, function: str) -> tuple[int, int, dict[str, int]]:
    """Return cycles, instructions and cycles by cause: of a run, or of a function of its program."""
    if not function:
        return done.cycles, done.instructions, dict(done.cycles_by_cause)
    lines = lines_of_function(done.program, done.lines, function)
    causes = causes_of(lines)
    return sum(causes.values()), sum(line.executions for line in lines), causes


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _record_of(built: Prepared) -> ImageRecord:
    memory = hashlib.sha256(built.loaded.memory.tobytes())
    memory.update(f"{built.storage_bytes} {sorted(built.loaded.symbols.items())}".encode())
    return ImageRecord(program_sha256(built.program), memory.hexdigest(), dict(built.program.inputs))


class _Changed:
    """Machines that differ from one in some numbers, each made once, with their digests."""

    def __init__(self, base: Machine) -> None:
        self._base = base
        self._made: dict[tuple[tuple[str, int | bool], ...], tuple[Machine, str]] = {}

    def __call__(self, changes: Mapping[str, int | bool]) -> tuple[Machine, str]:
        """Return a machine and its digest.

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
