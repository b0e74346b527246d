"""Both products of HiSparse on a GPU against the best of cuSPARSE, on the class large_structured.

python -m benchmarks.hisparse_products [--json FILE]    measures, and keeps the records
python -m benchmarks.hisparse_products --tables FILE    prints the tables of benchmarks/README.md from these
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.markdown import table
from experiments.gpu_bench import methods
from experiments.gpu_bench.bench import open_device
from experiments.gpu_bench.matrix_supply import DTYPES, rounded_product, supply
from experiments.gpu_bench.methods import Method, Placed, PlacedFormat
from experiments.gpu_bench.phase_clock import Phases
from experiments.gpu_bench.product_case import Device, transpose, typed
from experiments.gpu_bench.suite import select
from experiments.gpu_bench.timed_method import SCREEN_SECONDS
from vecsim.errors import UserError
from vecsim.provenance import provenance

CLASS = "large_structured"
DIRECT, TRANSPOSED = "direct", "transposed"
SECONDS = 0.1
SEED = 8128
BEST = "best of cuSPARSE"
OPERATION, CSR_OPERATION, COPY = "transposed operation", "transposed operation, CSR", "explicit copy"
OURS = "best of ours"

Record = dict[str, Any]


@dataclass(frozen=True, eq=False)
class _Way:
    """One product of one matrix: its matrix, x, and what it is compared with by name."""

    name: str
    product: Any
    multiplied: Any
    x: Any
    rivals: dict[str, list[Method]]


def measured(device: Device, watch: Callable[[str], None]) -> Iterator[Record]:
    """Give a record for each matrix, type and direction."""
    from gpu.formats.hisparse import HiSparseProduct
    from gpu.runtime.cuda import THREADS_PER_BLOCK
    from vecsim.formats import HiSparse

    with supply(select(CLASS), False) as supplied:
        for made in supplied:
            for dtype in DTYPES:
                csr = typed(made.csr, dtype)
                product = HiSparseProduct(HiSparse.from_scipy(csr), THREADS_PER_BLOCK)
                for way in _ways(csr, product):
                    record = _measured(device, way, csr)
                    found = {"matrix": made.matrix.name, "dtype": dtype, "sha256": made.sha256, **record}
                    watch(f"{made.matrix.name} {dtype} {way.name}: {record['us']:.1f} us")
                    yield found


def _ways(csr: Any, product: Any) -> Iterator[_Way]:
    rng = np.random.default_rng(SEED)
    x = rng.uniform(-1, 1, csr.shape[1]).astype(csr.dtype)
    rivals = {BEST: methods.baselines(csr, ""), OURS: _ours(csr)}
    yield _Way(DIRECT, product, csr, x, rivals)
    turned, _ = transpose(csr)
    x = rng.uniform(-1, 1, csr.shape[0]).astype(csr.dtype)
    operations = methods.baselines(csr, "", transposed=True)
    rivals = {
        OPERATION: operations,
        CSR_OPERATION: [each for each in operations if each.name.startswith("csr")],
        COPY: methods.baselines(turned, ""),
    }
    yield _Way(TRANSPOSED, product.transposed, turned, x, rivals)


def _ours(csr: Any) -> list[Method]:
    """Give what ``auto`` would try first, of our other formats."""
    ranked = methods.rank(csr)
    found = {each.name: each for each in methods.formats(csr, ranked, old=False)}
    return [replace(found[name], pruned="") for name in ranked.order[:2]]


def _measured(device: Device, way: _Way, csr: Any) -> Record:
    """Check a product, time it, and replay it in turn with the best of each of its rivals."""
    from gpu.measure.timing import compare, measure
    from gpu.runtime.cuda_driver import Stream

    size, rows = csr.dtype.itemsize, way.multiplied.shape[0]
    exact = rounded_product(way.multiplied, way.x.astype(np.float64), csr.dtype.name)
    placed = PlacedFormat(way.product, way.x, rows)
    with Stream() as stream:
        found = []
        for _ in range(2):
            placed.enqueue(stream)
            stream.synchronize()
            found.append(placed.result())
    us = measure([placed.enqueue], SECONDS).median_us
    bound = device.bandwidths.bound_us(placed.nbytes, way.multiplied.shape[1] * size, rows * size, "warm")
    arrays = way.product.device_arrays
    turned = getattr(way.product, "transposed", None)
    both = {id(each): int(each.nbytes) for each in [*arrays, *(turned.device_arrays if turned else [])]}
    record: Record = {
        "way": way.name,
        "us": us,
        "bound_us": bound,
        "error": exact.error(found[0]),
        "same_bits": bool(np.array_equal(found[0], found[1])),
        "bytes": sum(both.values()),
        "csr_bytes": int(csr.nnz) * (4 + size) + 4 * (csr.shape[0] + 1),
    }
    for name, tried in way.rivals.items():
        best = _best(tried, way.x)
        if best is not None:
            method, rival = best
            ratio = compare([placed.enqueue], [rival.enqueue], SECONDS)
            record[name] = {"method": method, "us": ratio.second.median_us, "ratio": ratio.ratio}
            rival.close()
    placed.close()
    return record


def _best(tried: Sequence[Method], x: Any) -> tuple[str, Placed] | None:
    """Time methods and give the best, which lies on the device."""
    from gpu.measure.timing import measure

    best: tuple[float, str, Placed] | None = None
    for method in tried:
        if method.pruned:
            continue
        placed = method.place(method.convert(), x)
        us = measure([placed.enqueue], SCREEN_SECONDS).median_us
        if best is not None and best[0] <= us:
            placed.close()
            continue
        if best is not None:
            best[2].close()
        best = us, method.name, placed
    return None if best is None else best[1:]


def tables(document: dict[str, Any]) -> str:
    """Give the tables of benchmarks/README.md."""
    return "\n".join(_tables(document["records"], dtype) for dtype in DTYPES)


def _tables(records: Sequence[Record], dtype: str) -> str:
    direct = {each["matrix"]: each for each in records if (each["dtype"], each["way"]) == (dtype, DIRECT)}
    turned = {each["matrix"]: each for each in records if (each["dtype"], each["way"]) == (dtype, TRANSPOSED)}
    numbers = []
    for name, one in direct.items():
        other = turned[name]
        numbers.append(
            [
                one["bytes"] / one["csr_bytes"],
                one["us"],
                one["bound_us"] / one["us"],
                one[BEST]["ratio"],
                one[OURS]["ratio"],
                other["us"],
                other["bound_us"] / other["us"],
                *(other[rival]["ratio"] for rival in (OPERATION, CSR_OPERATION, COPY)),
            ]
        )
    rows = [
        [f"{name}, {one[BEST]['method']}, {turned[name][OPERATION]['method']}", *map(_shown, line)]
        for (name, one), line in zip(direct.items(), numbers, strict=True)
    ]
    means = np.exp(np.log(numbers).mean(axis=0))
    shown = ["" if place in (1, 5) else _shown(mean) for place, mean in enumerate(means)]
    names = [
        f"{dtype}: matrix, best of cuSPARSE, best transposed operation",
        "bytes / CSR",
        "us",
        "share",
        "over cuSPARSE",
        "over our best",
        "transposed, us",
        "share",
        "over its operation",
        "over that of CSR",
        "over its copy",
    ]
    return table(names, [*rows, ["geometric mean", *shown]])


def _shown(number: float) -> str:
    return f"{number:.3f}" if number < 1 else f"{number:.2f}" if number < 10 else f"{number:.1f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or print the tables; 2 where there is no GPU or no such file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", type=Path, help="where the records go")
    parser.add_argument("--tables", type=Path, help="records to make tables of")
    given = parser.parse_args(arguments)
    try:
        if given.tables:
            print(tables(json.loads(given.tables.read_text(encoding="utf-8"))))
            return 0
        device = open_device(Phases())
        made = provenance()
        document: dict[str, Any] = {
            "benchmark": "hisparse products",
            "device": device.document,
            "library": device.library,
            "commit": str(made.commit),
            "date": made.date,
            "records": [],
        }
        for record in measured(device, lambda line: print(line, flush=True)):
            document["records"].append(record)
            if given.json:
                given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    except (UserError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(tables(document))
    return 0


if __name__ == "__main__":
    sys.exit(main())
