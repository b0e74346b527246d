"""The best machine and the front: as the engine for one machine finds them among all."""

import itertools
from statistics import geometric_mean

import numpy as np
import pytest

import vecsim
from experiments.whatif.explain.front import front_places
from experiments.whatif.optimise import evaluation
from experiments.whatif.optimise.space import Space
from experiments.whatif.sweep.cost import cost
from isa.instructions import BASE
from vecsim.engines.jit.interface import MANY, MANY_WITH_MEMORY, RECORDING
from vecsim.engines.jit.object_files.machine_code import machine_code
from vecsim.machine.description import flat
from vecsim.support.errors import UserError

MATRIX = "laplace2d-5"
PROGRAMS = ("crs", "hism")
VARIED = {"banks": (4, 8, 16), "lanes": (1, 2, 4), "startup": (5, 20), "sparse_unit.p": (1, 2)}


def spec(**changes):
    return vecsim.Sweep(**{"matrices": (MATRIX,), "programs": PROGRAMS, "set": VARIED} | changes)


def by_hand(what):
    """Return cost, geometric mean of cycles and values of every machine, each run alone."""
    result = []
    for values in itertools.product(*what.set.values()):
        chosen = dict(zip(what.set, values, strict=True))
        machine = what.base.changed(chosen)
        numbers = flat(machine.numbers())
        price = max(cost(numbers, name, 32, what.cost) for name in what.programs)
        cycles = [vecsim.measure(name, MATRIX, machine).cycles for name in what.programs]
        result.append((price, geometric_mean(cycles), chosen))
    return result


@pytest.fixture(scope="module", autouse=True)
def loops_are_compiled():
    for loop in (RECORDING, MANY, MANY_WITH_MEMORY):
        machine_code(BASE, loop)


@pytest.fixture(scope="module")
def machines():
    return by_hand(spec())


@pytest.mark.parametrize("limit", [18, 21.5])
def test_the_best_of_all_within_the_limit(machines, limit):
    result = vecsim.optimise(spec(), limit=limit)
    within = [each for each in machines if each[0] <= limit]
    price, mean, chosen = min(within, key=lambda each: (round(each[1], 6), each[0]))
    assert result.best.chosen == chosen
    assert (result.best.cost, result.best.mean) == pytest.approx((price, mean))
    assert result.certainty == "exact"
    assert result.evaluations == result.within == len(within)
    assert result.engine == "simpy"


def test_machines_run_alone_where_compiling_their_loop_takes_longer(monkeypatch):
    monkeypatch.setattr(evaluation, "is_kept", lambda loop: loop != MANY_WITH_MEMORY)
    result = vecsim.optimise(spec(set={"lanes": (1, 2), "main_memory.latency": (0, 7)}))
    assert (result.evaluations, result.alone) == (4, 2 * len(PROGRAMS))


def test_the_front_of_all(machines):
    result = vecsim.optimise(spec(), goal="front")
    best = [
        (price, mean)
        for price, mean, _ in machines
        if not any(
            (other <= price and less < mean - 1e-6) or (other < price and less <= mean + 1e-6)
            for other, less, _ in machines
        )
    ]
    assert result.columns["cost"] == pytest.approx(sorted(price for price, _ in set(best)))
    assert result.columns["mean_cycles"] == pytest.approx(
        sorted((mean for _, mean in set(best)), reverse=True)
    )


@pytest.mark.parametrize("goal", ["cycles", "front"])
def test_a_seed_gives_one_answer(goal):
    first, second = (vecsim.optimise(spec(), goal=goal, budget=25, seed=3) for _ in range(2))
    assert first.to_dict() == second.to_dict()
    assert first.evaluations <= 25
    assert first.certainty in ("local", "spent")


def test_a_search_that_is_not_cut_short_finds_the_best():
    varied = {**VARIED, "words_per_cycle": (1, 2, 4), "latency.add": (4, 3, 2)}
    best = vecsim.optimise(spec(set=varied), limit=20).best
    searched = vecsim.optimise(spec(set=varied), limit=20, budget=150)
    assert searched.certainty == "local"
    assert searched.best == best


def test_records_that_are_dropped_are_made_again(monkeypatch):
    varied = {"section_size": (16, 64), "lanes": (1, 4), "startup": tuple(range(5, 20))}
    whole = vecsim.optimise(spec(set=varied), goal="front")
    made, right = [], evaluation.record_trace
    monkeypatch.setattr(evaluation, "record_trace", lambda *given: made.append(given) or right(*given))
    monkeypatch.setattr(evaluation, "MOST_BYTES", 1)
    again = vecsim.optimise(spec(set=varied), goal="front")
    assert (again.answers, again.alone) == (whole.answers, 0)
    assert len(made) > 4


def test_machines_with_caches_are_timed_together():
    varied = {"main_memory.latency": (0, 12), "l1.bytes": (0, 1024), "startup": (5, 20), "lanes": (1, 2)}
    what = spec(set=varied)
    result = vecsim.optimise(what, goal="front")
    assert result.alone == 0
    means = {tuple(chosen.values()): mean for _, mean, chosen in by_hand(what)}
    assert [each.mean for each in result.answers] == pytest.approx(
        [means[tuple(each.chosen.values())] for each in result.answers]
    )
    assert min(each.mean for each in result.answers) == pytest.approx(min(means.values()))


def test_machines_that_only_an_engine_for_one_can_run():
    what = spec(programs=("crs",), set={"memory_ports": (1, 2), "divide_interval": (1, 64), "lanes": (1, 2)})
    result = vecsim.optimise(what, limit=24)
    machines = by_hand(spec(programs=("crs",), set={**what.set, "divide_interval": (1,)}))
    assert result.alone == 2
    assert "divide_interval = 64 must be at most latency.divide" in result.fault
    assert result.best.mean == pytest.approx(min(mean for price, mean, _ in machines if price <= 24))


def test_values_that_no_machine_has():
    result = vecsim.optimise(spec(programs=("crs",), set={"banks": (8, 10**30), "lanes": (1, 2)}))
    assert result.best.chosen == {"banks": 8, "lanes": 1}
    assert result.fault.startswith("machine: banks")


def test_what_is_next_to_a_machine():
    space = Space(spec())
    every = np.concatenate([*space.all(5)])
    assert len(every) == len(np.unique(every, axis=0)) == space.count == 36
    for row in every[::7]:
        apart = np.abs(every - row)
        other, far = (apart > 0).sum(axis=1), apart.max(axis=1)
        step = space.a_step_from(row[None])
        assert step.tolist() == every[(other == 1) | ((other == 2) & (far == 1))].tolist()
        assert space.a_value_from(row[None]).tolist() == every[other <= 1].tolist()


def test_a_text(tmp_path):
    text = tmp_path / "add.s"
    text.write_text("li x1, COUNT\nsetvl x1\nlv.w v1, 0(x0)\naddvv.s v2, v1, v1\nhalt")
    what = vecsim.Sweep(programs=str(text), define={"COUNT": 32}, set={"lanes": (1, 2, 4)})
    result = vecsim.optimise(what)
    assert result.best.chosen == {"lanes": 4, "define.COUNT": 32}


def test_front_places():
    rng = np.random.default_rng(0)
    cost, time = rng.integers(0, 8, (2, 60)).astype(float)
    places = front_places(cost, time)
    expected = {
        (price, taken)
        for price, taken in zip(cost, time, strict=True)
        if not ((cost <= price) & (time <= taken) & ((cost < price) | (time < taken))).any()
    }
    assert {(cost[each], time[each]) for each in places} == expected
    assert len(places) == len(expected)
    assert front_places(cost[:0], time[:0]).tolist() == []


def test_an_answer_that_the_reference_does_not_confirm(monkeypatch):
    right = evaluation.time_group

    def wrong(group):
        times = right(group)
        times.cycles[:] += 1
        return times

    monkeypatch.setattr(evaluation, "time_group", wrong)
    with pytest.raises(UserError, match=r"cycles with many machines at once, .* by the engine simpy"):
        vecsim.optimise(spec(programs="crs"))


@pytest.mark.parametrize(
    ("changes", "settings", "message"),
    [
        ({}, {"limit": 0}, r"^optimise\.limit = 0: a finite number above 0 is expected"),
        ({}, {"limit": float("nan")}, r"^optimise\.limit = nan: a finite number above 0"),
        ({}, {"limit": 1}, r"^optimise\.limit = 1: no machine costs so little; the cheapest .* costs 1\d\."),
        ({}, {"goal": "fornt"}, r"^optimise\.goal = 'fornt': use one of cycles, front; did you mean 'front'"),
        ({}, {"budget": 0}, r"^optimise\.budget = 0: a whole number of 1 or more"),
        ({}, {"budget": 10**9}, r"^optimise\.budget = 1000000000: at most 10,000,000"),
        ({}, {"seed": -1}, r"^optimise\.seed = -1"),
        ({}, {"jobs": 0}, r"^jobs = 0"),
        ({"set": {"banks": (8,)}}, {}, r"^optimise: there is nothing to choose"),
        ({"set": {"lanes": (0, 1)}}, {}, r"lanes"),
        ({"set": {"section_size": (48, 80)}}, {}, r"^optimise: none of 2 machines has a result: .*48"),
        ({"design": "one-at-a-time"}, {}, r"^design: a search does not use it; leave it out"),
        ({"question": "crs<hism"}, {}, r"^question: a search does not use it"),
    ],
)  # fmt: skip
def test_what_is_refused(changes, settings, message):
    with pytest.raises(UserError, match=message):
        vecsim.optimise(spec(**changes), **settings)
