"""The measurement: every method on every matrix, in both types, on the GPU of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse

from experiments.papers.kit.phases import clock, one_line
from experiments.papers.kit.request import Watch
from experiments.papers.pellr import subjects
from experiments.papers.pellr.iterations import iterations, sorted_iterations, work
from experiments.papers.pellr.methods import BASELINE, FILLED_METHODS, METHODS, NOT_GENERATED, Method
from experiments.papers.pellr.paper import KIND
from experiments.papers.pellr.results import Gpu, MatrixRecord, Record, Results
from experiments.papers.pellr.subjects import Subject
from gpu.formats.biell.container import BiELL
from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.slicing import Slicing
from vecsim.formats import NotRepresentableError
from vecsim.results.digests import matrix_sha256
from vecsim.results.provenance import provenance

SECONDS = 0.008
"""How long one measurement takes, capturing apart: about 15 replays of half a millisecond each."""
DTYPES = ("float64", "float32")
SEED = 20200423
"""Of x."""

Timer = Callable[[Callable[[Any], None]], Any]
"""Gives the `gpu.measure.timing.Timing` of an operation, which it calls with streams."""


def measure(watch: Watch) -> Results:
    """Measure everything on the GPU of this machine.

    Raises
    ------
    UserError
        There is no GPU.
    """
    from gpu.runtime.cuda import require_gpu
    from gpu.runtime.device_info import device_info

    require_gpu()
    info = device_info()
    facts = {name: str(value) for name, value in asdict(info).items() if name != "packages"}
    facts |= {name: str(version) for name, version in info.packages.items()}
    gpu = Gpu(info.name, info.multiprocessors, info.threads_per_multiprocessor, facts)
    return measure_subjects((*subjects.NAMED, *subjects.OURS, *subjects.GENERATED), gpu, _warm, watch)


def measure_subjects(chosen: Sequence[Subject], gpu: Gpu, timer: Timer, watch: Watch) -> Results:
    """Measure some matrices; those that are named by the paper also repeated until they fill the GPU.

    What fails is recorded with its reason, and the run goes on.

    Parameters
    ----------
    chosen
        The matrices, in the order of the results.
    gpu
        What measures.
    timer
        Times a product; see `Timer`.
    watch
        Is told what is measured next, and the share that is done, 0 to 1.
    """
    made = provenance()
    begun = time.perf_counter()
    seconds: dict[str, float] = {}
    matrices: list[MatrixRecord] = []
    records: list[Record] = []
    watch("compiling", 0.0)
    with clock(seconds, "compilation"):
        _compile_conversions()
    for number, subject in enumerate(chosen):
        watch(f"measuring {subject.name}", number / len(chosen))
        for record, matrix, methods in _cases(subject, gpu, seconds):
            if matrix is None:
                matrices.append(record)
                continue
            found = _Case(record.name, matrix, timer, seconds)
            records += found.measured(methods)
            matrices.append(replace(record, iterations=found.iterations, counted=found.counted))
    seconds["all"] = time.perf_counter() - begun
    return Results(
        KIND,
        made.date,
        str(made.commit),
        gpu,
        {name: round(value, 2) for name, value in seconds.items()},
        tuple(matrices),
        tuple(records),
        made.command,
        dict(made.versions),
    )


def _cases(
    subject: Subject, gpu: Gpu, seconds: dict[str, float]
) -> Iterator[tuple[MatrixRecord, Any, list[Method]]]:
    """Give a subject's matrix and, if the paper names it, the same repeated; None for what is not found."""
    blank = MatrixRecord(
        subject.name, subject.kind, subject.stands_for, subject.note, subject.printed, of=subject.name
    )
    try:
        with clock(seconds, "matrices"):
            matrix = subjects.load(subject)
    except Exception as error:  # a missing file must not cost the others
        yield replace(blank, missing=one_line(error)), None, []
        return
    methods = list(METHODS.values())
    if subject.kind == "generated":
        methods = [method for method in methods if method.name not in NOT_GENERATED]
    yield _described(blank, matrix), matrix, methods
    if subject.stands_for:
        with clock(seconds, "matrices"):
            repeated, copies = subjects.filled(matrix, gpu.threads)
        if copies > 1:
            again = replace(blank, name=f"{subject.name} x {copies}", kind="filled", copies=copies)
            yield _described(again, repeated), repeated, [METHODS[name] for name in FILLED_METHODS]


def _described(record: MatrixRecord, csr: Any) -> MatrixRecord:
    """Add what the pattern of a matrix says."""
    lengths = np.diff(csr.indptr)
    rows, columns = csr.shape
    entries = max(1, csr.nnz)
    row = np.repeat(np.arange(rows, dtype=np.int32), lengths)
    bins = np.bincount(np.ceil(np.log2(lengths.astype(np.float64) + 1)).astype(np.int64))
    return replace(
        record,
        rows=int(rows),
        columns=int(columns),
        nnz=int(csr.nnz),
        mean=float(lengths.mean()),
        sigma=float(lengths.std()),
        shortest=int(lengths.min()),
        longest=int(lengths.max()),
        histogram=tuple(bins.tolist()),
        diagonal_share=float(np.count_nonzero(csr.indices == row) / entries),
        upper_share=float(csr.indptr[-(-rows // 10)] / entries),
        left_share=float(np.count_nonzero(csr.indices < -(-columns // 10)) / entries),
        work=work(lengths),
        sha256=matrix_sha256(csr),
    )


class _Case:
    """One matrix under all methods.

    Attributes
    ----------
    iterations, counted
        As in `MatrixRecord`; they grow as formats are made.
    """

    def __init__(self, name: str, csr: Any, timer: Timer, seconds: dict[str, float]) -> None:
        self._name, self._csr, self._timer, self._seconds = name, csr, timer, seconds
        lengths = np.diff(csr.indptr)
        self.iterations = {"ellr": iterations(lengths), "pellr": sorted_iterations(lengths)}
        self.counted: dict[str, int] = {}
        with clock(seconds, "references"):
            self._vectors = {dtype: _reference(csr, dtype) for dtype in DTYPES}

    def measured(self, methods: Iterable[Method]) -> list[Record]:
        """Measure methods, each in both types."""
        found: list[Record] = []
        for method in methods:
            measure = self._baseline if not method.format else self._ours
            try:
                found += measure(method)
            except NotRepresentableError as error:
                found += self._without(method, "not_representable", error)
            except Exception as error:  # one failing case must not cost the others
                found += self._without(method, "failed", error)
        return found

    def _without(self, method: Method, status: Any, error: Exception) -> list[Record]:
        return [Record(self._name, method.name, dtype, status, one_line(error)) for dtype in DTYPES]

    def _ours(self, method: Method) -> list[Record]:
        from gpu.runtime.cuda import THREADS_PER_BLOCK, cuda
        from gpu.runtime.memory import free_what_is_dropped

        convert, make = _maker(method)
        begun = time.perf_counter()
        with clock(self._seconds, "conversions"):
            host = convert(self._csr)
        conversion = time.perf_counter() - begun
        self._count(method, host)
        found = []
        for dtype in DTYPES:
            begun = time.perf_counter()
            with clock(self._seconds, "uploads"):
                product = make(host.astype(dtype), THREADS_PER_BLOCK)
                x, y = (cuda.to_device(each) for each in self._empty(dtype))
                cuda.synchronize()
            setup = (conversion + time.perf_counter() - begun) * 1e6 if dtype == "float64" else None
            real = np.dtype(dtype).type
            enqueue = partial(_launch, product, x, y, real(1), real(0))
            with clock(self._seconds, "compilation"):
                enqueue(SimpleNamespace(address=0))
                result = y.copy_to_host()
            with clock(self._seconds, "timing"):
                timing = self._timer(enqueue)
            nbytes = sum(int(array.nbytes) for array in product.device_arrays)
            found.append(self._record(method, dtype, timing, nbytes, setup, result))
            # Now, and not by Numba in the midst of a later measurement.
            del product, enqueue, x, y
            free_what_is_dropped()
        return found

    def _count(self, method: Method, host: Any) -> None:
        """Count the iterations of warps on the device, from the very lengths that the product reads."""
        from gpu.measure.warp_iterations import counted_iterations

        if method.name in ("ellr-sliced", "pellr"):
            name = method.name.removesuffix("-sliced")
            self.counted[name] = int(counted_iterations(host.lengths).sum())
        elif isinstance(host, BiELL):
            self.iterations[method.name] = host.iterations

    def _baseline(self, method: Method) -> list[Record]:
        """Measure cuSPARSE's CSR by its fastest algorithm."""
        from gpu.baseline.cusparse import METHODS as CUSPARSE
        from gpu.baseline.cusparse import SparseProduct

        found = []
        for dtype in DTYPES:
            x, _ = self._empty(dtype)
            best: Record | None = None
            for name in BASELINE:
                begun = time.perf_counter()
                with clock(self._seconds, "conversions"):
                    stored = CUSPARSE[name].store(self._csr.astype(dtype, copy=False))
                with SparseProduct(name, stored, self._csr.shape) as product:
                    setup = (time.perf_counter() - begun) * 1e6
                    product.write_x(x)
                    with clock(self._seconds, "timing"):
                        timing = self._timer(product.enqueue)
                    record = self._record(method, dtype, timing, product.nbytes, setup, product.read_y())
                if best is None or (record.median_us or 0) < (best.median_us or 0):
                    best = replace(record, reason=name)
            if best is not None:
                found.append(best)
        return found

    def _empty(self, dtype: str) -> tuple[Any, Any]:
        """Give x, and a y that no product has written."""
        x, _, _ = self._vectors[dtype]
        return x, np.full(max(1, self._csr.shape[0]), np.nan, dtype)

    def _record(
        self, method: Method, dtype: str, timing: Any, nbytes: int, setup: float | None, result: Any
    ) -> Record:
        _, exact, bound = self._vectors[dtype]
        wrong = np.abs(result[: len(exact)] - exact)
        error = float(np.max(np.divide(wrong, bound, out=wrong, where=bound > 0), initial=0))
        return Record(
            self._name,
            method.name,
            dtype,
            median_us=timing.median_us,
            spread=timing.spread,
            nbytes=nbytes,
            setup_us=setup,
            error=error,
        )


def _maker(method: Method) -> tuple[Callable[[Any], Any], Callable[[Any, int], Any]]:
    """Give what converts a SciPy matrix, and what puts the result on the device."""
    from gpu.formats.sliced.ellpack_r import EllpackRProduct
    from gpu.kernel_registry import KERNELS

    if isinstance(method.format, Slicing):
        return partial(Sliced.from_scipy, slicing=method.format), EllpackRProduct
    return KERNELS[method.format].convert, KERNELS[method.format].product


def _compile_conversions() -> None:
    """Convert a small matrix, so that no conversion is charged with being compiled."""
    small = scipy.sparse.csr_array(np.tri(40))
    for method in METHODS.values():
        if method.format:
            _maker(method)[0](small)


def _launch(product: Any, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
    from gpu.runtime.vectors import stream_of

    product.launch(x, y, alpha, beta, stream_of(stream.address))


def _warm(operation: Callable[[Any], None]) -> Any:
    from gpu.measure.timing import measure

    return measure([operation], SECONDS)


def _reference(csr: Any, dtype: str) -> tuple[Any, Any, Any]:
    """Give x, A x in float64 from the rounded inputs, and |A| |x|."""
    x = np.random.default_rng(SEED).uniform(-1, 1, csr.shape[1]).astype(dtype)
    wide = csr.astype(dtype).astype(np.float64)
    exact = wide @ x.astype(np.float64)
    wide.data = np.abs(wide.data)
    return x, exact, wide @ np.abs(x.astype(np.float64))
