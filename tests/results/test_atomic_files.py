"""Files that appear whole or not at all."""

import os

import pytest

from vecsim.results.atomic_files import write_file
from vecsim.support.errors import UserError


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_is_replaced_and_nothing_is_left_next_to_it(tmp_path):
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
