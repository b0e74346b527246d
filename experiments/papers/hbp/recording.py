"""Measure what a CPU can: the orders of rows, and write them as a file of results.

python -m experiments.papers.hbp.recording FILE [NAME ...]
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.gpu_bench.suite import SuiteMatrix
from experiments.papers.hbp.orders import study
from experiments.papers.hbp.paper import KIND
from experiments.papers.hbp.results import MatrixRecord, OrderRecord, Results, to_json
from experiments.papers.hbp.subjects import id_of, on_the_host
from experiments.papers.kit.phases import clock
from vecsim.results.atomic_files import write_file
from vecsim.results.digests import matrix_sha256
from vecsim.results.provenance import provenance

EVERY_PARTITION = ("m4", "m8", "m10", "m14")
"""Of these every partition is looked at, and the numbers of the hash are varied: one of each kind."""


def described(matrix: SuiteMatrix, csr: object, missing: str = "", sha256: str = "") -> MatrixRecord:
    """Say what a matrix is like; of one that could not be made, why.

    Parameters
    ----------
    matrix
        What it is.
    csr
        As csr_array; None if it could not be made.
    missing
        Why.
    sha256
        Its digest, if it is known already.
    """
    blank = MatrixRecord(matrix.name, str(matrix.stands_for[0]["name"]), matrix.kind, missing=missing)
    if csr is None:
        return blank
    lengths = np.diff(csr.indptr)  # type: ignore[attr-defined]
    return MatrixRecord(
        blank.name,
        blank.stands_for,
        blank.note,
        rows=len(lengths),
        nnz=int(lengths.sum()),
        longest=int(lengths.max(initial=0)),
        mean=float(lengths.mean()),
        sigma=float(lengths.std()),
        sha256=sha256 or matrix_sha256(csr),
    )


def orders_of(matrix: SuiteMatrix, csr: object) -> list[OrderRecord]:
    """Study the orders of a matrix, as far as they are looked at for it."""
    return study(matrix.name, csr, every_partition=id_of(matrix) in EVERY_PARTITION)


def record(chosen: Sequence[SuiteMatrix]) -> Results:
    """Study matrices one behind the other, on this CPU."""
    made, seconds = provenance(), dict[str, float]()
    matrices, orders = [], []
    for matrix in chosen:
        begun = time.perf_counter()
        csr = matrix.make()
        with clock(seconds, "orders"):
            orders += orders_of(matrix, csr)
        matrices.append(described(matrix, csr))
        print(f"{matrix.name}: {time.perf_counter() - begun:.1f} s", flush=True)
    return Results(
        KIND,
        made.date,
        str(made.commit),
        "",
        {"CPU": platform.machine(), "cores": str(os.cpu_count())},
        {name: round(value, 2) for name, value in seconds.items()},
        tuple(matrices),
        tuple(orders),
        command=made.command,
        versions=dict(made.versions),
    )


def main(given: Sequence[str] | None = None) -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(prog="python -m experiments.papers.hbp.recording", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help="matrices; all that fit a host without any")
    arguments = parser.parse_args(given)
    chosen = [each for each in on_the_host() if not arguments.names or each.name in arguments.names]
    write_file(arguments.file, to_json(record(chosen)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
