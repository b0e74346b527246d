"""The bytes of matrix files: only of regular files, and no more than may be."""

import gzip
import os
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest
from tiers import one_in

from vecsim.data import read
from vecsim.support.errors import UserError

BANNER = b"%%MatrixMarket matrix coordinate real general\n"
MEGABYTE = 1 << 20


def refused(path, message):
    with pytest.raises(UserError, match=message) as error:
        read(path)
    assert str(error.value).startswith(f"{path}")
    assert "\n" not in str(error.value)


def zipped(tmp_path, *parts, name="m.mtx.gz"):
    """A gzip file of parts, each bytes and how often."""
    path = tmp_path / name
    # Members one after the other: so a bomb is made at once.
    path.write_bytes(b"".join(gzip.compress(part) * count for part, count in parts))
    return path


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "m.mtx")
    refused(tmp_path / "m.mtx", r"is a pipe, a matrix file is needed; write it to a file first$")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_a_device_is_not_read(device):
    if not Path(device).exists():
        pytest.skip("no such device here")
    with pytest.raises(UserError, match="is a device, a matrix file is needed"):
        read(device)


def test_several_members_of_a_gzip_file_are_one_text(tmp_path):
    path = tmp_path / "m.mtx.gz"
    path.write_bytes(gzip.compress(BANNER) + gzip.compress(b"1 1 1\n") + gzip.compress(b"1 1 7\n"))
    assert read(path).csr.data.tolist() == [7]


def test_what_follows_a_gzip_file_is_damage(tmp_path):
    path = tmp_path / "m.mtx.gz"
    path.write_bytes(gzip.compress(BANNER + b"1 1 1\n1 1 7\n") + b"garbage")
    refused(path, "the gzip file is damaged")


def test_a_gzip_file_of_a_gzip_file_is_no_matrix(tmp_path):
    path = tmp_path / "m.mtx.gz"
    path.write_bytes(gzip.compress(gzip.compress(BANNER + b"1 1 1\n1 1 7\n")))
    refused(path, "line 1: not a Matrix Market file")


# Limits.


@pytest.mark.parametrize("packed", [False, True])
def test_the_limit_of_bytes(tmp_path, monkeypatch, packed):
    text = BANNER + b"1 1 200000\n" + b"1 1 7\n" * 200_000
    path = tmp_path / "m.mtx"
    path.write_bytes(gzip.compress(text) if packed else text)
    monkeypatch.setenv("VECSIM_FILE_LIMIT", "512K")
    refused(path, r": the file has more than 512 KiB; VECSIM_FILE_LIMIT sets another limit \(8G, 500M\)$")
    monkeypatch.setenv("VECSIM_FILE_LIMIT", str(len(text) - 1))
    refused(path, "the file has more than 1.14 MiB")
    monkeypatch.setenv("VECSIM_FILE_LIMIT", str(len(text)))
    assert read(path).csr.data.tolist() == [1_400_000]
    monkeypatch.setenv("VECSIM_FILE_LIMIT", "2 megabytes")
    with pytest.raises(
        UserError, match="VECSIM_FILE_LIMIT: '2 megabytes' is not a number of bytes; write one"
    ):
        read(path)


def test_a_header_that_does_not_come_to_an_end(tmp_path):
    path = zipped(tmp_path, (BANNER, 1), (b"%" * MEGABYTE, 1), (b"\n1 1 1\n1 1 7\n", 1))
    refused(path, "a line with rows and columns must be among the first 1,048,576 bytes")


def test_more_bytes_than_the_announced_lines_can_have(tmp_path):
    blank = zipped(tmp_path, (BANNER + b"1 1 2\n1 1 7\n", 1), (b" " * MEGABYTE, 64))
    refused(blank, r"has more than 3,\d{3} bytes, which is more than its header announces lines for")
    long = zipped(tmp_path, (BANNER + b"1 1 60000\n", 1), (b"1 1 7\n", 60_000), (b"\n" * MEGABYTE, 2))
    assert read(long).csr.data.tolist() == [420_000]


def test_the_same_of_harwell_boeing(tmp_path):
    head = b"\n".join(
        [
            b"Title",
            b"             2             1             1             0",
            b"PUA                        1             1             1             0",
            b"(2I4)           (2I4)",
            b"   1   2",
            b"   1",
            b"",
        ]
    )
    path = zipped(tmp_path, (head, 1), (b" " * MEGABYTE, 2), name="m.pua.gz")
    refused(path, "which is more than its header announces lines for")


PEAK = """
import resource, sys
from vecsim.data import read
from vecsim.support.errors import UserError
import vecsim.data.matrix_market.scanning
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read(sys.argv[1])
except UserError as error:
    print(error)
else:
    print("was read")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def peak_of(path, **environment):
    """Read in its own process; return what came of it, the growth in MB and the seconds."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", PEAK, path],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
    )
    message, kilobytes = done.stdout.splitlines()
    scale = 1024 if sys.platform == "darwin" else 1
    return message, int(kilobytes) / 1024 / scale, time.monotonic() - began


def tar_of(name, size):
    """The header of a file in a tar archive."""
    about = tarfile.TarInfo(name)
    about.size = size
    return about.tobuf()


BOMBS = {
    "zeros": ([(b"\0" * MEGABYTE, 400)], "not a Matrix Market file"),
    "blank lines": (
        [(BANNER + b"5 5 9\n", 1), (b"\n" * MEGABYTE, 400)],
        "more than its header announces lines for",
    ),
    "comment": ([(BANNER, 1), (b"%" * MEGABYTE, 400)], "a line with rows and columns must be"),
    "in an archive": (
        [(tar_of("a/a.mtx", 400 * MEGABYTE), 1), (b"\0" * MEGABYTE, 400)],
        "not a Matrix Market file",
    ),
    "beside a matrix": (
        [(tar_of("a/b.txt", 400 * MEGABYTE), 1), (b"\0" * MEGABYTE, 401)],
        "must have one matrix file",
    ),
}


@pytest.mark.parametrize("bomb", one_in(4, BOMBS))
def test_a_bomb_takes_little_memory(tmp_path, bomb):
    parts, message = BOMBS[bomb]
    path = zipped(tmp_path, *parts)
    assert path.stat().st_size < 4 * MEGABYTE
    said, megabytes, seconds = peak_of(path)
    assert message in said
    assert megabytes < 100
    assert seconds < 60


def test_a_matrix_beyond_the_memory_is_refused_by_its_header(tmp_path, monkeypatch):
    path = tmp_path / "m.mtx"
    path.write_bytes(BANNER + b"134217728 134217728 1\n1 1 5\n")
    monkeypatch.setenv("VECSIM_MEMORY_LIMIT", "2560M")
    began = time.monotonic()
    refused(
        path,
        "a matrix of 134,217,728 rows, 134,217,728 columns and 1 entry takes about 3 GiB of memory, and "
        "2.5 GiB may be taken; VECSIM_MEMORY_LIMIT sets another limit$",
    )
    assert time.monotonic() - began < 2
    said, megabytes, _ = peak_of(path, VECSIM_MEMORY_LIMIT="1G")
    assert "takes about 3 GiB" in said
    assert megabytes < 50


def test_entries_count_twice_where_half_is_stored(tmp_path, monkeypatch):
    path = tmp_path / "m.mtx"
    monkeypatch.setenv("VECSIM_MEMORY_LIMIT", "8000")
    for symmetry, fits in (("general", True), ("symmetric", False)):
        head = BANNER.replace(b"general", symmetry.encode())
        path.write_bytes(head + b"1 1 100\n" + b"1 1 5\n" * 100)
        if fits:
            assert read(path).csr.data.tolist() == [500]
        else:
            refused(path, "1 row, 1 column and 200 entries takes about")


def test_a_file_that_is_cut_off_is_called_so_whatever_it_announces(tmp_path, monkeypatch):
    path = tmp_path / "m.mtx"
    path.write_bytes(BANNER + b"10 10 99999999999999\n1 1 5\n")
    refused(path, "line 2: 99,999,999,999,999 entries announced, but 1 line found: the file was cut off")


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of addresses that is kept")
def test_the_free_memory_is_no_more_than_the_process_may_have():
    resource = pytest.importorskip("resource")
    code = (
        "import resource; from vecsim.data.limits import file_limit, free_memory\n"
        "print(free_memory(), file_limit())"
    )
    limit = 1 << 30
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    free, file = map(int, done.stdout.split())
    assert 0 <= free < limit
    assert abs(file - free // 4) < 16 * MEGABYTE
