"""Batches of edits of HiSparse on the device, warm: ``python -m benchmarks.tree_edits [OUT.json]``.

Entries are inserted into a five-point stencil, set and deleted again, from positions on the device to a
finished tree, the host waiting; the host's editor does the same once, and both trees are compared.
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

import gpu
from benchmarks.editing import new_positions
from benchmarks.markdown import table
from gpu.runtime.cuda import cuda
from gpu.runtime.device_info import device_info
from vecsim.data import load
from vecsim.formats import HiSparse

MATRIX = "laplace2d-1415"
COUNTS = (100_000, 1_000_000)
REPEATS = 7


def milliseconds(work: Callable[[], Any]) -> float:
    """Give the median time of some calls, the first not counted."""
    times = []
    for _ in range(REPEATS + 1):
        begin = time.perf_counter()
        work()
        cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return 1e3 * statistics.median(times[1:])


def measured(csr: Any, count: int, near: bool) -> dict[str, Any]:
    """Measure one batch: inserted, set, deleted; the first one also on the host, and compared."""
    host = HiSparse.from_scipy(csr)
    device = gpu.DeviceHiSparse.from_hisparse(host)
    rows, columns = (each.astype(np.int32) for each in new_positions(csr, count, near))
    values = np.random.default_rng(0).random(count).astype(host.dtype)
    row, column = cuda.to_device(rows), cuda.to_device(columns)
    new = cuda.to_device(values)
    made = device.insert(row, column, new)
    begin = time.perf_counter()
    editor = host.editor()
    editor.insert(rows, columns, values)
    on_the_host = 1e3 * (time.perf_counter() - begin)
    exact, found = editor.matrix(), made.to_hisparse()
    assert found.structure() == exact.structure()
    for one, two in zip(found.triplets(), exact.triplets(), strict=True):
        np.testing.assert_array_equal(one, two)
    return {
        "count": count,
        "near": near,
        "dtype": str(host.dtype),
        "insert_ms": milliseconds(lambda: device.insert(row, column, new)),
        "set_ms": milliseconds(lambda: made.set(row, column, new)),
        "delete_ms": milliseconds(lambda: made.delete(row, column)),
        "host_insert_ms": on_the_host,
    }


def main() -> None:
    """Measure all; print the table, and write what was measured."""
    csr = load(MATRIX).csr
    found = [
        measured(csr.astype(dtype), count, near)
        for dtype in (np.float64, np.float32)
        for count in COUNTS
        for near in (False, True)
    ]
    rows = [
        (f"{each['count']:,}", "near" if each["near"] else "anywhere", each["dtype"],
         *(f"{each[name + '_ms']:.1f}" for name in ("insert", "set", "delete", "host_insert")))
        for each in found
    ]  # fmt: skip
    print(device_info().name, MATRIX, csr.nnz)
    print(table(("edits", "where", "type", "insert, ms", "set", "delete", "insert, host's editor"), rows))
    if len(sys.argv) > 1:
        text = json.dumps({"device": device_info().name, "found": found}, indent=1)
        Path(sys.argv[1]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
