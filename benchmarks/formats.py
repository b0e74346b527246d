"""Speed of the formats: seconds for a million non-zeros from SciPy, into the memory image and back.

python -m benchmarks.formats [--nnz N]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from rich.console import Console
from rich.table import Table

from vecsim.formats import FORMATS, Layout


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Give the best time of three and the result."""
    best, result = float("inf"), None
    for _ in range(3):
        begin = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - begin)
    return best, result


def main() -> None:
    """Measure all formats of the simulated machine on one random matrix, five non-zeros a row."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.formats", description=__doc__)
    parser.add_argument("--nnz", type=int, default=1_000_000)
    nnz = parser.parse_args().nnz
    rng = np.random.default_rng(8128)
    rows = nnz // 5
    coordinates = (rng.integers(0, rows, nnz), rng.integers(0, rows, nnz))
    matrix = sp.csr_array((rng.random(nnz, dtype=np.float32), coordinates), shape=(rows, rows))
    table = Table(
        "format", "from SciPy", "image", "to SciPy", "product", title=f"{matrix.nnz:,} non-zeros, s"
    )
    x = rng.random(rows, dtype=np.float32)
    for format in FORMATS.values():
        if not format.has_image:
            continue
        into, stored = seconds(partial(format.from_scipy, matrix))
        image, _ = seconds(partial(stored.image, Layout(64, 4)))
        back, _ = seconds(stored.to_scipy)
        product, _ = seconds(partial(stored.matvec, x))
        table.add_row(format.name, *(f"{t:.3f}" for t in (into, image, back, product)))
    Console().print(table)


if __name__ == "__main__":
    main()
