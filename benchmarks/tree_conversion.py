"""Unsorted COO into HiSparse on the device, warm: ``python -m benchmarks.tree_conversion [OUT.json]``.

The matrices are generated on the device's machine, their entries in an order that is drawn at random. Times
are medians of several conversions, from arrays on the device to a finished tree, the host waiting.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import gpu
from benchmarks.markdown import table
from gpu.runtime.cuda import cuda
from gpu.runtime.device_info import device_info
from vecsim.formats import HiSparse

SEED = 18
REPEATS = 7


def stencil(side: int) -> Any:
    """Give the 7-point stencil of a cube of side^3 points."""
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(side, side))
    one = sp.eye_array(side)
    return (
        sp.kron(sp.kron(line, one), one) + sp.kron(sp.kron(one, line), one) + sp.kron(sp.kron(one, one), line)
    )


def banded(rows: int, half: int) -> Any:
    """Give a full band of 2 half + 1 diagonals."""
    at = np.arange(-half, half + 1)
    return sp.diags([np.ones(rows - abs(each)) for each in at], at.tolist(), shape=(rows, rows))


def anywhere(rows: int, entries: int) -> Any:
    """Give entries at positions drawn uniformly; those that are drawn twice are two entries."""
    rng = np.random.default_rng(SEED)
    return sp.coo_array((rng.random(entries), rng.integers(0, rows, (2, entries))), shape=(rows, rows))


CASES: dict[str, Callable[[], Any]] = {
    "7-point stencil, 140^3": lambda: stencil(140),
    "band of 21, 1 M rows": lambda: banded(1_000_000, 10),
    "columns anywhere, 1 M rows": lambda: anywhere(1_000_000, 20_000_000),
    "columns anywhere, 30,000 rows": lambda: anywhere(30_000, 20_000_000),
    "7-point stencil, 90^3": lambda: stencil(90),
}


def measured(name: str, dtype: Any) -> dict[str, Any]:
    """Measure one matrix in one type, after checking the tree against the host's."""
    coo = CASES[name]().tocoo()
    order = np.random.default_rng(SEED).permutation(coo.nnz)
    rows, columns = (each[order].astype(np.int32) for each in coo.coords)
    values = coo.data[order].astype(dtype)
    on_device = [cuda.to_device(each) for each in (rows, columns, values)]

    def convert() -> Any:
        made = gpu.DeviceHiSparse.from_coo(on_device[0], on_device[1], on_device[2], coo.shape)
        cuda.synchronize()
        return made

    made = convert()
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        made = convert()
        times.append(time.perf_counter() - begin)
    if coo.nnz < 6_000_000:
        exact = HiSparse.from_scipy(sp.coo_array((values, (rows, columns)), coo.shape))
        host = made.to_hisparse()
        assert host.structure() == exact.structure()
        for one, two in zip(host.triplets(), exact.triplets(), strict=True):
            np.testing.assert_array_equal(one, two)
    seconds = statistics.median(times)
    return {"matrix": name, "dtype": str(np.dtype(dtype)), "entries": coo.nnz, "ms": 1e3 * seconds,
            "best_ms": 1e3 * min(times), "million_a_second": coo.nnz / seconds / 1e6}  # fmt: skip


def main() -> None:
    """Measure all; print the table, and write what was measured."""
    found = [measured(name, dtype) for name in CASES for dtype in (np.float64, np.float32)]
    rows = [
        (
            each["matrix"],
            each["dtype"],
            f"{each['entries']:,}",
            f"{each['ms']:.2f}",
            f"{each['million_a_second']:.0f}",
        )
        for each in found
    ]
    print(device_info().name)
    print(table(("matrix", "type", "entries", "ms", "million entries a second"), rows))
    if len(sys.argv) > 1:
        text = json.dumps({"device": device_info().name, "found": found}, indent=1)
        Path(sys.argv[1]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
