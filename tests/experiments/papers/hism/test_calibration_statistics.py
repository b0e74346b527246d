"""The uncertainty of a calibration: the sample, the spread, the groups of matrices."""

import itertools
import math

import numpy as np
import pytest
import suite_cases

from experiments.papers.hism.calibration import matrices, uncertainty
from experiments.papers.hism.calibration.uncertainty import Draws, group_choices, near
from experiments.papers.hism.suite import FigureMember
from experiments.papers.hism.table2 import GROUPS, PRINTED, printed_times
from experiments.papers.hism.timing import METHODS


def random_cycles(names, seed):
    random = np.random.default_rng(seed)
    return {name: {p: int(random.integers(1000, 9000)) for p in METHODS} for name in names}


NAMES = [f"m{k}" for k in range(12)]


def test_the_sample_gives_the_means_of_the_reference_machines():
    """Where it may take every matrix it takes all, and each stands for itself."""
    references = [random_cycles(NAMES, seed) for seed in range(3)]
    sizes = {name: 10 * (k + 1) for k, name in enumerate(NAMES)}
    everything = matrices.choose(references, sizes, ())
    assert everything == pytest.approx(dict.fromkeys(NAMES, 1 / 12))
    some = matrices.choose(references[:1], sizes, ("m3",), size=9)
    assert len(some) == 9
    assert "m3" in some
    whole = matrices.times_of(references[0], NAMES).mean(axis=0)
    mean = np.array(list(some.values())) @ matrices.times_of(references[0], list(some))
    assert mean == pytest.approx(whole, rel=0.02)


def test_the_sample_is_cheap_and_one_matrix_stands_for_those_like_it(monkeypatch):
    monkeypatch.setattr(matrices, "LARGEST", 50)
    kinds = {"a": 2, "b": 2, "c": 2, "d": 7, "e": 7}
    cycles = {name: dict.fromkeys(METHODS, 100 * k) | {"chism": 100} for name, k in kinds.items()}
    sizes = {"a": 10, "b": 900, "c": 900, "d": 40, "e": 800}
    chosen = matrices.choose([cycles], sizes, ())
    assert set(chosen) == {"a", "d"}
    assert chosen == pytest.approx({"a": 0.6, "d": 0.4})


def test_the_spread_of_a_mean_is_that_of_statistics():
    """Of CHiSM's rows the spread is the standard error of a mean of n times; without variation it is none."""
    cycles = random_cycles(NAMES, 5)
    draws = Draws(NAMES)
    times = np.array([cycles[name]["crs"] / cycles[name]["chism"] for name in NAMES])
    expected = times.std() / math.sqrt(len(times)) / times.mean()
    assert draws.spread(cycles)["CHiSM vs CRS"] == pytest.approx(expected, rel=0.15)
    same = {name: dict.fromkeys(METHODS, 7) for name in NAMES}
    assert set(draws.spread(same).values()) == {0.0}


def test_machines_are_compared_on_the_same_draws():
    printed = printed_times("all")
    exact = {name: {p: round(10_000 * printed[p]) for p in METHODS} for name in NAMES}
    off = {name: actual | {"crs": 2 * actual["crs"]} for name, actual in exact.items()}
    draws = Draws(NAMES)
    assert draws.as_near(exact, exact) == 1
    assert draws.as_near(off, exact) == 0
    assert draws.as_near(exact, off) == 1
    assert draws.scores(off) == pytest.approx(2 / 6 * math.log(2) + math.log(2), abs=0.02)


def place(position, group, point, name, named=False):
    return FigureMember("size", position, group, point, point, name, named)


def figure():
    groups = [*["small"] * 3, *["medium"] * 4, *["large"] * 3]
    points = [10.0 * 4**k for k in range(10)]
    return [
        place(k + 1, group, point, f"x{k}", named=k in (0, 9))
        for k, (group, point) in enumerate(zip(groups, points, strict=True))
    ]


def members(per_point=2):
    sizes = {f"x{k}": 10 * 4**k for k in range(10)}
    for other in range(1, per_point):
        sizes |= {f"y{k}-{other}": 10 * 4**k + other for k in range(10)}
    return {name: suite_cases.member(name, size=size) for name, size in sizes.items()}


def test_matrices_are_near_one_point_and_named_ones_are_taken():
    actual = near(figure(), members())
    assert actual[0] == ["x0"]
    assert actual[9] == ["x9"]
    assert actual[1:9] == [[f"x{k}", f"y{k}-1"] for k in range(1, 9)]


@pytest.mark.parametrize("group", GROUPS[1:])
def test_every_choice_is_tried(group):
    of = members(3)
    cycles = random_cycles(of, 7)
    actual = group_choices(group, cycles, figure(), of)
    places = [names for at, names in zip(figure(), near(figure(), of), strict=True) if at.group == group]
    printed = printed_times(group)
    worst, met = {}, 0
    for choice in itertools.product(*places):
        ratios = [
            np.mean([cycles[name][p] / cycles[name]["chism"] for name in choice]) / printed[p]
            for p in METHODS
            if p != "chism"
        ]
        worst[choice] = max(abs(math.log(ratio)) for ratio in ratios)
        met += all(abs(ratio - 1) <= uncertainty.WITHIN for ratio in ratios)
    assert (actual.choices, actual.met) == (len(worst), met)
    assert actual.best == min(worst, key=worst.get)
    assert max(abs(math.log(r)) for r in actual.ratios.values()) == pytest.approx(min(worst.values()))


def test_the_papers_own_times_are_met():
    of = members()
    cycles = {name: {p: round(10_000 * printed_times("medium")[p]) for p in METHODS} for name in of}
    assert group_choices("medium", cycles, figure(), of).met == 2**4
    del of["x0"]
    assert group_choices("small", cycles, figure(), {k: m for k, m in of.items() if k != "y0-1"}) is None
    assert len(PRINTED) == 6
