"""Tuning of compound entries: what is tried, what a model leaves out, the search and what it keeps."""

import numpy as np
import pytest

from gpu.compound import QUATERNION, CompoundMatrix
from gpu.compound.device_compound import NATURAL, Layout
from gpu.compound.outer_layout import OUTER_LAYOUTS, arranged, slicing_of
from gpu.compound.schedule import Schedule
from gpu.compound.tuning import Timing, TuningStore, Variant, joint_variants, natural_variants, tune
from gpu.compound.tuning.store import Search
from gpu.compound.tuning.traffic_model import TrafficModel
from gpu.compound.tuning.variants import DeviceLimits, registers_left, registers_needed
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError

SEARCH = Search("device", "quaternion", "float32", "matrix")
VARIANTS = [
    Variant(Layout(outer), Schedule("whole", threads))
    for outer in ("csr", "sliced-16", "sliced-32")
    for threads in (256, 128, 512)
]


def times_of(variant):
    """Stand in for a device: sliced-32 is best, and 512 threads in it."""
    us = {"csr": 30.0, "sliced-16": 20.0, "sliced-32": 10.0}[variant.layout.outer]
    return Timing(us - variant.schedule.threads_per_block / 1024, 100 if us == 10.0 else 50)


def matrix_of(lengths):
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    indices = np.concatenate([np.arange(length) for length in lengths])
    components = [np.ones(len(indices), np.float32) for _ in range(4)]
    return CompoundMatrix.from_arrays(QUATERNION, (len(lengths), 64), indptr, indices, components)


def test_variants_have_the_registers_that_they_need():
    limits = DeviceLimits()
    tried = joint_variants(QUATERNION, np.float64)
    assert {variant.layout.outer for variant in tried} == set(OUTER_LAYOUTS)
    for schedule in {variant.schedule for variant in tried}:
        assert registers_needed(QUATERNION, np.float64, schedule) <= registers_left(schedule, limits)


def test_natural_variants_are_schedules_alone():
    tried = natural_variants(QUATERNION, np.float32)
    assert {variant.layout for variant in tried} == {NATURAL}
    assert {variant.schedule.assignment for variant in tried} == {"whole", "static", "dynamic"}


@pytest.mark.parametrize("outer", OUTER_LAYOUTS)
@pytest.mark.parametrize("sharing", [1, 4])
def test_the_model_counts_the_places_that_arranging_makes(outer, sharing):
    lengths = np.random.default_rng(1).integers(0, 40, 100)
    matrix = matrix_of(lengths)
    built = arranged(matrix.shape, matrix.indptr, matrix.indices, slicing_of(outer, sharing))
    variant = Variant(Layout(outer), Schedule("whole", 256, threads_per_row=sharing))
    of_entry = 16 + built.columns.dtype.itemsize
    assert TrafficModel(matrix).stored_bytes(variant) == built.places * of_entry


def test_grids_that_leave_most_of_a_multiprocessor_empty_are_left_out():
    grids = [Variant(NATURAL, Schedule("static", 256, blocks)) for blocks in (1, 2, 4, 8)]
    recorded = TrafficModel(matrix_of([3] * 64)).ordered(grids)
    assert {variant.schedule.blocks_per_sm for variant in recorded} == {4, 8}
    assert len(TrafficModel(matrix_of([3] * 64)).ordered(grids, pruned=False)) == 4


def test_the_plain_schedule_of_a_layout_comes_first():
    tried = TrafficModel(matrix_of([3] * 64)).ordered(joint_variants(QUATERNION, np.float32))
    first = {}
    for variant in tried:
        first.setdefault(variant.layout, variant.schedule)
    assert set(first.values()) == {Schedule()}


def test_variants_with_many_more_bytes_are_left_out():
    long_row = matrix_of([1] * 63 + [64])
    recorded = TrafficModel(long_row).ordered(VARIANTS)
    assert {variant.layout.outer for variant in recorded} == {"csr"}


def test_layouts_first_then_schedules_of_the_best():
    actual = tune(VARIANTS, times_of)
    assert actual.best == Variant(Layout("sliced-32"), Schedule("whole", 512))
    assert actual.complete
    # Three layouts; then two schedules more in the best two, sliced, and in the natural one.
    assert len(actual.timings) == 9


def test_a_search_of_both_is_never_slower_than_one_of_schedules_alone():
    def times(variant):
        us = {"csr": 30.0, "sliced-16": 20.0, "sliced-32": 10.0}[variant.layout.outer]
        return Timing(1.0 if variant == Variant(NATURAL, Schedule("whole", 512)) else us, 50)

    assert tune(VARIANTS, times).best.layout == NATURAL


def test_layouts_are_measured_again_under_the_best_schedule():
    best = Variant(Layout("csr"), Schedule("whole", 256, threads_per_row=2))
    shared = [Variant(Layout(each), best.schedule) for each in ("sliced-16", "sliced-32", "csr")]

    def times(variant):  # csr is third under the plain schedule, so that its others are not measured before
        return Timing(5.0 if variant in shared[:2] else 1.0 if variant == best else times_of(variant).us, 50)

    others = [variant for variant in VARIANTS if variant.layout != NATURAL]
    actual = tune([*others, Variant(Layout("csr"), Schedule("whole", 256)), *shared], times)
    assert actual.best == best


def test_memory_counts_by_its_weight():
    assert tune(VARIANTS, times_of, memory_weight=2.0).best.layout.outer == "sliced-16"
    with pytest.raises(UserError, match="0 or more"):
        tune(VARIANTS, times_of, memory_weight=-1.0)


def test_nothing_is_begun_after_the_time_is_spent():
    seconds = iter(range(1000))
    actual = tune(VARIANTS, times_of, seconds=4.0, clock=lambda: float(next(seconds)))
    assert not actual.complete
    with pytest.raises(UserError, match="no variant"):
        tune(VARIANTS, times_of, seconds=0.0)


def test_progress_ends_with_all_done():
    messages = []
    tune(VARIANTS, times_of, exhaustive=True, report=messages.append)
    assert (messages[-1].done, messages[-1].total, messages[-1].left_s) == (9, 9, 0.0)


def test_a_layout_that_cannot_hold_the_matrix_is_passed_over():
    def refuses(variant):
        if variant.layout.outer == "sliced-32":
            raise NotRepresentableError("too much padding")
        return times_of(variant)

    assert tune(VARIANTS, refuses).best.layout.outer == "sliced-16"


def test_a_search_goes_on_after_a_kill(tmp_path):
    measured = []

    def killed(variant):
        if len(measured) == 4:
            raise KeyboardInterrupt
        measured.append(variant.name)
        return times_of(variant)

    with TuningStore(tmp_path / "tuning.db") as store:
        store.begin(SEARCH, {"rows": 3.0})
        with pytest.raises(KeyboardInterrupt):
            tune(VARIANTS, killed, keep=lambda name, timing: store.add(SEARCH, name, timing))
    again = []
    with TuningStore(tmp_path / "tuning.db") as store:
        known = store.known(SEARCH)
        assert store.features(SEARCH) == {"rows": 3.0}
    actual = tune(VARIANTS, lambda variant: again.append(variant.name) or times_of(variant), known=known)
    assert set(known) == set(measured)
    assert not set(again) & set(measured)
    assert actual == tune(VARIANTS, times_of)


def test_what_a_matrix_has_no_form_for_is_kept_too(tmp_path):
    with TuningStore(tmp_path / "tuning.db") as store:
        with pytest.raises(UserError, match="no result is stored"):
            store.known(SEARCH)
        store.begin(SEARCH, {})
        store.add(SEARCH, "a", None)
        assert store.known(SEARCH) == {"a": None}


def test_a_file_that_is_no_store_is_refused(tmp_path):
    (tmp_path / "text").write_text("no database, but a text that is long enough to be looked at" * 20)
    with pytest.raises(UserError, match="cannot store results"):
        TuningStore(tmp_path / "text")
