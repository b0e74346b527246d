"""Files and folders that appear whole or not at all."""

import os
import signal
import subprocess
import sys
import time

import pytest

from vecsim.atomic_files import write_file, write_folder
from vecsim.errors import UserError


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    write_file(tmp_path / "a", b"one")
    write_file(tmp_path / "a", b"two")
    assert (tmp_path / "a").read_bytes() == b"two"
    assert names(tmp_path) == ["a"]


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    write_file(tmp_path / "a", b"one")
    monkeypatch.setattr(os, "fsync", lambda descriptor: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(UserError, match=r"a: cannot be written: No space left"):
        write_file(tmp_path / "a", b"two")
    assert (tmp_path / "a").read_bytes() == b"one"
    assert names(tmp_path) == ["a"]


def test_a_new_folder(tmp_path):
    write_folder(tmp_path / "b" / "report", {"x": b"1", "y": b"2"})
    assert names(tmp_path / "b") == ["report"]
    assert names(tmp_path / "b" / "report") == ["x", "y"]
    plain = tmp_path / "plain"
    plain.mkdir()
    assert (tmp_path / "b" / "report").stat().st_mode == plain.stat().st_mode


def test_others_stay_in_a_folder_that_is_replaced(tmp_path):
    report = tmp_path / "report"
    (report / "deep").mkdir(parents=True)
    (report / "deep" / "mine").write_bytes(b"m")
    (report / "x").write_bytes(b"old")
    (report / "note").write_bytes(b"n")
    write_folder(report, {"x": b"new"})
    assert names(tmp_path) == ["report"]
    assert [(report / name).read_bytes() for name in ("x", "note", "deep/mine")] == [b"new", b"n", b"m"]


def test_a_folder_that_cannot_be_filled_is_as_it_was(tmp_path):
    report = tmp_path / "report"
    write_folder(report, {"x": b"old"})
    with pytest.raises(UserError, match="report: cannot be written"):
        write_folder(report, {"x": b"new", "no/such": b""})
    assert (report / "x").read_bytes() == b"old"
    assert names(tmp_path) == ["report"]


def test_what_was_left_between_two_renames_is_found_again(tmp_path):
    (tmp_path / ".report.replaced").mkdir()
    (tmp_path / ".report.replaced" / "note").write_bytes(b"n")
    write_folder(tmp_path / "report", {"x": b"1"})
    assert names(tmp_path / "report") == ["note", "x"]
    assert names(tmp_path) == ["report"]


def test_the_folder_that_one_works_in_stays_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = tmp_path.stat().st_ino
    write_folder(tmp_path, {"x": b"1"})
    assert (tmp_path / "x").read_bytes() == b"1"
    assert tmp_path.stat().st_ino == before


WRITER = """
import sys
from pathlib import Path
from vecsim.atomic_files import write_folder
turn = 0
while True:
    turn += 1
    write_folder(Path(sys.argv[1]), {f"part{k}": b"%d" % turn * 1000 for k in range(20)})
"""


@pytest.mark.parametrize("seconds", [0.41, 0.53, 0.67])
def test_a_killed_writer_leaves_one_whole_set(tmp_path, seconds):
    report = tmp_path / "report"
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(report)])
    while not report.exists():
        time.sleep(0.01)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
    write_folder(report, {"after": b""})
    assert len({(report / f"part{k}").read_bytes() for k in range(20)}) == 1


def test_a_link_where_the_file_is_first_written_is_not_followed(tmp_path, monkeypatch):
    """In a folder of all users, such as /tmp, another could put one there."""
    other = tmp_path / "other"
    other.write_text("as it was")
    for name in (f".file.{os.getpid()}.partial", f".file.{bytes(8).hex()}.partial"):
        (tmp_path / name).symlink_to(other)
    write_file(tmp_path / "file", b"whole")
    assert (tmp_path / "file").read_bytes() == b"whole" and not (tmp_path / "file").is_symlink()
    monkeypatch.setattr(os, "urandom", bytes)
    with pytest.raises(UserError, match="file: cannot be written: File exists"):
        write_file(tmp_path / "file", b"again")
    assert other.read_text() == "as it was"
