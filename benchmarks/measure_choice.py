"""Times of every format on the matrices that `auto` is fitted on, on a GPU: a line of JSON each.

Matrices are made and converted by many processes at once, and kernels compiled by several, since both take
far longer than the products; only one of them measures at a time.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import Empty
from typing import Any

import numpy as np

from benchmarks.choice_matrices import RECIPES
from vecsim.formats import NotRepresentableError
from vecsim.formats.structure import Structure

SECONDS = 0.003
"""How long a measurement takes, of microseconds each."""
ABSURD = 3.0
"""Formats whose first estimate is so many times the best one are left out, the plain ones apart."""
PLAIN = ("crs", "crs-split", "coo", "sliced-ell")
IN_FLIGHT = 2
"""Matrices under way for each process that converts."""
LEAST_SHARED = 30 << 30
"""Bytes that shared memory must have free to hold the converted matrices."""
MEASURING = 6
"""Processes with the device, each for some of the formats."""


@dataclass(frozen=True)
class Converted:
    """A format of a matrix, in a file."""

    record: dict[str, Any]
    file: Path


def measure(
    path: Path, seconds: float, processes: int, only: str = "", done_before: Path | None = None
) -> int:
    """Measure matrix after matrix until the time is over; give the number of measurements.

    Parameters
    ----------
    path
        Where the lines go, each written at once.
    seconds
        When to stop.
    processes
        How many convert.
    only
        Matrices of this family alone.
    done_before
        Lines of an earlier run, whose matrices are not measured again.
    """
    known = set()
    if done_before is not None:
        known = {json.loads(line)["matrix"] for line in done_before.read_text().splitlines()}
    end = time.monotonic() + seconds
    shared = Path("/dev/shm")
    roomy = shared.is_dir() and shutil.disk_usage(shared).free > LEAST_SHARED
    folder = Path(tempfile.mkdtemp(prefix="choice-", dir=shared if roomy else None))
    os.environ["NUMBA_NUM_THREADS"] = "1"
    context = get_context("spawn")
    done, turn = context.Queue(), context.Lock()
    queues = [context.Queue() for _ in range(MEASURING)]
    measuring = [context.Process(target=_measure_each, args=(queue, done, turn)) for queue in queues]
    for process in measuring:
        process.start()
    pool = ProcessPoolExecutor(processes, mp_context=context)
    count = 0
    try:
        names = _names()
        # Each conversion is compiled by one process, the others find it in Numba's cache.
        wait([pool.submit(_compile, name) for name in names], timeout=60)
        print(f"conversions compiled, {end - time.monotonic():.0f} s left", flush=True)
        under_way = 0
        with path.open("a") as lines:
            chosen = [
                number
                for number in map(int, np.random.default_rng(3).permutation(len(RECIPES)))
                if RECIPES[number].name not in known and (RECIPES[number].family == only or not only)
            ]
            for converted in _converted(pool, folder, processes * IN_FLIGHT, end, chosen):
                queues[names.index(converted.record["format"]) % MEASURING].put(converted)
                under_way += 1
                # Not many more than can be measured at once: they take memory.
                count += _write_done(lines, done, 0)
                while under_way - count > 400 and time.monotonic() < end:
                    count += _write_done(lines, done, 0.05)
            while count < under_way and time.monotonic() < end:
                count += _write_done(lines, done, 0.05)
    finally:
        _stop([*measuring, *(pool._processes or {}).values()])
        pool.shutdown(wait=False, cancel_futures=True)
        shutil.rmtree(folder, ignore_errors=True)
    return count


def _write_done(lines: Any, done: Any, patience: float) -> int:
    """Write what has been measured; give the number of lines."""
    count = 0
    try:
        while True:
            record = done.get(timeout=patience) if patience else done.get_nowait()
            lines.write(json.dumps(record) + "\n")
            lines.flush()
            count += 1
    except Empty:
        return count


def _stop(processes: list[BaseProcess]) -> None:
    for process in processes:
        if process.is_alive():
            process.kill()


def _names() -> list[str]:
    from gpu.kernels import KERNELS

    return [name for name, kernel in KERNELS.items() if kernel.work is not None]


def _measure_each(queue: Any, done: Any, turn: Any) -> None:
    """Measure what comes, while no other process does."""
    while True:
        converted = queue.get()
        record = converted.record
        try:
            record |= _timed(converted, turn) | {"time": round(time.time(), 1)}
        except Exception as error:  # the next one may go well
            record["status"] = f"{type(error).__name__}: {error}"[:300]
        converted.file.unlink(missing_ok=True)
        done.put(record)


def _converted(
    pool: ProcessPoolExecutor, folder: Path, in_flight: int, end: float, chosen: list[int]
) -> Iterator[Converted]:
    """Give formats of matrices as they are done."""
    waiting: set[Future[list[Converted]]] = set()
    while chosen or waiting:
        while chosen and len(waiting) < in_flight:
            waiting.add(pool.submit(convert, chosen.pop(0), folder))
        done, waiting = wait(waiting, timeout=1, return_when=FIRST_COMPLETED)
        for future in done:
            if future.exception() is None:
                yield from future.result()
            else:
                print(f"left out: {future.exception()}", file=sys.stderr, flush=True)
        if time.monotonic() > end:
            return


def _compile(name: str) -> None:
    """Convert a small matrix, so that the conversion is compiled."""
    from gpu.kernels import KERNELS

    matrix, kernel = RECIPES[0].make(), KERNELS[name]
    for dtype in (np.float32, np.float64):
        typed = matrix.astype(dtype)
        if kernel.work is not None and kernel.work(Structure.of(typed)) is not None:
            kernel.convert(typed)


def convert(number: int, folder: Path) -> list[Converted]:
    """Make a matrix and convert it into every format that is not absurd, in both types."""
    from gpu.choice import Constants, Counts, microseconds
    from gpu.kernels import KERNELS

    recipe, made, constants = RECIPES[number], [], Constants.read()
    matrix = recipe.make()
    for dtype in ("float32", "float64"):
        typed = matrix.astype(dtype)
        began = time.perf_counter()
        structure, works = Structure.of(typed), {}
        for name, kernel in KERNELS.items():
            work = kernel.work(structure) if kernel.work else None
            if work is not None:
                works[name] = work
        counting = time.perf_counter() - began
        machine, estimated = constants.machine, {}
        for name, work in works.items():
            speed = constants.speed(name)
            rate = speed.gb_per_s[dtype == "float64"]
            counts = Counts.of(work, structure, machine.cache_bytes)
            estimated[name] = float(microseconds(counts, rate, speed.step_ns, speed.start_us, machine))
        for name, work in works.items():
            if estimated[name] > ABSURD * min(estimated.values()) and name not in PLAIN:
                continue
            began = time.perf_counter()
            try:
                host = KERNELS[name].convert(typed)
            except NotRepresentableError:
                continue
            record = {
                "matrix": recipe.name,
                "family": recipe.family,
                "rows": typed.shape[0],
                "columns": typed.shape[1],
                "nnz": typed.nnz,
                "longest": structure.longest,
                "mean_spread": structure.mean_spread,
                "dtype": dtype,
                "format": name,
                "work": asdict(work),
                "estimate_us": estimated[name],
                "counting_s": counting,
                "converting_s": time.perf_counter() - began,
            }
            file = folder / f"{number}-{dtype}-{name}.pickle"
            with file.open("wb") as target:
                pickle.dump(host, target, protocol=5)
            made.append(Converted(record, file))
    return made


def _timed(converted: Converted, turn: Any) -> dict[str, Any]:
    """Put a format on the device and time its product, warm."""
    from gpu import cuda_runtime
    from gpu.cuda import THREADS_PER_BLOCK, cuda
    from gpu.kernels import KERNELS
    from gpu.memory import upload
    from gpu.timing import measure as time_of

    with converted.file.open("rb") as source:
        host = pickle.load(source)
    product = KERNELS[converted.record["format"]].product(host, THREADS_PER_BLOCK)
    real = np.dtype(converted.record["dtype"]).type
    x = upload(np.ones(converted.record["columns"], dtype=real))
    y = upload(np.zeros(converted.record["rows"], dtype=real))

    def enqueue(stream: cuda_runtime.Stream) -> None:
        product.launch(x, y, real(1), real(0), cuda.external_stream(stream.address))

    # Compiled and loaded before it is this one's turn.
    with cuda_runtime.Stream() as stream:
        enqueue(stream)
        stream.synchronize()
    with turn:
        timing = time_of([enqueue], SECONDS)
    nbytes = sum(int(array.nbytes) for array in product.device_arrays)
    return {"us": timing.median_us, "spread": timing.spread, "bytes": nbytes}
