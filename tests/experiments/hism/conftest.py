import pytest

from experiments.hism.suite import origin


@pytest.fixture
def nothing_at_hand(monkeypatch, tmp_path):
    """Let there be no file and no mesh, wherever the tests run."""
    elsewhere = tmp_path / "elsewhere" / "clone"
    elsewhere.mkdir(parents=True)
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr(origin, "CHECKOUT", elsewhere)
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("VECSIM_MATRICES", raising=False)
    monkeypatch.delenv("VECSIM_MESHES", raising=False)
