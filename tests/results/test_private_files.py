"""Only what the user wrote, into a folder that nobody else can write, comes back."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vecsim.results import private_files
from vecsim.results.private_files import NotPrivateError, check_folder, read, write

root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)


@pytest.fixture
def file(tmp_path):
    check_folder(tmp_path / "cache")
    write(tmp_path / "cache" / "code", b"machine code")
    return tmp_path / "cache" / "code"


def test_what_was_written_is_read(file):
    assert read(file) == b"machine code"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert read(file.with_name("another")) is None


@given(at=st.integers(0, 43), bit=st.integers(0, 7))
def test_any_changed_bit_is_found(tmp_path_factory, at, bit):
    path = tmp_path_factory.mktemp("cache") / "code"
    write(path, b"machine code")
    content = bytearray(path.read_bytes())
    content[at] ^= 1 << bit
    path.write_bytes(content)
    with pytest.raises(NotPrivateError, match="is damaged"):
        read(path)


def test_a_whole_file_in_the_place_of_another_is_found(file):
    write(file.with_name("other"), b"other code")
    file.with_name("other").replace(file)
    with pytest.raises(NotPrivateError, match="is damaged"):
        read(file)


@pytest.mark.parametrize("length", [0, 1, 31, 32, 43])
def test_a_truncated_file_is_found(file, length):
    file.write_bytes(file.read_bytes()[:length])
    with pytest.raises(NotPrivateError, match="is damaged"):
        read(file)


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_refused(file, mode):
    file.chmod(mode)
    with pytest.raises(NotPrivateError, match="can be written by others: chmod go-w"):
        read(file)


@pytest.mark.parametrize("mode", [0o770, 0o777, 0o1777])
def test_a_folder_that_others_can_write_is_refused(file, mode):
    file.parent.chmod(mode)
    with pytest.raises(NotPrivateError, match="can be written by others"):
        check_folder(file.parent)


@root
def test_what_belongs_to_another_is_refused(file):
    os.chown(file, 12345, 12345)
    with pytest.raises(NotPrivateError, match="code belongs to another user"):
        read(file)
    os.chown(file.parent, 12345, 12345)
    with pytest.raises(NotPrivateError, match="cache belongs to another user"):
        check_folder(file.parent)


def test_links_pipes_and_folders_are_refused(file):
    (file.parent / "link").symlink_to(file)
    os.mkfifo(file.parent / "pipe")
    with pytest.raises(NotPrivateError, match="cannot be read"):
        read(file.parent / "link")
    for other in (file.parent, file.parent / "pipe"):
        with pytest.raises(NotPrivateError, match="is not a regular file"):
            read(other)


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(NotPrivateError, match="cannot be created: not a directory"):
        check_folder(tmp_path / "file" / "cache")


def test_a_folder_that_cannot_be_written_is_said(file, monkeypatch):
    monkeypatch.setattr(private_files.os, "access", lambda path, mode: False)
    with pytest.raises(NotPrivateError, match="cannot be written"):
        check_folder(file.parent)
