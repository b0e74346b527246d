"""Effects of a Latin hypercube, against a truth that was planted."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, qmc

from experiments.whatif.explain.cells import Cells
from experiments.whatif.explain.effects import LEAST_PREDICTED, WELL_PREDICTED, fit
from experiments.whatif.explain.pairs import pairs
from experiments.whatif.explain.parameters import against, what_matters
from experiments.whatif.explain.variance import what_explains
from tests.tiers import examples

VALUES = ("1", "2", "4", "8", "16")
NAMES = tuple("abcdef")
MATRICES = np.log([3.0, 50.0])
"""Logarithms of what two matrices take."""


def cells_of(places, logs, values=VALUES):
    """A sweep of one program: for each sample the places of its values and the logarithm of its cycles."""
    samples, names = places.shape
    at, matrix = np.repeat(np.arange(samples), 2), np.tile([0, 1], samples)
    cycles = np.exp(logs[at] + MATRICES[matrix])
    return Cells(
        varied=dict.fromkeys(NAMES[:names], values),
        programs=("crs",),
        matrices=("m", "n"),
        features={},
        machine={},
        value_bits=32,
        cost={},
        program=np.zeros(2 * samples, np.int64),
        matrix=matrix,
        place={name: places[at, k] for k, name in enumerate(NAMES[:names])},
        cycles=cycles,
        per_nnz=cycles,
        faults=0,
    )


def hypercube(seed, samples=60, names=6, values=5):
    sampled = qmc.LatinHypercube(names, seed=seed).random(samples)
    return (sampled * values).astype(np.int64)


def planted(generator, names=6):
    """Additive effects of five values each; the last thing has none."""
    truth = generator.normal(0, 0.3, (names, len(VALUES)))
    truth[-1] = 0
    return truth


def sums(truth, places):
    return sum(truth[k][places[:, k]] for k in range(len(truth)))


@examples(20)
@given(st.integers(0, 2**32))
def test_an_additive_truth_is_found_exactly(seed):
    generator = np.random.default_rng(seed)
    truth, places = planted(generator), hypercube(seed)
    cells = cells_of(places, sums(truth, places))
    actual = fit(cells, 0)
    assert actual.refusal == ""
    assert actual.surface.explained == actual.surface.predicted == pytest.approx(1)
    for name, levels in zip(NAMES, truth, strict=True):
        effect = actual.effects[name]
        assert effect.levels == pytest.approx(levels - levels.mean(), abs=1e-9)
        assert effect.low <= np.exp(np.ptp(levels)) <= effect.high
    # What pictures show is free of the other effects, too.
    speeds = {
        row.row: row.ours for row in against(cells, "a").rows if row.quantity == "crs, cycles a non-zero"
    }
    assert np.log(list(speeds.values())) - np.log(speeds["1"]) == pytest.approx(truth[0] - truth[0][0])
    assert all("by up to 0.0 %" in item.summary for item in pairs(cells))


def bent(generator, values):
    """Additive effects that a cubic in the logarithm does not hit: a line that ends at some value."""
    numbers = np.arange(1, values + 1)
    ends = generator.integers(2, values, len(NAMES))
    truth = np.log(np.minimum(numbers, ends[:, None])) * generator.normal(0, 0.4, (len(NAMES), 1))
    truth[-1] = 0
    return truth


@pytest.mark.parametrize(("values", "noise"), [(5, 0.1), pytest.param(40, 0.0, marks=pytest.mark.ci)])
def test_each_effect_is_within_its_interval_in_95_of_100(values, noise):
    """Of 60 samples of six things: noise, or effects that no noise hides and the surface does not hit."""
    texts = tuple(map(str, range(1, values + 1)))
    inside, fitting = np.zeros(len(NAMES), np.int64), 0
    for seed in range(200):
        generator = np.random.default_rng(seed)
        truth = planted(generator) if values == len(VALUES) else bent(generator, values)
        places = hypercube(seed, values=values)
        logs = sums(truth, places) + generator.normal(0, noise, len(places))
        actual = fit(cells_of(places, logs, texts), 0)
        if not actual.refusal:
            fitting += 1
            effects, right = actual.effects.values(), np.exp(np.ptp(truth, axis=1))
            inside += [
                effect.low <= ratio <= effect.high for effect, ratio in zip(effects, right, strict=True)
            ]
    assert fitting > 190
    for count in inside.tolist():
        assert binomtest(count, fitting, 0.95, alternative="less").pvalue > 0.05
    assert all(1 < effect.high / effect.low < 3 for effect in effects)  # and they say something


def test_a_mean_over_the_samples_of_a_value_would_say_the_opposite():
    """The first thing speeds up, and its slow values come with the fast ones of another."""
    pairs_of_values = [(p, q) for p, q in itertools.product(range(5), repeat=2) if abs(p - q) < 2]
    places = np.array(pairs_of_values)
    truth = np.array([[0, -1, -2, -3, -4], [0, 2, 4, 6, 8]]) / 10.0
    cells = cells_of(places, sums(truth, places))
    raw = [np.log(cells.per_nnz[cells.place["a"] == value]).mean() for value in range(5)]
    assert raw == sorted(raw)
    actual = {(row.row, row.quantity): row for row in what_matters(cells).rows}
    assert actual["a: crs", "fastest / slowest"].ours == pytest.approx(np.exp(0.4))
    assert actual["a: crs", "fastest / slowest"].note.startswith("slowest 1, fastest 16")
    assert actual["b: crs", "fastest / slowest"].note.startswith("slowest 16, fastest 1")


def test_what_the_surface_does_not_fit_is_not_ranked():
    places = hypercube(3)
    signs = np.where(places < 2, -1.0, 1.0)
    cells = cells_of(places, signs[:, 0] * signs[:, 1] * signs[:, 2])
    item = what_matters(cells)
    assert item.chart is None
    (gap,) = item.gaps
    assert gap.startswith("crs is not ranked, and left out where its means would mix effects: the fitted ")
    assert "80% are needed" in gap
    quality = {row.quantity: row.ours for row in item.rows if row.row == "crs"}
    assert quality["R2, each sample predicted from the others"] < LEAST_PREDICTED
    assert all((row.ours, row.absent) == (None, "not ranked") for row in item.rows if row.row != "crs")
    # Nor is anything shown that would be a mean over samples that differ in all else.
    assert all(row.ours is None for name in cells.several for row in against(cells, name).rows)
    assert what_explains(cells).gaps == (gap,)


def test_residuals_with_structure_are_no_noise():
    """A line that ends: a curve predicts most of it, and misses neighbours alike."""
    values = tuple(map(str, range(1, 41)))
    places = hypercube(0, values=40)
    actual = fit(cells_of(places, np.minimum(places[:, 0] + 1, 12.5), values), 0)
    assert LEAST_PREDICTED < actual.surface.predicted < WELL_PREDICTED
    assert actual.refusal == "the fitted surface does not fit: its residuals depend on a"


def test_a_pair_is_found_and_the_means_of_both_are_right():
    places = hypercube(5, samples=120)
    truth = planted(np.random.default_rng(5))
    steps = np.log(np.array(VALUES, float))
    steps -= steps.mean()
    both = 0.4 * steps[places[:, 0]] * steps[places[:, 1]]
    cells = cells_of(places, sums(truth, places) + both)
    actual = fit(cells, 0)
    assert actual.refusal == ""
    for name, levels in zip(NAMES, truth, strict=True):
        assert actual.effects[name].levels == pytest.approx(levels - levels.mean(), abs=1e-9)
    first, *others = pairs(cells)
    assert first.name == "sweep-a-b"
    assert all("by up to 0.0 %" in item.summary for item in others)
    speed = {(row.row, row.quantity): row.ours for row in first.rows}
    by_hand = np.exp(truth[0][0] + truth[1][4] + truth[2:].mean(axis=1).sum() + 0.4 * steps[0] * steps[4])
    assert speed["crs, a=1", "b=16"] == pytest.approx(1 / (by_hand * np.exp(MATRICES.mean())))


def shares(cells):
    return {(row.row, row.quantity): row.ours for row in what_explains(cells).rows}


def test_the_variance_of_a_grid_is_divided_by_hand():
    places = np.array(list(itertools.product(range(2), repeat=2)))
    a, b = np.array([-1.0, 1.0])[places.T]
    actual = shares(cells_of(places, 3 * a + 2 * b + a * b, ("1", "2")))
    of_matrix = np.var(MATRICES)
    total = 9 + 4 + 1 + of_matrix
    for part, value in {"a": 9, "b": 4, "a x b": 1, "matrix": of_matrix}.items():
        assert actual["crs", part] == pytest.approx(value / total)
    assert actual["crs", "more than two together, or error"] == pytest.approx(0)


def test_the_variance_of_samples_is_that_of_the_grid():
    truth = planted(np.random.default_rng(2))
    places, noise = hypercube(2, samples=150), np.random.default_rng(3).normal(0, 0.1, 150)
    actual = shares(cells_of(places, sums(truth, places) + noise))
    total = sum(np.var(levels) for levels in truth) + np.var(MATRICES) + 0.01
    for name, levels in zip("abcde", truth, strict=False):
        assert actual["crs", name] == pytest.approx(np.var(levels) / total, abs=0.02)
    assert ("crs", "f") not in actual
    assert actual["crs", "more than two together, or error"] == pytest.approx(0.01 / total, abs=0.01)


def test_too_few_samples_are_not_ranked():
    places = hypercube(0, samples=20)
    item = what_matters(cells_of(places, sums(planted(np.random.default_rng(0)), places)))
    (gap,) = item.gaps
    assert gap.endswith("mix effects: 20 samples are too few to separate 6 things.")


def test_numbers_with_many_values_have_a_curve():
    values = tuple(map(str, range(1, 41)))
    places = hypercube(1, names=3, values=40)
    effects = [0.5, -0.2, 0.0]
    logs = sum(effect * np.log(places[:, k] + 1) for k, effect in enumerate(effects))
    actual = fit(cells_of(places, logs, values), 0)
    assert actual.surface.freedom == 60 - 10
    for name, effect in zip(NAMES, effects, strict=False):
        assert np.log(actual.effects[name].ratio) == pytest.approx(abs(effect) * np.log(40), abs=1e-6)


def test_every_combination_needs_no_model():
    places = np.array(list(itertools.product(range(5), repeat=2)))
    assert fit(cells_of(places, np.zeros(25)), 0) is None
    assert fit(cells_of(places[1:], np.zeros(24)), 0) is not None
    assert (
        fit(cells_of(places - 1, np.zeros(25)), 0) is None
    )  # one at a time: some are as the machine has them
