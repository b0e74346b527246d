"""A build writes all of its files or none."""

import pytest

from vecsim.playground import build as building
from vecsim.support.errors import UserError


def test_a_build_that_fails_leaves_the_folder_as_it_was(monkeypatch, tmp_path):
    def fail(folder, *more):
        (folder / "index.html").write_text("half")
        raise UserError("npm: no network")

    for name in ("tool", "linker"):
        monkeypatch.setattr(building, name, lambda *named: "")
    monkeypatch.setattr(building, "_write_all", fail)
    (tmp_path / "index.html").write_text("whole")
    for folder in (tmp_path, tmp_path / "new"):
        with pytest.raises(UserError, match=r"^npm: no network$"):
            building.build(folder)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("index.html", "whole")]
    with pytest.raises(UserError, match=r"index\.html is a file; name a folder"):
        building.build(tmp_path / "index.html")
