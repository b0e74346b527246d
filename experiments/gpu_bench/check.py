"""Every kernel on every matrix of the suite, in several processes that share one GPU: nothing is timed."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from math import inf, isfinite
from pathlib import Path
from typing import Any

from experiments.gpu_bench.matrix_supply import DTYPES, Supplied, make_files, read_files
from experiments.gpu_bench.methods import Launched
from experiments.gpu_bench.product_case import LIMITS
from experiments.gpu_bench.suite import SuiteMatrix, select
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted, nearest
from vecsim.support.worker_processes import WorkerContext, begin_worker

KIND = "vecsim gpu check"
PROCESSES = 24
LONG_CONVERSIONS = ("jd", "bbcs", "hism")
"""Converted by NumPy, on one core: each has separate processes."""
MANY = 8
"""Methods of one conversion that one process would take too long for."""
SHARES = 4
"""How many processes both have; each takes every fourth matrix."""
NOT_FOUND, NOT_REACHED = "not_found", "not_reached"
RIGHT = ("ok", "not_representable")
"""What is no fault: the product is right, or the format refuses the matrix."""

WORKERS = 5
"""Processes that make matrices."""
FACTS = "facts.json"
"""Written last: once it exists, the matrix is complete."""
POLLING_SECONDS = 0.1

Watch = Callable[[str], None]


@dataclass(frozen=True)
class Checked:
    """One kernel on one matrix in one type.

    Attributes
    ----------
    matrix, method, dtype
        Names.
    status
        ``ok``; ``wrong``: the error is over the limit; ``not_representable``; ``not_found``: there is no
        such file; ``not_reached``: the time was over; ``failed``.
    reason
        Why it is not ``ok``.
    error, limit
        max |y - r| / (|A| |x|), r in float64, and the largest that is right.
    matrix_sha256
        Digest of the matrix (`vecsim.results.digests`).
    """

    matrix: str
    method: str
    dtype: str
    status: str
    reason: str = ""
    error: float | None = None
    limit: float | None = None
    matrix_sha256: str = ""


def check_suite(
    only: str | None,
    methods: Sequence[str] | None = None,
    *,
    seconds: float = inf,
    watch: Watch = print,
) -> tuple[Checked, ...]:
    """Check kernels on the matrices of the suite.

    Parameters
    ----------
    only
        A class or a matrix; None takes all.
    methods
        Names of `gpu.kernel_registry.KERNELS`; None takes all.
    seconds
        After this many, nothing more is begun; what is left is recorded as not reached.
    watch
        Called with a line on each process that is done.

    Raises
    ------
    UserError
        If there is no GPU, or `only` or a method is unknown.
    """
    from gpu.runtime.cuda import require_gpu

    try:
        from gpu.kernel_registry import KERNELS
    except ImportError as error:  # kernels need numba-cuda, which a plain installation lacks
        require_gpu()
        raise UserError(f"kernels cannot be imported ({error}): pip install 'vecsim[gpu]'") from None

    for name in methods or ():
        if name not in KERNELS:
            raise UserError(
                f"--format: unknown format {name!r}; use one of {', '.join(KERNELS)}{nearest(name, KERNELS)}"
            )
    # The smallest first: these are made soon.
    matrices = sorted(select(only), key=lambda each: each.statistics.entries if each.statistics else 0)
    require_gpu()
    until = time.time() + seconds
    groups = grouped(list(KERNELS) if methods is None else list(methods))
    threads = os.environ.get("NUMBA_NUM_THREADS")
    os.environ["NUMBA_NUM_THREADS"] = threads or str(max(1, (os.cpu_count() or 1) // 4))
    results: list[Checked] = []
    with tempfile.TemporaryDirectory(prefix="vecsim-") as temporary:
        places = [(matrix, Path(temporary) / matrix.name) for matrix in matrices]
        makers = storing(places)
        try:
            with ProcessPoolExecutor(PROCESSES, mp_context=WorkerContext(), initializer=begin_worker) as pool:
                under_way = {
                    pool.submit(check_group, names, places[share::shares], until): (
                        names,
                        share,
                        matrices[share::shares],
                    )
                    for names, shares in groups
                    for share in range(shares)
                }
                for done in as_completed(under_way):
                    names, share, its = under_way[done]
                    records = records_of(done, names, its)
                    results += records
                    right = sum(record.status in RIGHT for record in records)
                    watch(
                        f"{', '.join(names)} ({share + 1}): "
                        f"{right} of {counted(len(records), 'product')} right"
                    )
        finally:
            makers.shutdown(wait=True, cancel_futures=True)
    return tuple(results)


def grouped(names: Sequence[str]) -> list[tuple[list[str], int]]:
    """Return the methods of each process, and in how many shares these take the matrices."""
    from experiments.gpu_bench.compilation import by_conversion

    alone = [[name] for name in names if name in LONG_CONVERSIONS]
    groups = alone + by_conversion([name for name in names if name not in LONG_CONVERSIONS])
    return [(each, SHARES if each in alone or len(each) > MANY else 1) for each in groups]


def store(matrix: SuiteMatrix, folder: Path) -> None:
    """Make a matrix and write it into a folder, unless it exists already; record why if that fails."""
    if (folder / FACTS).exists():
        return
    try:
        built = make_files(matrix, False, folder)
        facts = {"status": built.status, "missing": built.missing, "sha256": built.sha256}
    except Exception as error:  # the other matrices go on
        folder.mkdir(parents=True, exist_ok=True)
        facts = {"status": "failed", "missing": f"{type(error).__name__}: {error}"}
    (folder / FACTS).write_text(json.dumps(facts), encoding="utf-8")


def storing(matrices: Sequence[tuple[SuiteMatrix, Path]]) -> ProcessPoolExecutor:
    """Begin to store matrices, in their order, in other processes; return their pool, to be shut down."""
    pool = ProcessPoolExecutor(WORKERS, mp_context=WorkerContext(), initializer=begin_worker)
    for matrix, folder in matrices:
        pool.submit(store, matrix, folder)
    return pool


def wait_for(matrix: SuiteMatrix, folder: Path, until: float = inf) -> Supplied | None:
    """Read a matrix, once it is complete; its arrays are mapped, so that many processes share them.

    Without it at the time `until`, in seconds since the epoch, it returns None.
    """
    while time.time() <= until:
        try:
            facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            time.sleep(POLLING_SECONDS)
        else:
            return read_files(Supplied(matrix, None, {}, **facts), folder)
    return None


def check_group(
    names: Sequence[str], places: Sequence[tuple[SuiteMatrix, Path]], until: float = inf
) -> list[Checked]:
    """Check some methods on some matrices, in this process, as soon as each is made and until a time."""
    results: list[Checked] = []
    for matrix, folder in places:
        stored = wait_for(matrix, folder, until)
        for name in names:
            if stored is None or time.time() > until:
                results += [
                    Checked(matrix.name, name, dtype, NOT_REACHED, "the time was over") for dtype in DTYPES
                ]
            else:
                checked = check_matrix(matrix.name, name, stored)
                results += [replace(each, matrix_sha256=stored.sha256) for each in checked]
    return results


def check_matrix(matrix: str, name: str, stored: Supplied) -> list[Checked]:
    """Check one method on one matrix, in both types."""
    from gpu.kernel_registry import KERNELS
    from vecsim.formats import NotRepresentableError

    if stored.csr is None:
        return [Checked(matrix, name, dtype, stored.status, stored.missing) for dtype in DTYPES]
    try:
        host = KERNELS[name].convert(stored.csr)
    except NotRepresentableError as error:
        return [Checked(matrix, name, dtype, "not_representable", str(error)) for dtype in DTYPES]
    except Exception as error:  # the other methods go on
        return [Checked(matrix, name, dtype, "failed", _one_line(error)) for dtype in DTYPES]
    return [_checked(matrix, name, host.astype(dtype), stored, dtype) for dtype in DTYPES]


def _checked(matrix: str, name: str, host: Any, stored: Supplied, dtype: str) -> Checked:
    exact = stored.exact["spmv", dtype]
    limit = LIMITS[dtype]
    try:
        error = exact.error(_product(name, host, stored.csr.shape[0], exact.x))
    except Exception as failure:  # the other methods go on
        return Checked(matrix, name, dtype, "failed", _one_line(failure))
    if not error <= limit:
        shown = error if isfinite(error) else None
        return Checked(matrix, name, dtype, "wrong", f"the error is {error:.3g}", shown, limit)
    return Checked(matrix, name, dtype, "ok", "", error, limit)


def _product(name: str, host: Any, rows: int, x: Any) -> Any:
    """Multiply on the device."""
    from gpu.kernel_registry import KERNELS
    from gpu.runtime.cuda import THREADS_PER_BLOCK

    with closing(Launched(KERNELS[name].product(host, THREADS_PER_BLOCK), x, rows)) as placed:
        return placed.result()


def records_of(
    done: Future[list[Checked]], names: Sequence[str], matrices: Sequence[SuiteMatrix]
) -> list[Checked]:
    """Return the records of a process; if it broke down, that is the record of all that it had to do."""
    try:
        return done.result()
    except Exception as error:  # the other processes go on
        reason = _one_line(error)
        return [
            Checked(matrix.name, name, dtype, "failed", reason)
            for matrix in matrices
            for name in names
            for dtype in DTYPES
        ]


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


def faults(records: Sequence[Checked]) -> list[str]:
    """Name every product that was found wrong or failed, in words."""
    return [
        f"{each.method} on {each.matrix}, {each.dtype}: {each.status}: {each.reason}"
        for each in records
        if each.status not in (*RIGHT, NOT_FOUND, NOT_REACHED)
    ]


def document(records: Sequence[Checked], device: dict[str, Any]) -> dict[str, Any]:
    """Return the records as a JSON object."""
    return {
        "kind": KIND,
        "device": device,
        "matrices": {each.matrix: each.matrix_sha256 for each in records if each.matrix_sha256},
        "records": [_short(each) for each in sorted(records, key=lambda each: (each.matrix, each.method))],
    }


def _short(record: Checked) -> dict[str, Any]:
    recorded = {name: value for name, value in asdict(record).items() if value not in (None, "")}
    recorded.pop("matrix_sha256", None)  # stands next to the records, once
    return {
        name: float(f"{value:.3g}") if isinstance(value, float) else value for name, value in recorded.items()
    }
