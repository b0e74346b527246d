from pathlib import Path

import pytest

from vecsim.results.cache_folder import cache_folder


def test_the_variable_names_it(monkeypatch, tmp_path):
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
    assert not cache_folder().exists()


@pytest.mark.skipif("sys.platform != 'linux'", reason="other systems have other rules")
@pytest.mark.parametrize("named", ["", None])
def test_without_it_the_users_cache_has_it(monkeypatch, tmp_path, named):
    if named is None:
        monkeypatch.delenv("VECSIM_CACHE")
    else:
        monkeypatch.setenv("VECSIM_CACHE", named)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "vecsim"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == Path(tmp_path, ".cache", "vecsim")
