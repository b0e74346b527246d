"""The measurement: every method on every matrix, in both types, on the GPU of this machine."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse

from experiments.gpu_bench.matrix_supply import rounded_product
from experiments.papers.kit.in_turn import InTurn, TurnTimer, warm_in_turn
from experiments.papers.kit.measurement import DTYPES, Run, measuring_device, one_line
from experiments.papers.kit.request import Watch
from experiments.papers.kit.results import Record, counts_of
from experiments.papers.pellr import subjects
from experiments.papers.pellr.iterations import iterations, sorted_iterations, work
from experiments.papers.pellr.methods import (
    BASELINE,
    FILLED_METHODS,
    HYB_PARTS,
    METHODS,
    NOT_GENERATED,
    PUBLISHED_BYTES,
    Method,
)
from experiments.papers.pellr.results import MatrixRecord, Results, threads_of
from experiments.papers.pellr.subjects import Subject
from gpu.formats.biell.container import BiELL
from gpu.formats.sliced.container import Sliced
from vecsim.results.digests import matrix_sha256

SECONDS = 0.008
"""How long a product is timed, capturing apart: about 15 replays of half a millisecond, in turn."""
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
    return measure_subjects(chosen, measuring_device(), warm_in_turn(SECONDS), watch)


def measure_subjects(
    chosen: Sequence[Subject], device: tuple[str, dict[str, str]], timer: TurnTimer, watch: Watch
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
        Times products in turn; see `TurnTimer`.
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
            matrices.append(case.counted_in(record))
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


class _Matrix:
    """One matrix under all methods."""

    def __init__(self, name: str, csr: Any, timer: TurnTimer, run: Run) -> None:
        x = np.random.default_rng(SEED).uniform(-1, 1, csr.shape[1])
        with run.phase("references"):
            self._exact = {dtype: rounded_product(csr, x, dtype) for dtype in DTYPES}
        self._name, self._csr, self._timer, self._run = name, csr, timer, run
        lengths = np.diff(csr.indptr)
        self._iterations = {"ellr": iterations(lengths), "pellr": sorted_iterations(lengths)}
        self._longest_warp = dict.fromkeys(self._iterations, int(lengths.max(initial=0)))
        self._counted: dict[str, int] = {}

    def measured(self, methods: Sequence[Method]) -> list[Record]:
        """Measure methods in both types, all methods of a type in turn."""
        made = [_Made(method, self._csr, self._run) for method in methods if method.format]
        for each in made:
            self._count(each)
        records: list[Record] = []
        for dtype in DTYPES:
            turns = InTurn(self._exact[dtype], self._timer, self._run)
            for each in made:
                blank = Record(self._name, each.method.name, dtype)
                spent = each.conversion_us if dtype == "float64" else None
                apart = "ell_launches" if each.method.name in HYB_PARTS else ""
                turns.own(blank, partial(each.placed, dtype), conversion_us=spent, apart=apart)
            for name in BASELINE if len(made) < len(methods) else ():
                csr = self._csr.astype(dtype, copy=False)
                turns.library(Record(self._name, "cucsr", dtype), name, csr)
            records += _with_the_fastest(turns.records())
        return records

    def counted_in(self, record: MatrixRecord) -> MatrixRecord:
        """Return a record of the matrix with the iterations that were counted as formats were made."""
        return replace(
            record,
            iterations=self._iterations,
            longest_warp=self._longest_warp,
            counted=self._counted,
        )

    def _count(self, made: _Made) -> None:
        """Count the iterations of warps on the device, from the very lengths that the product reads."""
        from experiments.papers.pellr.warp_iterations import counted_iterations

        name, host = made.method.name, made.host
        if name in ("ellr-sliced", "pellr-sliced") and isinstance(host, Sliced):
            self._counted[name.removesuffix("-sliced")] = int(counted_iterations(host.lengths).sum())
        elif isinstance(host, BiELL):
            self._iterations[name] = host.iterations
            self._longest_warp[name] = host.most_iterations


class _Made:
    """A matrix in the format of a method on the host, or why it has none.

    Attributes
    ----------
    host
        The format; None if its conversion failed.
    conversion_us
        What the conversion took.
    """

    def __init__(self, method: Method, csr: Any, run: Run) -> None:
        self.method = method
        self.host: Any = None
        self._error: Exception | None = None
        begun = time.perf_counter()
        try:
            with run.phase("conversions"):
                self.host = _converted(method, csr)
        except Exception as error:  # raised again where a product is asked for
            self._error = error
        self.conversion_us = (time.perf_counter() - begun) * 1e6

    def placed(self, dtype: str) -> Any:
        """Put the matrix on the device in a type; raise what the conversion has raised."""
        from gpu.formats.sliced.ellpack_r import EllpackRProduct
        from gpu.formats.sliced.product import SlicedProduct
        from gpu.kernel_registry import KERNELS
        from gpu.runtime.cuda import THREADS_PER_BLOCK

        if self._error is not None:
            raise self._error
        method, host = self.method, self.host.astype(dtype)
        if isinstance(method.format, str):
            return KERNELS[method.format].product(host, THREADS_PER_BLOCK)
        if not method.format.row_lengths:
            return SlicedProduct(host, THREADS_PER_BLOCK)
        return EllpackRProduct(host, THREADS_PER_BLOCK, near=method.near, by_warp=method.by_warp)


def _converted(method: Method, csr: Any) -> Any:
    """Convert a SciPy matrix; what the paper puts into one slice may take `PUBLISHED_BYTES`."""
    from gpu.kernel_registry import KERNELS

    if isinstance(method.format, str):
        return KERNELS[method.format].convert(csr)
    most = PUBLISHED_BYTES if method.format.slice_height is None else None
    return Sliced.from_scipy(csr, slicing=method.format, most_bytes=most)


def _with_the_fastest(records: Iterable[Record]) -> Iterator[Record]:
    """Yield records; of those of cuSPARSE only the fastest, or the first one's reason."""
    library: list[Record] = []
    for record in records:
        if record.method == "cucsr":
            library.append(record)
        else:
            yield record
    if library:
        there = [record for record in library if record.status == "ok"]
        yield min(there or library[:1], key=lambda record: record.median_us or 0.0)


def _compile_conversions() -> None:
    """Convert a small matrix, so that no conversion is attributed with being compiled."""
    small = scipy.sparse.csr_array(np.tri(40))
    for method in METHODS.values():
        if method.format:
            _converted(method, small)
