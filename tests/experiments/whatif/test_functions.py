"""What the commands do as functions: pages, traces, reports, comparisons and runs again."""

import json

import pytest

import vecsim
from vecsim.support.errors import UserError

pytestmark = pytest.mark.usefixtures("sweeps_in_one_process")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    what = vecsim.Sweep(
        ("laplace2d-5",), ("crs", "hism"), set={"banks": (8, 16), "startup": (10, 20)}, engine="simpy"
    )
    return vecsim.sweep(what, store=tmp_path_factory.mktemp("store") / "store", jobs=1)


@pytest.fixture
def folder(table, tmp_path):
    return table.save(tmp_path / "swept")


def test_a_page_of_two_programs(tmp_path):
    page = vecsim.view(["crs", "hism"], "laplace2d-3", engine="simpy")
    assert [run.done.cycles for run in page.runs] == [
        vecsim.measure(name, "laplace2d-3", engine="simpy").cycles for name in ("crs", "hism")
    ]
    assert page.save(tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    assert "srcdoc=" in page._repr_html_()
    assert repr(page).startswith("Page(crs pipelined on laplace2d-3, vs2003=")


def test_a_page_has_two_runs_at_most():
    with pytest.raises(UserError, match="view: 4 runs; a page shows at most 2"):
        vecsim.view(["crs", "hism"], "laplace2d-3", ["vs2003", "t0"])
    with pytest.raises(UserError, match="show: 800,000 bytes of memory; a page shows"):
        vecsim.view("crs", "laplace2d-500", show=["X:200000:float"])


def test_a_trace_is_that_of_the_run(tmp_path):
    file = tmp_path / "run.json"
    result = vecsim.trace("crs", "laplace2d-3", file, engine="simpy")
    plain = vecsim.measure("crs", "laplace2d-3", engine="simpy")
    assert (result.cycles, result.relative_error) == (plain.cycles, plain.relative_error)
    assert json.loads(file.read_text())["traceEvents"]
    with pytest.raises(UserError, match=r"run\.txt"):
        vecsim.trace("crs", "laplace2d-3", tmp_path / "run.txt", engine="simpy")


@pytest.mark.ci
def test_a_sweep_is_explained_from_its_table_or_its_folder(table, folder, tmp_path):
    of_table, of_folder = vecsim.explain(table), vecsim.explain(folder)
    assert [each.rows for each in of_table.items] == [each.rows for each in of_folder.items]
    assert of_table.save(tmp_path / "report").is_file()
    assert "<svg" in of_table._repr_html_()
    with pytest.raises(UserError, match="none"):
        vecsim.explain(tmp_path / "none")


def test_results_in_files_are_compared_and_run_again(folder):
    same = vecsim.compare(folder, folder)
    assert (same.largest, len(same.changes)) == (0, 8)
    assert "same_cycles=8" in repr(same)
    again = vecsim.rerun(folder)
    assert again.same
    assert "same_cycles=8" in repr(again)


def test_columns_have_units(table):
    units = table.units
    assert units["cycles"] == units["startup"] == units["cause_startup"] == "cycles"
    assert (units["storage_bytes"], units["nnz"]) == ("bytes", "elements")
    assert not {"program", "banks", "relative_error", "fault"} & units.keys()
    pyarrow = pytest.importorskip("pyarrow")
    assert isinstance(table.arrow(), pyarrow.Table)
    assert table.arrow().schema.field("cycles").metadata == {b"unit": b"cycles"}
    assert table.arrow().schema.field("program").metadata is None
