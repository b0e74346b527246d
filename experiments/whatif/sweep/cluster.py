"""Tasks of a sweep on the workers of a Dask cluster; cells come back and are kept here.

Workers need no store and no matrix files: what they multiply is sent to them. A worker that dies costs the
cells that it had not sent back; Dask gives them to another.
"""

from __future__ import annotations

import logging
import re
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from experiments.code_fingerprint import code_fingerprint
from experiments.whatif.sweep.cell import Cell, ImageRecord
from experiments.whatif.sweep.inputs import Input, called
from experiments.whatif.sweep.simulation import Outcome, Task, begin, input_of
from experiments.whatif.sweep.store import Store
from experiments.whatif.sweep.together import AT_ONCE
from programs.measurement import Prepared
from vecsim.support.errors import UserError

ANSWER_SECONDS = 10.0
"""How long the scheduler may take to answer."""
WORKER_SECONDS = 30.0
"""How long there may be no worker."""
POLL_SECONDS = 0.1
BATCH_ENTRIES = 20_000_000
"""Entries that a batch of cells multiplies, about: a second or two of work."""
MOST_CELLS = 100
"""Cells of a batch, at most; on a GPU `AT_ONCE`."""
MOST_IMAGES = 8
"""Images that a worker has at hand, at most."""
KEPT = "finished cells are kept, run the same command to continue"

_ADDRESS = re.compile(r"t(?:cp|ls)://(.+):(\d+)")


@dataclass
class Gathered:
    """What a worker made, to be sent home and kept there; keys and faults are those of its points."""

    cells: dict[str, Cell] = field(default_factory=dict)
    images: dict[str, ImageRecord] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    engine_seconds: float = 0.0

    def image(self, key: str) -> ImageRecord | None:
        """Return the record of an image, if there is one."""
        return self.images.get(key)

    def keep(self, records: Mapping[str, Cell | ImageRecord]) -> None:
        """Put cells or records of images in, by key."""
        for key, record in records.items():
            if isinstance(record, Cell):
                self.cells[key] = record
            else:
                self.images[key] = record


def by_cluster(
    tasks: Sequence[Task],
    lookups: Sequence[Outcome],
    address: str,
    outcomes: dict[int, Outcome],
    watch: Callable[[int], None],
) -> None:
    """Do the tasks that have no outcome yet on the workers of a Dask scheduler.

    Parameters
    ----------
    tasks, lookups
        All of them, and what of each is kept.
    address
        ``tcp://HOST:PORT``.
    outcomes
        By the number of the task; what is done is put in.
    watch
        Called with how many cells of these tasks are done.

    Raises
    ------
    UserError
        Dask is not installed, the scheduler does not answer, it has no workers or loses them, or they run
        another version; or as :func:`simulate` raises. What was sent back is kept.
    """
    if find_spec("distributed") is None:
        raise UserError("a scheduler needs Dask; install it by: pip install 'vecsim[dask]'")
    _check_answer(address)
    distributed = import_module("distributed")
    left = [number for number in range(len(tasks)) if number not in outcomes]
    done = sum(len(tasks[number].points) - len(lookups[number].left) for number in left)
    watch(done)
    built = {number: _Made(list(lookups[number].keys), list(lookups[number].faults)) for number in left}
    with _connected(distributed, address) as client, Store(tasks[0].store) as store:
        _check_workers(client, address, on_gpu=tasks[0].on_gpu)
        batches = {
            future: (number, places)
            for number in left
            for future, places in _submitted(client, tasks[number], lookups[number].left)
        }
        for future, gathered in _finished(distributed, client, list(batches), address):
            number, places = batches.pop(future)
            _keep(store, gathered)
            built[number].add(places, gathered)
            done += len(gathered.cells)
            watch(done)
    for number, each in built.items():
        outcomes[number] = Outcome(
            tuple(each.keys), tuple(each.faults), computed=each.cells, engine_seconds=each.seconds
        )


@dataclass
class _Made:
    keys: list[str]
    faults: list[str]
    cells: int = 0
    seconds: float = 0.0

    def add(self, places: Sequence[int], gathered: Gathered) -> None:
        for place, key, fault in zip(places, gathered.keys, gathered.faults, strict=True):
            self.keys[place], self.faults[place] = key, fault
        self.cells += len(gathered.cells)
        self.seconds += gathered.engine_seconds


@contextmanager
def _connected(distributed: Any, address: str) -> Iterator[Any]:
    """Yield a client of the scheduler; what it has not finished is abandoned at the end."""
    for name in ("distributed", *(f"distributed.{part}" for part in ("client", "core", "comm", "batched"))):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # errors are reported here, in a line
    try:
        client = distributed.Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
    except (OSError, ValueError, RuntimeError) as error:
        raise UserError(
            f"{address}: is not a Dask scheduler; start one with dask scheduler: {error}"
        ) from None
    try:
        yield client
    finally:
        with suppress(Exception):  # the scheduler may be gone
            client.close(timeout=ANSWER_SECONDS)


def _check_answer(address: str) -> None:
    """Find out whether anything answers, since a client of Dask that finds nothing leaves threads after."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise UserError(f"{address}: is not the address of a scheduler; write tcp://HOST:PORT")
    try:
        socket.create_connection((match[1].strip("[]"), int(match[2])), ANSWER_SECONDS).close()
    except OSError as error:
        raise UserError(
            f"{address}: no scheduler answers ({error.strerror or error}); start one with dask scheduler"
        ) from None
    except OverflowError as error:
        raise UserError(f"{address}: {error}") from None


def _check_workers(client: Any, address: str, *, on_gpu: bool) -> None:
    """Find out whether there are workers, whether cells of theirs would be those of this computer, and
    whether each has a GPU if one is needed.
    """
    try:
        client.wait_for_workers(1, timeout=WORKER_SECONDS)
    except TimeoutError:
        raise UserError(f"{address}: has no worker; start one: dask worker {address}") from None
    message = client.run(_version, on_error="return")
    for worker, answer in message.items():
        if isinstance(answer, Exception):
            raise UserError(f"{address}: worker {worker} cannot run vecsim; install it there: {answer}")
        if answer != _version():
            raise UserError(
                f"{address}: worker {worker} has another vecsim; install the version of this computer"
            )
    for worker, answer in (client.run(_without_gpu, on_error="return") if on_gpu else {}).items():
        if answer:
            raise UserError(f"{address}: worker {worker}: {answer}")


def _version() -> str:
    return code_fingerprint()


def _without_gpu() -> str:
    """In a worker: return why it can use no GPU; empty if it can."""
    try:
        from vecsim.engines.targets.gpu.cuda import require_gpu

        require_gpu()
    except UserError as error:
        return str(error)
    return ""


def _submitted(client: Any, task: Task, places: Sequence[int]) -> list[tuple[Any, Sequence[int]]]:
    """Hand out the points of a task in batches, with the matrix or the arrays, which a worker gets once."""
    given = input_of(task.sweep, task.matrix)
    # A task and no scattered data, which would be lost with the worker that has it.
    sent = client.submit(_as_it_is, given, key=f"vecsim-matrix-{given.digest}")
    entries = 1 if given.csr is None else given.csr.nnz
    size = max(1, min(MOST_CELLS, BATCH_ENTRIES // max(1, entries))) if not task.on_gpu else AT_ONCE
    batches = [places[i : i + size] for i in range(0, len(places), size)]
    task = replace(task, matrix=called(task.matrix))
    return [(client.submit(_compute, task, batch, sent, pure=False), batch) for batch in batches]


def _as_it_is(given: Input) -> Input:
    return given


def _finished(
    distributed: Any, client: Any, futures: Sequence[Any], address: str
) -> Iterator[tuple[Any, Gathered]]:
    """Yield what is done, as it is done.

    Raises
    ------
    UserError
        There is no scheduler or no worker any more.
    """
    waiting = distributed.as_completed(futures, loop=client.loop)
    seen = time.monotonic()
    while not waiting.is_empty():
        batch = waiting.next_batch(block=False)
        for future in batch:
            built = _result(future, address)
            if built is None:
                waiting.add(future)  # its worker has died, another begins again
            else:
                yield future, built
                seen = time.monotonic()
        if not batch:
            time.sleep(POLL_SECONDS)
        if client.status != "running":
            raise UserError(f"{address}: the scheduler is gone; {KEPT}")
        if client.nthreads():
            seen = time.monotonic()
        elif time.monotonic() - seen > WORKER_SECONDS:
            raise UserError(f"{address}: all workers are gone; {KEPT}")


def _result(future: Any, address: str) -> Gathered | None:
    """Return what a worker made; None if it is gone before it could be fetched.

    Raises
    ------
    UserError
        It says why there is no result.
    """
    try:
        built: Gathered = future.result(timeout=ANSWER_SECONDS)
    except UserError:
        raise
    except TimeoutError:
        return None
    except CancelledError:
        raise UserError(f"{address}: the scheduler is gone; {KEPT}") from None
    except Exception as error:
        if type(error).__name__ == "KilledWorker":
            raise UserError(
                f"{address}: workers are killed repeatedly by the same cells, perhaps for lack of "
                f"memory; {KEPT}"
            ) from None
        raise
    return built


_turn = threading.Lock()
_images: OrderedDict[str, Prepared] = OrderedDict()


def _compute(task: Task, places: Sequence[int], given: Input) -> Gathered:
    """In a worker: compute the cells of a batch, one batch at a time whatever threads it has."""
    with _turn:
        gathered = Gathered()
        points = tuple(task.points[place] for place in places)
        work = begin(task, points, given, gathered, _images)
        work.find_keys()
        work.compute(work.missing(()))
        gathered.keys, gathered.faults = work.keys, work.faults
        gathered.engine_seconds = work.engine_seconds
        while len(_images) > MOST_IMAGES:
            _images.popitem(last=False)
        return gathered


def _keep(store: Store, gathered: Gathered) -> None:
    store.keep(gathered.images)
    store.keep(gathered.cells)
