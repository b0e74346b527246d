"""``python -m tests.pinned_digests``: compare the digests pinned for downloads with the files that are here.

``--record`` writes ``vecsim/data/collections/pinned.csv`` again: a row for each matrix that an experiment
names and whose file, in the folders of ``VECSIM_MATRICES``, is as its collection gives it. Others have been
converted from other sources, and may differ in the last digit or in explicit zeros from what a server gives.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import re
from collections.abc import Iterator
from pathlib import Path

from experiments.crosscheck.matrices import listed
from experiments.gpu_bench.suite import suite
from experiments.papers.hism.six_matrices import MATRICES
from experiments.papers.hism.suite import members
from experiments.papers.hism.suite.origin import FILE
from vecsim.data import read
from vecsim.data.collections import MATRIX_MARKET, SUITESPARSE, Entry, counterpart, find_entries, pinned
from vecsim.data.search_path import find_file, matrix_folders
from vecsim.results.atomic_files import write_file
from vecsim.results.digests import matrix_sha256

PINNED = Path(str(pinned.FILE))

# SuiteSparse writes the matrix and its editor above the entries, the Matrix Market nothing, and 14 digits.
_OF_SUITESPARSE = re.compile(rb"^% .*Collection, Tim Davis$.*^% name: (\S+)$", re.MULTILINE | re.DOTALL)
_OF_MATRIX_MARKET = re.compile(
    rb"%%MatrixMarket matrix coordinate real \w+\n[\d ]+\n(\d+ \d+ [ -]\d\.\d{13}e[+-]\d\d\n)+"
)


def names() -> list[str]:
    """Return the names of files that the experiments name, sorted."""
    origins = (origin.split() for member in members() for origin in member.origins)
    actual = {name for kind, name, *_ in origins if kind == FILE}
    actual |= {matrix.name for matrix in MATRICES}
    actual |= {matrix.source for matrix in (*listed(), *suite()) if matrix.source}
    return sorted(name for name in actual if find_entries(name))


def entry_of(name: str, content: bytes) -> Entry | None:
    """Return the entry of the collection that a file is from, by its text; None if it is from none."""
    message = _OF_SUITESPARSE.search(content)
    if message:
        collection, path = SUITESPARSE, message[1].decode()
    elif _OF_MATRIX_MARKET.fullmatch(content):
        collection, path = MATRIX_MARKET, ""
    else:
        return None
    of_it = [
        entry for entry in _entries_of(name) if entry.collection is collection and path in ("", entry.path)
    ]
    return of_it[0] if len(of_it) == 1 else None


def _entries_of(name: str) -> list[Entry]:
    """Return the entries that a name may stand for, in either collection."""
    return [other for entry in find_entries(name) for other in (entry, counterpart(entry)) if other]


def rows() -> Iterator[tuple[str, str]]:
    """Yield path and digest of each file that is here as a collection gives it."""
    for name in names():
        file = find_file(name, matrix_folders())
        if file is not None and file.name.endswith(".mtx.gz"):
            entry = entry_of(name, gzip.decompress(file.read_bytes()))
            if entry is not None:
                yield entry.path, matrix_sha256(read(file).csr)


def not_pinned() -> list[str]:
    """Return the `names` without an entry that has a pinned digest."""
    return [name for name in names() if not any(entry.path in pinned.pinned() for entry in _entries_of(name))]


def record(actual: dict[str, str]) -> None:
    """Write the file again."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["path", "sha256"])
    writer.writerows(sorted(actual.items()))
    write_file(PINNED, text.getvalue().encode("ascii"))


def main() -> int:
    """Return 1 if a file that is here has another digest than is pinned, or none is."""
    parser = argparse.ArgumentParser(prog="python -m tests.pinned_digests", description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the file again, of what is here")
    arguments = parser.parse_args()
    actual = dict(rows())
    if arguments.record:
        record(actual)
        print(f"{len(actual)} digests written to {PINNED}, for {len(names())} names")
        return 0
    differing = {path for path, digest in actual.items() if pinned.pinned().get(path) != digest}
    for path in sorted(differing):
        print(f"{path}: found {actual[path]}, pinned is {pinned.pinned().get(path)}")
    print(f"{len(actual)} of {len(pinned.pinned())} pinned digests compared, {len(differing)} differ")
    without = not_pinned()
    print(f"{len(without)} of {len(names())} names that experiments use have no digest: {', '.join(without)}")
    return int(bool(differing))


if __name__ == "__main__":
    raise SystemExit(main())
