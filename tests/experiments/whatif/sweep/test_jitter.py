"""Jitter: cells run again with other addresses of their arrays, and how far their cycles differ."""

import json

import numpy as np
import pytest
import scipy.sparse

import vecsim
from experiments.whatif.explain.cells import read_cells
from programs.measurement import multiplicand, prepare
from programs.registry import PROGRAMS
from vecsim.cli import main
from vecsim.engines.running import run
from vecsim.formats import Layout
from vecsim.formats.accuracy import relative_error
from vecsim.formats.image import image_of_arrays
from vecsim.machine import load_machine
from vecsim.support.errors import UserError, UserErrors

MATRIX = "laplace2d-5"
PORTS = load_machine("vs2003", {"memory_ports": 2, "banks": 8, "bank_busy": 3})


def spec(**how):
    return vecsim.Sweep((MATRIX,), **{"programs": ("crs", "jd"), "machine": PORTS, "engine": "simpy"} | how)


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    store = tmp_path_factory.mktemp("jitter") / "store"
    return store, vecsim.sweep(spec(jitter=3), store=store, jobs=1)


def test_a_placement_moves_each_array_and_keeps_its_contents():
    arrays = [("A", np.arange(5, dtype="<i4")), ("B", np.arange(9, dtype="<f4"))]
    images = [image_of_arrays(Layout(64, 4, placement=k), arrays, {}) for k in range(20)]
    for name, values in arrays:
        places = [image.symbols[name] for image in images]
        assert len(set(places)) > 10 and all(place % 16 == 0 for place in places)
        for image, place in zip(images, places, strict=True):
            stored = image.data[place - image.base :][: values.nbytes]
            assert stored.tobytes() == values.tobytes()
    assert images[0].symbols == {"A": 64, "B": 64 + 32}
    assert len({image.symbols["B"] - image.symbols["A"] for image in images}) > 10
    again = image_of_arrays(Layout(64, 4, placement=7), arrays, {})
    assert again.symbols == images[7].symbols


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_right_in_every_placement(name):
    matrix = scipy.sparse.random_array((12, 12), density=0.2, format="csr", dtype=np.float32, rng=1)
    x = multiplicand(12, 0, np.float32)
    for placement in (1, 2):
        prepared = prepare(name, matrix, PORTS, x, placement=placement)
        done = run(prepared.program, prepared.loaded.memory, PORTS, engine="simpy")
        assert relative_error(matrix, x, prepared.loaded.result(done.state.memory)) < 1e-6
        assert prepared.storage_bytes == prepare(name, matrix, PORTS, x).storage_bytes


def test_the_table_has_the_least_and_the_most_of_all_placements(swept):
    _, table = swept
    for at, program in enumerate(("crs", "jd")):
        alone = vecsim.measure(program, MATRIX, PORTS, engine="simpy", jitter=3)
        assert len(alone.jittered) == 3 and alone.to_dict()["jittered"] == list(alone.jittered)
        every = (alone.cycles, *alone.jittered)
        row = {name: values[at] for name, values in table.columns.items()}
        assert (row["cycles"], row["cycles_least"], row["cycles_most"]) == (
            alone.cycles,
            min(every),
            max(every),
        )
    assert any(map(int.__lt__, table.columns["cycles_least"], table.columns["cycles_most"]))
    assert table.units["cycles_most"] == "cycles"
    assert (len(table), table.computed) == (2, 8)


def test_placements_are_stored_apart(swept):
    store, table = swept
    again = vecsim.sweep(spec(jitter=3), store=store, jobs=1)
    assert again.computed == 0 and again.columns == table.columns
    more = vecsim.sweep(spec(jitter=4), store=store, jobs=1)
    assert more.computed == 2 and more.columns["cycles"] == table.columns["cycles"]
    without = vecsim.sweep(spec(), store=store, jobs=1)
    assert without.computed == 0 and "cycles_least" not in without.columns


@pytest.mark.ci
def test_what_is_saved_is_explained_and_repeated(swept, tmp_path):
    _, table = swept
    folder = table.save(tmp_path / "swept")
    assert vecsim.rerun(folder).same
    assert read_cells(folder).cycles.tolist() == table.columns["cycles"]
    assert json.loads((folder / "sweep.json").read_text())["sweep"]["jitter"] == 3


@pytest.mark.ci
def test_a_specification_and_the_command_line_take_it(tmp_path, capsys):
    file = tmp_path / "study.toml"
    file.write_text(f'matrices = ["{MATRIX}"]\nprograms = ["jd"]\nengine = "simpy"\njitter = 2\n')
    store = ["--store", str(tmp_path / "store"), "--jobs", "1"]
    assert main(["sweep", str(file), "--dry-run", *store]) == 0
    assert "3 placements" in capsys.readouterr().out
    assert main(["sweep", str(file), "--jitter", "1", "--set", "memory_ports=2", *store]) == 0
    actual = capsys.readouterr().out
    assert "over 2 placements of its arrays" in actual and " to " in actual
    assert main(["run", MATRIX, "--program", "jd", "--engine", "simpy", "--jitter", "1", "--json", "-"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert len(result["jittered"]) == 1


def test_what_cannot_be_is_refused(tmp_path):
    text = tmp_path / "a.s"
    text.write_text("halt\n")
    with pytest.raises((UserError, UserErrors), match="jitter: the addresses of a text are in it"):
        vecsim.Sweep(programs=(str(text),), jitter=2)
    with pytest.raises((UserError, UserErrors), match="jitter"):
        spec(jitter=-1)
    with pytest.raises((UserError, UserErrors), match="points x 1,000,001 placements, at most"):
        spec(jitter=1_000_000).points()
    with pytest.raises(UserError, match="jitter"):
        vecsim.measure("jd", MATRIX, jitter=1.5)
