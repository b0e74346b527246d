"""A search over products that run, in the simulator; times come from a function."""

import numpy as np
import pytest

from gpu.compound import QUATERNION, UNIT_QUATERNION, CompoundMatrix, reference_product
from gpu.compound.component_layout import AOS, SOA, ComponentLayout
from gpu.compound.device_compound import Layout
from gpu.compound.schedule import Schedule
from gpu.compound.tuning import TuningStore, Variant, on_device, tune
from gpu.compound.tuning.compilation import Compilers, compile_share
from gpu.compound.tuning.features import features_of
from gpu.compound.tuning.on_device import DeviceMeasurement, tune_on_device
from gpu.compound.tuning.store import Search
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError


@pytest.fixture
def matrix():
    sampled = np.random.default_rng(3)
    components = [sampled.uniform(-1, 1, 4) for _ in range(4)]
    return CompoundMatrix.from_arrays(QUATERNION, (3, 3), [0, 2, 2, 4], [0, 2, 1, 2], components)


def run_once(enqueue):
    enqueue(None)
    return 1.0


def test_products_are_run_and_compared(matrix):
    variants = [
        Variant(Layout(outer), Schedule("whole", 32, threads_per_row=sharing))
        for outer, sharing in (("csr", 1), ("csr", 2), ("sliced-32", 1))
    ]
    actual = tune(variants, DeviceMeasurement(matrix, run_once))
    assert len(actual.timings) == 3
    assert all(timing.nbytes > 4 * 32 for timing in actual.timings.values())


def test_a_product_that_is_wrong_or_not_written_is_refused(matrix):
    variant = Variant(Layout("sliced-32", AOS, ComponentLayout(32)), Schedule("whole", 32))
    with pytest.raises(UserError, match="has 12 components that are off"):
        DeviceMeasurement(matrix, lambda enqueue: 1.0)(variant)  # nothing is launched
    x = np.ones((3, 4))
    exact = reference_product(matrix, x)
    assert DeviceMeasurement(matrix, run_once, (x, exact))(variant).us == 1.0
    exact[2, 3] += 1e-6
    with pytest.raises(UserError, match="has 1 components that are off"):
        DeviceMeasurement(matrix, run_once, (x, exact))(variant)


def test_what_a_layout_refuses_is_arranged_once(monkeypatch):
    asked = []

    def refuses(matrix, outer, sharing):
        asked.append(outer)
        raise NotRepresentableError("too much padding")

    monkeypatch.setattr(on_device, "placed_pattern", refuses)
    matrix = CompoundMatrix.from_arrays(QUATERNION, (1, 1), [0, 1], [0], [np.ones(1)] * 4)
    measurement = DeviceMeasurement(matrix, run_once)
    for inner in (AOS, SOA):
        with pytest.raises(NotRepresentableError, match="too much padding"):
            measurement(Variant(Layout("ellpack-r", inner), Schedule("whole", 32)))
    assert asked == ["ellpack-r"]


def test_a_search_is_kept_with_the_features_of_its_matrix(matrix, tmp_path):
    with TuningStore(tmp_path / "tuning.db") as store:
        first = tune_on_device(matrix, "small", store, "simulator", natural=True, seconds=0.5, timer=run_once)
        search = Search("simulator", "quaternion", "float64", "small")
        assert set(first.timings) == set(store.known(search))
        assert store.features(search) == features_of(matrix)
        assert store.features(search)["length_greatest"] == 2.0


def test_variants_to_be_measured_are_named_before(matrix, tmp_path):
    asked = []
    with TuningStore(tmp_path / "tuning.db") as store:
        how = {"natural": True, "seconds": 0.5, "timer": run_once, "prepare": asked.append}
        first = tune_on_device(matrix, "small", store, "simulator", **how)
        assert set(first.timings) <= {variant.name for variants in asked for variant in variants}


def test_kernels_of_the_sample_can_be_compiled():
    variants = [Variant(Layout("csr"), Schedule("whole", 32)), Variant(Layout("sorted-32"), Schedule())]
    assert compile_share(QUATERNION, np.float32, variants) == 2
    assert compile_share(UNIT_QUATERNION, np.float64, variants) == 2
    with Compilers() as compilers:  # one kernel is too few for separate processes
        assert compilers.begin(QUATERNION, np.float32, variants[:1]) == []


def test_only_what_is_chosen_is_measured(matrix, tmp_path):
    seen = {}

    def choose(features, variants):
        seen.update(features)
        return variants[1:3]

    with TuningStore(tmp_path / "tuning.db") as store:
        how = {"natural": True, "timer": run_once, "choose": choose}
        actual = tune_on_device(matrix, "small", store, "simulator", **how)
    assert (len(actual.timings), actual.complete) == (2, True)
    assert seen == features_of(matrix)


def test_a_kernel_that_finds_no_room_is_passed_over(matrix):
    def refuses(enqueue):
        raise RuntimeError("cuLaunchKernelEx: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")

    def fails(enqueue):
        raise RuntimeError("cuLaunchKernelEx: CUDA_ERROR_ILLEGAL_ADDRESS")

    variant = Variant(Layout("csr"), Schedule("whole", 32))
    with pytest.raises(NotRepresentableError, match="cannot be launched"):
        DeviceMeasurement(matrix, refuses)(variant)
    with pytest.raises(RuntimeError, match="ILLEGAL_ADDRESS"):
        DeviceMeasurement(matrix, fails)(variant)
