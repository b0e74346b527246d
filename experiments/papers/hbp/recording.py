"""Measure what a CPU can: the orders of rows, and write them into the results that come with the package.

python -m experiments.papers.hbp.recording FILE [NAME ...]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments.gpu_bench.suite import SuiteMatrix
from experiments.papers.hbp.orders import study
from experiments.papers.hbp.results import OrderRecord, Results
from experiments.papers.hbp.subjects import id_of, on_the_host
from experiments.papers.kit.source import recorded_results
from vecsim.results.atomic_files import write_file

EVERY_PARTITION = ("m4", "m8", "m10", "m14")
"""Of these every partition is looked at, and the numbers of the hash are varied: one of each kind."""


def orders_of(chosen: Sequence[SuiteMatrix]) -> tuple[OrderRecord, ...]:
    """Study the orders of matrices, one after the other, on this CPU."""
    orders: list[OrderRecord] = []
    for matrix in chosen:
        begun = time.perf_counter()
        orders += study(matrix.name, matrix.make(), every_partition=id_of(matrix) in EVERY_PARTITION)
        print(f"{matrix.name}: {time.perf_counter() - begun:.1f} s", flush=True)
    return tuple(orders)


def main(given: Sequence[str] | None = None) -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(prog="python -m experiments.papers.hbp.recording", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help="matrices; all that fit a host without any")
    arguments = parser.parse_args(given)
    chosen = [each for each in on_the_host() if not arguments.names or each.name in arguments.names]
    result = replace(recorded_results(Results), orders=orders_of(chosen))
    write_file(arguments.file, result.to_json())
    return 0


if __name__ == "__main__":
    sys.exit(main())
