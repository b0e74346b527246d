"""Matrices made by other processes while the GPU measures, with x and the exact product of each.

A matrix travels as files of arrays in memory (``/dev/shm``, or the folder for temporary files where that is
too small), which the receiver maps: nothing is copied. Its own process has its own interpreter lock, so
what measures is never kept waiting.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from experiments.gpu_bench.records import OK
from experiments.gpu_bench.suite import SuiteMatrix
from vecsim.formats.accuracy import ExactProduct, exact_product
from vecsim.results.digests import matrix_sha256
from vecsim.support.errors import UserError
from vecsim.support.worker_processes import WorkerContext, begin_worker

DTYPES = ("float64", "float32")
MEMORY_FOLDER = Path("/dev/shm")
ROOM_BYTES = 12 << 30
"""Free bytes that a folder must have for the matrices running."""
WORKERS = 3
AHEAD = 4
"""Matrices made or in the making that nobody has asked for yet, if nobody says otherwise."""
SEED = 20_261_121
PARTS = tuple(part.name for part in fields(ExactProduct))

Operation = tuple[str, str]
"""spmv or spmv_t, and the type."""
More = Callable[[SuiteMatrix, Any], Mapping[str, NDArray[Any]]]
"""Makes further arrays of a matrix and its CSR, by names; a function of a module, since it runs elsewhere."""


@dataclass(frozen=True, eq=False)
class Supplied:
    """A matrix of the suite, made.

    Attributes
    ----------
    matrix
        Its entry in the suite.
    csr
        csr_array of float64; None if it is not found.
    exact
        By operation and type.
    seconds
        How long it took to make, in its own process.
    status, missing
        Of the record, if there is no matrix: not_found or failed; and why.
    sha256
        Digest of the matrix (`vecsim.results.digests.matrix_sha256`).
    more
        Further arrays, by the names that `More` gave them.
    """

    matrix: SuiteMatrix
    csr: Any
    exact: dict[Operation, ExactProduct]
    seconds: float = 0.0
    status: str = OK
    missing: str = ""
    sha256: str = ""
    more: Mapping[str, NDArray[Any]] = field(default_factory=dict)


def rounded_product(csr: Any, x: NDArray[Any], dtype: str, *, transposed: bool = False) -> ExactProduct:
    """Multiply in float64 what rounding to a type leaves of matrix and vector.

    Parameters
    ----------
    csr
        The matrix A, in CSR.
    x
        float64 of N, or of M if `transposed`.
    dtype
        What values and x are rounded to: float32 or float64.
    transposed
        Whether to multiply by the transpose of A.
    """
    values = csr.data.astype(dtype, copy=False)
    rounded = scipy.sparse.csr_array((values, csr.indices, csr.indptr), shape=csr.shape)
    return exact_product(rounded.T if transposed else rounded, x.astype(dtype))


def make(matrix: SuiteMatrix, transposed: bool, more: More | None = None) -> Supplied:
    """Make a matrix, its exact products and what else is asked for, in this process."""
    start = time.perf_counter()
    try:
        csr = matrix.make()
        beside = {} if more is None else more(matrix, csr)
    except UserError as error:
        return Supplied(matrix, None, {}, status="not_found", missing=str(error))
    except Exception as error:  # the other matrices go on
        return Supplied(matrix, None, {}, status="failed", missing=f"{type(error).__name__}: {error}")
    rng = np.random.default_rng(SEED)
    exact = {}
    for operation in ("spmv", "spmv_t")[: 1 + transposed]:
        is_transposed = operation == "spmv_t"
        x = rng.uniform(-1, 1, csr.shape[0] if is_transposed else csr.shape[1])
        for dtype in DTYPES:
            exact[operation, dtype] = rounded_product(csr, x, dtype, transposed=is_transposed)
    return Supplied(matrix, csr, exact, time.perf_counter() - start, sha256=matrix_sha256(csr), more=beside)


@contextmanager
def supply(
    matrices: Sequence[SuiteMatrix],
    transposed: bool,
    more: More | None = None,
    workers: int = WORKERS,
    ahead: int = AHEAD,
) -> Iterator[Iterator[Supplied]]:
    """Yield the matrices in their order, made beforehand by other processes.

    Parameters
    ----------
    matrices
        The matrices.
    transposed
        Whether those marked so in the suite come with transposed products.
    more
        Makes further arrays of each.
    workers
        Processes, at most.
    ahead
        Matrices made or in the making that nobody has asked for yet, at most.
    """
    with ExitStack() as open_:
        folder = Path(open_.enter_context(tempfile.TemporaryDirectory(prefix="vecsim-", dir=_room())))
        pool = ProcessPoolExecutor(
            min(workers, len(matrices)), mp_context=WorkerContext(), initializer=begin_worker
        )
        open_.callback(pool.shutdown, wait=True, cancel_futures=True)
        yield _in_order(matrices, partial(make_files, more=more), transposed, folder, pool, ahead)


def _in_order(
    matrices: Sequence[SuiteMatrix],
    make_files: Callable[[SuiteMatrix, bool, Path], Supplied],
    transposed: bool,
    folder: Path,
    pool: ProcessPoolExecutor,
    at_most: int,
) -> Iterator[Supplied]:
    waiting: list[Future[Supplied]] = []
    for number in range(len(matrices)):
        while len(waiting) < min(number + 1 + at_most, len(matrices)):
            ahead = matrices[len(waiting)]
            place = folder / str(len(waiting))
            waiting.append(pool.submit(make_files, ahead, transposed and ahead.transposed, place))
        built = waiting[number].result()
        place = folder / str(number)
        yield read_files(built, place)
        # Who still holds the arrays keeps what they map.
        shutil.rmtree(place, ignore_errors=True)


def _room() -> Path | None:
    """Return the folder in memory if it is large enough, None for the usual one."""
    try:
        return MEMORY_FOLDER if shutil.disk_usage(MEMORY_FOLDER).free >= ROOM_BYTES else None
    except OSError:
        return None


def make_files(matrix: SuiteMatrix, transposed: bool, folder: Path, *, more: More | None = None) -> Supplied:
    """Make a matrix and write its arrays into a folder; return all else of it, or what is missing.

    Parameters
    ----------
    matrix, transposed, more
        As `make` takes them.
    folder
        Where `read_files` finds the arrays. It need not exist.
    """
    built = make(matrix, transposed, more)
    folder.mkdir(parents=True, exist_ok=True)
    if built.csr is None:
        return built
    arrays = {"data": built.csr.data, "indices": built.csr.indices, "indptr": built.csr.indptr}
    for (operation, dtype), exact in built.exact.items():
        for part in PARTS:
            arrays[f"{operation} {dtype} {part}"] = getattr(exact, part)
    arrays |= {f"more {name}": array for name, array in built.more.items()}
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    np.save(folder / "shape.npy", np.array(built.csr.shape))
    return replace(built, csr=None, exact={}, more={})


def read_files(built: Supplied, folder: Path) -> Supplied:
    """Return a matrix with the arrays that `make_files` wrote; one that is missing as it is."""
    if built.status != OK:
        return built

    def array(name: str) -> NDArray[Any]:
        # Mapped so that writing stays private: compiled loops take other code for what is read-only.
        return np.asarray(np.load(folder / f"{name}.npy", mmap_mode="c"))

    shape = tuple(int(count) for count in np.load(folder / "shape.npy"))
    csr = scipy.sparse.csr_array((array("data"), array("indices"), array("indptr")), shape=shape)
    csr.has_canonical_format = True
    exact = {}
    for path in folder.glob("* x.npy"):
        operation, dtype, _ = path.stem.split()
        parts = {part: array(f"{operation} {dtype} {part}") for part in PARTS}
        exact[operation, dtype] = ExactProduct(**parts)
    names = [path.stem for path in folder.glob("more *.npy")]
    more = {name.removeprefix("more "): array(name) for name in names}
    return replace(built, csr=csr, exact=exact, more=more)
