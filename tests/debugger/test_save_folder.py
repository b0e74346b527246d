"""Where `save` writes: below one folder, over regular files alone."""

import os

import pytest
from debugger_cases import debugger, kernel
from hypothesis import given
from hypothesis import strategies as st

from vecsim.debugger.commands import execute
from vecsim.debugger.save_folder import SaveFolder
from vecsim.support.errors import UserError


@pytest.fixture
def folders(tmp_path):
    """A folder with many ways out of it, and all that lies outside."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    (inside / "below").mkdir(parents=True)
    outside.mkdir()
    (outside / "file").write_text("as it was")
    (inside / "way").symlink_to(outside)
    (inside / "round").symlink_to(inside / "round")
    (inside / "link").symlink_to(outside / "file")
    (inside / "new").symlink_to(outside / "new")
    (inside / "near").symlink_to(inside / "below")
    os.mkfifo(inside / "pipe")
    return inside, outside


def test_it_writes_below_the_folder(folders):
    inside, _ = folders
    shown = debugger(save_folder=str(inside))
    for name in ("my.s", "below/my.s", str(inside / "below" / "whole.s"), "near/near.s", "./a#b.s", "my.s"):
        assert execute(shown, f"save {name}") == [f"written to {name}"]
        assert (inside / name).read_text() == kernel().text
    assert sorted(path.name for path in (inside / "below").iterdir()) == ["my.s", "near.s", "whole.s"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../outside/file", "without '..'"),
        ("below/../x.s", "without '..'"),
        ("..", "without '..'"),
        (".", "without '..'"),
        ("way/file", "is outside"),
        ("way/x.s", "is outside"),
        ("/dev/stdout", "is outside"),
        ("/etc/x.s", "is outside"),
        ("round/x.s", "the folder must exist below"),
        ("nowhere/x.s", "the folder must exist below"),
        ("link", "not a regular file"),
        ("new", "not a regular file"),
        ("pipe", "not a regular file"),
        ("below", "not a regular file"),
        ("x" * 300, "too long"),
        ("a\0b", "null byte"),
        ("a\0b/c", "the folder must exist below"),
    ],
)
def test_what_it_refuses(folders, name, message):
    inside, outside = folders
    with pytest.raises(UserError, match=message):
        execute(debugger(save_folder=str(inside)), f"save {name}")
    assert [path.name for path in outside.iterdir()] == ["file"] and (
        outside / "file"
    ).read_text() == "as it was"


def test_a_file_instead_of_a_folder(folders):
    inside, _ = folders
    for name in ("nowhere", "pipe", "round", "a\0"):
        with pytest.raises(UserError, match="the folder does not exist"):
            SaveFolder(str(inside / name))


def test_a_text_that_is_not_utf_8_is_not_saved(folders):
    inside, _ = folders
    shown = debugger(save_folder=str(inside))
    execute(shown, "edit 1 # \udcff")
    with pytest.raises(UserError, match="UTF-8"):
        execute(shown, "save my.s")
    assert not (inside / "my.s").exists()


parts = st.sampled_from(
    ["..", ".", "", "way", "link", "near", "below", "round", "new", "pipe", "x", "~", "*"]
)


@given(st.lists(parts, min_size=1, max_size=5), st.sampled_from(["", "/", "//"]))
def test_nothing_outside_is_touched(tmp_path_factory, names, root):
    base = tmp_path_factory.mktemp("saves")
    inside, outside = base / "inside", base / "outside"
    for folder in (inside / "below", outside):
        folder.mkdir(parents=True)
    for name, target in (
        ("way", outside),
        ("link", outside / "file"),
        ("near", inside),
        ("new", outside / "x"),
    ):
        (inside / name).symlink_to(target)
    name = root + "/".join(names)
    try:
        SaveFolder(str(inside)).write(name, b"written")
    except UserError:
        assert not [path for path in inside.rglob("*") if path.is_file()]
    else:
        assert (inside / name).resolve().is_relative_to(inside) and (inside / name).read_bytes() == b"written"
    assert not list(outside.iterdir())
