"""The cache of downloaded matrices, damaged: ``python -m tests.fuzz.matrix_cache --count 10000``.

A case is what lies in the cache: a matrix and its record, or a part of one and its note, as they were or not.
Whatever it is, `load` must give the matrix that the server has, from the cache where that is whole.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import shutil
import traceback
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest import mock

from tests.data.plain_readers import matrix_market
from tests.file_server import File, FileServer
from tests.fuzz.campaign import Case, difference, main
from tests.fuzz.damage import damaged
from vecsim.data import download, load

ADDRESS = "http://127.0.0.1:0/a.mtx.gz"
"""Stands in cases for the address of the server, whose port differs."""
STRANGE = (
    b"", b"{", b"null", b"5", b"[]", b"{}", b"[" * 20_000, b'{"url":' * 20_000, b"\xff\xfe", b"\0" * 100,
    b'{"url": 5, "size": 5, "sha256": 5, "etag": 5, "last_modified": 5, "fetched": 5}',
    b'{"url": "x", "size": 1e400, "etag": [], "last_modified": {}}',
)  # fmt: skip
QUICK = download.Patience(pause=0.001, longest_pause=0.001)


@cache
def server() -> FileServer:
    """Start the server of this process."""
    os.environ["NO_PROXY"] = "127.0.0.1"
    return FileServer()


def content_of(source: random.Random) -> bytes:
    """Make up a matrix file, as it is packed on the server."""
    rows = source.choice((1, 3, 30))
    entries = "".join(f"{row} {source.randint(1, rows)} {source.random()!r}\n" for row in range(1, rows + 1))
    text = f"%%MatrixMarket matrix coordinate real general\n{rows} {rows} {rows}\n{entries}"
    return gzip.compress(text.encode(), mtime=0)


def make(source: random.Random) -> Case:
    """Make up a cache: the file of the server, then in JSON what lies after its name, in Latin-1."""
    content = content_of(source)
    record = {"url": ADDRESS, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    message = {"etag": '"1"', "last_modified": None}
    note = {"url": ADDRESS, "size": len(content), **message}
    recorded: dict[str, bytes] = {}
    if source.random() < 0.7:
        recorded[""] = content
        recorded[".json"] = json.dumps({**record, **message, "fetched": "2026-01-01T00:00:00+00:00"}).encode()
    if source.random() < 0.6:
        recorded[".partial"] = content[: source.randrange(len(content) + 1)]
        recorded[".partial.json"] = json.dumps(note).encode()
    for place in list(recorded):
        way = source.random()
        if way < 0.25:
            recorded[place] = damaged(source, recorded[place], source.choice((1, 1, 2, 5)))
        elif way < 0.35:
            recorded[place] = source.choice((*STRANGE, content_of(source)))
        elif way < 0.42:
            del recorded[place]
    things = {place: data.decode("latin-1") for place, data in recorded.items()}
    return Case("a.mtx.gz", content, (json.dumps(things),))


@dataclass(frozen=True)
class MatrixCacheFuzzer:
    """How the cache is tried."""

    name: str = "matrix_cache"

    def case(self, seed: int) -> Case:
        """Return the case of a seed, the same for ever."""
        return make(random.Random(f"{self.name} {seed}"))

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Load; return a word for what came of it, and what is wrong with that or nothing."""
        url = f"{server().url}/a.mtx.gz"
        server().files["/a.mtx.gz"] = File(case.data)
        asked = len(server().requests)
        place = folder / "matrices" / "addresses" / hashlib.sha256(url.encode()).hexdigest()[:16]
        place.mkdir(parents=True)
        for suffix, text in json.loads(case.arguments[0]).items():
            data = text.encode("latin-1").replace(ADDRESS.encode(), url.encode())
            (place / f"{case.name}{suffix}").write_bytes(data)
        try:
            with (
                mock.patch.dict(os.environ, {"VECSIM_CACHE": str(folder), "VECSIM_OFFLINE": "0"}),
                mock.patch.object(download, "PATIENCE", QUICK),
            ):
                words, wrong = [], ""
                for _ in range(2):
                    before = len(server().requests)
                    actual = load(url, show_progress=False)
                    wrong = wrong or difference(actual.csr.tocoo(), matrix_market(gzip.decompress(case.data)))
                    wrong = wrong or ("" if actual.source == url else f"its source is {actual.source!r}")
                    words.append("downloaded" if len(server().requests) > before else "kept")
            if words[1] != "kept":
                wrong = wrong or "the second time it is downloaded again"
            return words[0], wrong
        except Exception:
            return "traceback", traceback.format_exc()
        finally:
            shutil.rmtree(folder / "matrices")
            del server().requests[asked:]


FUZZER = MatrixCacheFuzzer()

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
