"""Every variant of six matrices, one an entry type: what the test of pruning compares with.

python -m benchmarks.compound_exhaustive --dry-run          what a run would take, without a GPU
python -m benchmarks.compound_exhaustive --seconds N --store FILE --out FILE
python -m benchmarks.compound_exhaustive --report FILE               what pruning loses, without a GPU

Times are kept in the store (SQLite) as they are measured; a run begins with what it lacks, after a kill, too.
Of thousands of short times the least is one that luck has shortened: where all are known, those near the best
are timed once more, for longer. The matrices that are complete then go to --out, compressed, which the test
reads as tests/gpu/compound/recorded_tuning.json.gz.
Kernels are compiled batch by batch in processes, while the batch before is timed: replays of graphs, which
do not wait for the host.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import gzip
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.compound_families import EXHAUSTIVE, MATRICES
from benchmarks.markdown import table
from gpu.compound import CompoundMatrix
from gpu.compound.device_compound import NATURAL
from gpu.compound.tuning.compilation import kernel_of
from gpu.compound.tuning.recording import all_variants, pruned_names, record_of, still_missing
from gpu.compound.tuning.search import Timing, loss_of_pruning
from gpu.compound.tuning.store import Search, TuningStore
from gpu.compound.tuning.variants import DeviceLimits, Variant
from vecsim.atomic_files import write_file
from vecsim.errors import UserError
from vecsim.formats import NotRepresentableError
from vecsim.provenance import provenance

BATCH = 512
"""Variants that are compiled, then timed."""
TIMED_SECONDS = 0.003
"""Of products that one time is the median of."""
NEAR, NEAREST, LONGER_SECONDS = 1.08, 160, 0.02
"""Variants that take so many times the best, and no more of them, are timed again, by products of so long."""
KERNEL_SECONDS = 1.0
"""What --dry-run counts for a kernel if it is not told."""

Measure = Callable[[Variant], Timing]


def time_missing(
    variants: Sequence[Variant],
    measure: Measure,
    keep: Callable[[str, Timing | None], None],
    prepare: Callable[[Sequence[Variant]], Callable[[], object]],
    go_on: Callable[[], bool],
    batch: int = BATCH,
) -> int:
    """Compile and time variants batch by batch, the next one meanwhile, and say how many were timed.

    Parameters
    ----------
    variants
        Those that have no time yet.
    measure
        Times one; raises `NotRepresentableError` where the matrix has no such form.
    keep
        Takes each result, None where there is no form.
    prepare
        Begins to compile the kernels of a batch; what it gives waits for them.
    go_on
        Asked before each batch and each variant; False ends it.
    batch
        Variants of a batch.
    """
    done = 0
    batches = [variants[at : at + batch] for at in range(0, len(variants), batch)]
    following = prepare(batches[0]) if batches else None
    for number, each in enumerate(batches):
        if not go_on():
            return done
        assert following is not None
        wait, following = following, None
        if number + 1 < len(batches):
            following = prepare(batches[number + 1])
        wait()
        for variant in each:
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
    from gpu.compound.product_kernel import forget_kernels
    from gpu.compound.tuning.compilation import Compilers
    from gpu.compound.tuning.features import features_of
    from gpu.compound.tuning.on_device import DeviceMeasurement, by_events, device_limits
    from gpu.runtime.device_info import device_info

    deadline = time.monotonic() + given.seconds
    os.environ.setdefault("VECSIM_KERNELS", tempfile.mkdtemp(prefix="kernels-"))
    device, limits, real = str(device_info().name), device_limits(), _real(given.bits)
    timer = partial(by_events, seconds=given.timed_seconds)
    longer = partial(by_events, seconds=LONGER_SECONDS)
    records = dict(recorded_times(given.out)) if given.out.exists() else {}
    with TuningStore(given.store) as store, Compilers(given.workers) as compilers:
        for name in _chosen(given.only):
            matrix = MATRICES[name]().astype(real)
            search = Search(device, matrix.entry.name, str(matrix.dtype), name)
            store.begin(search, features_of(matrix))
            variants = all_variants(matrix, limits)

            def prepare(batch: Sequence[Variant], matrix: CompoundMatrix = matrix) -> Callable[[], object]:
                forget_kernels()
                futures = compilers.begin(matrix.entry, real, batch)
                return lambda: concurrent.futures.wait(futures)

            missing = still_missing(variants, store.known(search))
            measure = DeviceMeasurement(matrix, timer)
            done = time_missing(
                missing,
                measure,
                partial(store.add, search),
                prepare,
                lambda: time.monotonic() < deadline,
            )
            print(f"{name}: {done} timed, {len(missing) - done} of {len(variants)} to do", flush=True)
            if done == len(missing):
                if not store.is_finished(search):
                    for variant in near_the_best(variants, store.known(search)):
                        store.add(search, variant.name, measure.again(variant, longer))
                    store.finish(search)
                records[name] = record_of(matrix, store.known(search), limits)
                write_file(given.out, to_record(device, records))


def to_record(device: str, records: Mapping[str, Mapping[str, float | None]]) -> bytes:
    """Give the file of --out: what measured, and the times by variant of each matrix.

    Parameters
    ----------
    device, records
        Its name, and what `record_of` gives by matrix.
    """
    made = provenance()
    document = {"device": device, "made": made.date, "commit": str(made.commit), "times_us": records}
    return gzip.compress(json.dumps(document).encode(), mtime=0)


def recorded_times(path: Path) -> dict[str, dict[str, float | None]]:
    """Give the times by variant of each matrix; raise UserError where a file is no such record."""
    try:
        times: dict[str, dict[str, float | None]] = json.loads(gzip.decompress(path.read_bytes()))["times_us"]
    except (ValueError, KeyError, TypeError, EOFError, gzip.BadGzipFile) as error:
        raise UserError(f"{path} is no record of --out: {error}") from error
    return times


def near_the_best(variants: Sequence[Variant], times: Mapping[str, Timing | None]) -> list[Variant]:
    """Give the variants that are timed again, in the order in which they are placed.

    Parameters
    ----------
    variants, times
        All of a matrix, and their times by name; None where there is no form.
    """
    us = {name: timing.us for name, timing in times.items() if timing is not None}
    nearest = sorted(us, key=us.__getitem__)[:NEAREST]
    near = {name for name in nearest if us[name] <= NEAR * us[nearest[0]]}
    return [variant for variant in variants if variant.name in near]


def dry_run(given: argparse.Namespace) -> str:
    """Give a table of what a whole run takes: kernels, placed layouts, times; no GPU is needed.

    Parameters
    ----------
    given
        bits, only, workers, kernel_seconds and timed_seconds.
    """
    workers = given.workers or os.cpu_count() or 1
    rows, times, kernels, assembled = [], 0, 0, 0
    for name in _chosen(given.only):
        real = _real(given.bits)
        matrix = MATRICES[name]().astype(real)
        variants = all_variants(matrix, DeviceLimits())
        placed = len({(each.layout, each.schedule.threads_per_row) for each in variants})
        rows.append([name, f"{matrix.shape[0]:,}", f"{matrix.nnz:,}", f"{len(variants):,}", f"{placed:,}"])
        times += len(variants)
        of_variants = {kernel_of(matrix.entry, real, each) for each in variants}
        assembled += len(of_variants)  # of other entries each time: none is shared
        kernels += len({key[:-1] for key in of_variants})
    compiling = kernels * given.kernel_seconds / workers / 60
    timing = times * given.timed_seconds / 60
    return (
        table(["matrix", "rows", "entries", "variants, each timed once", "layouts placed"], rows)
        + f"\n{times:,} variants, {kernels:,} kernels: {compiling:.0f} min to compile in {workers} "
        f"processes at {given.kernel_seconds:g} s each, {assembled:,} to assemble at most; {timing:.0f} min "
        f"of products at {given.timed_seconds:g} s each; placing layouts and capturing graphs come on top\n"
    )


def report(records: Mapping[str, Mapping[str, float | None]]) -> str:
    """Give a table of the best of all variants beside the best that a pruned search measures.

    Parameters
    ----------
    records
        Times by variant for each matrix, in float32 (`record_of`).
    """
    rows = []
    for name, record in records.items():
        times = {each: None if us is None else Timing(us, 0) for each, us in record.items()}
        measured = pruned_names(MATRICES[name]().astype(np.float32), times)
        us = {each: time for each, time in record.items() if time is not None}
        best = min(us, key=us.__getitem__)
        natural = min(us[each] for each in us if each.startswith(NATURAL.name))
        loss = loss_of_pruning({each: Timing(time, 0) for each, time in us.items()}, measured)
        counts = [f"{len(us):,}", f"{len(measured):,}"]
        rows.append(
            [
                name,
                *counts,
                best.replace(" | ", ", "),
                f"{us[best]:.2f}",
                f"{natural:.2f}",
                f"{100 * loss:.1f} %",
            ]
        )
    heads = ["matrix", "variants", "measured if pruned", "best of all", "us", "natural layout, us", "loss"]
    return table(heads, rows)


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
    parser.add_argument("--report", type=Path, metavar="FILE", help="what pruning loses, from a record")
    parser.add_argument("--seconds", type=float, default=1e9, help="time nothing more after so many")
    parser.add_argument("--store", type=Path, default=Path("exhaustive.sqlite"), help="keeps the times")
    parser.add_argument("--out", type=Path, default=Path("recorded_tuning.json.gz"), help="complete matrices")
    parser.add_argument("--only", default="", help="part of the names of the matrices")
    parser.add_argument("--bits", type=int, choices=(32, 64), default=32, help="of a component")
    parser.add_argument("--workers", type=int, help="processes that compile; all processors without it")
    parser.add_argument("--timed-seconds", type=float, default=TIMED_SECONDS, help="of products a time")
    parser.add_argument("--kernel-seconds", type=float, default=KERNEL_SECONDS, help="for --dry-run")
    given = parser.parse_args(arguments)
    try:
        if given.dry_run:
            print(dry_run(given))
        elif given.report:
            print(report(recorded_times(given.report)))
        else:
            run(given)
    except (UserError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
