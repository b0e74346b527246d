"""Times of every format on the matrices that `auto` is fitted on, on a GPU: a line of JSON each.

Matrices are made and converted by many processes at once, and kernels compiled by several, since both take
far longer than the products; only one of them measures at a time.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import pickle
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import pairwise
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import Empty
from typing import Any

import numpy as np

from benchmarks.choice_matrices import NAMED, RECIPES
from benchmarks.choice_times import geometric_mean, read
from gpu.choice.structure import Structure
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError
from vecsim.support.worker_processes import begin_worker

REPLAY_US = 250.0
"""About how long a replay takes, by the estimate: what comes between two replays is then little."""
MOST_PRODUCTS = 200
"""In a graph: capturing them takes time, too."""
REPLAYS = 7
WARM_UP = 2
ABSURD = 2.5
"""Formats whose first estimate is this many times the best one are left out, the plain ones apart."""
PLAIN = ("crs", "crs-split", "coo", "sliced-ell")
IN_FLIGHT = 2
"""Matrices running for each process that converts."""
LEAST_SHARED = 30 << 30
"""Bytes that shared memory must have free to hold the converted matrices."""
NEAR = 1.3
"""Formats that took up to this many times the best are measured again where that is asked for."""
FEWEST_PLACEMENTS, MOST_PLACEMENTS = 3, 8
"""Places in the memory of the device that a format is timed in; more than the fewest where times differ."""
AGREEING = 1.02
"""Times of places that are within this factor do not differ."""
TYPES = ("float32", "float64")
MEASURING = 10
"""Processes with the device, each for some of the formats: they upload and capture while one measures."""


@dataclass(frozen=True)
class Converted:
    """A format of a matrix, in a file."""

    record: dict[str, Any]
    file: Path


def measure(
    path: Path,
    seconds: float,
    processes: int,
    only: str = "",
    done_before: Path | None = None,
    formats: Sequence[str] = (),
    near: Path | None = None,
) -> int:
    """Measure matrix after matrix until the time is over; return the number of measurements.

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
        Lines of an earlier run: of its matrices `formats` alone are measured.
    formats
        Those whose kernels have changed since then; without `done_before` the only ones.
    near
        Lines of an earlier run: the formats that took up to `NEAR` times the best of their matrix and type
        are placed and measured again, nothing else; the lines say ``again``.

    Raises
    ------
    UserError
        If a format has no estimate.
    """
    names, wanted = _wanted(done_before, formats, near)
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
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=begin_worker)
    count = 0
    try:
        # What conversions share is compiled by one process, the others find it in Numba's cache.
        wait([pool.submit(_compile, group) for group in _compiled_apart(names)], timeout=60)
        print(f"conversions compiled, {end - time.monotonic():.0f} s left", flush=True)
        under_way = 0
        with path.open("a") as lines:
            chosen = [
                (number, wanted.get(RECIPES[number].name, {}))
                for number in map(int, np.random.default_rng(3).permutation(len(RECIPES)))
                if RECIPES[number].family == only or not only
            ]
            # What takes long first, so that nobody waits for it in the end.
            chosen = [each for each in chosen if any(each[1].values())]
            chosen.sort(
                key=lambda each: (
                    RECIPES[each[0]] not in NAMED and not RECIPES[each[0]].family.startswith("large"),
                    -max(map(len, each[1].values())),
                )
            )
            for converted in _converted(pool, folder, processes * IN_FLIGHT, end, chosen):
                converted.record.update({"again": True} if near is not None else {})
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
        for queue in queues:
            queue.cancel_join_thread()  # nobody reads what is still in it
        pool.shutdown(wait=False, cancel_futures=True)
        shutil.rmtree(folder, ignore_errors=True)
    return count


def _wanted(
    done_before: Path | None, formats: Sequence[str], near: Path | None
) -> tuple[list[str], dict[str, dict[str, list[str]]]]:
    """Return all formats that are measured, and those of each matrix by type; parameters of `measure`."""
    every, named = _names(()), _names(formats)
    if near is not None:
        return every, near_the_best(read([near]))
    if done_before is None:
        return named, {recipe.name: dict.fromkeys(TYPES, named) for recipe in RECIPES}
    before = {line["matrix"] for line in read([done_before])}
    again = named if formats else []
    of_matrices = {each.name: again if each.name in before else every for each in RECIPES}
    return every, {name: dict.fromkeys(TYPES, names) for name, names in of_matrices.items()}


def near_the_best(lines: Sequence[dict[str, Any]]) -> dict[str, dict[str, list[str]]]:
    """Return the formats near the best of each matrix, by its name, and type.

    Parameters
    ----------
    lines
        Of a measurement.
    """
    timed = [line for line in lines if "us" in line]
    best: dict[tuple[str, str], float] = {}
    for line in timed:
        case = line["matrix"], line["dtype"]
        best[case] = min(line["us"], best.get(case, line["us"]))
    match: dict[str, dict[str, list[str]]] = {}
    for line in timed:
        if line["us"] <= NEAR * best[line["matrix"], line["dtype"]]:
            of_type = match.setdefault(line["matrix"], {each: [] for each in TYPES})
            of_type[line["dtype"]].append(line["format"])
    return match


def _write_done(lines: Any, done: Any, patience: float) -> int:
    """Write what has been measured; return the number of lines."""
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


def _names(wanted: Sequence[str]) -> list[str]:
    from gpu.kernel_registry import KERNELS

    names = [name for name, kernel in KERNELS.items() if kernel.work is not None]
    for name in wanted:
        if name not in names:
            raise UserError(
                f"--formats {name}: auto does not have this format; use some of {', '.join(names)}"
            )
    return [name for name in names if not wanted or name in wanted]


def _measure_each(queue: Any, done: Any, turn: Any) -> None:
    """Measure what comes, while no other process does."""
    from gpu.runtime.device_info import device_info

    device = device_info().name
    while True:
        converted = queue.get()
        record = converted.record
        try:
            record |= _timed(converted, turn) | {"time": round(time.time(), 1), "device": device}
        except Exception as error:  # the next one may go well
            record["status"] = f"{type(error).__name__}: {error}"[:300]
        converted.file.unlink(missing_ok=True)
        done.put(record)


def _converted(
    pool: ProcessPoolExecutor,
    folder: Path,
    in_flight: int,
    end: float,
    chosen: list[tuple[int, dict[str, list[str]]]],
) -> Iterator[Converted]:
    """Yield formats of matrices as they are done."""
    waiting: set[Future[list[Converted]]] = set()
    while chosen or waiting:
        while chosen and len(waiting) < in_flight:
            number, names = chosen.pop(0)
            waiting.add(pool.submit(convert, number, folder, names))
        done, waiting = wait(waiting, timeout=1, return_when=FIRST_COMPLETED)
        for future in done:
            if future.exception() is None:
                yield from future.result()
            else:
                print(f"left out: {future.exception()}", file=sys.stderr, flush=True)
        if time.monotonic() > end:
            return


def recount(path: Path, processes: int) -> None:
    """Replace the counted work in the lines of a file by what is counted now; drop what is refused now."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    numbers = {recipe.name: number for number, recipe in enumerate(RECIPES)}
    unknown = sorted({line["matrix"] for line in lines} - set(numbers))
    if unknown:
        raise UserError(
            f"{path}: {unknown[0]} is not a matrix of benchmarks/choice_matrices.py; measure again"
        )
    matrices = sorted({numbers[line["matrix"]] for line in lines})
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=begin_worker) as pool:
        counted = dict(zip(matrices, pool.map(_counted, matrices), strict=True))
    retained = []
    for line in lines:
        match = counted[numbers[line["matrix"]]].get((line["dtype"], line["format"]))
        if match is not None:
            retained.append(json.dumps(line | match) + "\n")
    part = path.with_suffix(".part")
    part.write_text("".join(retained))
    part.replace(path)


def _counted(number: int) -> dict[tuple[str, str], dict[str, Any]]:
    """Count the work of all formats on a matrix, and how far its rows reach."""
    from gpu.kernel_registry import KERNELS

    matrix, match = RECIPES[number].make(), {}
    for dtype in TYPES:
        structure = Structure.of(matrix.astype(dtype))
        for name, kernel in KERNELS.items():
            work = kernel.work(structure) if kernel.work else None
            if work is not None:
                match[dtype, name] = {"work": asdict(work), **_of_pattern(structure)}
    return match


def _of_pattern(structure: Structure) -> dict[str, float]:
    """Return what estimates ask of a pattern in addition to the work of a format."""
    return {"mean_spread": structure.mean_spread}


def _compiled_apart(names: Sequence[str]) -> list[list[str]]:
    """Group formats by what converts them; the first group is none, for what counts work."""
    from gpu.kernel_registry import KERNELS

    groups: dict[object, list[str]] = {}
    for name in names:
        function: Any = KERNELS[name].convert
        while isinstance(function, functools.partial):
            function = function.func
        code = function.__qualname__, "blocks" in name, "short" in name
        groups.setdefault(code, []).append(name)
    return [[], *groups.values()]


def _compile(names: Sequence[str]) -> None:
    """Convert a small matrix, so that the conversions are compiled; without names, count its work."""
    from gpu.choice.cost_model import estimates
    from gpu.kernel_registry import KERNELS, work_counts_of

    matrix = RECIPES[0].make()
    for dtype in (np.float32, np.float64):
        typed = matrix.astype(dtype)
        if not names:
            estimates(work_counts_of(), Structure.of(typed))
        for name in names:
            with contextlib.suppress(NotRepresentableError):
                KERNELS[name].convert(typed)


def convert(number: int, folder: Path, names: Mapping[str, Sequence[str]]) -> list[Converted]:
    """Make a matrix and convert it into each of the formats, by type, that is not absurd."""
    from gpu.choice.cost_model import estimate
    from gpu.kernel_registry import KERNELS

    recipe, built = RECIPES[number], []
    matrix = recipe.make()
    for dtype in TYPES:
        typed = matrix.astype(dtype)
        began = time.perf_counter()
        structure, works = Structure.of(typed), {}
        for name, kernel in KERNELS.items():
            work = kernel.work(structure) if kernel.work else None
            if work is not None:
                works[name] = work
        counting = time.perf_counter() - began
        estimated = {name: estimate(name, work, structure) for name, work in works.items()}
        least = min(estimated.values())
        for name in names[dtype]:
            if name not in works or (estimated[name] > ABSURD * least and name not in PLAIN):
                continue
            began = time.perf_counter()
            try:
                host = KERNELS[name].convert(typed)
            except NotRepresentableError:
                continue
            except Exception as error:  # the others may go well
                print(f"{recipe.name} {name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
                continue
            record = {
                "matrix": recipe.name,
                "family": recipe.family,
                "rows": typed.shape[0],
                "columns": typed.shape[1],
                "nnz": typed.nnz,
                "longest": structure.longest,
                **_of_pattern(structure),
                "dtype": dtype,
                "format": name,
                "work": asdict(works[name]),
                "estimate_us": estimated[name],
                "counting_s": counting,
                "converting_s": time.perf_counter() - began,
            }
            file = folder / f"{number}-{dtype}-{name}.pickle"
            with file.open("wb") as target:
                pickle.dump(host, target, protocol=5)
            built.append(Converted(record, file))
    return built


def _timed(converted: Converted, turn: Any) -> dict[str, Any]:
    """Put a format on the device in several places of its memory, and time its product in each, warm."""
    with converted.file.open("rb") as source:
        host = pickle.load(source)
    times: list[float] = []
    spreads: list[float] = []
    retained: list[Any] = []  # so that the next copy has other places
    while len(times) < MOST_PLACEMENTS and not _agree(times):
        arrays, timing = _timed_in_place(host, converted.record, turn)
        retained.append(arrays)
        times.append(timing.median_us)
        spreads.append(timing.spread)
    nbytes = sum(int(array.nbytes) for array in retained[0][0].device_arrays)
    return {
        "us": geometric_mean(times),
        "placements": [round(each, 4) for each in times],
        "spread": max(spreads),
        "bytes": nbytes,
    }


def _agree(times: Sequence[float]) -> bool:
    """Return whether another place in the memory is unlikely to change their mean by much."""
    return len(times) >= FEWEST_PLACEMENTS and max(times) <= AGREEING * min(times)


def _timed_in_place(host: Any, record: Mapping[str, Any], turn: Any) -> tuple[Any, Any]:
    """Copy a format and vectors to the device again; return them, and how long the product takes."""
    from gpu.kernel_registry import KERNELS
    from gpu.measure.timing import statistics
    from gpu.runtime import cuda_driver
    from gpu.runtime.cuda import THREADS_PER_BLOCK, cuda
    from gpu.runtime.memory import upload

    product = KERNELS[record["format"]].product(host, THREADS_PER_BLOCK)
    real = np.dtype(record["dtype"]).type
    x = upload(np.ones(record["columns"], dtype=real))
    y = upload(np.zeros(record["rows"], dtype=real))

    def enqueue(stream: cuda_driver.Stream) -> None:
        product.launch(x, y, real(1), real(0), cuda.external_stream(stream.address))

    # Compiled, loaded and captured before it is this one's turn.
    products = max(1, min(MOST_PRODUCTS, round(REPLAY_US / record["estimate_us"])))
    with ExitStack() as open_:
        stream = open_.enter_context(cuda_driver.Stream())
        enqueue(stream)
        stream.synchronize()

        def enqueue_all(into: cuda_driver.Stream) -> None:
            for _ in range(products):
                enqueue(into)

        graph = open_.enter_context(stream.capture(enqueue_all))
        events = [open_.enter_context(cuda_driver.Event()) for _ in range(REPLAYS + 1)]
        with turn:
            for _ in range(WARM_UP):
                graph.launch(stream)
            events[0].record(stream)
            for event in events[1:]:
                graph.launch(stream)
                event.record(stream)
            stream.synchronize()
        return (product, x, y), statistics([b.microseconds_since(a) for a, b in pairwise(events)], products)
