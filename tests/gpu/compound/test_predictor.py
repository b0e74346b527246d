"""Predictions from tables that a known rule has made."""

import sys

import numpy as np
import pytest
from prediction_loss import Loss, leave_families_out, losses_by_count, mean_loss

from gpu.compound import COMPLEX, CompoundMatrix
from gpu.compound.device_compound import NATURAL, Layout
from gpu.compound.schedule import Schedule
from gpu.compound.tuning import Timing, TuningStore, Variant
from gpu.compound.tuning import predictor as predictor_module
from gpu.compound.tuning.features import features_of
from gpu.compound.tuning.predictor import Predictor, Result, results_of
from gpu.compound.tuning.product_costs import COSTS, Registers, costs
from gpu.compound.tuning.store import Search
from vecsim.support.errors import UserError

VARIANTS = [
    Variant(Layout(outer), Schedule("whole", 256, threads_per_row=sharing))
    for outer in ("csr", "sliced-32", "sorted-32")
    for sharing in (1, 2, 8)
]
BEST = {4: ("sliced-32", 1), 12: ("sorted-32", 2), 40: ("csr", 8)}
RULE = {mean + more: best for mean, best in BEST.items() for more in range(3)}
"""What is best by the mean length of rows."""
FAMILIES = {"narrow": 30, "middle": 100, "wide": 900}
"""Rows; what is best does not depend on them."""


def matrix_of(mean, rows=30):
    lengths = mean + np.random.default_rng(rows + mean).integers(-1, 2, rows)
    indices = np.concatenate([np.arange(length) for length in lengths])
    values = [np.ones(len(indices), np.float32)] * 2
    return CompoundMatrix.from_arrays(COMPLEX, (rows, 64), np.append(0, np.cumsum(lengths)), indices, values)


def result_of(family, mean):
    """Return the table of a matrix: the wrong layout doubles a time, wrong sharing adds a half to it."""
    outer, sharing = RULE[mean]
    times = {
        variant.name: mean
        * (1.0 if variant.layout.outer == outer else 2.0)
        * (1.0 if variant.schedule.threads_per_row == sharing else 1.5)
        for variant in VARIANTS
    }
    return Result(f"{family}/{mean}", features_of(matrix_of(mean, FAMILIES[family])), times)


RESULTS = [result_of(family, mean) for family in FAMILIES for mean in RULE]
_LIKE_12 = next(each for each in RESULTS if each.matrix == "middle/12")
ODD = Result("odd/12", _LIKE_12.features, {**_LIKE_12.times, VARIANTS[0].name: 1.2})
"""A matrix like others, in which another variant is ten times as fast."""


@pytest.fixture
def few_trees(monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.setattr(predictor_module, "TREES", 20)


def test_features_by_hand():
    lengths = [1, 3, 0, 2]
    indices = np.array([2, 0, 1, 3, 1, 2])
    matrix = CompoundMatrix.from_arrays(
        COMPLEX, (4, 5), np.append(0, np.cumsum(lengths)), indices, [np.ones(6)] * 2
    )
    actual = features_of(matrix)
    assert (actual["rows"], actual["columns"], actual["entries"]) == (4, 5, 6)
    assert (actual["length_mean"], actual["length_deviation"]) == (1.5, pytest.approx(np.sqrt(1.25)))
    assert (actual["entry_bytes"], actual["entry_components"], actual["component_bytes"]) == (16, 2, 8)
    assert (actual["places_csr"], actual["places_sliced-32"], actual["places_sliced-16"]) == (6, 96, 48)


def test_an_empty_matrix_has_features():
    actual = features_of(CompoundMatrix.from_arrays(COMPLEX, (0, 3), [0], [], [[], []]))
    assert (actual["entries"], actual["length_mean"], actual["places_ellpack-r"]) == (0, 0, 0)


@pytest.mark.parametrize("mean", BEST)
def test_the_rule_is_found_for_a_new_matrix(few_trees, mean):
    best = Predictor(RESULTS).best(features_of(matrix_of(mean, 300)), VARIANTS, 1)
    assert [(each.layout.outer, each.schedule.threads_per_row) for each in best] == [RULE[mean]]


@pytest.mark.ci
def test_a_rule_that_families_share_is_learnt_from_others():
    pytest.importorskip("sklearn")
    losses = leave_families_out(RESULTS, 3)
    assert [each.family for each in losses] == sorted(len(RULE) * [*FAMILIES])
    assert mean_loss(losses) < 0.08  # a random one loses 108 %
    assert mean_loss(leave_families_out(RESULTS)) < 0.35


@pytest.mark.ci
def test_costs_carry_over_to_rows_that_were_never_searched(few_trees):
    """Times are what costs make of them: trees of short rows alone could not tell what long ones need."""
    rates = np.linspace(0.01, 0.1, len(COSTS))

    def of(mean):
        features = features_of(matrix_of(mean, 300))
        us = {each.name: float(rates @ costs(features, each, Registers(16, 0))) for each in VARIANTS}
        return Result(f"rows/{mean}", features, us)

    long = of(60)
    first = Predictor([of(mean) for mean in range(2, 14)]).best(long.features, VARIANTS, 1)[0]
    assert long.times[first.name] < 1.1 * min(long.times.values())


def test_a_family_left_out_teaches_nothing(few_trees):
    actual = {each.family: each for each in leave_families_out([*RESULTS, ODD])}["odd"]
    assert (actual.matrix, actual.chosen) == ("odd/12", "sorted-32-AoS-AoS | whole 256, 2 threads a row")
    assert actual.loss == pytest.approx(9.0)  # the others' best takes 12 us


@pytest.mark.ci
def test_more_choices_lose_less(few_trees):
    actual = losses_by_count([*RESULTS, ODD], (1, len(VARIANTS)))
    of_odd = [next(each.loss for each in actual[count] if each.family == "odd") for count in actual]
    assert of_odd == [pytest.approx(9.0), pytest.approx(0.0)]


def test_forms_that_there_are_not_come_last(few_trees):
    without = [Result(each.matrix, each.features, {**each.times, VARIANTS[3].name: None}) for each in RESULTS]
    ranked = Predictor(without).best(RESULTS[0].features, VARIANTS, len(VARIANTS))
    assert ranked[-1] == VARIANTS[3]


def test_the_natural_layout_is_measured_too(few_trees):
    chosen = Predictor(RESULTS).choose(RESULTS[0].features, [*VARIANTS, Variant(NATURAL, Schedule())])
    assert chosen[-1].layout == NATURAL
    assert len(chosen) == predictor_module.PREDICTED + 1


def test_results_come_from_the_store_of_the_device(tmp_path):
    with TuningStore(tmp_path / "tuning.db") as store:
        assert results_of(store, "GPU") == []
        for device, us in (("GPU", 3.0), ("other", 5.0)):
            search = Search(device, "complex", "float32", "torus/3")
            store.begin(search, {"rows": 2.0})
            store.add(search, "a", Timing(us, 7))
            store.add(search, "b", None)
        store.begin(Search("GPU", "complex", "float64", "torus/3"), {})
        assert results_of(store, "GPU") == [Result("torus/3", {"rows": 2.0}, {"a": 3.0, "b": None})]


def test_mean_loss_is_geometric():
    losses = [Loss("a", "a/1", "", 1.0), Loss("a", "a/2", "", 0.0)]
    assert mean_loss(losses) == pytest.approx(np.sqrt(2.0) - 1.0)


def test_mistakes_are_reported(few_trees, monkeypatch):
    with pytest.raises(UserError, match="two or more are needed, there is wide"):
        leave_families_out([RESULTS[-1]])
    with pytest.raises(UserError, match="0 variants are not possible"):
        leave_families_out(RESULTS, 0)
    with pytest.raises(UserError, match="at least one search to learn from"):
        Predictor([])
    with pytest.raises(UserError, match="lacks the feature 'entry_components': tune its matrix again"):
        Predictor([Result("old", {"rows": 3.0}, RESULTS[0].times)])


def test_without_the_library_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(UserError, match=r"pip install 'vecsim\[predict\]'"):
        Predictor(RESULTS)
