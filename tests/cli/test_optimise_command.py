"""`vecsim optimise`: a table, files that other commands take, mistakes in a line."""

import csv
import json

import pytest

SPECIFICATION = """
matrices = ["laplace2d-4"]
programs = ["crs", "jd"]
set.banks = [4, 8]
set.lanes = "1:4:x2"
{}
[optimise]
limit = 15
{}
"""


@pytest.fixture
def written(tmp_path):
    def write(settings="", attributes=""):
        path = tmp_path / "spec.toml"
        path.write_text(SPECIFICATION.format(attributes, settings))
        return path

    return write


def test_the_best_machine_is_a_file_for_other_commands(vecsim, written, tmp_path):
    out = tmp_path / "out"
    result = vecsim("optimise", written(), "--jobs", "1", "--out", out, "--json", "-")
    assert "exact: every machine within the limit was timed" in result.err
    document = json.loads(result.out)
    assert document["kind"] == "vecsim optimise"
    assert document["optimise"] == {"limit": 15, "goal": "cycles", "budget": 100_000, "seed": 0}
    (best,) = document["answers"]
    assert best["cost"] <= 15
    (row,) = csv.DictReader((out / "machines.csv").read_text().splitlines())
    assert {name: int(row[name]) for name in ("banks", "lanes")} == best["chosen"]
    again = vecsim("run", "laplace2d-4", "--program", "crs,jd", "--machine", out / "best.toml", "--json", "-")
    cycles = [each["cycles"] for each in json.loads(again.out)["results"]]
    assert cycles == [each["cycles"] for each in best["cycles"]]


def test_the_command_line_overrides_a_specification_file(vecsim, written):
    arguments = ("--goal", "front", "--limit", "20", "--set", "banks=16", "--program", "crs", "--json", "-")
    document = json.loads(vecsim("optimise", written(), "laplace2d-3", *arguments).out)
    assert document["optimise"]["goal"] == "front"
    assert {each["chosen"]["banks"] for each in document["answers"]} == {16}
    (counted,) = document["answers"][0]["cycles"]
    assert (counted["matrix"], counted["program"]) == ("laplace2d-3", "crs")


def test_matrices_without_a_file(vecsim):
    result = vecsim("optimise", "laplace2d-3", "--program", "crs", "--set", "lanes=1,2")
    assert result.out.splitlines()[-1] == "the engine simpy ran it again: the same cycles"


def test_a_sweep_takes_the_same_file(vecsim, written, tmp_path):
    assert vecsim("sweep", written(), "--jobs", "1", "--store", tmp_path / "store").code == 0


@pytest.mark.parametrize(
    ("settings", "attributes", "message"),
    [
        ("gaol = 'front'", "", "spec.toml: optimise.gaol: unknown key; use one of limit, goal, budget, seed"),
        ("goal = 3", "", "spec.toml: optimise.goal = 3: use one of cycles, front"),
        ("", "set.lane = [1]", "set.lane: is not a number of the machine"),
        ("", "jitter = 2", "jitter: a search does not use it; leave it out"),
    ],
)
def test_mistakes(vecsim, written, settings, attributes, message):
    assert message in vecsim("optimise", written(settings, attributes)).mistake()
