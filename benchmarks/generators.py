"""Time and memory of the random matrices that names stand for, at 20 million entries.

python -m benchmarks.generators [NAME...]

Each is generated in another process, after a small one, so that the generator is compiled. The bound is what
any such generator has to do: two hashes for each entry, for its column and its value, and writing both.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np
from numba import njit

from vecsim.data import load_builtin
from vecsim.data.synthetic.keyed_entries import random_share

NAMES = {
    "rmat-19-22": "rmat-4-2",
    "powerlaw-1000000-20-2.1": "powerlaw-50-2-2.1",
    "uniform-1000000-20": "uniform-50-2",
    "banded-1000000-200-20-0.1": "banded-50-2-2-0.1",
    "block-1000000-4-5": "block-40-4-2",
}
"""Each with a small one of its family."""


def main() -> int:
    """Measure the matrices named, or all of `NAMES`."""
    given = sys.argv[1:]
    if given and given[0] == "--one":
        measure(given[1])
        return 0
    print(f"{'matrix':26} {'entries':>12} {'seconds':>8} {'of bound':>8} {'peak GB':>8}")
    for name in given or NAMES:
        subprocess.run([sys.executable, "-m", "benchmarks.generators", "--one", name], check=True)
    return 0


def measure(name: str) -> None:
    """Generate a matrix and print its entries, seconds, their ratio to the bound and the peak of memory."""
    load_builtin(NAMES[name])
    begin = time.perf_counter()
    matrix = load_builtin(name)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    bound = bound_seconds(matrix.nnz)
    print(f"{name:26} {matrix.nnz:12,} {seconds:8.2f} {seconds / bound:8.1f} {peak / 1e9:8.2f}")


def bound_seconds(entries: int) -> float:
    """Return the seconds of two hashes an entry and of writing both, into new memory."""
    _hash_twice(np.empty(1, np.int32), np.empty(1))
    begin = time.perf_counter()
    _hash_twice(np.empty(entries, np.int32), np.empty(entries))
    return time.perf_counter() - begin


@njit(cache=True)
def _hash_twice(columns: Any, values: Any) -> None:
    for k in range(len(columns)):
        columns[k] = random_share(1, 0, k) * len(columns)
        values[k] = 2.0 * random_share(1, 1, k) - 1.0


if __name__ == "__main__":
    sys.exit(main())
