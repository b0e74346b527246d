"""Whether all GPUs of this host work on one sweep: ``python -m tests.many.several_gpus``.

It runs with some processes, then on a Dask scheduler with a worker for each GPU. The tables must be that of
the processor. A GPU works if a process holds memory of it meanwhile.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

SWEEP = ["vecsim", "sweep", "laplace2d-20", "wathen-8", "--set", "startup=1:40:1", "--set", "lanes=1,2,4,8"]
SWEEP += ["--set", "bank_busy=1:8:1", "--set", "banks=16,32"]
"""Ten tasks of 2,560 machines."""
HELD = 200
"""MiB of a GPU that a process with a context holds, at least."""


def held() -> list[int]:
    """Return of each GPU how many MiB are held."""
    command = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    return [int(line) for line in subprocess.check_output(command, text=True).split()]


def swept(folder: Path, *options: str) -> tuple[bytes, list[int]]:
    """Run the sweep; return its table, and by how much the memory held of each GPU grew."""
    before = held()
    most = before
    files = ["--store", str(folder / "s"), "--out", str(folder)]
    with subprocess.Popen([sys.executable, "-m", *SWEEP, *files, *options]) as process:
        while process.poll() is None:
            most = [max(pair) for pair in zip(most, held(), strict=True)]
            time.sleep(0.2)
    assert process.returncode == 0, f"exit code {process.returncode}"
    return (folder / "table.csv").read_bytes(), [a - b for a, b in zip(most, before, strict=True)]


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[str]:
    """Yield the address of a Dask scheduler on this host with some workers, each its own process."""
    file = folder / "scheduler.json"
    own = ["--no-dashboard", "--scheduler-file", str(file)]
    parts = [["scheduler", "--host", "127.0.0.1", "--port", "0", *own]]
    parts.append(["worker", "--nthreads", "1", "--nworkers", str(workers), *own])
    with ExitStack() as stack:
        for part in parts:
            with (folder / "dask.log").open("ab") as log:
                process = subprocess.Popen([sys.executable, "-m", "dask", *part], stdout=log, stderr=log)
            stack.callback(process.wait)
            stack.callback(process.terminate)
            while not file.exists():
                time.sleep(0.1)
        yield str(json.loads(file.read_text())["address"])


def main() -> int:
    """Return the exit code: 1 if a GPU did nothing or a table differs."""
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folders = [folder / each for each in ("processor", "processes", "dask")]
        for each in folders:
            each.mkdir()
        right, _ = swept(folders[0])
        with cluster(folder, len(held())) as address:
            for way, *options in (("processes", "--gpu"), ("dask", "--gpu", "--scheduler", address)):
                began = time.monotonic()
                table, grown = swept(folder / way, *options)
                same, used = table == right, sum(each >= HELD for each in grown)
                print(
                    f"{way}: {time.monotonic() - began:.0f} s, the {'same' if same else 'WRONG'} table, "
                    f"{used} of {len(grown)} GPUs worked (MiB held: {grown})",
                    flush=True,
                )
                failed |= not same or used < len(grown)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
