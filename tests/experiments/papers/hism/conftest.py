import pytest


@pytest.fixture
def nothing_found(monkeypatch, tmp_path):
    """Let there be no file and no mesh, wherever the tests run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("VECSIM_MATRICES", raising=False)
    monkeypatch.delenv("VECSIM_MESHES", raising=False)
