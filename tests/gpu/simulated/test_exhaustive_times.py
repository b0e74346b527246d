"""A run of benchmarks.compound_exhaustive in the simulator, of few variants; times come from a function."""

import gzip
import json

import numpy as np
import pytest

from benchmarks import compound_exhaustive
from gpu.compound import COMPLEX, CompoundMatrix
from gpu.compound.device_compound import Layout
from gpu.compound.schedule import Schedule
from gpu.compound.tuning import Variant, on_device, recording
from gpu.compound.tuning.compilation import Compilers
from gpu.runtime import device_info, kernel_cache

VARIANTS = [Variant(Layout(outer), Schedule("whole", 32)) for outer in ("csr", "sliced-32", "sorted-32")]


class Named:
    name = "simulator"


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Give the run, and a list of the microseconds of the next times."""
    matrix = CompoundMatrix.from_arrays(COMPLEX, (3, 3), [0, 2, 2, 3], [0, 2, 1], [[1.0, 2.0, 3.0]] * 2)
    us = []

    def timer(enqueue, seconds):
        enqueue(None)
        return us.pop()

    monkeypatch.setattr(compound_exhaustive, "MATRICES", {compound_exhaustive.EXHAUSTIVE[0]: lambda: matrix})
    for module in (compound_exhaustive, recording):
        monkeypatch.setattr(module, "all_variants", lambda matrix, limits: VARIANTS)
    monkeypatch.setattr(recording, "joint_variants", lambda *_: VARIANTS)
    monkeypatch.setattr(on_device, "by_events", timer)
    monkeypatch.setattr(device_info, "device_info", Named)
    monkeypatch.setenv(kernel_cache.FOLDER, "")  # nothing is compiled ahead
    arguments = ["--only", "waves", "--store", tmp_path / "store", "--out", tmp_path / "out.json.gz"]
    return lambda: compound_exhaustive.main([*map(str, arguments)]), us


def test_a_run_goes_on_and_records_what_is_complete(asked, tmp_path, capsys):
    run, us = asked
    us[:] = [2.0, 3.0]
    with pytest.raises(IndexError):  # killed before the third
        run()
    assert not (tmp_path / "out.json.gz").exists()
    us[:] = [1.25, 1.0]  # the last is the best by far, and timed once more
    assert run() == 0
    assert "1 timed, 0 of 3 to do" in capsys.readouterr().out
    assert run() == 0  # nothing is left, not even that
    document = json.loads(gzip.decompress((tmp_path / "out.json.gz").read_bytes()))
    assert document["device"] == "simulator" and document["commit"]
    (record,) = document["times_us"].values()
    assert record == {VARIANTS[0].name: 3.0, VARIANTS[1].name: 2.0, VARIANTS[2].name: 1.25}


@pytest.mark.ci
def test_processes_compile_each_kernel_once(monkeypatch, tmp_path):
    monkeypatch.setenv(kernel_cache.FOLDER, str(tmp_path))
    with Compilers(2) as compilers:
        first = compilers.begin(COMPLEX, np.float32, VARIANTS)
        assert [each.result() for each in first] == [1, 1, 1]
        assert compilers.begin(COMPLEX, np.float32, VARIANTS[:2]) == first[:2]
        compilers.prepare(COMPLEX, np.float64, VARIANTS[:1])
