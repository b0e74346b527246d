"""HiSparse times several vectors at once: ``python -m benchmarks.several_vectors [OUT.json]``.

Each product is captured in a graph and timed as the others are (`gpu.measure.timing`); the time of one
product with k vectors is set beside k times that with one.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import gpu
from benchmarks.markdown import table
from benchmarks.tree_conversion import banded, stencil
from gpu.measure.timing import measure
from gpu.runtime.cuda import cuda
from gpu.runtime.device_info import device_info

CASES = {
    "7-point stencil, 140^3": lambda: stencil(140),
    "band of 21, 1 M rows": lambda: banded(1_000_000, 10),
}
COUNTS = (1, 2, 4, 8)
SECONDS = 0.3


def measured(name: str, dtype: Any) -> list[dict[str, Any]]:
    """Measure a matrix in one type, direct and transposed."""
    csr = CASES[name]().tocsr().astype(dtype)
    made = gpu.prepare(csr, "hisparse")
    found = []
    for way, one in (("direct", made), ("transposed", made.T)):
        for count in COUNTS:
            x = np.random.default_rng(0).random((one.shape[1], count)).astype(dtype)
            exact = (csr if way == "direct" else csr.T.tocsr()) @ x
            there, out = cuda.to_device(x), cuda.device_array((one.shape[0], count), dtype)
            one.matmat(there, out=out)
            error = np.max(np.abs(out.copy_to_host() - exact)) / np.max(np.abs(exact))
            assert error < (1e-12 if dtype == np.float64 else 1e-4), error

            microseconds = measure([partial(_enqueue, one, there, out)], SECONDS).median_us
            found.append({"matrix": name, "dtype": str(np.dtype(dtype)), "way": way, "vectors": count,
                          "us": microseconds})  # fmt: skip
    return found


def _enqueue(matrix: Any, x: Any, out: Any, stream: Any) -> None:
    matrix.matmat(x, out=out, stream=cuda.external_stream(stream.address))


def main() -> None:
    """Measure all; print the table, and write what was measured."""
    found = [each for name in CASES for dtype in (np.float64, np.float32) for each in measured(name, dtype)]
    rows = []
    for at in range(0, len(found), len(COUNTS)):
        group = found[at : at + len(COUNTS)]
        times = [f"{each['us']:.0f} ({each['us'] / each['vectors']:.0f})" for each in group]
        rows.append((group[0]["matrix"], group[0]["dtype"], group[0]["way"], *times))
    print(device_info().name)
    print(table(("matrix", "type", "product", *(f"{count}, us (a vector)" for count in COUNTS)), rows))
    if len(sys.argv) > 1:
        text = json.dumps({"device": device_info().name, "found": found}, indent=1)
        Path(sys.argv[1]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
