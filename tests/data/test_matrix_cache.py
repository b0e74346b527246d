"""The cache of downloads: what comes into it, and what happens when two want the same."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from file_server import Answer, File

from vecsim.data.download import DownloadError
from vecsim.data.matrix_cache import cached_file, cached_files, fetch, matrix_cache
from vecsim.support.errors import UserError

TEXT = b"0123456789" * 2_000
PACKED = gzip.compress(TEXT, compresslevel=0, mtime=0)
NAME = Path("suitesparse", "G", "a.tar.gz")


def accept(path):
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError) as error:
        raise UserError(f"damaged: {error}") from None


def bring(server):
    return fetch(f"{server.url}/a", NAME, accept)


@pytest.fixture
def served(collections):
    collections.files["/a"] = File(PACKED)
    return collections


def left():
    """Return the names of all files in the cache but the locks."""
    return sorted(
        path.name for path in matrix_cache().rglob("*") if path.is_file() and path.suffix != ".lock"
    )


def test_a_file_is_kept_with_its_record(served):
    assert cached_file(NAME) is None
    assert cached_files() == []
    assert bring(served) == TEXT
    path, record = cached_file(NAME)
    assert path == matrix_cache() / NAME
    assert path.read_bytes() == PACKED
    assert (record.url, record.size, record.etag) == (f"{served.url}/a", len(PACKED), '"1"')
    assert cached_files() == [path]
    assert left() == ["a.tar.gz", "a.tar.gz.json"]


def test_it_is_brought_once(served):
    assert bring(served) == bring(served) == TEXT
    assert len(served.requests) == 1


@pytest.mark.parametrize("damage", [PACKED[:-1], PACKED[:-1] + b"?", b""], ids=["short", "changed", "empty"])
def test_a_file_that_is_damaged_in_the_cache_is_brought_again(served, damage):
    bring(served)
    (matrix_cache() / NAME).write_bytes(damage)
    assert cached_file(NAME) is None
    assert bring(served) == TEXT
    assert cached_file(NAME)
    assert len(served.requests) == 2


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"url": 1}'])
def test_a_record_that_is_damaged(served, text):
    bring(served)
    (matrix_cache() / "suitesparse/G/a.tar.gz.json").write_text(text)
    assert cached_file(NAME) is None
    assert bring(served) == TEXT
    assert cached_file(NAME)


def test_a_file_damaged_on_the_way_is_brought_a_second_time(served):
    flipped = PACKED[:5_000] + bytes([PACKED[5_000] ^ 1]) + PACKED[5_001:]
    # A resumption joins the beginning of one file with the end of another; nothing but the hash tells.
    served.files["/a"] = File(flipped, [Answer(cut=8_000), Answer(status=404)], etag='"same"')
    with pytest.raises(DownloadError, match="404"):
        bring(served)
    assert left() == ["a.tar.gz.partial", "a.tar.gz.partial.json"]
    served.files["/a"] = File(PACKED, etag='"same"')
    assert bring(served) == TEXT
    assert served.asked("Range") == [None, "bytes=8000-", "bytes=8000-", None]
    assert left() == ["a.tar.gz", "a.tar.gz.json"]


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        (PACKED[:-3], Answer()),  # cut off on the server
        (PACKED[:5_000] + bytes([PACKED[5_000] ^ 1]) + PACKED[5_001:], Answer()),  # corrupted on the server
        (PACKED, Answer(cut=5_000, headers={"Content-Length": None})),  # cut off, and nothing tells
        (b"<html>please log in</html>", Answer()),
    ],
)
def test_a_file_that_stays_damaged_is_not_kept(served, content, answer):
    served.files["/a"] = File(content, [answer], etag=None)
    with pytest.raises(DownloadError, match=r"^damaged: .*; a second download did not help$"):
        bring(served)
    assert len(served.requests) == 2
    assert left() == []


def test_a_cache_that_cannot_be_written(served, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(UserError, match=r"cannot be written: Not a directory; VECSIM_CACHE can name another"):
        bring(served)
    assert served.requests == []


# Several processes.

PROGRAM = f"""
import sys
from pathlib import Path
from vecsim.data.matrix_cache import fetch
print(len(fetch(sys.argv[1], Path({str(NAME)!r}), lambda path: path.read_bytes())))
"""


def start(server):
    command = [sys.executable, "-c", PROGRAM, f"{server.url}/a"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.ci
def test_two_processes_that_want_the_same_file_bring_it_once(served):
    served.files["/a"] = File(PACKED, [Answer(pause=0.05)])
    processes = [start(served) for _ in range(2)]
    for process in processes:
        out, err = process.communicate(timeout=60)
        assert (out, err) == (f"{len(PACKED)}\n", "")
    assert len(served.requests) == 1
    assert left() == ["a.tar.gz", "a.tar.gz.json"]


def test_threads_that_want_the_same_file_bring_it_once(served):
    served.files["/a"] = File(PACKED, [Answer(pause=0.01)])
    with ThreadPoolExecutor(8) as pool:
        brought = list(pool.map(lambda _: bring(served), range(8)))
    assert brought == [TEXT] * 8
    assert len(served.requests) == 1


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a process cannot be killed here")
def test_where_a_killed_process_stopped_the_next_goes_on(served):
    served.files["/a"] = File(PACKED, [Answer(stall=7_000), Answer()])
    process = start(served)
    partial = matrix_cache() / "suitesparse/G/a.tar.gz.partial"
    wait_for(lambda: partial.exists() and partial.stat().st_size == 7_000)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=10)
    assert bring(served) == TEXT
    assert served.asked("Range") == [None, "bytes=7000-"]
    assert json.loads((matrix_cache() / "suitesparse/G/a.tar.gz.json").read_text())["size"] == len(PACKED)
