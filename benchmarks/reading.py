"""How fast Matrix Market files are read: ``python -m benchmarks.reading``, the largest of VECSIM_MATRICES.

Processor time of all threads, so that what else the machine does matters little; the best of several readings
of text that is unpacked already.
"""

from __future__ import annotations

import gzip
import io
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
from rich.console import Console
from rich.table import Table

from vecsim.data.matrix_market import parse_header, parse_matrix_market
from vecsim.data.matrix_market.scanning import scan
from vecsim.data.search_path import files_in, matrix_folders

FILES = 8
ROUNDS = 7
STEPS = ("check alone", "SciPy alone", "all")


def main() -> int:
    """Print the table."""
    named = [found for folder in matrix_folders() for found in files_in(folder)]
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
