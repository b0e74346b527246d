"""Only a regular file is read, and one that never ends is not waited for."""

import os

import pytest

from experiments.course.submission import read_submission
from vecsim.support.errors import UserError


def test_a_file(tmp_path):
    path = tmp_path / "my.s"
    path.write_bytes(b"halt\n")
    assert read_submission(str(path)).content == b"halt\n"
    for size in (65_537, 1 << 40):
        os.truncate(path, size)
        with pytest.raises(UserError, match="has more than 64 KiB; use a smaller one: a text that is graded"):
            read_submission(str(path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_without_a_writer(tmp_path):
    path = tmp_path / "my.s"
    os.mkfifo(path)
    with pytest.raises(UserError, match="is a pipe"):
        read_submission(str(path))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("/dev/zero", "is a device"),
        ("/dev/stdin", "is a symbolic link"),
        ("/proc/self/environ", "is a file of the kernel"),
        ("/", "is a directory"),
        ("nowhere.s", "no such file"),
        ("a\0b", "null"),
        ("x" * 5000, "too long"),
    ],
)
def test_what_is_none(name, message):
    with pytest.raises(UserError, match=message) as caught:
        read_submission(name)
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize("target", ["/etc/passwd", "real.s", "nowhere", "my.s"])
def test_a_link(tmp_path, target):
    (tmp_path / "real.s").write_text("secret\n")
    path = tmp_path / "my.s"
    path.symlink_to(target)
    with pytest.raises(UserError, match="is a symbolic link") as caught:
        read_submission(str(path))
    assert "secret" not in str(caught.value) and "root" not in str(caught.value).removeprefix(str(path))


def test_a_folder_of_the_path_may_be_a_link(tmp_path):
    """Whoever grades types the path: its folders are theirs, and only the file comes from somebody else."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "my.s").write_text("halt\n")
    (tmp_path / "folder").symlink_to("real")
    assert read_submission(str(tmp_path / "folder" / "my.s")).content == b"halt\n"
    (tmp_path / "real" / "my.s").unlink()
    (tmp_path / "real" / "my.s").symlink_to("/etc/passwd")
    with pytest.raises(UserError, match="is a symbolic link"):
        read_submission(str(tmp_path / "folder" / "my.s"))
