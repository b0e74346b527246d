"""Sets of files in a folder of results: new or old as a whole, and all other files as they were."""

import errno
import json
import os
import stat
import threading
from pathlib import Path

import pytest
from filelock import FileLock

from tests.kills import shared_folder
from vecsim.results import result_folder
from vecsim.results.result_folder import LOCK, MANIFEST, read_set, write_folder
from vecsim.support.errors import UserError
from vecsim.support.input_files import InputKind

KIND = InputKind("a part", 1 << 20)
NAMES = ("a.csv", "b.csv", "c.svg")
KINDS = dict.fromkeys(NAMES, KIND)


def parts(text: str, names=NAMES) -> dict[str, bytes]:
    return {name: f"{text} {name}".encode() for name in names}


def plain(folder: Path, names=NAMES) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in names}


def seen(folder: Path) -> list[str]:
    """What is there, but for the manifest and the lock."""
    return sorted(path.name for path in folder.iterdir() if path.name not in (MANIFEST, LOCK))


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder with a set."""
    write_folder(tmp_path / "results", parts("old"))
    return tmp_path / "results"


def test_a_new_folder(tmp_path):
    write_folder(tmp_path / "deep" / "results", parts("one"))
    assert plain(tmp_path / "deep" / "results") == parts("one")
    assert seen(tmp_path / "deep" / "results") == list(NAMES)
    (tmp_path / "other").mkdir()
    assert (tmp_path / "deep" / "results").stat().st_mode == (tmp_path / "other").stat().st_mode
    (tmp_path / "file").touch()
    assert (tmp_path / "deep" / "results" / NAMES[0]).stat().st_mode == (tmp_path / "file").stat().st_mode


def test_the_plain_names_have_the_newest_set_and_older_files_stay(folder):
    write_folder(folder, parts("new", NAMES[:2]))
    assert plain(folder) == parts("new", NAMES[:2]) | parts("old", NAMES[2:])
    assert seen(folder) == list(NAMES)


def test_what_others_have_in_the_folder_is_not_touched(folder, tmp_path):
    (folder / "deep").mkdir()
    (folder / "deep" / "mine").write_bytes(b"m")
    (folder / ".hidden").write_bytes(b"h")
    (folder / "link").symlink_to("nowhere")
    (folder / ".vecsim-notes").write_bytes(b"n")
    (folder / ".vecsim-x.partial").write_bytes(b"a file, no folder")
    others = [folder, *(path for path in folder.rglob("*") if path.name not in (*NAMES, MANIFEST, LOCK))]
    before = {path: path.lstat().st_ino for path in others}
    write_folder(folder, parts("new"))
    assert {path: path.lstat().st_ino for path in others} == before
    assert (folder / "deep" / "mine").read_bytes() == b"m"
    assert sorted(tmp_path.iterdir()) == [folder]


def test_a_file_that_comes_while_a_set_is_written_stays(folder, monkeypatch):
    write = result_folder._write

    def slowly(file, content):
        (folder / f"bystander {file.name}").write_bytes(b"b")
        write(file, content)

    monkeypatch.setattr(result_folder, "_write", slowly)
    write_folder(folder, parts("new"))
    assert set(seen(folder)) >= {*NAMES, *(f"bystander {name}" for name in NAMES)}


def test_a_set_that_comes_while_another_is_written_stays(folder, monkeypatch):
    write = result_folder._write
    other = parts("two", ("d.csv", "e.csv"))

    def slowly(file, content):
        if file.name == NAMES[1]:
            write_folder(folder, other)
        write(file, content)

    monkeypatch.setattr(result_folder, "_write", slowly)
    write_folder(folder, parts("one"))
    assert plain(folder) == parts("one")
    assert read_set(folder, dict.fromkeys(other, KIND)) == other
    assert read_set(folder, KINDS) == parts("one")


def test_the_folder_may_be_a_link_and_the_current_one(folder, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(folder)
    before = folder.stat().st_ino
    write_folder(tmp_path / "link", parts("new"))
    assert plain(folder) == parts("new")
    assert (tmp_path / "link").is_symlink()
    assert folder.stat().st_ino == before


def test_a_link_or_a_file_that_may_only_be_read_is_replaced(folder, tmp_path):
    (tmp_path / "kept").write_bytes(b"kept")
    (folder / NAMES[0]).unlink()
    (folder / NAMES[0]).symlink_to(tmp_path / "kept")
    (folder / NAMES[1]).chmod(0o400)
    write_folder(folder, parts("new"))
    assert plain(folder) == parts("new")
    assert (tmp_path / "kept").read_bytes() == b"kept"


def test_a_folder_in_the_place_of_a_file_is_refused(folder):
    (folder / NAMES[1]).unlink()
    (folder / NAMES[1]).mkdir()
    with pytest.raises(UserError, match=r"b\.csv: is a directory; remove it"):
        write_folder(folder, parts("new"))
    assert plain(folder, ("a.csv", "c.svg")) == parts("old", ("a.csv", "c.svg"))
    assert seen(folder) == list(NAMES)


@pytest.mark.parametrize("name", ["../out", "/out", "a/../../out", "a//b", "./a", "a\\b", ""])
def test_a_name_outside_of_the_folder_is_refused(folder, name):
    with pytest.raises(UserError, match="is not a file name; use one"):
        write_folder(folder, parts("new") | {name: b""})
    assert plain(folder) == parts("old")


def test_a_name_may_be_a_path_below_the_folder(folder):
    for content in (b"one", b"two"):
        write_folder(folder, parts("new") | {"lib/deep/a.s": content})
        assert (folder / "lib" / "deep" / "a.s").read_bytes() == content
    (folder / "file").write_bytes(b"")
    (folder / "link").symlink_to(folder / "lib")
    for name in ("file/a.s", "link/a.s"):
        with pytest.raises(UserError, match="is not a directory; remove it"):
            write_folder(folder, {name: b""})


STEPS = (
    (result_folder, "_write"),
    (result_folder, "_sync_folder"),
    (result_folder, "_commit"),
    (result_folder, "_put_in_place"),
    (result_folder.shutil, "rmtree"),
    (Path, "replace"),
)
"""What a write consists of."""
MOST_STEPS = 40


def interrupted(folder: Path, step: int, end, patch) -> None:
    """Write a set, and end in front of its step of this number; the steps are counted from 0."""
    counted = iter(range(MOST_STEPS))

    def counting(function):
        def call(*arguments, **named):
            if next(counted) == step:
                end()
            return function(*arguments, **named)

        return call

    for module, name in STEPS:
        patch.setattr(module, name, counting(getattr(module, name)))
    write_folder(folder, parts("new"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes that begin as copies")
@pytest.mark.parametrize("first", [False, pytest.param(True, marks=pytest.mark.ci)])
def test_a_writer_that_is_killed_anywhere_leaves_one_set(tmp_path, first):
    """A copy of this process ends without another word in front of each step of a write."""
    actual = []
    for step in range(MOST_STEPS):
        folder = tmp_path / str(step)
        if not first:
            write_folder(folder, parts("old"))
        child = os.fork()
        if child == 0:
            try:
                with pytest.MonkeyPatch.context() as patch:
                    interrupted(folder, step, lambda: os._exit(9), patch)
                os._exit(0)
            finally:
                os._exit(1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code == 0:
            break
        assert code == 9
        try:
            actual.append(read_set(folder, KINDS))
        except UserError as error:
            assert first
            assert "no such file" in str(error)
            actual.append(None)
        write_folder(folder, {"after": b""})
        if actual[-1] is not None:
            assert plain(folder) == actual[-1]
        assert set(seen(folder)) - {"after"} == set(NAMES if actual[-1] else ())
    old = None if first else parts("old")
    transposed = actual.index(parts("new"))
    assert actual == [old] * transposed + [parts("new")] * (len(actual) - transposed)
    assert 3 < transposed < len(actual) - 3


def test_a_disk_that_is_full_anywhere_leaves_one_set(tmp_path):
    def full():
        raise OSError(errno.ENOSPC, "No space left on device")

    actual = []
    for step in range(MOST_STEPS):
        folder = tmp_path / str(step)
        write_folder(folder, parts("old"))
        with pytest.MonkeyPatch.context() as patch:
            try:
                interrupted(folder, step, full, patch)
                break
            except UserError as error:
                assert "cannot be written: No space left on device" in str(error)
        actual.append(read_set(folder, KINDS))
        if actual[-1] == parts("old"):
            assert seen(folder) == list(NAMES)
        write_folder(folder, {"after": b""})
        assert plain(folder) == actual[-1]
        assert seen(folder) == [NAMES[0], "after", *NAMES[1:]]
    transposed = actual.index(parts("new"))
    assert actual == [parts("old")] * transposed + [parts("new")] * (len(actual) - transposed)


def test_a_set_is_read_in_the_middle_of_a_write(folder, monkeypatch):
    replace, actual = Path.replace, []

    def slowly(path, target):
        if path.name in NAMES:
            actual.append(read_set(folder, KINDS))
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", slowly)
    write_folder(folder, parts("new"))
    assert actual == [parts("new")] * 3


def test_what_somebody_else_changed_is_taken_as_it_is(folder):
    (folder / NAMES[1]).write_bytes(b"changed")
    assert read_set(folder, KINDS) == parts("old") | {NAMES[1]: b"changed"}
    (folder / NAMES[1]).unlink()
    with pytest.raises(UserError, match=r"b\.csv: no such file; check the path$"):
        read_set(folder, KINDS)
    (folder / MANIFEST).unlink()
    (folder / NAMES[1]).write_bytes(b"again")
    assert read_set(folder, KINDS) == parts("old") | {NAMES[1]: b"again"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[" * 100_000,
        b"{}",
        b'{"staged": ".vecsim-a.partial", "files": {"a.csv": 1}}',
        json.dumps({"staged": "../.vecsim-a.partial", "files": {}}).encode(),
        json.dumps({"staged": ".vecsim-a.partial", "files": {"a.csv": "0" * 63}}).encode(),
    ],
)
def test_a_damaged_manifest_is_as_none_and_replaced(folder, content):
    (folder / MANIFEST).write_bytes(content)
    assert read_set(folder, KINDS) == parts("old")
    write_folder(folder, parts("new"))
    assert read_set(folder, KINDS) == parts("new")


def test_a_writer_that_waits_too_long_says_so(folder, monkeypatch):
    monkeypatch.setattr(result_folder, "LOCK_SECONDS", 0.01)
    held, done = threading.Event(), threading.Event()

    def hold():
        with FileLock(folder / LOCK):
            held.set()
            done.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(20)
    with pytest.raises(UserError, match=r"results: another process has been writing it for"):
        write_folder(folder, parts("new"))
    done.set()
    thread.join()
    assert plain(folder) == parts("old")


def test_whoever_may_write_in_the_folder_may_lock_it(tmp_path):
    (tmp_path / "common").mkdir()
    (tmp_path / "common").chmod(0o775)
    write_folder(tmp_path / "common", parts("one"))
    assert stat.S_IMODE((tmp_path / "common" / LOCK).stat().st_mode) == 0o664


@pytest.mark.ci
def test_writers_a_reader_and_a_bystander_share_a_folder():
    count = shared_folder.run(1, seed=1)
    assert count.wrong == []
    assert count.sets
    assert count.changes
    assert count.reads
    assert count.kills
