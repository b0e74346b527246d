"""A user-defined format as an object: a script or a notebook needs no file for it."""

import numpy as np
import pytest

import vecsim
from docs.blocks import blocks
from experiments.whatif.archive.contents import archive_files
from experiments.whatif.sweep import plan
from tests.programs.test_user_format import PAGE
from vecsim.support.errors import MatrixWarning, UserError

HALT = "start:\n    halt\n"
SIZE = {"room": 10}


def with_room(csr, section_size):
    return {"ROOM": np.zeros(SIZE["room"], "i4")}


@pytest.fixture(scope="module")
def sell(tmp_path_factory):
    (block,) = (each for each in blocks(PAGE.read_text()) if each.options.get("caption") == "sell.py")
    path = tmp_path_factory.mktemp("format") / "sell.py"
    path.write_text(block.text)
    names = {}
    exec(block.text, names)
    return names["SELL"], str(path)


def test_every_function_takes_it_with_the_result_of_its_file(sell, tmp_path):
    form, file = sell
    how = {"matrix": "randomwalk-20", "options": {"sigma": 16}}
    result = vecsim.measure(form, **how)
    assert (result.program, result.cycles) == ("sell", vecsim.measure(file, **how).cycles)
    assert vecsim.why(form, **how).in_words().replace(file, "sell") == vecsim.why(file, **how).in_words()
    assert "sell on randomwalk-20" in vecsim.view([form, "crs"], "randomwalk-20").html
    assert vecsim.trace(form, file=tmp_path / "a.json", **how).cycles == result.cycles


def test_a_sweep_stores_its_cells_by_what_runs(sell, tmp_path):
    form, file = sell
    store = tmp_path / "store"
    spec = {"matrices": "randomwalk-20", "option": {"sigma": (1, 64)}, "question": "sell<crs"}
    table = vecsim.sweep(vecsim.Sweep(programs=(form, "crs"), **spec), store=store, jobs=2)
    assert table.columns["program"] == ["sell", "sell", "crs", "crs"]
    assert table.answer().rows()
    like = table.sweep.changed(programs=(file, "crs"), question="")
    of_file = vecsim.sweep(like, store=store)
    assert of_file.columns["cycles"] == table.columns["cycles"]
    assert vecsim.sweep(table.sweep, store=store).computed == 0
    assert plan(table.sweep, store=store).stored == 2  # those of crs: images are made by no plan


def test_what_its_function_refers_to_counts_as_it_is_when_the_sweep_begins(tmp_path):
    form = vecsim.UserFormat("room", "all zeros", with_room, HALT)
    what = vecsim.Sweep("laplace2d-5", form)
    tables = []
    for SIZE["room"] in (10, 20, 10):
        tables.append(vecsim.sweep(what, store=tmp_path / "store"))
    assert [table.columns["storage_bytes"] for table in tables] == [[40], [80], [40]]
    assert [table.computed for table in tables] == [1, 1, 0]
    other = vecsim.UserFormat("room", "all zeros", with_room, HALT.replace("halt", "nop\n    halt"))
    assert vecsim.sweep(vecsim.Sweep("laplace2d-5", other), store=tmp_path / "store").computed == 1


def test_a_result_of_it_says_that_no_file_has_it(tmp_path):
    form = vecsim.UserFormat("room", "all zeros", with_room, HALT)
    table = vecsim.sweep(vecsim.Sweep("laplace2d-5", (form, "crs")), store=tmp_path / "store")
    with pytest.warns(MatrixWarning, match=r"room: given in Python.* formats to FILE\.py"):
        folder = table.save(tmp_path / "saved")
    assert vecsim.rerun(folder).left_out == 1
    with pytest.raises(UserError, match=r"format room was given in Python: write it to a file, .* room\.py"):
        archive_files(folder)


def broken(csr, section_size):
    return 1 // 0


@pytest.mark.parametrize(
    ("name", "arrays", "text", "message"),
    [
        ("crs", with_room, HALT, r"UserFormat\('crs'\): is the name of a program of vecsim"),
        ("mine", broken, HALT, r"test_format_objects\.py:\d+: arrays of mine: "),
        ("mine", with_room, "start:\n    hal\n", r"UserFormat\('mine'\):2:5: "),
        ("mine", with_room, "none.s", "none.s"),
    ],
)
def test_mistakes_are_one_line(name, arrays, text, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    form = vecsim.UserFormat(name, "wrong", arrays, text)
    with pytest.raises(UserError, match=message):
        vecsim.measure(form, "laplace2d-5")


def test_two_of_one_name_in_a_sweep_are_refused(sell):
    with pytest.raises(UserError, match="programs: two are named 'sell': rename one"):
        vecsim.Sweep("laplace2d-5", (sell[0], sell[0]))
    with pytest.raises(UserError, match="format sell is an object of this process: leave out the scheduler"):
        vecsim.sweep(vecsim.Sweep("laplace2d-5", sell[0]), scheduler="tcp://localhost:1")
