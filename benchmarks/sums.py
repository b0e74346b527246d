"""Sums of CSR and of HiSparse matrices on a GPU against csrgeam2 of cuSPARSE, on the class large_structured.

python -m benchmarks.sums [--json FILE] [--only NAME]   measures, and keeps the records
python -m benchmarks.sums --tables FILE                 prints the tables of benchmarks/README.md from these
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import scipy.sparse

from benchmarks.markdown import table
from benchmarks.tree_sums import tree_sum
from experiments.gpu_bench.bench import open_device
from experiments.gpu_bench.matrix_supply import DTYPES
from experiments.gpu_bench.phase_clock import Phases
from experiments.gpu_bench.product_case import Device, typed
from experiments.gpu_bench.suite import select
from vecsim.digests import matrix_sha256
from vecsim.errors import UserError
from vecsim.formats import HiSparse
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.provenance import provenance
from vecsim.worker_processes import begin_worker

CLASS = "large_structured"
PLAIN, TRANSPOSED = "A + B", "A + B^T"
IN_TREES = "HiSparse, "
"""Before the name of a sum whose operands and result are HiSparse; all others are CSR."""
SIGMA = 10
"""Standard deviation of what an entry of B is moved by, in row and column (HiSparse, section 5.3)."""
WAYS = PLAIN, TRANSPOSED, IN_TREES + PLAIN, IN_TREES + TRANSPOSED
ALPHA, BETA = 2.0, -0.5
SECONDS = 0.15
CALLS = 12
"""Calls of cuSPARSE that are timed."""
SEED = 8128
MOST_PROCESSES = 12
"""That make matrices: each takes some gigabytes."""

Record = dict[str, Any]


def moved(csr: Any) -> Any:
    """Give a matrix with each entry moved by normal deviates in row and column, and its values anew."""
    rng = np.random.default_rng(SEED)
    coo = csr.tocoo()
    places = [
        np.clip(line + np.rint(rng.normal(0, SIGMA, csr.nnz)).astype(np.int64), 0, count - 1)
        for line, count in zip(coo.coords, csr.shape, strict=True)
    ]
    values = rng.uniform(-1, 1, csr.nnz)
    return canonical_csr(scipy.sparse.coo_array((values, tuple(places)), shape=csr.shape), np.float64)


@dataclass(frozen=True, eq=False)
class Case:
    """What a process made for the measurement of a matrix and type.

    Attributes
    ----------
    first, second
        A and B.
    trees
        Both in HiSparse.
    exact
        The sums by SciPy: with B and with its transpose.
    sha256
        Digest of A, in float64.
    """

    first: Any
    second: Any
    trees: tuple[HiSparse, HiSparse]
    exact: tuple[Any, Any]
    sha256: str


def _make(name: str, dtype: str, folder: Path) -> Path:
    """Make a case, in a process of its own, and leave it in a file."""
    csr = next(each for each in select(CLASS) if each.name == name).make()
    digest = matrix_sha256(csr)
    first, second = typed(csr, dtype), typed(moved(csr), dtype)
    trees = HiSparse.from_scipy(first), HiSparse.from_scipy(second)
    exact = _exact(first, second, False), _exact(first, second, True)
    file = folder / f"{name}-{dtype}"
    with file.open("wb") as stream:
        pickle.dump(Case(first, second, trees, exact, digest), stream, protocol=5)
    return file


def measured(device: Device, only: str | None, watch: Callable[[str], None]) -> Iterator[Record]:
    """Give a record for each matrix, type and sum; other processes make the matrices meanwhile."""
    names = [(each.name, dtype) for each in select(CLASS) if only in (None, each.name) for dtype in DTYPES]
    with TemporaryDirectory() as folder, _pool() as pool:
        waiting = [pool.submit(_make, *each, Path(folder)) for each in names]
        for (name, dtype), made in zip(names, waiting, strict=True):
            file = made.result()
            with file.open("rb") as stream:
                case = pickle.load(stream)
            file.unlink()
            for record in _sums(device, case):
                watch(f"{name} {dtype} {record['way']}: {record['us']:.1f} us")
                yield {"matrix": name, "dtype": dtype, "sha256": case.sha256, **record}


def _pool() -> ProcessPoolExecutor:
    workers = max(1, min(MOST_PROCESSES, (os.cpu_count() or 1) - 1))
    return ProcessPoolExecutor(workers, get_context("spawn"), begin_worker)


def _sums(device: Device, case: Case) -> Iterator[Record]:
    from gpu.runtime.memory import free_what_is_dropped

    baseline = _baseline(case.first, case.second)
    free_what_is_dropped()
    for way, exact in zip((PLAIN, TRANSPOSED), case.exact, strict=True):
        turned = way == TRANSPOSED
        record = _ours(device, case.first, case.second, exact, turned)
        free_what_is_dropped()
        yield {"way": way, **record, **baseline[way]}
        record = tree_sum(device, case.trees, exact, turned, (ALPHA, BETA), SECONDS)
        free_what_is_dropped()
        yield {"way": IN_TREES + way, **record, **baseline[way]}


def _ours(device: Device, first: Any, second: Any, exact: Any, turned: bool) -> Record:
    """Check a sum and time its passes, each in a graph of its own and all in one."""
    from gpu.addition.csr_sum import CsrSum
    from gpu.addition.device_csr import DeviceCsr
    from gpu.addition.transposition import transposition_of
    from gpu.measure.timing import measure
    from gpu.runtime.cuda import cuda

    one, two = DeviceCsr.from_scipy(first), DeviceCsr.from_scipy(second)
    turning = transposition_of(two) if turned else None
    if turning is not None:
        turning.launch()
        two = turning.result
    work = CsrSum(one, two)
    work.count(ALPHA, BETA)
    result = work.empty()
    writing = work.into(result)

    def conversion(stream: Any) -> None:
        if turning is not None:
            turning.launch(cuda.external_stream(stream.address))

    def symbolic(stream: Any) -> None:
        work.count(ALPHA, BETA, cuda.external_stream(stream.address))

    def numeric(stream: Any) -> None:
        work.write(writing, ALPHA, BETA, cuda.external_stream(stream.address))

    def whole(stream: Any) -> None:
        conversion(stream)
        symbolic(stream)
        numeric(stream)

    work.write(writing, ALPHA, BETA)
    found = result.to_scipy()
    us = measure([whole], SECONDS).median_us
    again = result.to_scipy()
    size, rows = first.dtype.itemsize, first.shape[0]
    read = first.nnz + second.nnz
    nbytes = (8 + size) * read + (4 + size) * result.nnz + 20 * (rows + 1)
    if turned:
        nbytes += 2 * (4 + size) * second.nnz + 8 * (rows + 1)
    return {
        "us": us,
        "conversion_us": measure([conversion], SECONDS).median_us if turned else 0.0,
        "symbolic_us": measure([symbolic], SECONDS).median_us,
        "numeric_us": measure([numeric], SECONDS).median_us,
        "bytes": nbytes,
        "bound_us": nbytes / device.bandwidths.bandwidth(nbytes, "warm") / 1000,
        "entries": [int(first.nnz), int(second.nnz), int(result.nnz)],
        "right": _equal(found, exact),
        "same_bits": _equal(found, again),
    }


def _exact(first: Any, second: Any, turned: bool) -> Any:
    real = first.dtype.type
    other = second.T.tocsr() if turned else second
    return real(ALPHA) * first + real(BETA) * other


def _equal(found: Any, exact: Any) -> bool:
    return bool(
        np.array_equal(found.indptr, exact.indptr)
        and np.array_equal(found.indices, exact.indices)
        and np.array_equal(found.data, exact.data)
    )


def _baseline(first: Any, second: Any) -> dict[str, Record]:
    """Time cuSPARSE: both calls of csrgeam2, on B and on its transpose, and the conversion."""
    from gpu.baseline.cusparse_sums import PlacedCsr, SparseSum, SparseTransposition

    found = {}
    with (
        PlacedCsr.holding(first) as one,
        PlacedCsr.holding(second) as two,
        SparseTransposition(two) as turning,
    ):
        conversion = _back_to_back(turning.enqueue)
        for way, other in ((PLAIN, two), (TRANSPOSED, turning.result)):
            with SparseSum(one, other, ALPHA, BETA) as work:
                found[way] = {
                    "cusparse_symbolic_us": _back_to_back(work.symbolic),
                    "cusparse_numeric_us": _back_to_back(work.numeric),
                    "cusparse_conversion_us": conversion if way == TRANSPOSED else 0.0,
                    "cusparse_entries": work.result.nnz,
                }
    return found


def _back_to_back(enqueue: Callable[[Any], None]) -> float:
    """Give the median time of calls that are enqueued one behind the other, microseconds."""
    from gpu.runtime.cuda_driver import Event, Stream

    with Stream() as stream:
        enqueue(stream)
        events = [Event() for _ in range(CALLS + 1)]
        events[0].record(stream)
        for event in events[1:]:
            enqueue(stream)
            event.record(stream)
        stream.synchronize()
        times = [later.microseconds_since(earlier) for earlier, later in pairwise(events)]
        for event in events:
            event.close()
    return float(np.median(times))


def tables(document: dict[str, Any]) -> str:
    """Give the tables of benchmarks/README.md."""
    records = document["records"]
    return "\n".join(
        _table(records, dtype, way)
        for dtype in DTYPES
        for way in WAYS
        if any((each["dtype"], each["way"]) == (dtype, way) for each in records)
    )


def _table(records: Sequence[Record], dtype: str, way: str) -> str:
    chosen = [each for each in records if (each["dtype"], each["way"]) == (dtype, way)]
    turned = way.endswith(TRANSPOSED)
    names, rows, ratios = [f"{dtype}: {way}", "million entries of A, B, C"], [], []
    parts = (["conversion"] if way == TRANSPOSED else []) + ["symbolic", "numeric"]
    names += [*(f"{part}, us" for part in parts), "all, us", "share of bound"]
    names += [f"csrgeam2, us{', conversion' if turned else ''}", "over csrgeam2"]
    names += ["and its conversion"] if turned else []
    for each in chosen:
        rival = each["cusparse_symbolic_us"] + each["cusparse_numeric_us"]
        both = rival + each["cusparse_conversion_us"]
        ratio = [each["bound_us"] / each["us"], rival / each["us"], *([both / each["us"]] if turned else [])]
        ratios.append(ratio)
        shown = f"{rival:.0f}" + (f", {each['cusparse_conversion_us']:.0f}" if turned else "")
        rows.append(
            [
                each["matrix"],
                ", ".join(f"{count / 1e6:.1f}" for count in each["entries"]),
                *(f"{each[f'{part}_us']:.0f}" for part in parts),
                f"{each['us']:.0f}",
                f"{ratio[0]:.3f}",
                shown,
                *(f"{number:.2f}" for number in ratio[1:]),
            ]
        )
    means = np.exp(np.log(ratios).mean(axis=0))
    blank = [""] * (len(parts) + 2)
    last = ["geometric mean", *blank, f"{means[0]:.3f}", "", *(f"{mean:.2f}" for mean in means[1:])]
    return table(names, [*rows, last])


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or print the tables; 2 where there is no GPU or no such file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", type=Path, help="where the records go")
    parser.add_argument("--only", help="the matrix to measure, instead of all")
    parser.add_argument("--tables", type=Path, help="records to make tables of")
    given = parser.parse_args(arguments)
    try:
        if given.tables:
            print(tables(json.loads(given.tables.read_text(encoding="utf-8"))))
            return 0
        device = open_device(Phases())
        made = provenance()
        document: dict[str, Any] = {
            "benchmark": "sums of CSR and HiSparse matrices",
            "device": device.document,
            "library": device.library,
            "commit": str(made.commit),
            "date": made.date,
            "records": [],
        }
        for record in measured(device, given.only, lambda line: print(line, flush=True)):
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
