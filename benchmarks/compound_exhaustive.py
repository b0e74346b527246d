"""Every variant of six matrices, one an entry type: what the test of pruning compares with.

python -m benchmarks.compound_exhaustive --dry-run          what a run would take, without a GPU
python -m benchmarks.compound_exhaustive --seconds N --store FILE --out FILE

Times are kept in the store (SQLite) as they are measured; a run begins with what it lacks, after a kill, too.
The matrices that are complete go to --out, which the test reads as tests/gpu/compound/recorded_tuning.json.
Kernels are compiled batch by batch in processes, then the batch is timed, so that nothing is timed while
others compile.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.compound_families import EXHAUSTIVE, MATRICES
from benchmarks.markdown import table
from gpu.compound import CompoundMatrix
from gpu.compound.tuning.recording import all_variants, record_of, still_missing
from gpu.compound.tuning.search import Timing
from gpu.compound.tuning.store import Search, TuningStore
from gpu.compound.tuning.variants import DeviceLimits, Variant
from vecsim.atomic_files import write_file
from vecsim.errors import UserError
from vecsim.formats import NotRepresentableError

BATCH = 512
"""Variants that are compiled, then timed."""
TIMED_SECONDS = 0.01
"""Of products that one time is the median of."""
KERNEL_SECONDS = 1.0
"""What --dry-run counts for a kernel if it is not told."""

Measure = Callable[[Variant], Timing]


def time_missing(
    variants: Sequence[Variant],
    measure: Measure,
    keep: Callable[[str, Timing | None], None],
    prepare: Callable[[Sequence[Variant]], object],
    go_on: Callable[[], bool],
    batch: int = BATCH,
) -> int:
    """Compile and time variants batch by batch, and say how many were timed.

    Parameters
    ----------
    variants
        Those that have no time yet.
    measure
        Times one; raises `NotRepresentableError` where the matrix has no such form.
    keep
        Takes each result, None where there is no form.
    prepare
        Compiles the kernels of a batch.
    go_on
        Asked before each batch and each variant; False ends it.
    batch
        Variants of a batch.
    """
    done = 0
    for at in range(0, len(variants), batch):
        if not go_on():
            return done
        prepare(variants[at : at + batch])
        for variant in variants[at : at + batch]:
            if not go_on():
                return done
            try:
                timing = measure(variant)
            except NotRepresentableError:
                keep(variant.name, None)
            except UserError as error:  # a wrong product, or no memory: it stays to be done
                print(f"error: {error}", file=sys.stderr)
                continue
            else:
                keep(variant.name, timing)
            done += 1
    return done


def run(given: argparse.Namespace) -> None:
    """Time what the store lacks, until the seconds are spent; record the complete matrices."""
    from gpu.compound.product_kernel import product_kernel
    from gpu.compound.tuning.compilation import Compilers
    from gpu.compound.tuning.features import features_of
    from gpu.compound.tuning.on_device import DeviceMeasurement, by_events, device_limits
    from gpu.runtime.device_info import device_info

    deadline = time.monotonic() + given.seconds
    os.environ.setdefault("VECSIM_KERNELS", tempfile.mkdtemp(prefix="kernels-"))
    device, limits, real = str(device_info().name), device_limits(), _real(given.bits)
    timer = partial(by_events, seconds=given.timed_seconds)
    records = json.loads(given.out.read_text(encoding="utf-8")) if given.out.exists() else {}
    with TuningStore(given.store) as store, Compilers(given.workers) as compilers:
        for name in _chosen(given.only):
            matrix = MATRICES[name]().astype(real)
            search = Search(device, matrix.entry.name, str(matrix.dtype), name)
            store.begin(search, features_of(matrix))
            variants = all_variants(matrix, limits)

            def prepare(batch: Sequence[Variant], matrix: CompoundMatrix = matrix) -> None:
                product_kernel.cache_clear()  # of the last batch: thousands of kernels fill the memory
                compilers.prepare(matrix.entry, real, batch)

            missing = still_missing(variants, store.known(search))
            done = time_missing(
                missing,
                DeviceMeasurement(matrix, timer),
                partial(store.add, search),
                prepare,
                lambda: time.monotonic() < deadline,
            )
            print(f"{name}: {done} timed, {len(missing) - done} of {len(variants)} to do", flush=True)
            if done == len(missing):
                store.finish(search)
                records[name] = record_of(matrix, store.known(search), limits)
                write_file(given.out, (json.dumps(records, indent=1) + "\n").encode())


def dry_run(given: argparse.Namespace) -> str:
    """Give a table of what a whole run takes: kernels, placed layouts, times; no GPU is needed.

    Parameters
    ----------
    given
        bits, only, workers, kernel_seconds and timed_seconds.
    """
    workers = given.workers or os.cpu_count() or 1
    rows, kernels = [], 0
    for name in _chosen(given.only):
        matrix = MATRICES[name]().astype(_real(given.bits))
        variants = all_variants(matrix, DeviceLimits())
        placed = len({(each.layout, each.schedule.threads_per_row) for each in variants})
        rows.append([name, f"{matrix.shape[0]:,}", f"{matrix.nnz:,}", f"{len(variants):,}", f"{placed:,}"])
        kernels += len(variants)  # of other entries each time: none is shared
    compiling = kernels * given.kernel_seconds / workers / 60
    timing = kernels * given.timed_seconds / 60
    return (
        table(["matrix", "rows", "entries", "kernels, each timed once", "layouts placed"], rows)
        + f"\n{kernels:,} kernels: {compiling:.0f} min to compile in {workers} processes at "
        f"{given.kernel_seconds:g} s each, {timing:.0f} min of products at {given.timed_seconds:g} s each; "
        "placing layouts and comparing products come on top\n"
    )


def _chosen(only: str) -> list[str]:
    names = [name for name in EXHAUSTIVE if only in name]
    if not names:
        raise UserError(f"no matrix has {only!r} in its name, there are {', '.join(EXHAUSTIVE)}")
    return names


def _real(bits: int) -> Any:
    return np.float32 if bits == 32 else np.float64


def main(arguments: Sequence[str] | None = None) -> int:
    """Time, or say what it would take; 2 where there is no GPU or a file cannot be used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dry-run", action="store_true", help="say what a whole run takes")
    parser.add_argument("--seconds", type=float, default=1e9, help="time nothing more after so many")
    parser.add_argument("--store", type=Path, default=Path("exhaustive.sqlite"), help="keeps the times")
    parser.add_argument("--out", type=Path, default=Path("recorded_tuning.json"), help="complete matrices")
    parser.add_argument("--only", default="", help="part of the names of the matrices")
    parser.add_argument("--bits", type=int, choices=(32, 64), default=32, help="of a component")
    parser.add_argument("--workers", type=int, help="processes that compile; all processors without it")
    parser.add_argument("--timed-seconds", type=float, default=TIMED_SECONDS, help="of products a time")
    parser.add_argument("--kernel-seconds", type=float, default=KERNEL_SECONDS, help="for --dry-run")
    given = parser.parse_args(arguments)
    try:
        if given.dry_run:
            print(dry_run(given))
        else:
            run(given)
    except (UserError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
