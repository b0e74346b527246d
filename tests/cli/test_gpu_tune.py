"""`vecsim gpu tune --predict`: which variants are measured, and mistakes in one line."""

import sys
from pathlib import Path

import pytest

from gpu.compound.device_compound import NATURAL
from gpu.compound.schedule import Schedule
from gpu.compound.tuning import Found, Timing, TuningStore, Variant, on_device
from gpu.compound.tuning import predictor as predictor_module
from gpu.compound.tuning.store import Search
from gpu.runtime import device_info, kernel_cache
from gpu.runtime.cuda_driver import NoGpuError
from tests.cli.test_gpu import INFO

VARIANTS = [Variant(NATURAL, Schedule("whole", threads)) for threads in (128, 256)]


@pytest.fixture
def asked(vecsim, matrix, monkeypatch, tmp_path):
    """Return what a search is asked to choose by, and the command's result."""
    monkeypatch.setattr(device_info, "device_info", lambda: INFO)
    chosen = []

    def tuned(*_, choose=None, **__):
        chosen.append(choose)
        return Found(VARIANTS[0], Timing(2.0, 100), {VARIANTS[0].name: Timing(2.0, 100)}, complete=True)

    monkeypatch.setattr(on_device, "tune_on_device", tuned)
    store = tmp_path / "tuning.db"
    return lambda *options: (vecsim("gpu", "tune", matrix, "--store", store, *options), chosen)


def test_without_it_all_is_searched(asked):
    result, chosen = asked()
    assert (result.code, chosen) == (0, [None])


def test_searches_of_this_device_are_learnt_from(asked, tmp_path, monkeypatch):
    learnt = []
    monkeypatch.setattr(predictor_module, "Predictor", lambda results: learnt.extend(results) or Fake())

    class Fake:
        choose = "choice"

    with TuningStore(tmp_path / "tuning.db") as store:
        search = Search(INFO.name, "complex", "float32", "torus/3")
        store.begin(search, {"rows": 1.0})
        store.add(search, VARIANTS[1].name, Timing(4.0, 9))
    result, chosen = asked("--predict")
    assert (result.code, chosen) == (0, ["choice"])
    assert [(each.matrix, each.times) for each in learnt] == [("torus/3", {VARIANTS[1].name: 4.0})]


def test_nothing_to_learn_from(asked):
    result, _ = asked("--predict")
    assert result.code == 2
    assert "the file has no search on Fake GPU" in result.err


def test_a_few_variants_are_not_all(asked):
    result, _ = asked("--predict", "--exhaustive")
    assert result.code == 2
    assert "--predict measures a few variants, --exhaustive all of them: use one" in result.err


def test_without_a_gpu_no_kernel_is_looked_at(vecsim, matrix, monkeypatch):
    def none():
        raise NoGpuError("no driver")

    monkeypatch.setattr(device_info, "device_info", none)
    monkeypatch.setitem(sys.modules, "gpu.compound.tuning.store", None)  # importing it would fail
    result = vecsim("gpu", "tune", matrix)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "vecsim gpu tune: no driver: an NVIDIA GPU is needed" in result.err


def test_what_is_kept_is_of_this_matrix_and_this_code(vecsim, matrix, monkeypatch, tmp_path):
    """A file of the same name with other values, and kernels of other code, are searched again."""
    monkeypatch.setattr(device_info, "device_info", lambda: INFO)
    names = []

    def tuned(compound, name, *_, **__):
        names.append(name)
        return Found(VARIANTS[0], Timing(2.0, 100), {VARIANTS[0].name: Timing(2.0, 100)}, complete=True)

    monkeypatch.setattr(on_device, "tune_on_device", tuned)

    def tune():
        assert vecsim("gpu", "tune", matrix, "--store", tmp_path / "tuning.db").code == 0

    tune()
    tune()
    monkeypatch.setattr(kernel_cache, "source_digest", lambda: "other code")
    tune()
    monkeypatch.undo()
    monkeypatch.setattr(device_info, "device_info", lambda: INFO)
    monkeypatch.setattr(on_device, "tune_on_device", tuned)
    text = Path(matrix).read_text().splitlines()
    Path(matrix).write_text("\n".join([*text[:-1], text[-1].replace(text[-1].split()[-1], "77.5")]) + "\n")
    tune()
    assert names[0] == names[1]
    assert len(set(names)) == 3
