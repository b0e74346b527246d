"""Propagation blocking on a GPU against the best of cuSPARSE and what ``auto`` takes, in several sizes.

python -m benchmarks.propagation_blocking [--json FILE] [--seconds S]

Uniform columns and two power laws, float64 and float32. Kernels are compiled while other processes make and
convert the matrices. Every product is checked against the exact one and run twice for equal bits; after S
seconds of measuring (100 by default) nothing more is begun.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from benchmarks.markdown import table
from experiments.gpu_bench import methods
from experiments.gpu_bench.bench import open_device
from experiments.gpu_bench.matrix_supply import DTYPES, Supplied, supply
from experiments.gpu_bench.methods import Method, Placed, PlacedFormat
from experiments.gpu_bench.phase_clock import Phases
from experiments.gpu_bench.product_case import LIMITS, Device, typed
from experiments.gpu_bench.suite import SuiteMatrix, select
from vecsim.errors import UserError
from vecsim.formats import PropagationBlocks
from vecsim.provenance import provenance

if TYPE_CHECKING:
    from vecsim.formats.accuracy import ExactProduct

MATRICES = ("uniform-1M-16", "power-rows-18", "hubs-both")
SIZES: dict[str, dict[str, int]] = {
    "default": {},
    "half super-blocks": {"super_entries": 1 << 19},
    "double super-blocks": {"super_entries": 1 << 21},
    "half bins": {"bin_entries": 4096},
}
"""Options of the conversion by name."""
BASELINES = ("csr_alg1", "csr_alg2", "coo_alg1", "sell_32")
"""Of cuSPARSE: its other formats are for blocks of entries, or have been behind on such matrices."""
SECONDS = 0.06
"""Of a measurement."""
MOST_SECONDS = 100.0

Record = dict[str, Any]


@dataclass(frozen=True)
class Variant:
    """Sizes, and what the kernel is made with.

    Attributes
    ----------
    name
        What differs from the default.
    sizes
        A name of `SIZES`.
    arrangement
        What `gpu.formats.propagation.Arrangement` is given.
    """

    name: str
    sizes: str = "default"
    arrangement: Mapping[str, Any] = field(default_factory=dict)


VARIANTS = (
    Variant("default"),
    Variant("512 threads, 2 blocks", arrangement={"threads": 512, "resident": 2}),
    Variant("half super-blocks", "half super-blocks"),
    Variant("double super-blocks", "double super-blocks"),
    Variant("batches of 4", arrangement={"batch": 4}),
    Variant("matrix stays in L2", arrangement={"passing": False}),
    Variant("half bins", "half bins"),
    Variant("ring of 2", arrangement={"ring": 2}),
    Variant("half super-blocks, ring of 5", "half super-blocks", {"ring": 5}),
)
"""In the order in which they are measured."""


def converted(matrix: SuiteMatrix, csr: Any) -> dict[str, NDArray[Any]]:
    """Give the arrays of a matrix in all sizes, by size and name: what a process of its own makes.

    Parameters
    ----------
    matrix, csr
        The matrix of the suite, and its entries.
    """
    found: dict[str, NDArray[Any]] = {}
    for name, options in SIZES.items():
        made = PropagationBlocks.from_scipy(csr, **options)
        found |= {f"{name}~{each}": array for each, array in vars(made).items() if each != "shape"}
    return found


def stored_in(made: Supplied, sizes: str, dtype: str) -> PropagationBlocks:
    """Give the matrix in these sizes, of what `converted` made.

    Parameters
    ----------
    made
        A matrix with further arrays.
    sizes
        A name of `SIZES`.
    dtype
        float64 or float32.
    """
    arrays = {
        name.partition("~")[2]: array for name, array in made.more.items() if name.partition("~")[0] == sizes
    }
    return PropagationBlocks(made.csr.shape, **arrays).astype(dtype)


def compile_kernels(watch: Callable[[str], None]) -> None:
    """Compile the kernels of all variants in both types, by products of a tiny matrix."""
    from gpu.formats.propagation import Arrangement, PropagationProduct

    tiny = PropagationBlocks.from_scipy(scipy.sparse.eye_array(8, format="csr"))
    start = time.perf_counter()
    for arrangement in {json.dumps(each.arrangement): each.arrangement for each in VARIANTS}.values():
        for dtype in DTYPES:
            PropagationProduct(tiny.astype(dtype), 256, arrangement=Arrangement(**arrangement))
    watch(f"kernels compiled in {time.perf_counter() - start:.0f} s")


def measured(device: Device, seconds: float, watch: Callable[[str], None]) -> Iterator[Record]:
    """Give a record for each matrix, type and variant.

    Parameters
    ----------
    device
        What is measured on.
    seconds
        After so many, nothing more is begun.
    watch
        Takes a line of progress.
    """
    chosen = [matrix for name in MATRICES for matrix in select(name)]
    with supply(chosen, False, converted) as supplied:
        compile_kernels(watch)
        end = None
        for made in supplied:
            end = end or time.perf_counter() + seconds
            if made.csr is None:
                watch(f"{made.matrix.name}: {made.missing}")
                continue
            for dtype in DTYPES:
                if time.perf_counter() > end:
                    return
                csr, exact = typed(made.csr, dtype), made.exact["spmv", dtype]
                rivals = _rivals(csr, exact.x)
                for variant in VARIANTS:
                    if time.perf_counter() > end:
                        return
                    record = _measured(device, made, dtype, variant, exact)
                    record |= {"matrix": made.matrix.name, "dtype": dtype, "sha256": made.sha256, **rivals}
                    watch(_line(record))
                    yield record


def _rivals(csr: Any, x: NDArray[Any]) -> Record:
    """Time the best of cuSPARSE, and the format that ``auto`` takes."""
    tried = [each for each in methods.baselines(csr, "") if each.name in BASELINES and not each.pruned]
    times = {method.name: _time(method, x) for method in tried}
    first = methods.rank(csr).order[0]
    ours = next(each for each in methods.formats(csr, methods.rank(csr), old=False) if each.name == first)
    best = min(times, key=lambda name: times[name])
    return {"cusparse": best, "cusparse_us": times[best], "auto": first, "auto_us": _time(ours, x)}


def _time(method: Method, x: NDArray[Any]) -> float:
    from gpu.measure.timing import measure

    placed: Placed = method.place(method.convert(), x)
    try:
        return measure([placed.enqueue], SECONDS).median_us
    finally:
        placed.close()


def _measured(device: Device, made: Supplied, dtype: str, variant: Variant, exact: ExactProduct) -> Record:
    """Multiply twice in a variant, look whether that is right, and time it."""
    from gpu.formats.propagation import Arrangement, PropagationProduct
    from gpu.measure.timing import measure
    from gpu.runtime.cuda_driver import Stream

    stored = stored_in(made, variant.sizes, dtype)
    product = PropagationProduct(stored, 256, arrangement=Arrangement(**variant.arrangement))
    rows, columns, size = *stored.shape, stored.values.itemsize
    ring = int(product.ring.nbytes)
    placed = PlacedFormat(product, exact.x, rows)
    results = []
    try:
        with Stream() as stream:
            for _ in range(2):
                placed.enqueue(stream)
                stream.synchronize()
                results.append(placed.result())
        us = measure([placed.enqueue], SECONDS).median_us
        nbytes = placed.nbytes - ring
    finally:
        placed.close()
    return {
        **asdict(variant),
        "us": us,
        "bound_us": device.bandwidths.bound_us(nbytes, columns * size, rows * size, "warm"),
        "error": exact.error(results[0]),
        "right": bool(exact.error(results[0]) <= LIMITS[dtype]),
        "same_bits": bool(np.array_equal(results[0], results[1])),
        "ring_bytes": ring,
        **stored.structure(),
    }


def _line(record: Record) -> str:
    return f"{record['matrix']} {record['dtype']} {record['name']}: {record['us']:.1f} us{_fault(record)}"


def _fault(record: Record) -> str:
    wrong = "" if record["right"] else f" WRONG: {record['error']:.1e}"
    return wrong if record["same_bits"] else wrong + " BITS DIFFER"


def tables(document: Record) -> str:
    """Give a line for each matrix, type and variant: microseconds, and how many times faster than whom."""
    rows = [
        [
            f"{each['matrix']}, {each['dtype']}",
            each["name"] + _fault(each),
            f"{each['us']:.1f}",
            f"{each['bound_us'] / each['us']:.2f}",
            f"{each['cusparse_us'] / each['us']:.2f} ({each['cusparse']}, {each['cusparse_us']:.1f})",
            f"{each['auto_us'] / each['us']:.2f} ({each['auto']}, {each['auto_us']:.1f})",
        ]
        for each in document["records"]
    ]
    return table(["matrix", "variant", "us", "bound / us", "over cuSPARSE", "over auto"], rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; 1 where a product was wrong, 2 where there is no GPU."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", type=Path, help="where the records go")
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS, help="of measuring, at most")
    given = parser.parse_args(arguments)
    try:
        device, made = open_device(Phases()), provenance()
        document: Record = {
            "benchmark": "propagation blocking",
            "device": device.document,
            "library": device.library,
            "commit": str(made.commit),
            "date": made.date,
            "records": [],
        }
        for record in measured(device, given.seconds, lambda line: print(line, flush=True)):
            document["records"].append(record)
            if given.json:
                given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    except (UserError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(tables(document))
    return int(any(_fault(each) for each in document["records"]))


if __name__ == "__main__":
    sys.exit(main())
