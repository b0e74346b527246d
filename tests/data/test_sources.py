import os

from file_server import File
from test_loading import archive

from vecsim.data import BUILTINS, load
from vecsim.data.sources import find_matrices, sources


def test_the_sources(collections, tmp_path, monkeypatch):
    collections.files["/MM/HB/bcspwr01.tar.gz"] = File(archive("bcspwr01", 7, 39, 39))
    (tmp_path / "a.mtx").touch()
    monkeypatch.setenv("VECSIM_MATRICES", os.pathsep.join((str(tmp_path), str(tmp_path / "gone"))))
    load("bcspwr01")
    assert [(source.kind, source.matrices) for source in sources()] == [
        ("folder", 1),
        ("folder", 0),
        ("cache", 1),
        ("built-in", len(BUILTINS)),
        ("collection", 2904),
        ("collection", 498),
    ]
    assert len(collections.requests) == 1


def test_what_a_pattern_finds(collections, tmp_path, monkeypatch):
    collections.files["/MM/HB/bcspwr01.tar.gz"] = File(archive("bcspwr01", 7, 39, 39))
    (tmp_path / "bcspwr01.mtx").touch()
    load("bcspwr01")
    monkeypatch.setenv("VECSIM_MATRICES", str(tmp_path))
    actual = find_matrices("BCSPWR01")
    assert [(f.name, f.kind, f.rows, f.entries) for f in actual] == [
        ("bcspwr01", "folder", None, None),
        ("HB/bcspwr01", "cache", 39, 131),
        ("Harwell-Boeing/bcspwr/bcspwr01", "collection", None, None),
    ]
    assert actual[1].where.startswith(str(tmp_path))
    assert [f.name for f in find_matrices("hb/bcspwr0[12]")] == ["HB/bcspwr01", "HB/bcspwr02"]
    assert [f.name for f in find_matrices("pde225") if f.kind == "built-in"] == ["pde225"]
    assert len(find_matrices("bcspwr?0")) == len(find_matrices("cspwr10")) == 2
    assert find_matrices("zzzzzz") == []
