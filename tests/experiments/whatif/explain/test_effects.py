"""Effects of a Latin hypercube, against a truth that was planted."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import qmc

from experiments.whatif.explain.cells import Cells
from experiments.whatif.explain.effects import LEAST_EXPLAINED, fit
from experiments.whatif.explain.pairs import pairs
from experiments.whatif.explain.parameters import against, what_matters
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
    assert actual.refusal == "" and actual.explained == pytest.approx(1)
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


def inside(seed):
    """Whether the intervals of all effects hold, of 60 samples with noise."""
    generator = np.random.default_rng(seed)
    truth, places = planted(generator), hypercube(seed)
    noise = generator.normal(0, 0.1, len(places))
    actual = fit(cells_of(places, sums(truth, places) + noise), 0)
    return all(
        actual.effects[name].low <= np.exp(np.ptp(levels)) <= actual.effects[name].high
        for name, levels in zip(NAMES, truth, strict=True)
    )


def test_intervals_hold_together_in_95_of_100():
    assert sum(map(inside, range(200))) >= 190


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


def test_what_an_additive_model_does_not_describe_is_not_ranked():
    places = hypercube(3)
    signs = np.where(places < 2, -1.0, 1.0)
    item = what_matters(cells_of(places, signs[:, 0] * signs[:, 1]))
    assert item.chart is None
    (gap,) = item.gaps
    assert gap.startswith("crs is not ranked: independent effects explain ")
    assert "80% are needed" in gap
    (explained,) = (row.ours for row in item.rows if row.row == "crs")
    assert explained < LEAST_EXPLAINED
    assert all((row.ours, row.absent) == (None, "not ranked") for row in item.rows if row.row != "crs")


def test_too_few_samples_are_not_ranked():
    places = hypercube(0, samples=20)
    item = what_matters(cells_of(places, sums(planted(np.random.default_rng(0)), places)))
    assert item.gaps == ("crs is not ranked: 20 samples are too few to separate 6 things.",)


def test_numbers_with_many_values_have_a_curve():
    values = tuple(map(str, range(1, 41)))
    places = hypercube(1, names=3, values=40)
    effects = [0.5, -0.2, 0.0]
    logs = sum(effect * np.log(places[:, k] + 1) for k, effect in enumerate(effects))
    actual = fit(cells_of(places, logs, values), 0)
    assert actual.freedom == 60 - 10
    for name, effect in zip(NAMES, effects, strict=False):
        assert np.log(actual.effects[name].ratio) == pytest.approx(abs(effect) * np.log(40), abs=1e-6)


def test_every_combination_needs_no_model():
    places = np.array(list(itertools.product(range(5), repeat=2)))
    assert fit(cells_of(places, np.zeros(25)), 0) is None
    assert fit(cells_of(places[1:], np.zeros(24)), 0) is not None
    assert (
        fit(cells_of(places - 1, np.zeros(25)), 0) is None
    )  # one at a time: some are as the machine has them
