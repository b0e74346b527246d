"""Searches of matrices in families, for `vecsim gpu tune --predict` to learn from; and what it then loses.

python -m benchmarks.compound_predictor --dry-run                 what a run would take, without a GPU
python -m benchmarks.compound_predictor --seconds N --store FILE  pruned searches; a run goes on after a kill
python -m benchmarks.compound_predictor --losses --store FILE     families left out, without a GPU
python -m benchmarks.compound_predictor --export FILE --store FILE  for gpu/compound/tuning/recorded
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.compound_families import MATRICES
from benchmarks.markdown import table
from gpu.compound.tuning.library import no_search, to_json
from gpu.compound.tuning.prediction_loss import Loss, losses_by_count, mean_loss
from gpu.compound.tuning.predictor import PREDICTED, Result, results_of
from gpu.compound.tuning.search import Found, Tuning, first_of_layouts, most_measured
from gpu.compound.tuning.store import Search, TuningStore
from gpu.compound.tuning.traffic_model import TrafficModel
from gpu.compound.tuning.variants import DeviceLimits, Variant, joint_variants
from vecsim.atomic_files import write_file
from vecsim.errors import UserError

EACH_SECONDS = 300.0
"""Of one search, the compilation of its kernels and the other searches under way included."""
AT_ONCE = 6
"""Searches under way: while kernels of one are compiled others are timed."""
MAKERS = 3
"""Processes that make matrices."""
TIMED_SECONDS = 0.005
"""Of products that one time is the median of."""


def searches(bits: Sequence[int], only: str) -> Iterator[tuple[str, Any]]:
    """Give the names of matrices with a type of components, each matrix in all types.

    Parameters
    ----------
    bits
        32, 64 or both.
    only
        Part of the names.

    Raises
    ------
    UserError
        If no matrix has such a name.
    """
    names = [name for name in MATRICES if only in name]
    if not names:
        raise UserError(f"no matrix has {only!r} in its name, there are {', '.join(MATRICES)}")
    for number in bits:
        for name in names:
            yield name, np.float32 if number == 32 else np.float64


@dataclass
class _Begun:
    """A search that is under way: what tells it, itself, and the compilations that it waits for."""

    search: Search
    tuning: Tuning
    compilations: list[Any]


def collect(given: argparse.Namespace) -> None:
    """Search for the best variant of each matrix; after so many seconds no further search is begun."""
    from gpu.compound.tuning.on_device import by_events, tuning_on_device
    from gpu.runtime.device_info import device_info

    device, timer = str(device_info().name), partial(by_events, seconds=TIMED_SECONDS)
    with TuningStore(given.store) as store:
        wanted = [
            Search(device, entry_of(name), np.dtype(real).name, name)
            for name, real in searches(given.bits, given.only)
        ]

        def begin(matrix: Any, search: Search) -> Tuning:
            return tuning_on_device(matrix, search.matrix, store, device, seconds=given.each, timer=timer)

        go_through(wanted, begin, store, seconds=given.seconds, workers=given.workers)


def go_through(
    wanted: Sequence[Search],
    begin: Callable[[Any, Search], Tuning],
    store: TuningStore,
    *,
    seconds: float,
    workers: int | None,
    again: bool = False,
) -> None:
    """Go through searches, several at a time; those that the store has finished are left out, unless `again`.

    Parameters
    ----------
    wanted
        The searches; their matrices are those of `benchmarks.compound_families`.
    begin
        Gives the search of a matrix, as `tuning_on_device` does.
    store
        Where it is said that a search is finished.
    seconds
        After so many no further search is begun.
    workers
        Processes that compile; None: one a processor.
    again
        Whether finished ones are gone through, too: what they have measured is known.
    """
    from gpu.compound.tuning.compilation import Compilers

    deadline = time.monotonic() + seconds
    os.environ.setdefault("VECSIM_KERNELS", tempfile.mkdtemp(prefix="kernels-"))
    open_ = [each for each in wanted if again or not store.is_finished(each)]
    under_way: deque[_Begun] = deque()
    with Compilers(workers) as compilers, matrix_makers() as makers:
        for search, future in _made_ahead(makers, open_):
            while len(under_way) >= AT_ONCE:
                _go_on(under_way, store, compilers)
            if time.monotonic() > deadline:
                future.cancel()
                print(f"left out: {search.matrix}, {search.real}", flush=True)
                continue
            under_way.appendleft(_Begun(search, begin(future.result(), search), []))
            _go_on(under_way, store, compilers)
        while under_way:
            _go_on(under_way, store, compilers)


def _made_ahead(makers: Executor, wanted: Sequence[Search]) -> Iterator[tuple[Search, Future[Any]]]:
    """Give searches with their matrices, a few of which are made ahead; what has been taken is not held."""
    ahead: deque[tuple[Search, Future[Any]]] = deque()
    for search in wanted:
        ahead.append((search, makers.submit(made_as, search.matrix, np.dtype(search.real).type)))
        if len(ahead) > 2 * MAKERS:
            yield ahead.popleft()
    while ahead:
        yield ahead.popleft()


def matrix_makers() -> Executor:
    """Give the processes that make matrices."""
    return ProcessPoolExecutor(MAKERS, mp_context=get_context("spawn"))


def made_as(name: str, real: Any) -> Any:
    """Make a matrix by its name with components of a type, in any process."""
    return MATRICES[name]().astype(real)


def _go_on(under_way: deque[_Begun], store: TuningStore, compilers: Any) -> None:
    """Take the first search one step further, once its kernels are compiled, and put it behind the others."""
    from gpu.compound.compound_files import entry_named
    from gpu.compound.product_kernel import forget_kernels

    begun = under_way.popleft()
    search = begun.search
    wait(begun.compilations)
    try:
        variants = next(begun.tuning)
    except StopIteration as end:
        found: Found = end.value
        if found.complete:
            store.finish(search)
        forget_kernels()
        us, count = found.timing.us, f"{len(found.timings)} measured{'' if found.complete else ', not all'}"
        print(f"{search.matrix}, {search.real}: {us:.1f} us, {found.best.name}, {count}", flush=True)
    except UserError as error:  # of this matrix: others can be searched
        print(f"{search.matrix}, {search.real}: error: {error}", file=sys.stderr)
    else:
        entry = entry_named(search.matrix.rpartition(", ")[2])
        begun.compilations = compilers.begin(entry, np.dtype(search.real).type, variants)
        under_way.append(begun)


def entry_of(name: str) -> str:
    """Give the name of the entry type that the name of a matrix ends with."""
    from gpu.compound.compound_files import entry_named

    return entry_named(name.rpartition(", ")[2]).name


def dry_run(given: argparse.Namespace) -> str:
    """Count the searches, their kernels and what they measure, without a GPU.

    Parameters
    ----------
    given
        bits, only and each.
    """
    firsts: set[tuple[str, str, Variant]] = set()
    rests: dict[tuple[str, str], set[Variant]] = {}
    measured, count = 0, 0
    for name, real in searches(given.bits, given.only):
        matrix = MATRICES[name]().astype(real)
        ordered = TrafficModel(matrix).ordered(joint_variants(matrix.entry, real, DeviceLimits()))
        kind = (matrix.entry.name, str(matrix.dtype))
        firsts |= {(*kind, variant) for variant in first_of_layouts(ordered)}
        rests.setdefault(kind, set()).update(ordered)
        measured += most_measured(ordered)
        count += 1
    most = min(measured, sum(map(len, rests.values())))
    return (
        f"{count} searches of {len({name for name, _ in searches(given.bits, given.only)})} matrices, "
        f"{len(rests)} pairs of entries and components\n"
        f"at most {measured:,} variants are measured; kernels are shared: {len(firsts):,} to {most:,}\n"
        f"at most {count * given.each / AT_ONCE / 60:.0f} min at {given.each:g} s a search, "
        f"{AT_ONCE} under way\n"
    )


def losses(given: argparse.Namespace) -> str:
    """Give tables of what predictions lose by families left out.

    Parameters
    ----------
    given
        store and device.
    """
    _, results = _kept(given)
    by_count = losses_by_count(results, (1, PREDICTED))
    families = dict.fromkeys(each.family for each in by_count[1])
    rows = [[name, *_of_family(by_count, name)] for name in families]
    rows.append(["all", *_of_family(by_count, None)])
    names = ["family left out", "searches", *(f"loss of {count}" for count in by_count)]
    return table(names, rows)


def _kept(given: argparse.Namespace) -> tuple[str, list[Result]]:
    """Give a device and what the store has of it."""
    with TuningStore(given.store) as store:
        devices = sorted({search.device for search in store.searches()})
        if given.device is None and len(devices) > 1:
            raise UserError(f"--device is needed: {given.store} has {', '.join(devices)}")
        device = given.device or (devices or [""])[0]
        if not (found := results_of(store, device)):
            raise no_search(store, device)
        return device, found


def _of_family(by_count: dict[int, list[Loss]], family: str | None) -> list[str]:
    of = [[loss for loss in found if family in (loss.family, None)] for found in by_count.values()]
    return [str(len(of[0])), *(f"{100 * mean_loss(found):.1f} %" for found in of)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Search, count or report; 2 where there is no GPU, or a file cannot be used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--dry-run", action="store_true", help="say what a whole run takes")
    what.add_argument("--losses", action="store_true", help="what a prediction loses, by families left out")
    what.add_argument("--export", type=Path, metavar="FILE", help="write what the store has of a device")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no further search after so many")
    parser.add_argument("--each", type=float, default=EACH_SECONDS, help="seconds of one search")
    parser.add_argument("--store", type=Path, default=Path("predictor.sqlite"), help="keeps the searches")
    parser.add_argument("--device", help="name of the device, for --losses and --export")
    parser.add_argument("--only", default="", help="part of the names of the matrices")
    parser.add_argument(
        "--bits", type=int, nargs="+", choices=(32, 64), default=[32, 64], help="of components"
    )
    parser.add_argument("--workers", type=int, help="processes that compile; all processors without it")
    given = parser.parse_args(arguments)
    try:
        if given.dry_run:
            print(dry_run(given))
        elif given.losses:
            print(losses(given))
        elif given.export:
            write_file(given.export, to_json(*_kept(given)))
        else:
            collect(given)
    except (UserError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
