"""Figures of a sweep: medians, quartiles, effects, crossings and fronts of its table."""

import csv
import hashlib
import json
from itertools import pairwise
from statistics import geometric_mean, median, quantiles

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.whatif.explain import cells as cells_module
from experiments.whatif.explain.cells import comparable, read_cells
from experiments.whatif.explain.crossings import crossings, trend
from experiments.whatif.explain.front import Candidate, candidates, front, pareto
from experiments.whatif.explain.pairs import interaction, pairs
from experiments.whatif.explain.parameters import against, what_matters
from experiments.whatif.explain.report import report
from experiments.whatif.sweep import Sweep, sweep
from experiments.whatif.sweep.cost import cost
from vecsim.cli import main
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

PER_ROW = {"a": 2, "b": 4, "c": 8, "d": 16}
"""Non-zeros a row of each matrix, of 100 rows; its locality is half of that."""
HEAD = "matrix,rows,cols,nnz,locality,program,banks,chaining,cycles,cycles_per_nnz,fault"


def cycles(program, a_row, banks, on):
    """Return cycles a row: JD's grow with the square of the entries, CRS's by themselves; equal at 8."""
    work = a_row**2 / 8 if program == "jd" else a_row
    return work * (2 if banks == 4 else 1) * (1.5 if on == "False" else 1)


def line(matrix, program, banks, on):
    a_row = PER_ROW[matrix]
    total = round(1000 * cycles(program, a_row, banks, on))
    place = f"{matrix},100,100,{100 * a_row},{a_row / 2},{program},{banks},{on}"
    return f"{place},{total},{total / (100 * a_row)},"


def written(folder, lines, **message):
    spec = Sweep(("laplace2d-3",), ("crs", "jd"), set={"banks": (0, 4, 16), "chaining": (True, False)})
    table = "\n".join([HEAD, *lines]) + "\n"
    (folder / "table.csv").write_text(table)
    content = {
        "kind": "vecsim sweep",
        "versions": {},
        "commit": "",
        "sweep": {**spec.to_dict(), "matrices": list(PER_ROW), **message},
        "machine": load_machine("vs2003").to_dict(),
        "matrices": [{"name": name, "source": name, "sha256": "0" * 64} for name in PER_ROW],
        "files": [],
        "cells": len(lines),
        "table_sha256": hashlib.sha256(table.encode()).hexdigest(),
    }
    (folder / "sweep.json").write_text(json.dumps(content))
    return folder


@pytest.fixture
def folder(tmp_path):
    """A grid of two matrices' worth of everything; banks=0 has no result."""
    lines = [
        line(matrix, program, banks, on)
        for matrix in PER_ROW
        for program in ("crs", "jd")
        for banks in (4, 16)
        for on in ("True", "False")
    ]
    return written(tmp_path, [*lines, "a,100,100,200,1.0,crs,0,True,,,no such machine"])


def numbers(item):
    return {(row.row, row.quantity): row.ours for row in item.rows}


def test_speeds_are_medians_over_the_matrices_with_quartiles(folder):
    cells = read_cells(folder)
    assert (cells.faults, len(cells.cycles)) == (1, 32)
    item = against(cells, "banks")
    actual = numbers(item)
    of = [
        1 / geometric_mean([cycles("jd", each, 4, on) * 10 / each for on in ("True", "False")])
        for each in PER_ROW.values()
    ]
    low, _, high = quantiles(of, n=4, method="inclusive")
    assert actual["4", "jd"] == pytest.approx(median(of))
    assert actual["4", "jd, lower quartile"] == pytest.approx(low)
    assert actual["4", "jd, upper quartile"] == pytest.approx(high)
    assert actual["4", "jd, cycles a non-zero"] == pytest.approx(1 / geometric_mean(of))
    assert actual["0", "crs"] is None
    assert item.chart.series["jd"][1] == actual["4", "jd"]
    assert item.chart.bands["jd"] == (None, pytest.approx((low, high)), pytest.approx((2 * low, 2 * high)))


def test_values_are_compared_on_the_same_matrices():
    means = np.array([[1.0, 2.0, 3.0], [np.nan] * 3, [4.0, np.nan, 6.0]])
    assert comparable(means)[0].tolist() == [1.0, 3.0]
    assert comparable(means)[2].tolist() == [4.0, 6.0]


def test_what_matters_most_comes_first(folder):
    item = what_matters(read_cells(folder))
    actual = numbers(item)
    assert [row.row for row in item.rows][::5] == [
        "banks: crs", "banks: jd", "chaining: crs", "chaining: jd",
    ]  # fmt: skip
    assert actual["banks: crs", "fastest / slowest"] == pytest.approx(2)
    assert actual["chaining: jd", "fastest / slowest"] == pytest.approx(1.5)
    assert actual["banks: crs", "fastest"] == pytest.approx(2**0.5)
    # All four matrices gain the same, so the interval of the mean has no width.
    assert actual["banks: crs", "fastest / slowest, at least"] == pytest.approx(2)
    assert actual["banks: crs", "fastest / slowest, at most"] == pytest.approx(2)
    bar = item.chart.panels["jd"][1]
    assert (bar.low_label, bar.high_label) == ("false", "true (1.50 to 1.50 times)")


def test_one_at_a_time_the_machine_as_it_is_is_the_measure(tmp_path):
    points = [("", "", 1), (4, "", 3), (16, "", 0.5), ("", "True", 1), ("", "False", 2)]
    lines = [
        f"{m},100,100,200,1.0,crs,{banks},{on},{round(1000 * w)},{5 * w},"
        for m in "ab"
        for banks, on, w in points
    ]
    cells = read_cells(written(tmp_path, lines, design="one-at-a-time", programs=["crs"]))
    actual = numbers(what_matters(cells))
    assert actual["banks: crs", "slowest"] == pytest.approx(1 / 3)
    assert actual["banks: crs", "fastest"] == pytest.approx(2)
    assert actual["chaining: crs", "fastest"] == pytest.approx(1)
    assert pairs(cells) == []
    assert {c.point for c in candidates(cells)} >= {"", "banks=4", "chaining=false"}


def test_two_things_together(folder):
    (item,) = pairs(read_cells(folder))
    actual = numbers(item)
    assert actual["crs, banks=16", "chaining=true"] == pytest.approx(1 / 10)
    assert actual["crs, banks=4", "chaining=false"] == pytest.approx(1 / 30)
    assert actual["crs, banks=0", "chaining=true"] is None
    assert item.chart.panels["crs"][2][0] == actual["crs, banks=16", "chaining=true"]


def test_what_two_things_do_beyond_what_each_does(folder):
    alone = np.outer([1.0, 3.0], [2.0, 5.0, 7.0])
    assert interaction(alone) == pytest.approx(1)
    assert interaction(np.array([[1.0, 1.0], [1.0, 16.0]])) == pytest.approx(2)
    assert interaction(np.array([[1.0, np.nan], [1.0, 16.0]])) == 1
    (item,) = pairs(read_cells(folder))
    assert "by up to 0.0 %" in item.summary


def test_where_programs_change_places(folder):
    item = crossings(read_cells(folder))
    actual = numbers(item)
    for feature, place in (("non-zeros a row", 8), ("locality", 4)):
        row = f"jd / crs, by {feature}"
        assert actual[row, "exponent"] == pytest.approx(1)
        assert actual[row, "share of the variance explained"] == pytest.approx(1)
        assert actual[row, "equal at"] == pytest.approx(place)
    marks = [list(panel.marks.values()) for panel in item.chart.panels]
    assert marks == [["jd: 8.00"], ["jd: 4.00"]]


def test_a_line_needs_matrices_that_differ():
    assert trend(np.array([1.0, 2.0, 4.0]), np.ones(3)) is None
    assert trend(np.array([3.0, 3.1, 3.2, 3.0]), np.ones(4)) is None
    actual = trend(np.array([1.0, 2.0, 4.0, 8.0]), np.array([4.0, 8.0, 16.0, 32.0]))
    assert actual.exponent == pytest.approx(1)
    assert actual.crossing is None  # at 1/4, where there is no matrix


def test_the_cost_of_the_papers_machine_by_hand():
    numbers = read_flat()
    # 2 lanes, 4 words, 1 address, 16 banks, 16 x 64 elements of 32 bits, 8 entries, 64 x 64 of 32 bits;
    # 4 accesses in flight, and a start-up of 20, 44 cycles below the one that costs nothing.
    port = 4 + 0.5 + 4 / 8 + 44 / 32
    assert cost(numbers, "crs", 32) == 2 + port + 4 + 2
    assert cost(numbers, "hism:my.s", 32) == 2 + port + 4 + 2 + 8
    assert cost(numbers, "chism", 32) == 2 + port + 4 + 2 + 8 + 2
    assert cost({**numbers, "physical_vector_registers": 32}, "crs", 32) == 2 + port + 4 + 4
    assert cost(numbers, "crs", 64, {"lanes": 10, "banks": 0}) == 20 + port + 4
    assert cost({**numbers, "startup": 70}, "crs", 32) == 2 + port - 44 / 32 + 4 + 2
    assert cost({**numbers, "l1.bytes": 8192, "l2.bytes": 16384}, "crs", 32) == 2 + port + 4 + 2 + 3
    assert cost({**numbers, "store_ports": 1, "add_units": 2}, "crs", 32) == 3 + 2 * port + 4 + 2


def read_flat():
    from vecsim.machine.description import flat

    return flat(load_machine("vs2003").numbers())


def test_speed_against_cost(folder, tmp_path):
    cells = read_cells(folder)
    of = candidates(cells)
    assert len(of) == 8
    best = front(of)
    # Banks cost, chaining does not; JD and CRS are as fast over these matrices, but for the middle.
    assert [each.point for each in best] == ["banks=4, chaining=true", "banks=16, chaining=true"]
    assert best[1].cost - best[0].cost == 12 * 0.25
    item = pareto(cells, of)
    assert "It does not count chaining." in item.summary
    free = read_cells(
        written(tmp_path, (folder / "table.csv").read_text().splitlines()[1:], cost={"banks": 0})
    )
    assert len(front(candidates(free))) == 1


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=30),
)
def test_a_front_is_what_nothing_cheaper_beats(places):
    of = [Candidate("crs", str(n), float(c), float(s)) for n, (c, s) in enumerate(places)]
    best = front(of)
    for each in of:
        beaten = any(
            other.cost <= each.cost and other.speed >= each.speed and other != each for other in best
        )
        assert beaten or each in best
    for one, other in pairwise(best):
        assert one.cost < other.cost
        assert one.speed < other.speed


@pytest.mark.ci
def test_the_report_has_every_picture(folder, tmp_path):
    assert main(["explain", str(folder), "--out", str(tmp_path / "out")]) == 0
    out = tmp_path / "out"
    results = {path.name for path in out.iterdir()}
    for name in ("banks", "chaining", "what-matters", "variance", "banks-chaining", "crossings", "front"):
        assert {f"sweep-{name}.svg", f"sweep-{name}.png", f"sweep-{name}.csv"} <= results
    (actual,) = (
        row
        for row in csv.DictReader((out / "sweep-banks.csv").read_text().splitlines())
        if (row["row"], row["quantity"]) == ("4", "crs")
    )
    assert actual.keys() == {"row", "quantity", "value", "note"}
    assert float(actual["value"]) > 0
    machines = list(csv.DictReader((out / "sweep-machines.csv").read_text().splitlines()))
    assert len(machines) == 8
    page = (out / "report.html").read_text()
    assert "<script" not in page
    assert 'src="http' not in page
    assert page.count("<figure>") == 7


def test_what_cannot_be_explained(folder, tmp_path):
    written(folder, [])
    with pytest.raises(UserError, match="no cell has a result"):
        read_cells(folder)
    written(folder, ["a,100,100,200,1.0,spmv,4,True,5,0.025,"])
    with pytest.raises(UserError, match=r"table\.csv, line 2: program = 'spmv': is not in sweep\.json"):
        read_cells(folder)
    other = tmp_path / "run.json"
    assert main(["run", "laplace2d-3", "--program", "crs", "--json", str(other)]) == 0
    with pytest.raises(UserError, match="is of vecsim run; name the results of"):
        read_cells(other)


def test_very_large_sweeps_are_explained_by_a_sample(tmp_path, monkeypatch):
    spec = Sweep(("laplace2d-4", "laplace2d-5"), programs=("crs", "jd"), set={"startup": tuple(range(20))})
    sweep(spec, store=tmp_path / "s", jobs=1).save(tmp_path / "sweep")
    every = read_cells(tmp_path / "sweep")
    monkeypatch.setattr(cells_module, "MOST_CELLS", 24)
    some = read_cells(tmp_path / "sweep")
    assert (len(every.cycles), every.left_out, len(some.cycles), some.left_out) == (80, 0, 24, 56)
    chosen = {
        (p, m): some.place["startup"][(some.program == p) & (some.matrix == m)].tolist()
        for p in range(2)
        for m in range(2)
    }
    assert len(set(map(tuple, chosen.values()))) == 1
    assert len(set(chosen[0, 0])) == 6
    assert "They are a sample of 80 cells" in report(some, "x").parts[0].source
