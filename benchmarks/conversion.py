"""Speed of the formats and of reading files.

python -m benchmarks.conversion [--nnz N]     seconds from SciPy, into the memory image and back
python -m benchmarks.conversion --files       MB a second of Matrix Market text, of files of VECSIM_MATRICES
"""

from __future__ import annotations

import argparse
import gzip
import io
import math
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp
from rich.console import Console
from rich.table import Table

from gpu.format_registry import FORMATS
from vecsim.data.matrix_market import parse_header, parse_matrix_market
from vecsim.data.matrix_market.scanning import scan
from vecsim.data.search_path import files_in, matrix_folders
from vecsim.formats import Layout

FILES = 8
ROUNDS = 7
STEPS = ("check alone", "SciPy alone", "all")


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the best time of three and the result."""
    best, result = float("inf"), None
    for _ in range(3):
        begin = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - begin)
    return best, result


def main() -> int:
    """Measure what is asked for; 1 without files to read."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.conversion", description=__doc__)
    parser.add_argument("--nnz", type=int, default=1_000_000)
    parser.add_argument("--files", action="store_true", help="measure how fast files are read")
    given = parser.parse_args()
    if given.files:
        return read_files()
    convert(given.nnz)
    return 0


def convert(nnz: int) -> None:
    """Measure all formats of the simulated machine on one random matrix, five non-zeros a row."""
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


def read_files() -> int:
    """Print how fast the largest files are read, in processor time of all threads; 1 if there are none."""
    named = [match for folder in matrix_folders() for match in files_in(folder)]
    packed = [(name, path) for name, path in named if path.name.endswith(".mtx.gz")]
    texts = sorted(
        ((_text(path), name) for name, path in packed), reverse=True, key=lambda text: len(text[0])
    )
    if not texts:
        print("no NAME.mtx.gz in the folders of VECSIM_MATRICES")
        return 1
    table = Table(title=f"MB of text per second of processor time, best of {ROUNDS}")
    for heading in ("file", "field", "MB", *STEPS, "check / SciPy"):
        table.add_column(heading, justify="left" if heading in ("file", "field") else "right")
    rates = []
    for text, name in texts[:FILES]:
        rates.append(_rates(name, text))
        table.add_row(name, parse_header(name, text).field, f"{len(text) / 1e6:.2f}", *_cells(rates[-1]))
    means = [math.exp(np.mean(np.log(column))) for column in zip(*rates, strict=True)]
    table.add_row("geometric mean", "", "", *_cells(means))
    Console().print(table)
    return 0


def _text(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes())


def _cells(rates: list[float]) -> list[str]:
    return [*(f"{rate:.0f}" for rate in rates), f"{rates[1] / rates[0]:.2f}"]


def _rates(name: str, text: bytes) -> list[float]:
    header = parse_header(name, text)
    body = np.frombuffer(text, np.uint8, offset=header.body)
    steps: list[Callable[[], Any]] = [
        lambda: scan(header, body),
        lambda: scipy.io.mmread(io.BytesIO(text)),
        lambda: parse_matrix_market(name, name, text),
    ]
    return [len(text) / 1e6 / _seconds(step) for step in steps]


def _seconds(step: Callable[[], Any]) -> float:
    best = math.inf
    for _ in range(ROUNDS + 1):  # the first may compile
        began = time.process_time()
        step()
        best = min(best, time.process_time() - began)
    return best


if __name__ == "__main__":
    raise SystemExit(main())
