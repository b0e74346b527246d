"""The measurement of the paper on layouts, with a clock that does not measure."""

from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from experiments.papers.kit.measurement import Run
from experiments.papers.kit.results import read_results
from experiments.papers.layouts import measurement
from experiments.papers.layouts.recording import recorded_file
from experiments.papers.layouts.results import Results
from experiments.papers.layouts.subjects import Subject
from gpu.compound import COMPLEX, CompoundMatrix
from gpu.compound.component_layout import AOS, SOA
from gpu.compound.device_compound import NATURAL, Layout
from gpu.compound.schedule import Schedule
from gpu.compound.tuning import variants
from gpu.compound.tuning.variants import Variant


def tiny():
    components = [np.arange(1.0, 5), np.ones(4)]
    return CompoundMatrix.from_arrays(COMPLEX, (3, 3), [0, 2, 3, 4], [0, 2, 1, 0], components)


@pytest.mark.ci
def test_what_is_recorded(monkeypatch, tmp_path):
    subjects = (
        Subject("tiny", COMPLEX, "by hand", tiny),
        Subject("none", COMPLEX, "", lambda: (_ for _ in ()).throw(AssertionError)),
    )
    schedule = Schedule("whole", 64)
    joint = [Variant(Layout("csr", inner), schedule) for inner in (AOS, SOA)]
    monkeypatch.setattr(variants, "joint_variants", lambda *_: joint)
    monkeypatch.setattr(variants, "natural_variants", lambda *_: [Variant(NATURAL, schedule)])
    monkeypatch.setattr(measurement, "SUBJECTS", subjects)
    monkeypatch.setattr("experiments.papers.layouts.recording.SUBJECTS", subjects)

    @contextmanager
    def supplied(chosen):
        yield [
            SimpleNamespace(result=lambda: recorded_file(0, tmp_path)),
            SimpleNamespace(result=lambda: "no file"),
        ]

    monkeypatch.setattr(measurement, "supplied", supplied)
    bandwidths = SimpleNamespace(bound_us=lambda *_: 2.0)

    def timer(enqueue):
        enqueue(None)
        return 5.0

    actual = measurement.measure_matrices(
        subjects, ("simulated", {}), bandwidths, lambda *_: None, Run(), timer
    )
    assert [(each.name, each.nnz, each.missing) for each in actual.matrices] == [
        ("tiny", 4, ""),
        ("none", 0, "no file"),
    ]
    for dtype in measurement.REALS:
        joint_one = actual.search("tiny", dtype, "joint")
        assert (joint_one.variants, joint_one.median_us, joint_one.bound_us) == (2, 5.0, 2.0)
        assert actual.search("tiny", dtype, "paper").layout == "csr-AoS-AoS"
        assert actual.search("tiny", dtype, "schedule").variants == 1
    file = tmp_path / "r.json"
    file.write_bytes(actual.to_json())
    assert read_results(file, Results).searches == actual.searches


def test_layouts_of_the_paper():
    assert measurement.is_of_the_paper("sliced-32-SoA-AoS | static 128 x 4")
    assert not measurement.is_of_the_paper("sliced-32-short-SoA-AoS | whole 64")
    assert not measurement.is_of_the_paper("csr-SoA/2-AoS | whole 64")
    assert not measurement.is_of_the_paper("csr-AoS-AoSoA-32 | whole 64")
