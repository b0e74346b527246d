"""Cells are those of single runs, are computed once, and outlive what happens to processes."""

import csv
import io
import random
import resource
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace

import pytest

import vecsim
from experiments.whatif.sweep import Sweep, sweep, table, together
from experiments.whatif.sweep.cell import Cell
from experiments.whatif.sweep.running import default_store
from experiments.whatif.sweep.store import Store
from vecsim.support.errors import UserError

SPEC = Sweep(
    ("laplace2d-9", "laplace2d-10"),
    programs=("crs", "hism"),
    set={"banks": (4, 16), "section_size": (16, 64)},
    option={"schedule": ("plain", "pipelined")},
)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    store = tmp_path_factory.mktemp("sweep") / "cells.sqlite"
    return store, sweep(SPEC, store=store, jobs=1)


def test_cells_are_those_of_single_runs(done):
    _, table = done
    columns = table.columns
    assert len(table) == 2 * 2 * 8
    for row in random.Random(0).sample(range(len(table)), 8):
        one = {name: values[row] for name, values in columns.items()}
        machine = vecsim.load_machine("vs2003", {name: one[name] for name in ("banks", "section_size")})
        options = {"schedule": one["option.schedule"]}
        alone = vecsim.measure(one["program"], one["matrix"], machine, options=options)
        for name in (
            "cycles",
            "instructions",
            "bytes_moved",
            "peak_share",
            "relative_error",
            "cycles_per_nnz",
        ):
            assert one[name] == getattr(alone, name), name
        cycles_by_cause = {
            name.removeprefix("cause_"): n for name, n in one.items() if name.startswith("cause_")
        }
        assert cycles_by_cause == alone.run.cycles_by_cause


def test_nothing_is_computed_twice(done):
    store, table = done
    assert table.computed == len(table)
    again = sweep(SPEC, store=store, jobs=1)
    assert (again.columns, again.computed) == (table.columns, 0)
    wider = Sweep(**{**vars(SPEC), "set": {"banks": (4, 16, 32), "section_size": (16, 64)}})
    assert sweep(wider, store=store, jobs=1).computed == 2 * 2 * 4


@pytest.mark.parametrize("change", [{"seed": 1}, {"value_bits": 64}, {"engine": "simpy"}, {"machine": "t0"}])
def test_what_decides_a_cell_makes_it_another(done, change):
    store, _ = done
    one = {"programs": ("crs",), "matrices": ("laplace2d-9",), "set": {"banks": (4,), "section_size": (16,)}}
    assert sweep(Sweep(**{**vars(SPEC), **one}), store=store, jobs=1).computed == 0
    assert sweep(Sweep(**{**vars(SPEC), **one, **change}), store=store, jobs=1).computed > 0


@pytest.mark.ci
def test_several_processes_give_the_same(done, tmp_path):
    seen = []
    table = sweep(SPEC, store=tmp_path / "s", jobs=2, watch=lambda *counts: seen.append(counts))
    assert table.columns == done[1].columns
    assert seen == sorted(seen)
    assert all(total == len(table) for _, total in seen)


def test_a_cell_without_a_result_is_a_row_with_a_reason(tmp_path):
    spec = Sweep(("laplace2d-5",), ("chism", "crs"), set={"banks": (0, 8)}, option={"accumulate": ("yes",)})
    table = sweep(spec, store=tmp_path / "s", jobs=1)
    assert table.columns["cycles"].count(None) == 2
    assert table.columns["fault"][0].startswith("machine: banks = 0: ")
    assert [bool(fault) for fault in table.columns["fault"]] == [True, False] * 2
    slow = Sweep(("laplace2d-5",), ("crs",), max_cycles=100)
    assert "no end after 100 cycles" in sweep(slow, store=tmp_path / "s").columns["fault"][0]


def test_a_user_program_is_another_when_its_text_changes(tmp_path):
    own = tmp_path / "my.s"
    text = vecsim.PROGRAMS["crs"].text("plain").read()
    own.write_text(text)
    spec = Sweep(("laplace2d-5",), ("crs", f"crs:{own}"), option={"crs.schedule": ("plain",)})
    table = sweep(spec, store=tmp_path / "s", jobs=1)
    assert table.columns["cycles"][0] == table.columns["cycles"][1]
    own.write_text(text.replace("    halt", "    addi x1, x1, 0\n    halt"))
    assert sweep(spec, store=tmp_path / "s", jobs=1).computed == 1


def test_an_unknown_matrix_is_reported_before_any_work(tmp_path):
    with pytest.raises(UserError, match="laplace2d-x"):
        sweep(Sweep(("laplace2d-x",)), store=tmp_path / "s")


def test_the_table_as_csv(done):
    rows = list(csv.DictReader(io.StringIO(done[1].csv())))
    assert len(rows) == len(done[1])
    assert rows[0]["matrix"] == "laplace2d-9"
    assert int(rows[0]["cycles"]) == done[1].columns["cycles"][0]
    assert repr(done[1]).startswith("SweepTable(rows=32, matrices=2, programs=('crs', 'hism')")


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_the_table_as_a_frame(done, library, monkeypatch):
    pytest.importorskip(library)
    actual = table.find_spec
    monkeypatch.setattr(table, "find_spec", lambda name: actual(name) if name == library else None)
    frame = done[1].frame()
    assert type(frame).__module__.startswith(library)
    assert (
        list(frame["cycles"].tolist() if library == "pandas" else frame["cycles"].to_pylist())
        == (done[1].columns["cycles"])
    )


def test_the_table_as_parquet(done):
    parquet = pytest.importorskip("pyarrow.parquet")
    assert parquet.read_table(io.BytesIO(done[1].parquet())).to_pydict() == done[1].columns


def test_without_a_library_the_columns_are_there(done, monkeypatch):
    monkeypatch.setattr(table, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'vecsim\[tables\]'"):
        done[1].frame()
    assert len(done[1].columns["cycles"]) == len(done[1])


def test_the_store_of_a_user_lies_in_the_cache():
    assert default_store().parent.name
    assert default_store().name == "sweeps.sqlite"


@pytest.fixture
def little_room():
    """Let no file of this process become longer than 60,000 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    @contextmanager
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return limited


def test_a_full_disk_ends_in_one_message_and_the_store_goes_on(tmp_path, little_room):
    path, recorded = tmp_path / "s", []
    with Store(path) as store, little_room(), pytest.raises(UserError) as message:
        for number in range(10_000):
            store.keep({str(number): Cell(fault="x" * 500)})
            recorded.append(str(number))
    assert "\n" not in str(message.value)
    assert str(message.value).startswith(f"{path}: ")
    with Store(path) as store:
        assert store.stored_keys(recorded) == set(recorded) != set()
        store.keep({"after": Cell(fault="none")})
        assert store.cells(["after"])["after"].fault == "none"


@pytest.mark.ci
def test_two_writers_lose_nothing(tmp_path):
    path = tmp_path / "s"
    script = """
import sys
from pathlib import Path
from experiments.whatif.sweep.cell import Cell
from experiments.whatif.sweep.store import Store
with Store(Path(sys.argv[1])) as store:
    for number in range(200):
        store.keep({f"{sys.argv[2]} {number}": Cell(fault="x")})
"""
    writers = [subprocess.Popen([sys.executable, "-c", script, str(path), name]) for name in "ab"]
    assert [writer.wait() for writer in writers] == [0, 0]
    keys = [f"{name} {number}" for name in "ab" for number in range(200)]
    with Store(path) as store:
        assert store.stored_keys(keys) == set(keys)


def test_what_extensions_count_stands_in_the_table(tmp_path):
    spec = Sweep(
        ("laplace2d-5",), programs=("jd",), extend=("gather_cache",), engine="simpy", set={"startup": (4, 20)}
    )
    table = sweep(spec, store=tmp_path / "cells.sqlite", jobs=1)
    for place, startup in enumerate((4, 20)):
        machine = vecsim.load_machine("vs2003", {"startup": startup}, extend=["gather_cache"])
        counters = vecsim.measure("jd", "laplace2d-5", machine, engine="simpy").run.counters
        for name in ("gather_cache.hits", "gather_cache.misses"):
            assert table.columns[f"counted_{name}"][place] == counters[name] > 0
    assert "counted_gather_cache.hits" in table.csv().splitlines()[0]
    plain = Sweep(("laplace2d-5",), programs=("jd",), engine="simpy")
    columns = sweep(plain, store=tmp_path / "cells.sqlite", jobs=1).columns
    assert not any(name.startswith("counted_") for name in columns)


def test_merged_words_may_pass_more_than_the_peak(tmp_path):
    merging = {"merge_bytes": (64,), "words_per_cycle": (1,), "startup": (0,), "bank_busy": (0,)}
    spec = Sweep(("laplace2d-5",), programs=("jd",), set=merging)
    assert sweep(spec, store=tmp_path / "s", jobs=1).columns["peak_share"][0] > 1
    assert sweep(spec, store=tmp_path / "s", jobs=1).computed == 0


PRODUCTS = {"matrices": ("laplace2d-6",), "programs": ("crs", "hism")}
DOUBLE = "li x1, 40\nsetvl x2, x1\nlv.w v9, 0(x0)\naddvv.s v1, v9, v9\nhalt"
"""It has one image for all machines, needs ten registers, and works on as many elements as one has."""


@pytest.mark.parametrize(
    ("what", "varied"),
    [
        (PRODUCTS, {"physical_vector_registers": (0, 40), "memory_ports": (1, 2)}),
        (
            {"programs": ("double.s",)},
            {"l1.bytes": (1024, 0), "section_size": (64, 16), "vector_registers": (16, 8)},
        ),
    ],
)
def test_machines_together_give_the_table_of_one_at_a_time(what, varied, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "double.s").write_text(DOUBLE)
    spec = Sweep(**what, set={"startup": tuple(range(12)), **varied})
    monkeypatch.setattr(together, "COMPILE_SECONDS", 0)
    at_once = sweep(spec, store=tmp_path / "together", jobs=1)
    monkeypatch.setattr(together, "FEW", 1000)
    alone = sweep(spec, store=tmp_path / "alone", jobs=1)
    assert at_once.csv() == alone.csv()
    assert at_once.computed == alone.computed == len(alone) == 96


def test_where_the_first_machine_fails_the_others_are_timed_together(tmp_path, monkeypatch):
    slow_first = {"startup": (60_000, *range(12))}
    spec = Sweep(("laplace2d-6",), programs=("crs",), set=slow_first, max_cycles=20_000)
    monkeypatch.setattr(together, "COMPILE_SECONDS", 0)
    right, groups = together.time_group, []
    monkeypatch.setattr(together, "time_group", lambda group: groups.append(group.count) or right(group))
    table = sweep(spec, store=tmp_path / "s", jobs=1)
    assert groups == [11]
    assert [bool(fault) for fault in table.columns["fault"]] == [True, *12 * [False]]


def test_a_record_that_does_not_fit_is_said_and_not_used(tmp_path, monkeypatch, capfd):
    spec = Sweep(("laplace2d-6",), programs=("crs",), set={"startup": tuple(range(12))})
    monkeypatch.setattr(together, "COMPILE_SECONDS", 0)
    right = together.time_group

    def wrong(group):
        times = right(group)
        return replace(times, cycles=times.cycles + 1)

    monkeypatch.setattr(together, "time_group", wrong)
    table = sweep(spec, store=tmp_path / "s", jobs=1)
    assert "each is run alone" in capfd.readouterr().err
    assert len(set(table.columns["cycles"])) == 12
    monkeypatch.undo()
    assert table.csv() == sweep(spec, store=tmp_path / "other", jobs=1).csv()


@pytest.mark.parametrize(("name", "value"), [("engine", "simpy"), ("engine", "jit-multiport")])
def test_an_engine_for_one_machine_does_not_go_to_a_gpu(tmp_path, name, value):
    with pytest.raises(UserError, match=f"{name}={value} runs each machine alone"):
        sweep(SPEC, store=tmp_path / "s", gpu=True, **{name: value})
