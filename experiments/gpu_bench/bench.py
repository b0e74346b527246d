"""The GPU benchmark: every format of vecsim against all of cuSPARSE, over the suite."""

from __future__ import annotations

import dataclasses
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from experiments.code_fingerprint import code_fingerprint
from experiments.gpu_bench import compilation
from experiments.gpu_bench.gather_counts import counted
from experiments.gpu_bench.matrix_supply import Supplied, supply
from experiments.gpu_bench.measuring import Bench
from experiments.gpu_bench.phase_clock import Phases
from experiments.gpu_bench.product_case import Device
from experiments.gpu_bench.records import Run, RunJournal
from experiments.gpu_bench.suite import select
from vecsim.results.provenance import provenance

Watch = Callable[[str], None]


def run_bench(only: str | None, *, quick: bool, json: Path | None, watch: Watch = lambda line: None) -> Run:
    """Run the benchmark.

    Parameters
    ----------
    only
        A class or a matrix of the suite; None takes all.
    quick
        Only the matrices marked `quick`, and no transposed products.
    json
        Where the results will stand: next to it a journal keeps each record at once, from which a run that
        was cut off goes on.
    watch
        Called with a line on each matrix that is done.

    Raises
    ------
    UserError
        If there is no GPU or cuSPARSE, `only` is unknown, or the journal is that of another run.
    """
    matrices = select(only)
    if quick and only is None:
        matrices = tuple(each for each in matrices if each.quick)
    phases = Phases()
    with phases("start"), ExitStack() as open_:
        open_.enter_context(_termination_interrupts())
        device = open_device(phases)
        header: dict[str, Any] = {
            "device": device.document,
            "commit": str(provenance().commit),
            "options": {"only": only, "quick": quick},
        }
        # Of changes that are not committed the commit has no more than the names of files.
        of_this_code = {**header, "code_sha256": code_fingerprint()}
        journal = RunJournal(None if json is None else journal_of(json), of_this_code)
        open_.callback(journal.close)
        todo = [each for each in matrices if each.name not in journal.done]
        bench = Bench(device, header["commit"], journal, phases, old_formats=not quick)
        if todo:
            ahead = compilation.CompiledAhead(names_to_compile(old=not quick))
            open_.callback(ahead.close)
            count = partial(
                counted,
                transposed=not quick,
                multiprocessors=device.document["multiprocessors"],
                l2_bytes=device.l2_bytes,
            )
            supplied = open_.enter_context(supply(todo, transposed=not quick, more=count))
            # Other processes use the device while they compile kernels: nothing is measured before the end.
            with phases("compile"):
                compilation.compile_estimates()
                ahead.wait()
            for result in _waiting(supplied, phases):
                before = dict(phases.seconds)
                bench.measure(result, transposed=not quick)
                watch(f"{bench.line(result)} ({phases.since(before)})")
        made_of = {"matrices": {name: sha256 for name, sha256 in journal.done.items() if sha256}}
        return Run(_finished(header, device) | made_of, tuple(journal.records), phases.seconds)


@contextmanager
def _termination_interrupts() -> Iterator[None]:
    """Let SIGTERM end a run as Ctrl-C does, so that processes end and files in memory are removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def names_to_compile(*, old: bool) -> list[str]:
    """Return the names of all methods, in the order in which they are tried."""
    from experiments.baseline.cusparse import METHODS
    from gpu.kernel_registry import KERNELS

    return [*METHODS, *(name for name, kernel in KERNELS.items() if old or not kernel.historical)]


def open_device(phases: Phases) -> Device:
    """Find the GPU and cuSPARSE and measure bandwidths and gathers.

    Raises
    ------
    UserError
        If one is missing, or Numba is configured to simulate CUDA.
    """
    from experiments.baseline.cusparse_library import cusparse
    from experiments.gpu_bench.ceilings import measure_bandwidths, measure_gathers
    from experiments.gpu_bench.gather_bound import GatherBound
    from gpu.runtime.cuda import require_gpu
    from gpu.runtime.device_info import device_info

    require_gpu()
    info = device_info()
    cusparse()
    with phases("bandwidths"):
        bandwidths, gathers = measure_bandwidths(), measure_gathers()
    fastest = max(read.gb_per_s for read in bandwidths.reads)
    gather = GatherBound(fastest, gathers)
    document = dataclasses.asdict(info)
    return Device(info.name, document, info.l2_bytes, bandwidths, f"cusparse {info.cusparse}", gather)


def _finished(header: dict[str, Any], device: Device) -> dict[str, Any]:
    """Return the header with what may differ from one part of a run to the next."""
    return {
        **header,
        "date": provenance().date,
        "copy_gb_per_s": device.bandwidths.copy_gb_per_s,
        "reads_gb_per_s": {str(read.nbytes): read.gb_per_s for read in device.bandwidths.reads},
        **({} if device.gather is None else {"gathers": device.gather.document()}),
    }


def _waiting(supplied: Iterator[Supplied], phases: Phases) -> Iterator[Supplied]:
    while True:
        with phases("wait for matrices"):
            result = next(supplied, None)
        if result is None:
            return
        yield result


def journal_of(json: Path) -> Path:
    """Return where the records of a run stand until its results do."""
    return json.with_name(f"{json.name}.journal")
