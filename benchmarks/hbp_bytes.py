"""Bytes a non-zero of HBP as published and repaired, counted from the matrices; and how full warps are.

python -m benchmarks.hbp_bytes [NAME ...]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from benchmarks.markdown import table
from experiments.gpu_bench.suite import select
from gpu.formats.hbp_active import device_bytes
from vecsim.data.random_graphs import kronecker, uniform
from vecsim.data.random_patterns import localised
from vecsim.formats import ActiveHBP
from vecsim.formats.hbp.container import BLOCK_COLUMNS, BLOCK_ROWS, SLOT_BYTES, WARP

MATRICES: dict[str, Callable[[], Any]] = {
    "Kronecker 16": lambda: kronecker(16, 48),
    "Kronecker 18": lambda: kronecker(18, 48),
    "8 columns anywhere, 2 M rows": lambda: uniform(2_000_000, 8),
    "localised, 1 M rows": lambda: localised(1_000_064, 384, 64, 300.0),
    "circuit-322k": lambda: select("circuit-322k")[0].make(),
    "web-1400k": lambda: select("web-1400k")[0].make(),
    **{name: select(name)[0].make for name in ("hub-columns", "hubs-both", "power-rows-18")},
    "band-400": lambda: select("band-400")[0].make(),
}
HEAD = (
    "matrix, million entries",
    "CRS",
    "`hbp`",
    "`hbp-active`",
    "float32",
    "in blocks",
    "by degree: bytes",
    "in blocks",
    "lanes with an entry",
    "in blocks of 512 rows",
)


def published_bytes(csr: Any) -> float:
    """Give the bytes of the published form in float64 with its sums, whether it could be made or not."""
    across = -(-csr.shape[1] // BLOCK_COLUMNS)
    slots = -(-csr.shape[0] // BLOCK_ROWS) * BLOCK_ROWS * across
    return float(csr.nnz * 16 + slots * (SLOT_BYTES + 8 + 4 / WARP))


def row(name: str, csr: Any) -> list[str]:
    """Give a matrix's line of the table."""
    made = ActiveHBP.from_scipy(csr)
    by_degree = ActiveHBP.from_scipy(csr, by_degree=True)
    narrow = ActiveHBP.from_scipy(csr, block_rows=BLOCK_ROWS)
    crs = 12 + 4 * (csr.shape[0] + 1) / csr.nnz
    return [
        f"{name}, {csr.nnz / 1e6:.1f}",
        f"{crs:.1f}",
        f"{published_bytes(csr) / csr.nnz:.1f}",
        f"{device_bytes(made) / csr.nnz:.1f}",
        f"{device_bytes(made.astype('float32')) / csr.nnz:.1f}",
        f"{made.in_blocks / csr.nnz:.1%}",
        f"{device_bytes(by_degree) / csr.nnz:.1f}",
        f"{by_degree.in_blocks / csr.nnz:.1%}",
        *(_lanes(each) for each in (made, narrow)),
    ]


def _lanes(made: ActiveHBP) -> str:
    steps = int(made.group_steps().sum())
    return f"{made.in_blocks / WARP / steps:.0%}" if steps else ""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hbp_bytes", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    chosen = parser.parse_args().names or list(MATRICES)
    print(table(HEAD, (row(name, MATRICES[name]()) for name in chosen)))


if __name__ == "__main__":
    main()
