"""The measurement of the paper on layouts, with a clock that does not measure."""

from contextlib import contextmanager
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pytest

from experiments.papers.kit.measurement import Run
from experiments.papers.kit.results import read_results
from experiments.papers.layouts import measurement
from experiments.papers.layouts.recording import recorded_file
from experiments.papers.layouts.results import Results, Search
from experiments.papers.layouts.searches import is_of_the_paper
from experiments.papers.layouts.subjects import Subject
from gpu.compound import COMPLEX, CompoundMatrix
from gpu.compound.component_layout import AOS, SOA
from gpu.compound.device_compound import NATURAL, Layout
from gpu.compound.schedule import Schedule
from gpu.compound.tuning import variants
from gpu.compound.tuning.traffic_model import TrafficModel
from gpu.compound.tuning.variants import Variant, variant_named
from gpu.measure.timing import Timing


def tiny():
    components = [np.arange(1.0, 5), np.ones(4)]
    return CompoundMatrix.from_arrays(COMPLEX, (3, 3), [0, 2, 3, 4], [0, 2, 1, 0], components)


@pytest.mark.ci
def test_what_is_recorded(monkeypatch, tmp_path):
    subjects = (
        Subject("tiny", COMPLEX, "by hand", tiny),
        Subject("none", COMPLEX, "", lambda: (_ for _ in ()).throw(AssertionError)),
    )
    whole, static = Schedule("whole", 64), Schedule("static", 64, 1)
    joint = [Variant(Layout("csr", inner), each) for inner in (AOS, SOA) for each in (whole, static)]
    natural = [Variant(NATURAL, each) for each in (whole, static)]
    monkeypatch.setattr(variants, "joint_variants", lambda *_: joint)
    monkeypatch.setattr(variants, "natural_variants", lambda *_: natural)
    monkeypatch.setattr(TrafficModel, "fills", lambda *_: True)
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

    def turn_timer(operations):
        return [Timing(timer(each) + number, 0.0, 1, 1) for number, each in enumerate(operations)]

    actual = measurement.measure_matrices(
        subjects, ("simulated", {}), bandwidths, lambda *_: None, Run(), timer, turn_timer
    )
    assert [(each.name, each.nnz, each.missing) for each in actual.matrices] == [
        ("tiny", 4, ""),
        ("none", 0, "no file"),
    ]
    for dtype in measurement.REALS:
        matches = {kind: actual.search("tiny", dtype, kind) for kind in get_args(Search)}
        assert [each.variants for each in matches.values()] == [4, 2, 2, 1]
        # In turn, by name: those of AoS come first, static before whole.
        assert (matches["joint"].schedule, matches["joint"].median_us) == ("static 64 x 1", 5.0)
        assert matches["paper"].layout == matches["paper schedule"].layout == "csr-AoS-AoS"
        assert matches["paper"].by_layout == {"csr-AoS-AoS": 5.0, "csr-SoA-AoS": 5.0}
        assert {each.stream_us for each in matches.values()} == {2.0}
    file = tmp_path / "r.json"
    file.write_bytes(actual.to_json())
    assert read_results(file, Results).searches == actual.searches


@pytest.mark.parametrize(
    ("name", "tried"),
    [
        ("sliced-32-SoA-AoS | static 128 x 4", True),
        ("csr-AoS-AoS | dynamic 64 x 8", True),
        ("sliced-32-short-SoA-AoS | static 64 x 8", False),
        ("csr-SoA/2-AoS | static 64 x 8", False),
        ("csr-AoS-AoSoA-32 | static 64 x 8", False),
        ("csr-AoS-AoS | whole 64", False),
        ("csr-AoS-AoS | whole 256, 4 threads a row", False),
    ],
)
def test_layouts_and_schedules_of_the_paper(name, tried):
    assert is_of_the_paper(variant_named(name)) is tried
