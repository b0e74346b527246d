import os
from pathlib import Path

import pytest

from vecsim.data.search_path import files_in, find_file, matrix_folders


def put(*paths):
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_the_folders_are_those_of_the_variable(monkeypatch, tmp_path):
    monkeypatch.delenv("VECSIM_MATRICES", raising=False)
    assert matrix_folders() == []
    monkeypatch.setenv("VECSIM_MATRICES", os.pathsep.join((str(tmp_path), "", "~/matrices")))
    assert matrix_folders() == [tmp_path, Path.home() / "matrices"]


@pytest.mark.parametrize(
    "file",
    ["a.mtx.gz", "a.mtx", "a.rua", "a.psa.gz", "a.rb", "a.tar.gz", "a/a.mtx", "a/a.mtx.gz", "a/a.rb"],
)
def test_what_a_name_finds(tmp_path, file):
    put(tmp_path / file)
    assert find_file("a", [tmp_path / "gone", tmp_path]) == tmp_path / file
    assert find_file(file, [tmp_path]) == tmp_path / file


@pytest.mark.parametrize("file", ["HB/a.mtx", "HB/a.tar.gz", "HB/a/a.mtx"])
def test_what_a_name_with_a_group_finds(tmp_path, file):
    put(tmp_path / file)
    assert find_file("HB/a", [tmp_path]) == tmp_path / file
    assert find_file("a", [tmp_path]) is None
    assert find_file("HB", [tmp_path]) is None


def test_the_first_folder_counts_and_in_it_the_first_suffix(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    put(one / "a.rua", two / "a.mtx", two / "a.mtx.gz")
    assert find_file("a", [one, two]) == one / "a.rua"
    assert find_file("a", [two, one]) == two / "a.mtx.gz"


def test_other_folders_below_are_not_searched(tmp_path):
    put(tmp_path / "reconstructed" / "a.mtx", tmp_path / "below" / "a" / "a.mtx")
    assert find_file("a", [tmp_path]) is None
    assert find_file("reconstructed/a", [tmp_path]) == tmp_path / "reconstructed" / "a.mtx"


@pytest.mark.parametrize("name", ["", ".", "..", "../a", "x/../../a", "/a", "a\0b", "x" * 5000, "a/" * 3000])
def test_names_that_stand_for_no_file(tmp_path, name):
    put(tmp_path / "a.mtx")
    (tmp_path / "below").mkdir()
    assert find_file(name, [tmp_path / "below"]) is None


def test_a_folder_named_like_a_file_is_none(tmp_path):
    (tmp_path / "a.mtx").mkdir()
    assert find_file("a", [tmp_path]) is None
    assert list(files_in(tmp_path)) == []


def test_files_in_a_folder(tmp_path):
    put(*(tmp_path / name for name in ("b.mtx.gz", "a.RUA", "c.txt", "MANIFEST.csv", "d.tar.gz", "e/e.mtx")))
    actual = list(files_in(tmp_path))
    assert [name for name, _ in actual] == ["a", "b", "d"]
    assert [path.name for _, path in actual] == ["a.RUA", "b.mtx.gz", "d.tar.gz"]
    assert list(files_in(tmp_path / "gone")) == []
