"""The measurement: every method on every matrix, in both types, on the GPU of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse

from experiments.gpu_bench.matrix_supply import rounded_product
from experiments.papers.kit.measurement import DTYPES, Case, Run, Timer, measuring_device, one_line, warm
from experiments.papers.kit.request import Watch
from experiments.papers.kit.results import Record, counts_of
from experiments.papers.pellr import subjects
from experiments.papers.pellr.iterations import iterations, sorted_iterations, work
from experiments.papers.pellr.methods import BASELINE, FILLED_METHODS, METHODS, NOT_GENERATED, Method
from experiments.papers.pellr.results import MatrixRecord, Results, threads_of
from experiments.papers.pellr.subjects import Subject
from gpu.formats.biell.container import BiELL
from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.slicing import Slicing
from vecsim.results.digests import matrix_sha256

SECONDS = 0.008
"""How long one measurement takes, capturing apart: about 15 replays of half a millisecond each."""
SEED = 20200423
"""Of x."""


def measure(watch: Watch) -> Results:
    """Measure everything on the GPU of this machine.

    Raises
    ------
    UserError
        There is no GPU.
    """
    chosen = (*subjects.NAMED, *subjects.OURS, *subjects.GENERATED)
    return measure_subjects(chosen, measuring_device(), warm(SECONDS), watch)


def measure_subjects(
    chosen: Sequence[Subject], device: tuple[str, dict[str, str]], timer: Timer, watch: Watch
) -> Results:
    """Measure some matrices; those that are named by the paper also repeated until they fill the GPU.

    What fails is recorded with its reason, and the run goes on.

    Parameters
    ----------
    chosen
        The matrices, in the order of the results.
    device
        What measures; see `measuring_device`.
    timer
        Times a product; see `Timer`.
    watch
        Called with what is measured next, and the share that is done, 0 to 1.
    """
    run = Run()
    threads = threads_of(device[1])
    matrices: list[MatrixRecord] = []
    records: list[Record] = []
    watch("compiling", 0.0)
    with run.phase("compilation"):
        _compile_conversions()
    for number, subject in enumerate(chosen):
        watch(f"measuring {subject.name}", number / len(chosen))
        for record, matrix, methods in _cases(subject, threads, run):
            if matrix is None:
                matrices.append(record)
                continue
            case = _Matrix(record.name, matrix, timer, run)
            records += case.measured(methods)
            matrices.append(replace(record, iterations=case.iterations, counted=case.counted))
    return run.results(Results, device, matrices=matrices, records=records)


def _cases(subject: Subject, threads: int, run: Run) -> Iterator[tuple[MatrixRecord, Any, list[Method]]]:
    """Yield a subject's matrix and, if the paper names it, the same repeated; None for what is not found."""
    blank = MatrixRecord(
        subject.name,
        subject.kind,
        subject.stands_for,
        subject.note,
        printed=subject.printed,
        of=subject.name,
    )
    try:
        with run.phase("matrices"):
            matrix = subjects.load(subject)
    except Exception as error:  # a missing file must not cost the others
        yield replace(blank, missing=one_line(error)), None, []
        return
    methods = list(METHODS.values())
    if subject.kind == "generated":
        methods = [method for method in methods if method.name not in NOT_GENERATED]
    yield _described(blank, matrix), matrix, methods
    if subject.stands_for:
        with run.phase("matrices"):
            repeated, copies = subjects.filled(matrix, threads)
        if copies > 1:
            again = replace(blank, name=f"{subject.name} x {copies}", group="filled", copies=copies)
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
        **counts_of(csr),
        shortest=int(lengths.min()),
        histogram=tuple(bins.tolist()),
        diagonal_share=float(np.count_nonzero(csr.indices == row) / entries),
        upper_share=float(csr.indptr[-(-rows // 10)] / entries),
        left_share=float(np.count_nonzero(csr.indices < -(-columns // 10)) / entries),
        work=work(lengths),
        sha256=matrix_sha256(csr),
    )


class _Matrix(Case):
    """One matrix under all methods.

    Attributes
    ----------
    iterations, counted
        As in `MatrixRecord`; they grow as formats are made.
    """

    def __init__(self, name: str, csr: Any, timer: Timer, run: Run) -> None:
        x = np.random.default_rng(SEED).uniform(-1, 1, csr.shape[1])
        with run.phase("references"):
            exact = {("", dtype): rounded_product(csr, x, dtype) for dtype in DTYPES}
        super().__init__(name, exact, timer, run)
        self._csr = csr
        lengths = np.diff(csr.indptr)
        self.iterations = {"ellr": iterations(lengths), "pellr": sorted_iterations(lengths)}
        self.counted: dict[str, int] = {}

    def measured(self, methods: Iterable[Method]) -> list[Record]:
        """Measure methods, each in both types."""
        matches: list[Record] = []
        for method in methods:
            if method.format:
                blanks = [self.blank(method.name, dtype) for dtype in DTYPES]
                matches += self.safely(blanks, self._ours(method, blanks))
            else:
                for dtype in DTYPES:
                    tried = self.library(BASELINE, self._csr.astype(dtype, copy=False), dtype)
                    matches.append(self.fastest(tried, method.name, dtype))
        return matches

    def _ours(self, method: Method, blanks: Sequence[Record]) -> Iterator[Record]:
        """Measure a format of ours; arrays of float32 are made of those of float64."""
        from gpu.runtime.cuda import THREADS_PER_BLOCK

        convert, make = _maker(method)
        begun = time.perf_counter()
        with self.run.phase("conversions"):
            host = convert(self._csr)
        spent = (time.perf_counter() - begun) * 1e6
        self._count(method, host)
        for blank in blanks:
            conversion = spent if blank.dtype == "float64" else None
            place = partial(make, host.astype(blank.dtype), THREADS_PER_BLOCK)
            yield self.own(blank, place, conversion_us=conversion)

    def _count(self, method: Method, host: Any) -> None:
        """Count the iterations of warps on the device, from the very lengths that the product reads."""
        from gpu.measure.warp_iterations import counted_iterations

        if method.name in ("ellr-sliced", "pellr"):
            name = method.name.removesuffix("-sliced")
            self.counted[name] = int(counted_iterations(host.lengths).sum())
        elif isinstance(host, BiELL):
            self.iterations[method.name] = host.iterations


def _maker(method: Method) -> tuple[Callable[[Any], Any], Callable[[Any, int], Any]]:
    """Return what converts a SciPy matrix, and what puts the result on the device."""
    from gpu.formats.sliced.ellpack_r import EllpackRProduct
    from gpu.kernel_registry import KERNELS

    if isinstance(method.format, Slicing):
        return partial(Sliced.from_scipy, slicing=method.format), EllpackRProduct
    return KERNELS[method.format].convert, KERNELS[method.format].product


def _compile_conversions() -> None:
    """Convert a small matrix, so that no conversion is attributed with being compiled."""
    small = scipy.sparse.csr_array(np.tri(40))
    for method in METHODS.values():
        if method.format:
            _maker(method)[0](small)
