"""Products of skewed and random matrices on a GPU: our fastest formats against every form of cuSPARSE.

    python -m benchmarks.skewed_products [--json FILE] [--only CLASS|MATRIX] [--seconds S]
    python -m benchmarks.skewed_products --tables FILE                                       no GPU

The classes skewed and uniform of the suite and localised-7M, float64 and float32, warm. Of our formats those
are measured that are estimated to take up to 1.4 times as long as the best, at least five, and all that keep
segments of x in shared memory; ``vecsim gpu bench`` measures more, in four times the time. Every product is
checked against the exact one and run twice for equal bits. After S seconds of measuring (150 by default)
nothing more is begun.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.markdown import table
from experiments.gpu_bench import gather_counts, methods
from experiments.gpu_bench.bench import open_device
from experiments.gpu_bench.matrix_supply import DTYPES, Supplied, supply
from experiments.gpu_bench.methods import Method
from experiments.gpu_bench.phase_clock import Phases
from experiments.gpu_bench.product_case import LIMITS, Device, typed
from experiments.gpu_bench.records import OURS
from experiments.gpu_bench.suite import SuiteMatrix, select
from vecsim.errors import UserError
from vecsim.provenance import provenance

if TYPE_CHECKING:
    from vecsim.formats.accuracy import ExactProduct

WANTED = ("skewed", "uniform", "localised-7M")
ALWAYS = ("sell-segments", "sell-segments-direct")
MOST_TIMES_BEST, FEWEST = 1.4, 5
"""Formats that are estimated to take up to so many times as long as the best, and how many at least."""
SECONDS = 0.05
"""Of a measurement."""
MOST_SECONDS = 150.0
WORKERS, AHEAD = 10, 20

Record = dict[str, Any]


def formats(csr: Any) -> tuple[list[Method], list[str]]:
    """Give those of our formats that are measured, and their names in the order of ``auto``."""
    ranked = methods.rank(csr)
    best = ranked.estimated[ranked.order[0]]
    near = [name for name in ranked.order if ranked.estimated[name] <= MOST_TIMES_BEST * best]
    names = {*near, *ranked.order[:FEWEST], *ALWAYS}
    return [each for each in methods.formats(csr, ranked, old=False) if each.name in names], ranked.order


def measured(
    device: Device, matrices: Sequence[SuiteMatrix], seconds: float, watch: Callable[[str], None]
) -> Iterator[Record]:
    """Give a record for each matrix and type.

    Parameters
    ----------
    device
        What is measured on.
    matrices
        Of the suite.
    seconds
        After so many, nothing more is begun.
    watch
        Takes a line of progress.
    """
    shape = {"multiprocessors": device.document["multiprocessors"], "l2_bytes": device.l2_bytes}
    count = partial(gather_counts.counted, transposed=False, **shape)
    with supply(matrices, False, count, workers=WORKERS, ahead=AHEAD) as supplied:
        end = time.perf_counter() + seconds
        for made in supplied:
            if made.csr is None:
                watch(f"{made.matrix.name}: {made.missing}")
                continue
            for dtype in DTYPES:
                if time.perf_counter() > end:
                    watch(f"{made.matrix.name}, {dtype}: no time left")
                    continue
                record = _case(device, made, dtype)
                watch(_line(record))
                yield record


def _case(device: Device, made: Supplied, dtype: str) -> Record:
    csr, exact = typed(made.csr, dtype), made.exact["spmv", dtype]
    ours, order = formats(csr)
    rivals = [each for each in methods.baselines(csr, device.library) if not each.pruned]
    times = [_measured(method, exact, dtype) for method in (*rivals, *ours)]
    work = gather_counts.of(made, "spmv", dtype)
    stored = csr.nnz * (csr.dtype.itemsize + 4) + 4 * (csr.shape[0] + 1)
    bound = device.gather.us(work, dtype, stored) if device.gather and work else None
    return {
        "matrix": made.matrix.name,
        "class": made.matrix.class_,
        "dtype": dtype,
        "sha256": made.sha256,
        "nnz": int(csr.nnz),
        "gather_bound_us": bound,
        "auto": order[0],
        "auto_deterministic": next(name for name in order if _deterministic(name)),
        "methods": times,
    }


def _deterministic(name: str) -> bool:
    from gpu.registry import KERNELS

    return KERNELS[name].deterministic


def _measured(method: Method, exact: ExactProduct, dtype: str) -> Record:
    """Multiply twice, look whether that is right, and time it."""
    from gpu.measure.timing import measure
    from gpu.runtime.cuda_driver import Stream

    results: list[NDArray[Any]] = []
    placed = method.place(method.convert(), exact.x)
    try:
        with Stream() as stream:
            for _ in range(2):
                placed.enqueue(stream)
                stream.synchronize()
                results.append(placed.result())
        us = measure([placed.enqueue], SECONDS).median_us
    finally:
        placed.close()
    return {
        "library": method.library,
        "name": method.name,
        "us": us,
        "bytes": placed.nbytes,
        "error": exact.error(results[0]),
        "right": bool(exact.error(results[0]) <= LIMITS[dtype]),
        "same_bits": bool(np.array_equal(results[0], results[1])),
    }


def best(record: Record, keep: Callable[[Record], bool]) -> Record | None:
    """Give the fastest of the right products that are kept; None if there is none."""
    kept = [each for each in record["methods"] if each["right"] and keep(each)]
    return min(kept, key=lambda each: each["us"], default=None)


def is_ours(each: Record) -> bool:
    """Say whether a product is of vecsim."""
    return bool(each["library"] == OURS)


def is_cusparse(each: Record) -> bool:
    """Say whether it is of cuSPARSE."""
    return not is_ours(each)


def is_gathered(each: Record) -> bool:
    """Say whether it is ours and gathers x through the caches."""
    return is_ours(each) and each["name"] not in ALWAYS


def is_fixed(each: Record) -> bool:
    """Say whether it is ours and adds in a fixed order."""
    return is_ours(each) and each["name"] != "sell-segments-direct"


def _line(record: Record) -> str:
    ours, rival = best(record, is_ours), best(record, is_cusparse)
    wrong = [each["name"] for each in record["methods"] if not each["right"]]
    name = f"{record['matrix']}, {record['dtype']}"
    fault = f" WRONG: {', '.join(wrong)}" if wrong else ""
    if ours is None or rival is None:
        return name + fault
    return (
        f"{name}: {ours['name']} {ours['us']:.1f} us, {rival['name']} {rival['us']:.1f}, "
        f"{rival['us'] / ours['us']:.2f}{fault}"
    )


def tables(document: Record) -> str:
    """Give a table of each type, and its geometric means by class."""
    return "\n\n".join(_table(document, dtype) for dtype in DTYPES)


def _table(document: Record, dtype: str) -> str:
    rows: list[list[str]] = []
    ratios: dict[str, list[list[float]]] = {}
    for record in document["records"]:
        cells = _cells(record) if record["dtype"] == dtype else None
        if cells is not None:
            rows.append(cells[0])
            ratios.setdefault(record["class"], []).append(cells[1])
    for class_, found in ratios.items():
        if len(found) > 1:
            means = np.exp(np.log(found).mean(axis=0))
            rows.append(
                [f"{class_}, geometric mean", "", "", f"{means[0]:.2f}", "", f"{means[1]:.2f}", "", ""]
            )
    header = [f"{dtype}: matrix", "cuSPARSE, us", "ours, us", "times", "in a fixed order, us", "times"]
    return table([*header, "gathered: share of the bound", "auto over the best"], rows)


def _cells(record: Record) -> tuple[list[str], list[float]] | None:
    """Give the cells of a row, and how many times faster than cuSPARSE ours are: all, in a fixed order."""
    found = [best(record, keep) for keep in (is_cusparse, is_ours, is_fixed, is_gathered)]
    if not all(found):
        return None
    rival, ours, fixed, gathered = (each for each in found if each is not None)
    auto = next((each for each in record["methods"] if each["name"] == record["auto"]), None)
    bound = record["gather_bound_us"]
    ratios = [rival["us"] / ours["us"], rival["us"] / fixed["us"]]
    cells = [
        record["matrix"],
        f"{rival['name']} {rival['us']:.1f}",
        f"{ours['name']} {ours['us']:.1f}",
        f"{ratios[0]:.2f}",
        f"{fixed['name']} {fixed['us']:.1f}",
        f"{ratios[1]:.2f}",
        f"{bound / gathered['us']:.2f} ({gathered['name']} {gathered['us']:.1f})" if bound else "",
        f"{auto['us'] / ours['us']:.2f} ({auto['name']})" if auto else "",
    ]
    return cells, ratios


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or give the tables of a file; 1 where a product was wrong, 2 where there is no GPU."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", type=Path, help="where the records go")
    parser.add_argument("--only", help="a class or a matrix of the suite")
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS, help="of measuring, at most")
    parser.add_argument("--tables", type=Path, metavar="FILE", help="give the tables of a file")
    given = parser.parse_args(arguments)
    try:
        if given.tables:
            print(_tables_of(given.tables))
            return 0
        names = (given.only,) if given.only else WANTED
        matrices = [matrix for name in names for matrix in select(name)]
        document = _run(matrices, given.seconds, given.json)
    except (UserError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(tables(document))
    return int(not all(each["right"] for record in document["records"] for each in record["methods"]))


def _run(matrices: Sequence[SuiteMatrix], seconds: float, target: Path | None) -> Record:
    device, made = open_device(Phases()), provenance()
    document: Record = {
        "benchmark": "skewed products",
        "device": device.document,
        "library": device.library,
        "commit": str(made.commit),
        "date": made.date,
        "records": [],
    }
    for record in measured(device, matrices, seconds, lambda line: print(line, flush=True)):
        document["records"].append(record)
        if target:
            target.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return document


def _tables_of(path: Path) -> str:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["benchmark"] != "skewed products":
            raise KeyError
        return tables(document)
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{path}: is no result of benchmarks.skewed_products") from None


if __name__ == "__main__":
    sys.exit(main())
