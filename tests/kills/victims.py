"""What is killed: ``python -m tests.kills.victims NAME FOLDER [ADDRESS]`` works in a folder.

A line of output, ``kept`` and a record, follows each record that `Journal.append` has returned from.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from vecsim.results.journal import Journal

JOURNAL = "kept.journal"
STORE = "cells.sqlite"
MATRICES = tuple(f"matrix {number}" for number in range(40))
METHODS = ("crs", "jd", "hism", "chism")
"""Of the GPU benchmark's journal."""


def tell_what_is_kept() -> None:
    """Print each record when it is kept, in one system call."""
    from vecsim.results.journal import _line

    append = Journal.append

    def notify(self: Journal, record: Mapping[str, Any]) -> None:
        append(self, record)
        os.write(1, b"kept " + _line(record))

    # A subclass would not do: the commands under test make their journals themselves.
    Journal.append = notify  # type: ignore[method-assign]


def calibrate(folder: Path) -> None:
    """Search two choices on a tiny suite, with two workers."""
    from experiments.papers.hism.calibration.choices import CHOICES

    few = tuple(choice for choice in CHOICES if choice.name in ("banks", "JD: y"))
    _command(
        folder,
        ["calibrate", "--starts", "1"],
        {"experiments.papers.hism.calibration.calibration.CHOICES": few},
    )


def reproduce(folder: Path) -> None:
    """Reproduce the paper on a tiny suite, with two workers."""
    _command(folder, ["reproduce", "hism"], {})


def _command(folder: Path, words: list[str], patches: Mapping[str, Any]) -> None:
    from tests import suite_cases
    from vecsim.cli import main

    with pytest.MonkeyPatch.context() as patch:
        suite_cases.install(patch)
        for name, value in patches.items():
            patch.setattr(name, value)
        code = main([*words, "--jobs", "2", "--out", str(folder / "out"), "--results", str(folder / JOURNAL)])
    if code:
        raise SystemExit(code)


def bench(folder: Path) -> None:
    """Keep the records of made-up measurements as the GPU benchmark does."""
    from experiments.gpu_bench.records import Record, RunJournal

    journal = RunJournal(folder / JOURNAL, {"commit": "abc"})
    for matrix in MATRICES:
        if matrix in journal.done:
            continue
        journal.begin(matrix)
        for method in METHODS:
            time.sleep(0.005)
            journal.add(Record(matrix, "c", False, 3, 3, 7, "float32", "spmv", method, {}, "vecsim"))
        journal.finish(matrix, "a")
    journal.close()


def compile_engine(folder: Path) -> None:
    """Compile the engine into an empty cache, and run a program with it."""
    os.environ["VECSIM_CACHE"] = str(folder)
    from tests.fuzz import hostile_cache

    if hostile_cache.ran("jit") != hostile_cache.expected():
        raise SystemExit("the result is another one")


def sweep(folder: Path, startups: str, *options: str) -> None:
    """Sweep machines with the five products on three matrices: 2,880 cells for each startup."""
    from vecsim.cli import main

    machines = [f"startup=1:{startups}:1", "lanes=1,2,4,8", "bank_busy=1:6:1", "words_per_cycle=1:8:1"]
    varied = [word for numbers in machines for word in ("--set", numbers)]
    kept = ["--store", str(folder / STORE), "--out", str(folder / "out")]
    if code := main(["sweep", "laplace2d-10", "wathen-2", "randomwalk-10", *varied, *kept, *options]):
        raise SystemExit(code)


def download(folder: Path, address: str) -> None:
    """Download a matrix that comes slowly."""
    os.environ["VECSIM_CACHE"] = str(folder)
    from vecsim.data import load

    matrix = load(address, show_progress=False)
    print(matrix.csr.shape, matrix.csr.nnz, flush=True)


VICTIMS: dict[str, Callable[..., None]] = {
    "calibrate": calibrate,
    "reproduce": reproduce,
    "bench": bench,
    "compile": compile_engine,
    "download": download,
    "sweep": sweep,
}

if __name__ == "__main__":
    tell_what_is_kept()
    VICTIMS[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
    print("whole", flush=True)
