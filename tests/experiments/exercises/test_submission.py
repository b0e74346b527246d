"""Only a regular file is read, and one that never ends is not waited for."""

import os

import pytest

from experiments.exercises.submission import MOST_BYTES, read_submission
from vecsim.errors import UserError


def test_a_file(tmp_path):
    path = tmp_path / "my.s"
    path.write_bytes(b"halt\n")
    assert read_submission(str(path)).content == b"halt\n"
    path.write_bytes(b"")
    os.truncate(path, 1 << 40)
    assert len(read_submission(str(path)).content) == MOST_BYTES + 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_without_a_writer(tmp_path):
    path = tmp_path / "my.s"
    os.mkfifo(path)
    with pytest.raises(UserError, match="is no regular file"):
        read_submission(str(path))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("/dev/zero", "is no regular file"),
        ("/dev/stdin", "is a symbolic link|is no regular file"),
        ("/", "is no regular file"),
        ("nowhere.s", "No such file"),
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
