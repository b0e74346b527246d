"""``python -m tests.kills``: kill vecsim at random moments, and count what is lost.

``sweep --startups 70 --gpu`` kills a sweep of 201,600 cells on a GPU.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from tests.file_server import Answer, File, FileServer
from tests.kills.campaign import Campaign, Count, check_journal, check_journal_of_work, records_of
from tests.kills.victims import JOURNAL, MATRICES, METHODS, STORE
from vecsim.results import private_files
from vecsim.results.private_files import NotPrivateError

ROWS = 20_000
"""Of the matrix that is downloaded."""


def size_of(path: Path) -> int:
    """Return the bytes of a file; 0 if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:  # not yet, or the victim has just renamed it
        return 0


def journaled(folder: Path) -> int:
    """Return the length of the journal."""
    return size_of(folder / JOURNAL)


def tables(folder: Path) -> object:
    """Return the tables of a calibration's report, but where it was made."""
    paths = sorted((folder / "out").glob("hism-calibration*.csv"))
    return {path.name: path.read_bytes() for path in paths if "provenance" not in path.name}


def measured(folder: Path) -> object:
    """Return the records of the GPU benchmark, as its class reads them."""
    from experiments.gpu_bench.records import RunJournal

    journal = RunJournal(folder / JOURNAL, {"commit": "abc"})
    journal.close()
    assert len(journal.records) == len(MATRICES) * len(METHODS)
    return journal.done, journal.records


def check_objects(folder: Path, lines: list[bytes], count: Count) -> None:
    """No object file of the cache is damaged, nor gone."""
    for path in (folder / "engine").glob("*.o"):
        count.survived += 1
        try:
            private_files.read(path)
        except NotPrivateError as error:
            count.lost += 1
            count.wrong.append(str(error))
    memory = folder / "known"
    names = {path.name for path in (folder / "engine").glob("*.o")}
    before = set(memory.read_text().split()) if memory.exists() else set()
    if before - names:
        count.wrong.append(f"{before - names} is gone")
    memory.write_text(" ".join(names))


def downloads(server: FileServer) -> Campaign:
    """Return the campaign against a download from a server on this machine."""
    lines = "".join(f"{row} {row} {row}.5\n" for row in range(1, ROWS + 1))
    head = f"%%MatrixMarket matrix coordinate real general\n{ROWS} {ROWS} {ROWS}\n"
    server.files["/a.mtx"] = File((head + lines).encode(), [Answer(pause=0.004)])
    size = len(server.files["/a.mtx"].content)
    at = {"seen": 0, "had": 0}

    def brought(folder: Path) -> int:
        """Return the bytes that are on the disk, under either of the file's names."""
        paths = [*folder.rglob("a.mtx.partial"), *folder.rglob("a.mtx")]
        return max(map(size_of, paths), default=0)

    def check(folder: Path, said: list[bytes], count: Count) -> None:
        """Each request goes on where the file ended on the disk, and the file grows."""
        ranges = server.asked("Range")[at["seen"] :]
        at["seen"] += len(ranges)
        for asked in ranges:
            if (asked or "bytes=0-") != f"bytes={at['had']}-":
                count.lost += 1
                count.wrong.append(f"{asked} was asked for, {at['had']} bytes were there")
        whole = b"whole" in said
        had = size if whole else brought(folder)
        count.survived += max(had - at["had"], 0)
        if had < at["had"]:
            count.lost += at["had"] - had
            count.wrong.append(f"{at['had'] - had} bytes are lost")
        at["had"] = 0 if whole else had
        if whole and f"({ROWS}, {ROWS}) {ROWS}".encode() not in said:
            count.wrong.append(f"another matrix: {said}")

    return Campaign("download", 1.5, brought, check, arguments=(f"{server.url}/a.mtx",))


def cells(folder: Path) -> int:
    """Return how many cells a sweep has stored."""
    path = folder / STORE
    if not path.exists():
        return 0
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=60)) as database:
        try:
            return int(database.execute("SELECT count(*) FROM cells").fetchone()[0])
        except sqlite3.OperationalError:  # it is just being made
            return 0


def check_cells(folder: Path, lines: list[bytes], count: Count) -> None:
    """There are no fewer cells than after the last kill."""
    memory = folder / "known"
    before, now = int(memory.read_text()) if memory.exists() else 0, cells(folder)
    count.survived += max(0, now - before)
    if now < before:
        count.lost += before - now
        count.wrong.append(f"{before - now} cells are lost")
    memory.write_text(str(now))


def sweeps(startups: int, *, gpu: bool) -> Campaign:
    """Return the campaign against a sweep, whose table must be the same to the byte."""
    options = ("--gpu",) if gpu else ("--jobs", "2")
    return Campaign(
        "sweep",
        12.0 if gpu else 3.0,
        cells,
        check_cells,
        lambda folder: (folder / "out" / "table.csv").read_bytes(),
        (str(startups), *options),
    )


def campaigns(server: FileServer, startups: int = 1, *, gpu: bool = False) -> dict[str, Campaign]:
    """Return all, by name."""
    actual = (
        Campaign("calibrate", 2.5, journaled, check_journal_of_work, tables),
        Campaign("reproduce", 4.0, journaled, check_journal_of_work, lambda f: sorted(records_of(f))),
        Campaign("bench", 0.3, journaled, check_journal, measured),
        Campaign("compile", 25.0, None, check_objects),
        downloads(server),
        sweeps(startups, gpu=gpu),
    )
    return {campaign.name: campaign for campaign in actual}


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 1 if anything went wrong."""
    os.environ["NO_PROXY"] = "127.0.0.1"
    server, failed = FileServer(), False
    try:
        given = _parsed(arguments, list(campaigns(server)))
        available = campaigns(server, given.startups, gpu=given.gpu)
        for name in given.names or available:
            began = time.monotonic()
            count = available[name].run(given.times, random.Random(f"{name} {given.seed}"))
            seconds, wrong = time.monotonic() - began, "; ".join(count.wrong) or "nothing wrong"
            print(
                f"{name}: {count.kills} kills in {seconds:.0f} s: {count.survived} kept, {count.lost} lost, "
                f"{count.workers} workers left (the last ended after {count.longest:.2f} s), "
                f"{count.whole} whole runs; {wrong}",
                flush=True,
            )
            failed |= bool(count.wrong)
    finally:
        server.close()
    return int(failed)


def _parsed(arguments: Sequence[str] | None, names: Sequence[str]) -> argparse.Namespace:
    """Return what the command line says; it may name these campaigns."""
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(names)}; all without")
    parser.add_argument("--times", type=int, default=10, help="kills of each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--startups", type=int, default=1, help="of the sweep: 2,880 cells each")
    parser.add_argument("--gpu", action="store_true", help="sweep on a GPU")
    given = parser.parse_args(arguments)
    # Not by `choices`, which refuse the empty list.
    unknown = [name for name in given.names if name not in names]
    if unknown:
        parser.error(f"there is no campaign {', '.join(map(repr, unknown))}; there are {', '.join(names)}")
    return given


if __name__ == "__main__":
    raise SystemExit(main())
